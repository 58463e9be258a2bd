// Functions of threads (SIMT) on the vector cores of A5 (ascend_2.md 5.2): how a kernel starts one, what a thread knows of itself,
// and what the threads of a warp and of a block do together. Each thread is native code; the simulator runs them one after the other
// when pipe V comes to the function.
#pragma once

#include "pto/launch.h"

#ifdef PTO_NPU_ARCH_A5

struct dim3 {
  std::uint32_t x, y, z;
  constexpr dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1)
      : x(x_), y(y_), z(z_) {}
};

/// Of the thread that runs. The simulator writes them.
inline TsrPlace threadIdx{}, blockDim{}, blockIdx{}, gridDim{};
inline constexpr std::int32_t warpSize = 32;

namespace tsr {

template <auto Function, class... P, class... A, std::size_t... N>
void start_threads(void (*)(P...), const dim3& size, std::tuple<A...>&& arguments,
                   std::index_sequence<N...>) {
  using C = Closure<P...>;
  const TsrThreads launch = {
      {size.x, size.y, size.z},
      C::run,
      C::drop,
      new C{Function, std::tuple<P...>(converted<P>(std::get<N>(arguments))...)},
      &threadIdx,
      &blockDim,
      &blockIdx,
      &gridDim};
  tsr_api->threads(tsr_api->self, &launch);
}
template <auto Function, class... A>
void start_threads(const dim3& size, A&&... arguments) {
  start_threads<Function>(Function, size,
                          std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...),
                          std::index_sequence_for<A...>());
}

/// A value of each lane of the warp that comes to this call, and which lanes do.
struct Lanes {
  std::uint64_t bits[32];
  std::uint32_t active;

  template <class T>
  static TSR_INLINE Lanes of(T value) {
    static_assert(sizeof(T) <= 8, "threads exchange values of at most 64 bits");
    Lanes lanes;
    std::uint64_t own = 0;
    std::memcpy(&own, &value, sizeof value);
    lanes.active = tsr_api->exchange(tsr_api->self, own, lanes.bits);
    return lanes;
  }
  template <class T>
  TSR_INLINE T at(unsigned lane) const {
    T value;
    std::memcpy(&value, &bits[lane], sizeof value);
    return value;
  }
};
TSR_INLINE unsigned lane_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
/// Neighbours first, as the sums of vector instructions: the order in which a warp adds is not published.
template <class T, class F>
TSR_INLINE T reduced(T own, F combine) {
  const Lanes lanes = Lanes::of(own);
  T values[32];
  bool used[32];
  for (unsigned n = 0; n < 32; ++n) {
    used[n] = (lanes.active >> n & 1) != 0;
    if (used[n]) values[n] = lanes.at<T>(n);
  }
  for (unsigned step = 1; step < 32; step *= 2)
    for (unsigned n = 0; n < 32; n += 2 * step) {
      if (used[n] && used[n + step])
        values[n] = combine(values[n], values[n + step]);
      else if (used[n + step])
        values[n] = values[n + step];
      used[n] = used[n] || used[n + step];
    }
  return values[0];
}
/// The value of another lane of the same group of `width`; a lane beyond the group, or one that does not take part, leaves one's own.
template <class T>
TSR_INLINE T shuffled(T own, std::int64_t lane, bool inside) {
  const Lanes lanes = Lanes::of(own);
  return inside && lane >= 0 && lane < 32 && (lanes.active >> lane & 1) != 0
             ? lanes.at<T>(static_cast<unsigned>(lane))
             : own;
}
/// An atomic operation: threads run one after the other, and a function as a whole.
template <class T, class F>
TSR_INLINE T atomic(T* address, F change) {
  const T before = *address;
  *address = change(before);
  return before;
}

}  // namespace tsr

namespace cce {
using ::dim3;
template <auto Function, class... A>
void async_invoke(const dim3& size, A&&... arguments) {
  tsr::start_threads<Function>(size, std::forward<A>(arguments)...);
}
}  // namespace cce
template <auto Function, class... A>
void asc_vf_call(const dim3& size, A&&... arguments) {
  tsr::start_threads<Function>(size, std::forward<A>(arguments)...);
}

TSR_INLINE std::uint32_t __cce_simt_get_TID_X() {
  return threadIdx.x;
}
TSR_INLINE std::uint32_t __cce_simt_get_TID_Y() {
  return threadIdx.y;
}
TSR_INLINE std::uint32_t __cce_simt_get_TID_Z() {
  return threadIdx.z;
}
TSR_INLINE std::uint32_t __cce_simt_get_BLOCK_DIM_X() {
  return blockDim.x;
}
TSR_INLINE std::uint32_t __cce_simt_get_BLOCK_DIM_Y() {
  return blockDim.y;
}
TSR_INLINE std::uint32_t __cce_simt_get_BLOCK_DIM_Z() {
  return blockDim.z;
}
TSR_INLINE std::uint32_t __cce_simt_get_LANE_ID() {
  return tsr::lane_id();
}

// All threads of a block.
TSR_INLINE void __sync_workitems() {
  tsr_api->meet(tsr_api->self);
}
TSR_INLINE void asc_syncthreads() {
  tsr_api->meet(tsr_api->self);
}
TSR_INLINE void __syncthreads() {
  tsr_api->meet(tsr_api->self);
}
TSR_INLINE void asc_threadfence() {}
TSR_INLINE void asc_threadfence_block() {}
TSR_INLINE void __threadfence() {}
TSR_INLINE void __threadfence_block() {}

// Lanes of a warp.
#define TSR_REDUCTION(SUFFIX, T)                                                                   \
  TSR_INLINE T __builtin_cce_redux_add_##SUFFIX(T x) {                                             \
    return tsr::reduced(x, [](T a, T b) { return static_cast<T>(a + b); });                        \
  }                                                                                                \
  TSR_INLINE T __builtin_cce_redux_max_##SUFFIX(T x) {                                             \
    return tsr::reduced(x, [](T a, T b) { return a < b ? b : a; });                                \
  }                                                                                                \
  TSR_INLINE T __builtin_cce_redux_min_##SUFFIX(T x) {                                             \
    return tsr::reduced(x, [](T a, T b) { return b < a ? b : a; });                                \
  }                                                                                                \
  TSR_INLINE T asc_reduce_add(T x) {                                                               \
    return __builtin_cce_redux_add_##SUFFIX(x);                                                    \
  }                                                                                                \
  TSR_INLINE T asc_reduce_max(T x) {                                                               \
    return __builtin_cce_redux_max_##SUFFIX(x);                                                    \
  }                                                                                                \
  TSR_INLINE T asc_reduce_min(T x) {                                                               \
    return __builtin_cce_redux_min_##SUFFIX(x);                                                    \
  }
TSR_REDUCTION(f32, float)
TSR_REDUCTION(f16, half)
TSR_REDUCTION(s32, std::int32_t)
TSR_REDUCTION(u32, std::uint32_t)
#undef TSR_REDUCTION
TSR_INLINE std::uint32_t asc_activemask() {
  return tsr::Lanes::of(0).active;
}
TSR_INLINE std::uint32_t asc_ballot(std::int32_t is) {
  const tsr::Lanes lanes = tsr::Lanes::of(is);
  std::uint32_t set = 0;
  for (unsigned n = 0; n < 32; ++n)
    if ((lanes.active >> n & 1) != 0 && lanes.at<std::int32_t>(n) != 0) set |= 1U << n;
  return set;
}
TSR_INLINE std::int32_t asc_any(std::int32_t is) {
  return asc_ballot(is) != 0 ? 1 : 0;
}
TSR_INLINE std::int32_t asc_all(std::int32_t is) {
  const tsr::Lanes lanes = tsr::Lanes::of(is);
  for (unsigned n = 0; n < 32; ++n)
    if ((lanes.active >> n & 1) != 0 && lanes.at<std::int32_t>(n) == 0) return 0;
  return 1;
}
template <class T>
TSR_INLINE T asc_shfl(T x, std::int32_t lane, std::int32_t width = warpSize) {
  const auto group = static_cast<std::int32_t>(tsr::lane_id()) / width * width;
  return tsr::shuffled(x, group + lane, lane >= 0 && lane < width);
}
template <class T>
TSR_INLINE T asc_shfl_up(T x, std::uint32_t delta, std::int32_t width = warpSize) {
  const auto own = static_cast<std::int64_t>(tsr::lane_id());
  return tsr::shuffled(x, own - delta, own % width >= delta);
}
template <class T>
TSR_INLINE T asc_shfl_down(T x, std::uint32_t delta, std::int32_t width = warpSize) {
  const auto own = static_cast<std::int64_t>(tsr::lane_id());
  return tsr::shuffled(x, own + delta, own % width + delta < width);
}
template <class T>
TSR_INLINE T asc_shfl_xor(T x, std::int32_t mask, std::int32_t width = warpSize) {
  const auto own = static_cast<std::int32_t>(tsr::lane_id());
  return tsr::shuffled(x, own ^ mask, (own ^ mask) / width == own / width);
}

// Each of them answers what was there.
#define TSR_ATOMIC(NAME, CHANGE)                                                                   \
  template <class T, class V>                                                                      \
  TSR_INLINE T asc_atomic_##NAME(T* address, V value) {                                            \
    const T x = static_cast<T>(value);                                                             \
    return tsr::atomic(address, [x](T was) -> T { return CHANGE; });                               \
  }
TSR_ATOMIC(add, static_cast<T>(was + x))
TSR_ATOMIC(sub, static_cast<T>(was - x))
TSR_ATOMIC(max, was < x ? x : was)
TSR_ATOMIC(min, x < was ? x : was)
TSR_ATOMIC(exch, (static_cast<void>(was), x))
TSR_ATOMIC(and, static_cast<T>(was& x))
TSR_ATOMIC(or, static_cast<T>(was | x))
TSR_ATOMIC(xor, static_cast<T>(was ^ x))
#undef TSR_ATOMIC
template <class T, class C, class V>
TSR_INLINE T asc_atomic_cas(T* address, C compare, V value) {
  const T expected = static_cast<T>(compare), x = static_cast<T>(value);
  return tsr::atomic(address, [=](T was) { return was == expected ? x : was; });
}
template <class T, class V>
TSR_INLINE T atomicAdd(T* address, V value) {
  return asc_atomic_add(address, value);
}
template <class T, class V>
TSR_INLINE T atomicSub(T* address, V value) {
  return asc_atomic_sub(address, value);
}
template <class T, class V>
TSR_INLINE T atomicMax(T* address, V value) {
  return asc_atomic_max(address, value);
}
template <class T, class V>
TSR_INLINE T atomicMin(T* address, V value) {
  return asc_atomic_min(address, value);
}
template <class T, class V>
TSR_INLINE T atomicExch(T* address, V value) {
  return asc_atomic_exch(address, value);
}
template <class T, class C, class V>
TSR_INLINE T atomicCAS(T* address, C compare, V value) {
  return asc_atomic_cas(address, compare, value);
}

// Arithmetic under the names of the compiler and of the language.
TSR_INLINE float __builtin_cce_expf(float x) {
  return std::exp(x);
}
TSR_INLINE float __expf(float x) {
  return std::exp(x);
}
TSR_INLINE float __logf(float x) {
  return std::log(x);
}
TSR_INLINE float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
TSR_INLINE float __fdividef(float a, float b) {
  return a / b;
}
TSR_INLINE std::int32_t __mulhi(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(a) * b >> 32);
}
TSR_INLINE std::uint32_t __umulhi(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
}
template <class T>
TSR_INLINE std::remove_cv_t<T> asc_ldcg(T* address) {
  return *address;
}
template <class T>
TSR_INLINE std::remove_cv_t<T> asc_ldca(T* address) {
  return *address;
}
template <class T, class V>
TSR_INLINE void asc_stcg(T* address, V value) {
  *address = static_cast<T>(value);
}
template <class T, class V>
TSR_INLINE void asc_stwt(T* address, V value) {
  *address = static_cast<T>(value);
}

#endif
