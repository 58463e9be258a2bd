// Products with a scale for each 32 elements of k (ascend_2.md 5.5).
#pragma once

#include "pto/operations.h"

namespace pto {

// (c, a, scales of a, b, scales of b), with a bias after them, or with what they are added to in front.
#define TSR_SCALED(NAME, TEXT)                                                                                                     \
  template <AccPhase Phase = AccPhase::Unspecified, class C, class A, class SA, class B, class SB>                                 \
  TSR_INLINE RecordEvent NAME(const C& c, const A& a, const SA& a_scales, const B& b, const SB& b_scales) {                        \
    return tsr_detail::issue<Phase>(TEXT, c, a, a_scales, b, b_scales);                                                            \
  }                                                                                                                                \
  template <AccPhase Phase = AccPhase::Unspecified, class C, class X, class SX, class Y, class SY, class Z>                        \
  TSR_INLINE RecordEvent NAME(const C& c, const X& x, const SX& sx, const Y& y, const SY& sy, const Z& z) {                        \
    if constexpr (X::Loc == TileType::Acc)                                                                                         \
      return tsr_detail::issue<Phase>(TEXT ".acc", c, x, sx, y, sy, z);                                                            \
    else                                                                                                                           \
      return tsr_detail::issue<Phase>(TEXT ".bias", c, x, sx, y, sy, z);                                                           \
  }
TSR_SCALED(TMATMUL_MX, "pto.tmatmul.mx")
TSR_SCALED(TGEMV_MX, "pto.tgemv.mx")
#undef TSR_SCALED

/// The address of the scales of a factor in L0A or L0B: a byte for 16 of its bytes.
template <class T>
TSR_INLINE std::uint64_t GetScaleAddr(const T* factor) {
  return (reinterpret_cast<std::uint64_t>(factor) & 0xFFFFFFFFU) / 16;
}
/// Where the scales of a factor in L0A or L0B lie: a byte for 16 of its bytes.
template <class D, class S>
TSR_INLINE void TGET_SCALE_ADDR(D& scales, const S& factor) {
  static_assert((D::Loc == TileType::ScaleLeft && S::Loc == TileType::Left) || (D::Loc == TileType::ScaleRight && S::Loc == TileType::Right),
                "TGET_SCALE_ADDR: expected the scales of a tile in L0A or L0B, and that tile");
  TASSIGN(scales, factor.address / 16);
}

}  // namespace pto
