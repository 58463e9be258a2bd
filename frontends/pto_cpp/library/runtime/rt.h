// What launchers of kernels use of the vendor's runtime library.
#pragma once

#include "acl/acl.h"

using rtStream_t = void*;
using rtError_t = int;
inline constexpr int RT_ERROR_NONE = 0;
/// The base address of the cross-core flags: the model needs none, but a launcher passes it on.
inline int rtGetC2cCtrlAddr(std::uint64_t* address, std::uint32_t* bytes) {
  *address = 4096;
  *bytes = 0;
  return 0;
}
/// AI cores of a whole device: 24 clusters of A2/A3, 36 of A5.
inline int rtGetAiCoreCount(std::uint32_t* count) {
#if defined(PTO_NPU_ARCH_A5)
  *count = 36;
#else
  *count = 24;
#endif
  return RT_ERROR_NONE;
}
