// Counts every operator new of a test executable. Include it in one source of the executable.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
}

// Not inlined: else the compiler sees malloc paired with delete and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// std::stable_sort takes its buffer so.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
