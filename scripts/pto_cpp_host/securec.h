// What host programs of kernels use of the checked functions for memory.
#pragma once

#include <cstddef>
#include <cstring>

#define EOK 0
using errno_t = int;

inline int memset_s(void* to, std::size_t room, int value, std::size_t bytes) {
  if (bytes > room) return 1;
  std::memset(to, value, bytes);
  return 0;
}
inline int memcpy_s(void* to, std::size_t room, const void* from, std::size_t bytes) {
  if (bytes > room) return 1;
  std::memcpy(to, from, bytes);
  return 0;
}
