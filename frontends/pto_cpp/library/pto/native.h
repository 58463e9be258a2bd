// What g++ calls in a module: before native loads and stores (-fsanitize=kernel-address) and in every basic block
// (-fsanitize-coverage=trace-pc). Only accesses to GM and UB interest the simulator.
#pragma once

#include "pto/intrinsics.h"

#define TSR_HOOK extern "C" __attribute__((weak, used, no_sanitize("kernel-address"), no_sanitize_coverage))

namespace tsr {
/// GM and the buffers of cores lie between 64 and 84 TiB (memory_map.h of the simulator).
TSR_INLINE bool is_device(std::uintptr_t address) { return (address >> 42) - 16U < 5U; }
}  // namespace tsr

/// reinterpret_cast<__ubuf__ T*>(x), as the simulator rewrites it: a number is a byte of UB.
template <class P, class X>
TSR_INLINE P tsr_ub_cast(X x) {
#ifdef __DAV_VEC__
  if constexpr (std::is_integral_v<X>) {
    const auto byte = static_cast<std::uint64_t>(x);
    if (byte >> 32 == 0) return reinterpret_cast<P>(tsr_api->address(tsr_api->self, "vec", byte));
  }
#endif
  return (P)(x);
}

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

// Functions of the C library that native code calls with addresses in GM or UB; g++ has no hook for what happens inside of them.
namespace tsr {
TSR_INLINE void touch(const void* address, std::size_t bytes, bool stores, const void* from) {
  if (bytes > 0 && is_device(reinterpret_cast<std::uintptr_t>(address)))
    tsr_api->access(tsr_api->self, address, bytes, stores, from);
}
/// In place, so that the compiler makes no call of memcpy out of it.
TSR_INLINE void move_forward(void* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  for (std::size_t n = 0; n < bytes; ++n)
    static_cast<volatile unsigned char*>(to)[n] =
        static_cast<const volatile unsigned char*>(from)[n];
#endif
}
TSR_INLINE void move_backward(void* to, const void* from, std::size_t bytes) {
  while (bytes-- > 0)
    static_cast<volatile unsigned char*>(to)[bytes] =
        static_cast<const volatile unsigned char*>(from)[bytes];
}
}  // namespace tsr

TSR_HOOK void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
  tsr::touch(from, bytes, false, __builtin_return_address(0));
  tsr::touch(to, bytes, true, __builtin_return_address(0));
  tsr::move_forward(to, from, bytes);
  return to;
}
TSR_HOOK void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
  tsr::touch(from, bytes, false, __builtin_return_address(0));
  tsr::touch(to, bytes, true, __builtin_return_address(0));
  const auto distance =
      reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (distance >= bytes)
    tsr::move_forward(to, from, bytes);
  else
    tsr::move_backward(to, from, bytes);
  return to;
}
TSR_HOOK void* memset(void* to, int byte, std::size_t bytes) noexcept {
  tsr::touch(to, bytes, true, __builtin_return_address(0));
  for (std::size_t n = 0; n < bytes; ++n)
    static_cast<volatile unsigned char*>(to)[n] = static_cast<unsigned char>(byte);
  return to;
}
TSR_HOOK int memcmp(const void* a, const void* b, std::size_t bytes) noexcept {
  tsr::touch(a, bytes, false, __builtin_return_address(0));
  tsr::touch(b, bytes, false, __builtin_return_address(0));
  for (std::size_t n = 0; n < bytes; ++n) {
    const int difference = static_cast<const volatile unsigned char*>(a)[n] -
                           static_cast<const volatile unsigned char*>(b)[n];
    if (difference != 0) return difference;
  }
  return 0;
}

// A copy of the process that goes on with the kernel would be a second run, and a program that it starts would outlive it. The names
// stand in the assembly only, so that kernels may include what declares them.
#define TSR_NO_PROCESS(NAME)                                                                       \
  TSR_HOOK long tsr_no_##NAME() noexcept __asm__(#NAME);                                           \
  TSR_HOOK long tsr_no_##NAME() noexcept {                                                         \
    tsr_api->fail_at(tsr_api->self,                                                                \
                     "native code called " #NAME "(): a kernel cannot make processes",             \
                     __builtin_return_address(0));                                                 \
    return -1;                                                                                     \
  }
TSR_NO_PROCESS(fork)
TSR_NO_PROCESS(_Fork)
TSR_NO_PROCESS(vfork)
TSR_NO_PROCESS(clone)
TSR_NO_PROCESS(daemon)
TSR_NO_PROCESS(system)
TSR_NO_PROCESS(popen)
TSR_NO_PROCESS(posix_spawn)
TSR_NO_PROCESS(posix_spawnp)
TSR_NO_PROCESS(execl)
TSR_NO_PROCESS(execle)
TSR_NO_PROCESS(execlp)
TSR_NO_PROCESS(execv)
TSR_NO_PROCESS(execve)
TSR_NO_PROCESS(execvp)
TSR_NO_PROCESS(execvpe)
TSR_NO_PROCESS(fexecve)
#undef TSR_NO_PROCESS
