// Operations of A5 alone: quantisation to MX types, histograms, random numbers (ascend_2.md 5.5, 5.9).
#pragma once

#include "pto/pipes.h"

namespace pto {

namespace tsr_detail {
/// kIsA5, for an assertion inside of a template.
template <class>
inline constexpr bool on_a5 = kIsA5;

/// Scales of several rows in one row have room up to a multiple of 32 bytes. The library goes through whole rows of the tile as far as
/// there is room: for f32 what lies beyond the valid columns counts.
template <class S, class... Groups>
TSR_INLINE void fit_groups(S& from, Groups&... groups) {
  const int room = std::min({groups.valid_rows * groups.valid_columns...});
  const int rows = from.valid_rows;
  const int across = room >= rows * (S::Cols / 32) && S::Cols % 32 == 0
                         ? S::Cols / 32
                         : (from.valid_columns + 31) / 32;
  if (rows <= 1 || ((groups.valid_rows != 1) || ...) || room < rows * across) return;
  if constexpr (std::is_same_v<typename S::DType, float>)
    from.valid_columns = std::max(from.valid_columns, across * 32);
  ((groups.valid_columns = rows * across), ...);
}
}  // namespace tsr_detail

/// To an MX type (ascend_2.md 5.5): the scales of groups of 32, their extremes, and what the numbers are multiplied by.
template <bool Rows, bool Nv, bool Interleave, class D, class S, class X, class M, class F,
          class... E>
TSR_INLINE RecordEvent tsr_quantize_groups(const D& result, const S& from, const X& scales,
                                           const M& extremes, const F& factors,
                                           const E&... events) {
  static_assert(tsr_detail::on_a5<D>, "TQUANT: A2/A3 have no MX types");
  static_assert(!Interleave || Rows, "TQUANT: scales stand side by side for groups of rows only");
  (tsr_detail::wait_for(events), ...);
  S whole = from;
  constexpr bool in_a_row = !Rows && std::is_same_v<typename S::DType, float>;
  auto own_scales = [&scales] {
    if constexpr (in_a_row)
      return tsr_detail::in_a_row(scales);
    else
      return scales;
  }();
  const int room = own_scales.valid_columns;
  M own_extremes = extremes;
  F own_factors = factors;
  if constexpr (!Rows) tsr_detail::fit_groups(whole, own_scales, own_extremes, own_factors);
  // Scales of f32 are stored 64 at a time: behind the last group stand zeros, as far as the tile goes.
  if constexpr (in_a_row)
    own_scales.valid_columns = std::max(own_scales.valid_columns,
                                        std::min(room, (own_scales.valid_columns + 63) / 64 * 64));
  tsr_detail::Operands operands;
  operands.option({"grpAxis", Rows ? "#pto<mx_group_axis axis0>" : "#pto<mx_group_axis axis1>"});
  operands.option({"quantScaleAlg", Nv ? "#pto<quant_scale_alg nv>" : "#pto<quant_scale_alg ocp>"});
  operands.option({"interleave", Interleave ? "true" : "false"});
  operands.add(whole, false);
  operands.add(result, true);
  operands.add(own_scales, true);
  operands.add(own_extremes, true);
  operands.add(own_factors, true);
  return operands.call("pto.tquant.mx");
}
template <QuantType Type, class D, class S, class X, class M, class F,
          QuantScaleAlg Alg = QuantScaleAlg::OCP, class... E>
TSR_INLINE RecordEvent TQUANT(const D& result, const S& from, X* scales, M* extremes, F* factors,
                              const E&... events) {
  static_assert(Type == QuantType::MXFP8 || Type == QuantType::MXFP4_E2M1,
                "TQUANT: expected MXFP8 or MXFP4_E2M1");
  static_assert(!(std::is_pointer_v<E> || ...),
                "TQUANT: the simulator has no form that orders scales too; TMOV does that");
  return tsr_quantize_groups<false, Alg == QuantScaleAlg::NV, false>(
      result, from, *scales, *extremes, *factors, events...);
}
template <int Axis, MxQuantAlg Alg, bool Interleave = false, class D, class S, class X, class M,
          class F, class... E>
TSR_INLINE RecordEvent TQUANT(const D& result, const S& from, X* scales, M* extremes, F* factors,
                              const E&... events) {
  static_assert(Axis == 0 || Axis == 1, "TQUANT: groups are along axis 0 or 1");
  static_assert(Alg != MxQuantAlg::Hif4, "TQUANT: A5 has no HiF4");
  constexpr bool nv = Alg == MxQuantAlg::NvMxFp8E4M3 || Alg == MxQuantAlg::NvMxFp4E2M1;
  return tsr_quantize_groups<Axis == 0, nv, Interleave>(result, from, *scales, *extremes, *factors,
                                                        events...);
}

/// Counts of the bytes of each row, each with those of all lower bytes (ascend_2.md 5.9).
template <HistByte Byte, class D, class S, class I, class... E>
TSR_INLINE RecordEvent THISTOGRAM(const D& result, const S& from, const I& filters,
                                  const E&... events) {
  static_assert(tsr_detail::on_a5<D>, "THISTOGRAM: A2/A3 have no such operation");
  constexpr const char* kBytes[] = {"0", "1", "2", "3"};
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  operands.option({"byte", kBytes[static_cast<int>(Byte)]});
  operands.add(from, false);
  operands.add(filters, false);
  operands.add(result, true);
  return operands.call("pto.thistogram");
}

using TRandomKey = std::uint32_t[2];
using TRandomCounter = std::uint32_t[4];
/// Random numbers by a key and a counter (ascend_2.md 5.9).
template <std::uint16_t Rounds = 10, class D, class... E>
TSR_INLINE RecordEvent TRANDOM(const D& result, const TRandomKey& key,
                               const TRandomCounter& counter, const E&... events) {
  static_assert(tsr_detail::on_a5<D>, "TRANDOM: A2/A3 have no such operation");
  static_assert(Rounds == 7 || Rounds == 10, "TRANDOM: expected 7 or 10 rounds");
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  operands.option({"rounds", Rounds == 7 ? "7" : "10"});
  for (const std::uint32_t word : key) operands.add(word, false);
  for (const std::uint32_t word : counter) operands.add(word, false);
  operands.add(result, true);
  return operands.call("pto.trandom");
}

}  // namespace pto
