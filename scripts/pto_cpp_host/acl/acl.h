// What host programs of kernels use of the vendor's runtime library: device memory is memory of this process, and a launch
// runs ascend_platform (host.cpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using aclError = int;
using aclrtStream = void*;
using aclrtContext = void*;
using aclrtEvent = void*;
struct aclFloat16 {
  std::uint16_t bits = 0;
  aclFloat16() = default;
  aclFloat16(float value);
  operator float() const;
};
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE
};
inline constexpr int ACL_SUCCESS = 0, ACL_ERROR_NONE = 0;

float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);
aclError aclrtMalloc(void** memory, std::size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtFree(void* memory);
inline aclError aclrtMallocHost(void** memory, std::size_t bytes) {
  *memory = std::calloc(bytes + 1, 1);
  return 0;
}
inline aclError aclrtFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
inline aclError aclrtMemcpy(void* to, std::size_t, const void* from, std::size_t bytes, aclrtMemcpyKind) {
  std::memcpy(to, from, bytes);
  return 0;
}
inline aclError aclrtMemcpyAsync(void* to, std::size_t room, const void* from, std::size_t bytes, aclrtMemcpyKind kind, aclrtStream) {
  return aclrtMemcpy(to, room, from, bytes, kind);
}
inline aclError aclrtMemset(void* to, std::size_t, std::int32_t value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return 0;
}
inline aclError aclrtMemsetAsync(void* to, std::size_t room, std::int32_t value, std::size_t bytes, aclrtStream) {
  return aclrtMemset(to, room, value, bytes);
}
inline aclError aclrtCreateStream(aclrtStream* stream) {
  *stream = nullptr;
  return 0;
}
inline aclError aclrtCreateContext(aclrtContext* context, std::int32_t) {
  *context = nullptr;
  return 0;
}
inline aclError aclrtDestroyStream(aclrtStream) { return 0; }
inline aclError aclrtDestroyContext(aclrtContext) { return 0; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return 0; }
inline aclError aclrtSynchronizeDevice() { return 0; }
inline aclError aclrtSetDevice(std::int32_t) { return 0; }
inline aclError aclrtResetDevice(std::int32_t) { return 0; }
inline aclError aclrtGetDevice(std::int32_t* device) {
  *device = 0;
  return 0;
}
inline aclError aclInit(const char*) { return 0; }
inline aclError aclFinalize() { return 0; }
inline const char* aclGetRecentErrMsg() { return ""; }
