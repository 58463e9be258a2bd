// Builtins of the vendor's compiler in the global namespace (pto_cpp.md 2): flags, barriers, signals, caches.
#pragma once

#include "pto/interface.h"
#include "pto/scalars.h"

#include <algorithm>
#include <cstdio>

#define TSR_INLINE __attribute__((always_inline)) inline

/// The simulator sets it when it has loaded the module.
extern "C" __attribute__((weak)) const TsrApi* tsr_api = nullptr;
extern "C" __attribute__((weak)) const std::uint32_t tsr_version = TSR_INTERFACE_VERSION;

#define __gm__
#ifndef TSR_KEEP_PLACES
#define __ubuf__
#endif
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __in__
#define __out__
#define __inout__
#define __tf__
#define __aicore__
#define __vector__
#define __cube__
#define __mix__(...)
#define AICORE
#define __simd_vf__
#define __simt_vf__
#define __simt_callee__
#define LAUNCH_BOUND(N)
#define __launch_bounds__(...)
#define __sync_alias__
#ifdef PTO_NPU_ARCH_A5
#define __VEC_SCOPE__ if (const ::tsr::VectorScope tsr_vector_scope; true)
#else
#define __VEC_SCOPE__
#endif
#define __global__ __attribute__((visibility("default")))
#define PTO_INST inline
#define PTO_INTERNAL inline
#define PTO_INLINE inline
#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif

enum pipe_t {
  PIPE_S = 0, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_ALL, PIPE_FIX
};
enum event_t {
  EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
};
enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };

inline constexpr int REPEAT_MAX = 255, REPEAT_BYTE = 256, BLOCK_BYTE_SIZE = 32, C0_SIZE_BYTE = 32,
                     CUBE_BLOCK_SIZE = 512, FRACTAL_NZ_ROW = 16;

TSR_INLINE void set_flag(pipe_t from, pipe_t to, int id) {
  tsr_api->sync(tsr_api->self, TSR_SET_FLAG, from, to, id, 0);
}
TSR_INLINE void wait_flag(pipe_t from, pipe_t to, int id) {
  tsr_api->sync(tsr_api->self, TSR_WAIT_FLAG, from, to, id, 0);
}
TSR_INLINE void pipe_barrier(pipe_t pipe) { tsr_api->sync(tsr_api->self, TSR_BARRIER, pipe, pipe, 0, 0); }
namespace tsr {
/// A message names the flag and the mode. To PIPE_ALL: the scalar unit stores it, past all pipes.
TSR_INLINE void cross_core_message(pipe_t pipe, pipe_t to, std::uint64_t message) {
  tsr_api->sync(tsr_api->self, TSR_SET_CROSS_CORE, pipe, to, static_cast<std::int64_t>(message >> 8 & 15),
                static_cast<int>(message >> 4 & 3));
}
}  // namespace tsr
TSR_INLINE void ffts_cross_core_sync(pipe_t pipe, std::uint64_t message) { tsr::cross_core_message(pipe, pipe, message); }
TSR_INLINE void wait_flag_dev(std::int64_t id) {
  tsr_api->sync(tsr_api->self, TSR_WAIT_CROSS_CORE, PIPE_S, PIPE_S, id, 0);
}
TSR_INLINE void wait_flag_dev(pipe_t pipe, std::int64_t id) {
  tsr_api->sync(tsr_api->self, TSR_WAIT_CROSS_CORE, pipe, pipe, id, 0);
}
TSR_INLINE void set_intra_block(pipe_t pipe, std::int64_t id) {
  tsr_api->sync(tsr_api->self, TSR_SET_INTRA_BLOCK, pipe, pipe, id, 0);
}
TSR_INLINE void wait_intra_block(pipe_t pipe, std::int64_t id) {
  tsr_api->sync(tsr_api->self, TSR_WAIT_INTRA_BLOCK, pipe, pipe, id, 0);
}
namespace tsr {
inline bool has_flag_base = false;   ///< the core has set it
inline std::uint64_t flag_base = 0;  ///< where messages of cross-core flags are written
}  // namespace tsr
TSR_INLINE void set_ffts_base_addr(std::uint64_t base) {
  tsr::has_flag_base = true;
  tsr::flag_base = base;
  tsr_api->sync(tsr_api->self, TSR_SET_FFTS, PIPE_S, PIPE_S, 0, 0);
}
TSR_INLINE void get_buf(pipe_t pipe, std::int64_t id, int mode) {
  tsr_api->sync(tsr_api->self, TSR_GET_BUFFER, pipe, pipe, id, mode);
}
TSR_INLINE void rls_buf(pipe_t pipe, std::int64_t id, int mode) {
  tsr_api->sync(tsr_api->self, TSR_RELEASE_BUFFER, pipe, pipe, id, mode);
}
TSR_INLINE std::int64_t get_block_idx() { return tsr_api->special(tsr_api->self, TSR_BLOCK_INDEX); }
TSR_INLINE std::int64_t get_block_num() { return tsr_api->special(tsr_api->self, TSR_BLOCK_COUNT); }
TSR_INLINE std::int64_t get_subblockid() { return tsr_api->special(tsr_api->self, TSR_SUBBLOCK_INDEX); }
TSR_INLINE std::int64_t get_subblockdim() { return tsr_api->special(tsr_api->self, TSR_SUBBLOCK_COUNT); }
TSR_INLINE std::int64_t get_coreid() { return tsr_api->special(tsr_api->self, TSR_CORE); }
TSR_INLINE std::int64_t get_sys_cnt() { return tsr_api->special(tsr_api->self, TSR_CYCLE); }

// What assembly of the device reads (kernel_text.cpp of the simulator).
TSR_INLINE std::uint64_t tsr_register_SYS_CNT() { return static_cast<std::uint64_t>(get_sys_cnt()); }
__attribute__((noinline)) inline std::uint64_t tsr_register_PC() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

namespace tsr {
/// block_idx and its relatives are variables, whose names kernels also give to their own.
template <TsrSpecial What>
struct SpecialVariable {
  TSR_INLINE operator std::int64_t() const { return tsr_api->special(tsr_api->self, What); }
};
}  // namespace tsr
inline constexpr tsr::SpecialVariable<TSR_BLOCK_INDEX> block_idx{};
inline constexpr tsr::SpecialVariable<TSR_BLOCK_COUNT> block_num{};

// Operations on tiles set the mask and the padding of the vector unit by themselves. What copies.h has takes notice of it.
namespace tsr {
inline bool counts_elements = false;  ///< the mask is a number of elements
inline std::int64_t mask_count = 0;   ///< 0: it counts none
inline bool has_mask = false;         ///< some lanes are off
}  // namespace tsr
TSR_INLINE void set_mask_norm() {
  tsr::counts_elements = false;
  tsr::mask_count = 0;
}
TSR_INLINE void set_mask_count() { tsr::counts_elements = true; }
TSR_INLINE void set_vector_mask(std::uint64_t high, std::uint64_t low) {
  if (tsr::counts_elements) tsr::mask_count = static_cast<std::int64_t>(low);
  else tsr::has_mask = (high & low) != ~std::uint64_t{0};
}
TSR_INLINE void set_padding(std::uint64_t) {}
TSR_INLINE void set_atomic_none() {}
TSR_INLINE void preload(const void*, std::int64_t = 0) {}
namespace tsr {
/// CTRL of this core. Its two bits about products of f32 are modelled; the others say how values saturate and round.
inline std::int64_t ctrl = 0;
inline constexpr std::int64_t kShortProducts = std::int64_t{1} << 46;  ///< M rounds its factors to HF32 or TF32 (ascend_2.md 5.10)
inline constexpr std::int64_t kTiesAway = std::int64_t{1} << 47;       ///< in such products
}  // namespace tsr
TSR_INLINE std::int64_t get_ctrl() { return tsr::ctrl; }
TSR_INLINE void set_ctrl(std::int64_t value) {
  if (((value ^ tsr::ctrl) & ~(tsr::kShortProducts | tsr::kTiesAway)) != 0)
    tsr_api->fail(tsr_api->self, "set_ctrl() changes how values are saturated or rounded, which is not modelled");
  tsr::ctrl = value;
}
TSR_INLINE std::int64_t sbitset0(std::int64_t x, int bit) { return x & ~(std::int64_t{1} << bit); }
TSR_INLINE std::int64_t sbitset1(std::int64_t x, int bit) { return x | std::int64_t{1} << bit; }
TSR_INLINE std::int64_t get_icache_prl_st() { return 0; }
TSR_INLINE void trap() { tsr_api->fail(tsr_api->self, "the kernel called trap()"); }

template <class P>
TSR_INLINE void dcci(P* address, int line, int = 0) {
  tsr_api->clean(tsr_api->self, line == ENTIRE_DATA_CACHE ? nullptr : static_cast<const void*>(address));
}
template <class K>
TSR_INLINE void dsb(K) {
  tsr_api->sync(tsr_api->self, TSR_DATA_BARRIER, PIPE_S, PIPE_S, 0, 0);
}

/// Scalar accesses past the cache: the line is written back and dropped, so that the access meets GM.
template <class T>
TSR_INLINE std::remove_cv_t<T> ld_dev(T* address, int offset) {
  if (offset != 0) tsr_api->fail(tsr_api->self, "ld_dev with an offset: expected 0");
  dcci(address, SINGLE_CACHE_LINE, CACHELINE_OUT);
  return *const_cast<const volatile T*>(address);
}
/// A store to the base of cross-core flags is the message of one, from the scalar unit: it waits for no pipe.
template <class V, class T>
TSR_INLINE void st_dev(V value, T* address, int offset) {
  if (offset != 0) tsr_api->fail(tsr_api->self, "st_dev with an offset: expected 0");
  if (tsr::has_flag_base && reinterpret_cast<std::uint64_t>(address) == tsr::flag_base)
    return tsr::cross_core_message(PIPE_S, PIPE_ALL, static_cast<std::uint64_t>(value));
  *const_cast<volatile T*>(address) = static_cast<T>(value);
  dcci(address, SINGLE_CACHE_LINE, CACHELINE_OUT);
}

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
