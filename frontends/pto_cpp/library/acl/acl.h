// What host programs and launchers of kernels use of the vendor's runtime library: memory of the device, copies, streams.
#pragma once

#include "pto/pto-inst.hpp"

#include <cstdlib>
#include <cstring>

using aclrtStream = void*;
using aclrtContext = void*;
using aclError = int;
/// Bits of a half, as the host has them.
struct aclFloat16 : half {
  using half::half;
  constexpr aclFloat16(half x) : half(x) {}
};
inline float aclFloat16ToFloat(aclFloat16 x) { return x; }
inline aclFloat16 aclFloatToFloat16(float x) { return half(x); }
inline constexpr int ACL_SUCCESS = 0, ACL_ERROR_NONE = 0;
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE
};

inline int aclInit(const char*) { return 0; }
inline int aclFinalize() { return 0; }
inline int aclrtSetDevice(int) { return 0; }
inline int aclrtResetDevice(int) { return 0; }
inline int aclrtCreateContext(aclrtContext*, int) { return 0; }
inline int aclrtDestroyContext(aclrtContext) { return 0; }
inline int aclrtCreateStream(aclrtStream* stream) { return *stream = nullptr, 0; }
inline int aclrtDestroyStream(aclrtStream) { return 0; }
inline int aclrtSynchronizeStream(aclrtStream) { return 0; }  // a launch returns when the kernel has ended
inline int aclrtSynchronizeDevice() { return 0; }
inline int aclrtMallocHost(void** address, std::size_t bytes) {
  return *address = std::calloc(bytes + 1, 1), 0;
}
inline int aclrtFreeHost(void* address) { return std::free(address), 0; }
inline int aclrtMalloc(void** address, std::size_t bytes, int) {
  return *address = tsr_api->allocate(tsr_api->self, bytes), 0;
}
inline int aclrtFree(void*) { return 0; }
inline int aclrtMemset(void* to, std::size_t, int value, std::size_t bytes) {
  return std::memset(to, value, bytes), 0;
}
inline int aclrtMemcpy(void* to, std::size_t, const void* from, std::size_t bytes, int) {
  return std::memcpy(to, from, bytes), 0;
}
inline int aclrtMemcpyAsync(void* to, std::size_t room, const void* from, std::size_t bytes, int kind, aclrtStream) {
  return aclrtMemcpy(to, room, from, bytes, kind);
}
