// Pushes out of L0C whose third parameter says what FIX does on the way: a conversion, a scale, a ReLU. The scale is that of the
// last SET_QUANT_SCALAR or SET_QUANT_VECTOR (ascend_2.md 1.1).
#pragma once

#include "pto/pipes.h"

enum QuantMode_t {
  NoQuant = 0,
  F322F16 = 1,
  VREQ8 = 2,
  REQ8 = 3,
  VDEQF16 = 4,
  DEQF16 = 5,
  VSHIFTS322S16 = 12,
  SHIFTS322S16 = 13,
  F322BF16 = 16,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24,
  QF322F16_PRE = 32,
  QF322BF16_PRE = 34,
  QS322BF16_PRE = 35,
  VQS322BF16_PRE = 36
};

namespace pto {

using ::QuantMode_t;
enum ClipReluMode_t { NOCLIP_RELU = 0, CLIP_RELU = 1 };
enum class LayoutMode_t : std::uint8_t { NZ2NZ = 0, NZ2ND = 1, NZ2DN = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };

template <LayoutMode_t Layout = LayoutMode_t::NZ2ND, QuantMode_t Quant = QuantMode_t::NoQuant,
          ReluPreMode Relu = ReluPreMode::NoRelu, STPhase Phase_ = STPhase::Unspecified,
          std::uint8_t SubBlock = 0, AtomicType Atomic = AtomicType::AtomicNone,
          ClipReluMode_t Clip = ClipReluMode_t::NOCLIP_RELU, bool ChannelSplit = false>
struct FixpipeParams {
  static constexpr LayoutMode_t LayoutMode = Layout;
  static constexpr QuantMode_t QuantPre = Quant;
  static constexpr ReluPreMode ReluMode = Relu;
  static constexpr STPhase Phase = Phase_;
  static constexpr std::uint8_t SubBlockId = SubBlock;
  static constexpr AtomicType AtomicT = Atomic;
  static constexpr ClipReluMode_t ClipReluMode = Clip;
  static constexpr bool IsChannelSplit = ChannelSplit;
};

namespace tsr_detail {

/// What the scale registers of FIX name.
inline std::uint64_t quant_word = 0;
inline TsrTile quant_tile{};

constexpr bool is_one_of(QuantMode_t mode, std::initializer_list<QuantMode_t> modes) {
  for (const QuantMode_t m : modes)
    if (m == mode) return true;
  return false;
}
constexpr bool scales_columns(QuantMode_t mode) {
  return is_one_of(mode, {VREQ8, VDEQF16, VSHIFTS322S16, VQF322B8_PRE, VQS322BF16_PRE});
}
constexpr bool scales_all(QuantMode_t mode) {
  return is_one_of(
      mode, {REQ8, DEQF16, SHIFTS322S16, QF322B8_PRE, QF322F16_PRE, QF322BF16_PRE, QS322BF16_PRE});
}
template <QuantMode_t Mode, class Sum>
using Scaled = std::conditional_t<
    is_one_of(Mode, {F322F16, QF322F16_PRE, DEQF16, VDEQF16}), half,
    std::conditional_t<
        is_one_of(Mode, {F322BF16, QF322BF16_PRE, QS322BF16_PRE, VQS322BF16_PRE}), bfloat16_t,
        std::conditional_t<is_one_of(Mode, {QF322B8_PRE, REQ8, VQF322B8_PRE, VREQ8}), std::int8_t,
                           std::conditional_t<is_one_of(Mode, {SHIFTS322S16, VSHIFTS322S16}),
                                              std::int16_t, Sum>>>>;

template <class Config, class D, class S>
TSR_INLINE void push_by(const char* operation, const D& to, const S& from, AccToVecMode mode) {
  Operands operands;
  operands.option(attribute_of(Config::ReluMode));
  operands.option(attribute_of(Config::Phase));
  if constexpr (is_global_data_v<D>)
    operands.option(attribute_of(Config::AtomicT));
  else
    operands.option(attribute_of(mode));
  operands.add(from, false);
  if constexpr (scales_columns(Config::QuantPre)) operands.tile(quant_tile, TSR_IN);
  if constexpr (scales_all(Config::QuantPre)) operands.scale(quant_word);
  operands.add(to, true);
  operands.call(operation);
}

}  // namespace tsr_detail

/// The factor of what FIX moves from here on.
template <class Out, class... E>
TSR_INLINE RecordEvent SET_QUANT_SCALAR(float factor, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &factor, sizeof bits);
  tsr_detail::quant_word = bits | (std::is_same_v<Out, std::int8_t> ? std::uint64_t{1} << 46 : 0);
  return {};
}
/// A factor for each column.
template <class T, class... E>
TSR_INLINE RecordEvent SET_QUANT_VECTOR(T& scales, const E&... events) {
  static_assert(T::Loc == TileType::Scaling, "SET_QUANT_VECTOR: expected a tile in Scaling");
  (tsr_detail::wait_for(events), ...);
  tsr_detail::quant_tile = scales;
  return {};
}

template <class P, class T, class Config, class = decltype(Config::QuantPre)>
TSR_INLINE void TPUSH(P& pipe, T& tile) {
  static_assert(T::Loc == TileType::Acc, "TPUSH with FixpipeParams: expected a tile in L0C");
  static_assert(Config::LayoutMode == LayoutMode_t::NZ2ND &&
                    Config::ClipReluMode == ClipReluMode_t::NOCLIP_RELU && !Config::IsChannelSplit,
                "TPUSH with FixpipeParams: the simulator has the layout NZ2ND, no limit of a ReLU "
                "and no split of channels");
  using Out = tsr_detail::Scaled<Config::QuantPre, typename T::DType>;
  constexpr auto mode = static_cast<AccToVecMode>(Config::SubBlockId);
  if (pipe.prod.waits && P::shouldWaitFree(pipe.prod.tileIndex)) pipe.allocate(false);
  if constexpr (P::through_gm) {
    auto to = tsr_detail::part_of_slot<TileSplitAxis::TILE_NO_SPLIT, Out>(
        pipe.slot(pipe.prod), tile.GetValidRow(), tile.GetValidCol(), false, 0);
    tsr_detail::push_by<Config>("pto.tstore", to, tile, mode);
  } else {
    Tile<TileType::Vec, Out, T::Rows, T::Cols, BLayout::RowMajor, DYNAMIC, DYNAMIC> to(
        tile.GetValidRow(), tile.GetValidCol());
    TASSIGN(to, pipe.fifo.C2V_CONSUMER_BUF +
                    pipe.prod.tileIndex % P::RingFiFo::SLOT_NUM * P::RingFiFo::SLOT_SIZE +
                    pipe.prod.entryOffset);
    tsr_detail::push_by<Config>("pto.tmov", to, tile, mode);
  }
  ++pipe.prod.tileIndex;
  if (pipe.prod.signals) pipe.record(false);
}

}  // namespace pto
