// Copies and fills by address (pto_cpp.md 5): lengths and gaps count blocks of 32 bytes. Bursts without gaps are one
// operation of the model, others one for each burst.
#pragma once

#include "pto/operations.h"

namespace pto::tsr_detail {

template <TileType Location, class T, int Bytes>
using Run = Tile<Location, T, 1, Bytes / static_cast<int>(sizeof(T)), BLayout::RowMajor, 1, DYNAMIC>;
using RunInUb = Run<TileType::Vec, std::uint8_t, 256 * 1024>;
using RunInL1 = Run<TileType::Mat, std::uint8_t, 512 * 1024>;
using RunInGm = GlobalTensor<std::uint8_t, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
inline constexpr std::int64_t kBlockBytes = 32;

template <class R>
TSR_INLINE R run_at(const void* address, std::int64_t offset, std::int64_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(address) + static_cast<std::uint64_t>(offset);
  if constexpr (is_global_data_v<R>) {
    return R(reinterpret_cast<std::uint8_t*>(at), Shape<1, 1, 1, 1, DYNAMIC>(bytes));
  } else {
    R run(bytes);
    TASSIGN(run, at);
    return run;
  }
}

/// Calls `copy(to, from)` for each run of bytes.
template <class To, class From, class Copy>
TSR_INLINE void for_each_burst(const void* to, const void* from, std::int64_t count, std::int64_t blocks, std::int64_t from_gap,
                               std::int64_t to_gap, Copy copy) {
  const bool is_one = from_gap == 0 && to_gap == 0;
  const std::int64_t bytes = (is_one ? count : 1) * blocks * kBlockBytes;
  for (std::int64_t n = 0; n < (is_one ? 1 : count); ++n) {
    To target = run_at<To>(to, n * (blocks + to_gap) * kBlockBytes, bytes);
    From source = run_at<From>(from, n * (blocks + from_gap) * kBlockBytes, bytes);
    copy(target, source);
  }
}

}  // namespace pto::tsr_detail

#define TSR_COPY(NAME, TO, FROM, HOW)                                                                                     \
  template <class T, class F, class... More>                                                                              \
  TSR_INLINE void NAME(T* to, F* from, int sub [[maybe_unused]], std::int64_t count, std::int64_t blocks, std::int64_t from_gap, \
                       std::int64_t to_gap, More...) {                                                                    \
    using namespace pto;                                                                                                  \
    tsr_detail::for_each_burst<tsr_detail::TO, tsr_detail::FROM>(to, from, count, blocks, from_gap, to_gap,               \
                                                                 [&](auto& target, auto& source) { HOW; });               \
  }
TSR_COPY(copy_gm_to_ubuf, RunInUb, RunInGm, TLOAD(target, source))
TSR_COPY(copy_gm_to_cbuf, RunInL1, RunInGm, TLOAD(target, source))
TSR_COPY(copy_ubuf_to_gm, RunInGm, RunInUb, TSTORE(target, source))
TSR_COPY(copy_cbuf_to_gm, RunInGm, RunInL1, TSTORE(target, source))
TSR_COPY(copy_ubuf_to_ubuf, RunInUb, RunInUb, TMOV(target, source))
TSR_COPY(copy_ubuf_to_cbuf, RunInL1, RunInUb, TMOV(target, source))
// `sub`: the AIV whose UB is written.
TSR_COPY(copy_cbuf_to_ubuf, RunInUb, RunInL1,
         sub == 0 ? TMOV<AccToVecMode::SingleModeVec0>(target, source) : TMOV<AccToVecMode::SingleModeVec1>(target, source))

#ifdef PTO_NPU_ARCH_A5
/// Lengths and distances from burst to burst are bytes.
template <class T, class F>
TSR_INLINE void copy_ubuf_to_gm_align_v2(T* to, F* from, int, std::int64_t count, std::int64_t bytes, int, std::int64_t to_step, std::int64_t from_step) {
  using namespace pto;
  const bool is_one = count == 1 || (to_step == bytes && from_step == bytes);
  for (std::int64_t n = 0; n < (is_one ? 1 : count); ++n)
    TSTORE(tsr_detail::run_at<tsr_detail::RunInGm>(to, n * to_step, is_one ? count * bytes : bytes),
           tsr_detail::run_at<tsr_detail::RunInUb>(from, n * from_step, is_one ? count * bytes : bytes));
}
#endif

/// Fills L1: `config` has the number of runs, their blocks and the blocks between them, 16 bits each.
template <class T, class V>
TSR_INLINE void create_cbuf_matrix(T* to, std::int64_t config, V value) {
  using E = std::conditional_t<std::is_void_v<T>, std::uint16_t, std::remove_cv_t<T>>;
  using R = pto::tsr_detail::Run<pto::TileType::Mat, E, 512 * 1024>;
  const std::int64_t count = config & 0x7FFF, blocks = config >> 16 & 0x7FFF, gap = config >> 32 & 0x7FFF;
  const std::int64_t each = (gap == 0 ? count : 1) * blocks * pto::tsr_detail::kBlockBytes;
  for (std::int64_t n = 0; n < (gap == 0 ? 1 : count); ++n) {
    R run(each / static_cast<std::int64_t>(sizeof(E)));
    pto::TASSIGN(run, reinterpret_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(n * (blocks + gap) * pto::tsr_detail::kBlockBytes));
    pto::TEXPANDS(run, static_cast<E>(value));
  }
}
/// Fills UB on A2/A3, one run: of as many elements as the mask counts, or of whole repeats.
template <class T, class V>
TSR_INLINE void vector_dup(T* to, V value, std::uint8_t repeats, std::uint16_t block_step, std::uint16_t, std::uint16_t repeat_step,
                           std::uint16_t) {
  using R = pto::tsr_detail::Run<pto::TileType::Vec, T, 256 * 1024>;
  const std::int64_t count = tsr::mask_count > 0 ? tsr::mask_count : std::int64_t{repeats} * 256 / static_cast<std::int64_t>(sizeof(T));
  if (count == 0) return;
  if (block_step != 1 || repeat_step != 8 || (tsr::mask_count == 0 && tsr::has_mask))
    tsr_api->fail(tsr_api->self, "vector_dup: expected neighbouring blocks and repeats, and a mask that counts or has all lanes");
  R run(count);
  pto::TASSIGN(run, reinterpret_cast<std::uint64_t>(to));
  pto::TEXPANDS(run, static_cast<T>(value));
}
template <class T>
TSR_INLINE T* __cce_get_tile_ptr(T* address) {
  return address;
}
