// Vector operations of Ascend C on tensors in UB: those of the first elements, and those by mask and repeat, of which a repeat takes 256
// bytes one after the other. Included by ascendc.h.
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

namespace AscendC {

enum class SELMODE : std::uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
/// Distances of blocks of 32 bytes in a repeat, and of repeats, in blocks.
struct BinaryRepeatParams {
  std::uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1, dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
};
struct UnaryRepeatParams {
  std::uint16_t dstBlkStride = 1, srcBlkStride = 1;
  std::uint8_t dstRepStride = 8, srcRepStride = 8;
};
struct GatherMaskParams {
  std::uint8_t src0BlockStride = 1;
  std::uint16_t repeatTimes = 1, src0RepeatStride = 8, src1RepeatStride = 0;
};

namespace detail {
inline constexpr std::int64_t kRepeatBytes = 256, kMostRepeats = 255;
template <class T>
inline constexpr std::int64_t kRepeatLanes = kRepeatBytes / static_cast<std::int64_t>(sizeof(T));
/// Lanes of each repeat that a mask takes.
template <class T>
using Repeats = pto::Tile<pto::TileType::Vec, T, static_cast<int>(kMostRepeats), static_cast<int>(kRepeatLanes<T>),
                          pto::BLayout::RowMajor, pto::DYNAMIC, pto::DYNAMIC>;
template <class T>
using Scalar = pto::Tile<pto::TileType::Vec, T, 1, 32 / static_cast<int>(sizeof(T)), pto::BLayout::RowMajor, 1, 1>;
template <class T>
using Column = pto::Tile<pto::TileType::Vec, T, 2048, 1, pto::BLayout::ColMajor, pto::DYNAMIC, 1>;

TSR_INLINE void require(bool holds, const char* what) {
  if (!holds) tsr_api->fail(tsr_api->self, what);
}
TSR_INLINE void require_plain(const BinaryRepeatParams& p) {
  require(p.dstBlkStride == 1 && p.src0BlkStride == 1 && p.src1BlkStride == 1 && p.dstRepStride == 8 && p.src0RepStride == 8 && p.src1RepStride == 8,
          "a vector operation by repeats with other strides than 1 and 8 is not modelled");
}
TSR_INLINE void require_plain(const UnaryRepeatParams& p) {
  require(p.dstBlkStride == 1 && p.srcBlkStride == 1 && p.dstRepStride == 8 && p.srcRepStride == 8,
          "a vector operation by repeats with other strides than 1 and 8 is not modelled");
}
template <class T>
TSR_INLINE auto repeats(const LocalTensor<T>& tensor, std::uint64_t mask, std::int64_t count) {
  require(mask > 0 && mask <= static_cast<std::uint64_t>(kRepeatLanes<T>) && count > 0 && count <= kMostRepeats,
          "a vector operation takes 1 to 255 repeats and a mask of the lanes of 256 bytes at most");
  Repeats<T> tile(static_cast<int>(count), static_cast<int>(mask));
  TASSIGN(tile, std::uint64_t{tensor.address()});
  return tile;
}
template <class T>
TSR_INLINE auto scalar_at(const LocalTensor<T>& tensor) {
  Scalar<T> tile;
  TASSIGN(tile, std::uint64_t{tensor.address()});
  return tile;
}
template <class T>
TSR_INLINE auto column_at(const LocalTensor<T>& tensor, std::int64_t count) {
  Column<T> tile(static_cast<int>(count));
  TASSIGN(tile, std::uint64_t{tensor.address()});
  return tile;
}
/// The last bytes of UB, which the library of the vendor keeps for itself, too.
TSR_INLINE auto own_scratch() {
  Scalar<std::uint8_t> tile;
  TASSIGN(tile, static_cast<std::uint64_t>(kUbBytes - 32));
  return tile;
}
constexpr pto::CmpMode compare_mode(CMPMODE mode) {
  constexpr pto::CmpMode kModes[] = {pto::CmpMode::LT, pto::CmpMode::GT, pto::CmpMode::EQ, pto::CmpMode::LE, pto::CmpMode::GE, pto::CmpMode::NE};
  return kModes[static_cast<int>(mode)];
}
}  // namespace detail

#define TSR_TENSOR(NAME, OP)                                                                       \
  template <class T, class N>                                                                      \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, const LocalTensor<T>& b, \
                       N count) {                                                                  \
    auto t = to.row(count), x = a.row(count), y = b.row(count);                                    \
    OP(t, x, y);                                                                                   \
  }                                                                                                \
  template <class T>                                                                               \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, const LocalTensor<T>& b, \
                       std::uint64_t mask, std::uint8_t count, const BinaryRepeatParams& strides) { \
    detail::require_plain(strides);                                                                \
    auto t = detail::repeats(to, mask, count), x = detail::repeats(a, mask, count),                \
         y = detail::repeats(b, mask, count);                                                      \
    OP(t, x, y);                                                                                   \
  }
TSR_TENSOR(Add, TADD) TSR_TENSOR(Sub, TSUB) TSR_TENSOR(Mul, TMUL) TSR_TENSOR(Div, TDIV) TSR_TENSOR(Max, TMAX)
TSR_TENSOR(Min, TMIN) TSR_TENSOR(And, TAND) TSR_TENSOR(Or, TOR) TSR_TENSOR(MulAddDst, TMULADDDST)
TSR_TENSOR(FusedMulAdd, TFUSEDMULADD) TSR_TENSOR(FusedMulAddRelu, TFUSEDMULADDRELU)
#undef TSR_TENSOR
#define TSR_TENSOR(NAME, OP)                                                                       \
  template <class T, class V, class N>                                                             \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, V value, N count) {      \
    auto t = to.row(count), x = a.row(count);                                                      \
    OP(t, x, static_cast<T>(value));                                                               \
  }                                                                                                \
  template <class T, class V>                                                                      \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, V value,                 \
                       std::uint64_t mask, std::uint8_t count, const UnaryRepeatParams& strides) { \
    detail::require_plain(strides);                                                                \
    auto t = detail::repeats(to, mask, count), x = detail::repeats(a, mask, count);                \
    OP(t, x, static_cast<T>(value));                                                               \
  }
TSR_TENSOR(Adds, TADDS) TSR_TENSOR(Muls, TMULS) TSR_TENSOR(Maxs, TMAXS) TSR_TENSOR(Mins, TMINS) TSR_TENSOR(LeakyRelu, TLRELU)
TSR_TENSOR(ShiftLeft, TSHLS) TSR_TENSOR(ShiftRight, TSHRS) TSR_TENSOR(Axpy, TAXPY)
#undef TSR_TENSOR
#define TSR_TENSOR(NAME, OP)                                                                       \
  template <class T, class N>                                                                      \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, N count) {               \
    auto t = to.row(count), x = a.row(count);                                                      \
    OP(t, x);                                                                                      \
  }                                                                                                \
  template <class T>                                                                               \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& a, std::uint64_t mask,      \
                       std::uint8_t count, const UnaryRepeatParams& strides) {                     \
    detail::require_plain(strides);                                                                \
    auto t = detail::repeats(to, mask, count), x = detail::repeats(a, mask, count);                \
    OP(t, x);                                                                                      \
  }
TSR_TENSOR(Exp, TEXP) TSR_TENSOR(Ln, TLOG) TSR_TENSOR(Abs, TABS) TSR_TENSOR(Relu, TRELU) TSR_TENSOR(Sqrt, TSQRT)
TSR_TENSOR(Rsqrt, TRSQRT) TSR_TENSOR(Reciprocal, TRECIP) TSR_TENSOR(Not, TNOT)
#undef TSR_TENSOR
template <class T, class V, class N>
TSR_INLINE void Duplicate(const LocalTensor<T>& to, V value, N count) {
  auto t = to.row(count);
  TEXPANDS(t, static_cast<T>(value));
}
template <class T, class V>
TSR_INLINE void Duplicate(const LocalTensor<T>& to, V value, std::uint64_t mask, std::uint8_t count, std::uint16_t block_stride,
                          std::uint8_t repeat_stride) {
  detail::require(block_stride == 1 && repeat_stride == 8, "Duplicate by repeats with other strides than 1 and 8 is not modelled");
  auto t = detail::repeats(to, mask, count);
  TEXPANDS(t, static_cast<T>(value));
}
template <class D, class T, class N>
TSR_INLINE void Cast(const LocalTensor<D>& to, const LocalTensor<T>& from, RoundMode round,
                     N count) {
  constexpr pto::RoundMode kModes[] = {pto::RoundMode::CAST_NONE,  pto::RoundMode::CAST_RINT,
                                       pto::RoundMode::CAST_FLOOR, pto::RoundMode::CAST_CEIL,
                                       pto::RoundMode::CAST_ROUND, pto::RoundMode::CAST_TRUNC,
                                       pto::RoundMode::CAST_ODD};
  if (static_cast<int>(round) > static_cast<int>(RoundMode::CAST_ODD))
    tsr_api->fail(tsr_api->self, "Cast: this rounding mode is not modelled");
  auto t = to.row(count);
  auto x = from.row(count);
  TCVT(t, x, kModes[static_cast<int>(round)]);
}

// --- comparison and selection: a bit an element ---

template <class U, class T, class N>
TSR_INLINE void Compare(const LocalTensor<U>& to, const LocalTensor<T>& a, const LocalTensor<T>& b, CMPMODE mode, N count) {
  static_assert(sizeof(U) == 1, "Compare: the bits are in bytes");
  auto bits = to.template ReinterpretCast<std::uint8_t>().row((count + 7) / 8);
  auto x = a.row(count), y = b.row(count);
  TCMP(bits, x, y, detail::compare_mode(mode));
}
template <class U, class T, class V, class N>
TSR_INLINE void Compares(const LocalTensor<U>& to, const LocalTensor<T>& a, V value, CMPMODE mode, N count) {
  static_assert(sizeof(U) == 1, "Compares: the bits are in bytes");
  auto bits = to.template ReinterpretCast<std::uint8_t>().row((count + 7) / 8);
  auto x = a.row(count);
  TCMPS(bits, x, static_cast<T>(value), detail::compare_mode(mode));
}
template <class U, class T, class V, class N>
TSR_INLINE void CompareScalar(const LocalTensor<U>& to, const LocalTensor<T>& a, V value, CMPMODE mode, N count) {
  Compares(to, a, value, mode, count);
}
template <class T, class U, class N>
TSR_INLINE void Select(const LocalTensor<T>& to, const LocalTensor<U>& mask, const LocalTensor<T>& a, const LocalTensor<T>& b, SELMODE mode, N count) {
  detail::require(mode == SELMODE::VSEL_TENSOR_TENSOR_MODE, "Select: between two tensors the mode VSEL_TENSOR_TENSOR_MODE is modelled");
  auto t = to.row(count), x = a.row(count), y = b.row(count);
  auto bits = mask.template ReinterpretCast<std::uint8_t>().row((count + 7) / 8);
  auto scratch = detail::own_scratch();
  TSEL(t, bits, x, y, scratch);
}
template <class T, class U, class V, class N, class = std::enable_if_t<std::is_convertible_v<V, T>>>
TSR_INLINE void Select(const LocalTensor<T>& to, const LocalTensor<U>& mask, const LocalTensor<T>& a, V value, SELMODE mode, N count) {
  detail::require(mode == SELMODE::VSEL_TENSOR_SCALAR_MODE, "Select: between a tensor and a number the mode is VSEL_TENSOR_SCALAR_MODE");
  auto t = to.row(count), x = a.row(count);
  auto bits = mask.template ReinterpretCast<std::uint8_t>().row((count + 7) / 8);
  auto scratch = detail::own_scratch();
  TSELS(t, bits, x, scratch, static_cast<T>(value));
}

// --- reductions: of the first elements, of each repeat, of each block of 32 bytes ---

#define TSR_TENSOR(NAME, OP)                                                                       \
  template <class T>                                                                               \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& from,                       \
                       const LocalTensor<T>& scratch, std::int32_t count, bool index = false) {    \
    detail::require(!index, #NAME " with the index of the extreme is not modelled");               \
    auto t = detail::scalar_at(to);                                                                \
    auto x = from.row(count), s = scratch.row(32 / sizeof(T));                                     \
    OP(t, x, s);                                                                                   \
  }
TSR_TENSOR(ReduceSum, TROWSUM) TSR_TENSOR(ReduceMax, TROWMAX) TSR_TENSOR(ReduceMin, TROWMIN)
#undef TSR_TENSOR
template <class T, bool = true>
TSR_INLINE void WholeReduceSum(const LocalTensor<T>& to, const LocalTensor<T>& from, std::int32_t mask, std::int32_t count, std::int32_t to_stride,
                               std::int32_t block_stride, std::int32_t repeat_stride) {
  detail::require(to_stride == 1 && block_stride == 1 && repeat_stride == 8, "WholeReduceSum with other strides than 1, 1 and 8 is not modelled");
  auto t = detail::column_at(to, count);
  auto x = detail::repeats(from, static_cast<std::uint64_t>(mask), count);
  auto scratch = detail::scalar_at(to);
  TROWSUM(t, x, scratch);
}
#define TSR_TENSOR(NAME, OP)                                                                       \
  template <class T, bool = true>                                                                  \
  TSR_INLINE void NAME(const LocalTensor<T>& to, const LocalTensor<T>& from, std::int32_t count,   \
                       std::int32_t mask, std::int32_t to_stride, std::int32_t block_stride,       \
                       std::int32_t repeat_stride) {                                               \
    detail::require(mask == detail::kRepeatLanes<T> && to_stride == 1 && block_stride == 1 && repeat_stride == 8, \
                    #NAME " of parts of repeats, or with other strides than 1, 1 and 8 is not modelled"); \
    detail::require(count > 0 && count <= detail::kMostRepeats, #NAME " takes 1 to 255 repeats");  \
    auto t = detail::column_at(to, std::int64_t{8} * count);                                       \
    pto::Tile<pto::TileType::Vec, T, 2048, 32 / static_cast<int>(sizeof(T)), pto::BLayout::RowMajor, pto::DYNAMIC> x(8 * count); \
    TASSIGN(x, std::uint64_t{from.address()});                                                     \
    auto scratch = detail::scalar_at(to);                                                          \
    OP(t, x, scratch);                                                                             \
  }
TSR_TENSOR(BlockReduceSum, TROWSUM) TSR_TENSOR(BlockReduceMax, TROWMAX) TSR_TENSOR(BlockReduceMin, TROWMIN)
#undef TSR_TENSOR

// --- sorts, and elements by a pattern ---

/// Pairs of a value and an index take 8 bytes.
template <class T>
TSR_INLINE void Sort32(const LocalTensor<T>& to, const LocalTensor<T>& from, const LocalTensor<std::uint32_t>& index, std::int32_t count) {
  auto t = to.row(32 * count * static_cast<std::int64_t>(8 / sizeof(T)));
  auto x = from.row(32 * count);
  auto i = index.row(32 * count);
  TSORT32(t, x, i);
}
/// 1, 2: every second element; 3 to 6: every fourth one; 7: all.
template <class T>
TSR_INLINE void GatherMask(const LocalTensor<T>& to, const LocalTensor<T>& from, std::uint8_t pattern, bool by_mask, std::uint32_t mask,
                           const GatherMaskParams& how, std::uint64_t& taken) {
  using pto::MaskPattern;
  detail::require(pattern >= 1 && pattern <= 7, "GatherMask takes patterns 1 to 7");
  detail::require(how.src0BlockStride == 1 && (how.repeatTimes == 1 || (how.src0RepeatStride == 8 && !by_mask)),
                  "GatherMask with repeats that do not follow each other is not modelled");
  const std::int64_t count = by_mask ? mask : how.repeatTimes * detail::kRepeatLanes<T>;
  const std::int64_t part = pattern == 7 ? 1 : pattern <= 2 ? 2 : 4, first = pattern == 7 ? 0 : pattern <= 2 ? pattern - 1 : pattern - 3;
  const std::int64_t kept = (count - first + part - 1) / part;
  taken = static_cast<std::uint64_t>(kept);
  auto t = to.row(kept);
  auto x = from.row(count);
  using R = detail::Row<T>;
  switch (pattern) {
  case 1: TGATHER<R, R, MaskPattern::P0101>(t, x); break;
  case 2: TGATHER<R, R, MaskPattern::P1010>(t, x); break;
  case 3: TGATHER<R, R, MaskPattern::P0001>(t, x); break;
  case 4: TGATHER<R, R, MaskPattern::P0010>(t, x); break;
  case 5: TGATHER<R, R, MaskPattern::P0100>(t, x); break;
  case 6: TGATHER<R, R, MaskPattern::P1000>(t, x); break;
  default: TGATHER<R, R, MaskPattern::P1111>(t, x); break;
  }
}

}  // namespace AscendC
