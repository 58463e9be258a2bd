// Memory on its way into the cache before it is needed.
#pragma once

#include <cstddef>

namespace tessera {

/// Objects `first` to `end` - 1 of an array. Inlined by force, as whatever calls it should be: GCC drops calls of a
/// function that does nothing but prefetch.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* array, std::size_t first, std::size_t end) {
  constexpr std::size_t kCacheLine = 64;
  const char* const stop = reinterpret_cast<const char*>(array + end);
  for (const char* at = reinterpret_cast<const char*>(array + first); at < stop; at += kCacheLine)
    __builtin_prefetch(at, 0, 2);
}

}  // namespace tessera
