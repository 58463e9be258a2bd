// What g++ calls in a module: before native loads and stores (-fsanitize=kernel-address) and in every basic block
// (-fsanitize-coverage=trace-pc). Only accesses to GM and UB interest the simulator.
#pragma once

#include "pto/intrinsics.h"

#define TSR_HOOK extern "C" __attribute__((weak, used, no_sanitize("kernel-address"), no_sanitize_coverage))

namespace tsr {
/// GM and the buffers of cores lie between 16 and 48 TiB (memory_map.h of the simulator).
TSR_INLINE bool is_device(std::uintptr_t address) { return (address >> 44) - 1U < 2U; }
}  // namespace tsr

#define TSR_ACCESSES(SIZE)                                                                     \
  TSR_HOOK void __asan_load##SIZE##_noabort(void* address) {                                   \
    if (tsr::is_device(reinterpret_cast<std::uintptr_t>(address)))                             \
      tsr_api->access(tsr_api->self, address, SIZE, false, __builtin_return_address(0));                      \
  }                                                                                            \
  TSR_HOOK void __asan_store##SIZE##_noabort(void* address) {                                  \
    if (tsr::is_device(reinterpret_cast<std::uintptr_t>(address)))                             \
      tsr_api->access(tsr_api->self, address, SIZE, true, __builtin_return_address(0));                       \
  }
TSR_ACCESSES(1)
TSR_ACCESSES(2)
TSR_ACCESSES(4)
TSR_ACCESSES(8)
TSR_ACCESSES(16)
TSR_HOOK void __asan_loadN_noabort(void* address, std::size_t bytes) {
  if (tsr::is_device(reinterpret_cast<std::uintptr_t>(address)))
    tsr_api->access(tsr_api->self, address, bytes, false, __builtin_return_address(0));
}
TSR_HOOK void __asan_storeN_noabort(void* address, std::size_t bytes) {
  if (tsr::is_device(reinterpret_cast<std::uintptr_t>(address)))
    tsr_api->access(tsr_api->self, address, bytes, true, __builtin_return_address(0));
}
TSR_HOOK void __asan_handle_no_return() {}
TSR_HOOK void __sanitizer_cov_trace_pc() {
  if (tsr_api != nullptr) tsr_api->block(tsr_api->self, __builtin_return_address(0));
}
TSR_HOOK void __asan_before_dynamic_init(const char*) {}
TSR_HOOK void __asan_after_dynamic_init() {}

// A copy of the process that goes on with the kernel would be a second run.
#define TSR_NO_COPY(NAME)                                                \
  TSR_HOOK int NAME() noexcept {                                         \
    tsr_api->fail(tsr_api->self, "native code called " #NAME "(): a kernel cannot make processes"); \
    return -1;                                                           \
  }
TSR_NO_COPY(fork)
TSR_NO_COPY(vfork)
#undef TSR_NO_COPY
