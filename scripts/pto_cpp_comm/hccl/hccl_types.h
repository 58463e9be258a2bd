// SPDX-License-Identifier: Apache-2.0
// What the kernel files of public communication tests name of the vendor's libraries for several devices. Nothing of it is called: the script
// starts the kernels itself.
#pragma once

#include <cstdint>

#define PTO_COMM_ST_SKIP_SDMA_WORKSPACE_MANAGER
#define HCCL_ROOT_INFO_BYTES 4108

enum HcclResult { HCCL_SUCCESS = 0 };
enum aclDataType { ACL_FLOAT };
enum aclFormat { ACL_FORMAT_ND };
using HcclComm = void*;
struct HcclRootInfo {
  char internal[HCCL_ROOT_INFO_BYTES];
};
struct aclTensor;

extern "C" {
inline HcclResult HcclCommInitRootInfo(std::uint32_t, const HcclRootInfo*, std::uint32_t, HcclComm*) { return HCCL_SUCCESS; }
inline HcclResult HcclGetCommName(HcclComm, char*) { return HCCL_SUCCESS; }
inline HcclResult HcclCommDestroy(HcclComm) { return HCCL_SUCCESS; }
inline HcclResult HcclBarrier(HcclComm, void*) { return HCCL_SUCCESS; }
inline HcclResult HcclGetRootInfo(HcclRootInfo*) { return HCCL_SUCCESS; }
inline HcclResult HcclAllocComResourceByTiling(HcclComm, void*, void*, void**) { return HCCL_SUCCESS; }
inline HcclResult HcomGetCommHandleByGroup(const char*, HcclComm*) { return HCCL_SUCCESS; }
inline HcclResult HcomGetL0TopoTypeEx(const char*, std::uint32_t*, std::uint32_t) { return HCCL_SUCCESS; }
inline int rtSetDevice(int) { return 0; }
inline int rtStreamCreate(void**, int) { return 0; }
inline int rtStreamDestroy(void*) { return 0; }
inline int aclrtGetDeviceCount(std::uint32_t* count) { return *count = 8, 0; }
inline aclTensor* aclCreateTensor(const std::int64_t*, std::uint64_t, aclDataType, const std::int64_t*, std::int64_t, aclFormat, const std::int64_t*,
                                  std::uint64_t, void*) {
  return nullptr;
}
inline int aclDestroyTensor(const aclTensor*) { return 0; }
}
