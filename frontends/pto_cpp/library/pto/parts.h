// Parts of tiles: TEXTRACT and TINSERT.
#pragma once

#include "pto/operations.h"

namespace pto {

namespace tsr_detail {
/// A tile as one of bytes: operations in UB count a pair of floats of 4 bits as one element.
template <class T>
TSR_INLINE auto as_bytes(const T& tile) {
  Tile<T::Loc, std::int8_t, T::Rows, T::Cols, T::BFractal, DYNAMIC, DYNAMIC, T::SFractal,
       T::SFractalSize>
      bytes(tile.valid_rows, tile.valid_columns);
  bytes.address = tile.address;
  return bytes;
}
template <class T>
inline constexpr bool has_pairs = std::is_same_v<typename T::DType, float4_e2m1x2_t> ||
                                  std::is_same_v<typename T::DType, float4_e1m2x2_t>;
}  // namespace tsr_detail

// `scale` may stand before the position: three numbers.
template <auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent tsr_part_at(const char* operation, const D& to, const S& from,
                                   std::int64_t row, std::int64_t column, const E&... rest) {
  if constexpr (D::Loc == TileType::Vec && S::Loc == TileType::Vec)
    if constexpr (tsr_detail::has_pairs<D> && tsr_detail::has_pairs<S>)
      return tsr_part_at<Options...>(operation, tsr_detail::as_bytes(to),
                                     tsr_detail::as_bytes(from), row, column, rest...);
  (tsr_detail::wait_for(rest), ...);
  tsr_detail::Operands operands;
  (operands.option(tsr_detail::attribute_of(Options)), ...);
  operands.add(from, false);
  operands.position(row);
  operands.position(column);
  (operands.scale(rest), ...);
  operands.add(to, true);
  return operands.call(operation);
}
template <auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent tsr_part(const char* operation, const D& to, const S& from, std::int64_t row,
                                std::int64_t column, const E&... rest) {
  return tsr_part_at<Options...>(operation, to, from, row, column, rest...);
}
template <auto... Options, class D, class S, class N, class... E,
          class = std::enable_if_t<std::is_arithmetic_v<N>>>
TSR_INLINE RecordEvent tsr_part(const char* operation, const D& to, const S& from,
                                std::int64_t scale, std::int64_t row, N column, const E&... rest) {
  return tsr_part_at<Options...>(operation, to, from, row, column,
                                 static_cast<std::uint64_t>(scale), rest...);
}
/// Boxes that come from UB lie column by column in L1, whatever the type of the result says.
template <auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent tsr_insert(const char* operation, const D& to, const S& from,
                                  std::int64_t row, std::int64_t column, const E&... rest) {
  if constexpr (D::Loc == TileType::Mat && S::Loc == TileType::Vec && S::isBoxedLayout &&
                D::isRowMajor && D::isInnerRowMajor) {
    Tile<TileType::Mat, typename D::DType, D::Rows, D::Cols, BLayout::ColMajor, DYNAMIC, DYNAMIC,
         SLayout::RowMajor, D::SFractalSize>
        written(to.valid_rows, to.valid_columns);
    written.address = to.address;
    return tsr_part<Options...>(operation, written, from, row, column, rest...);
  } else {
    return tsr_part<Options...>(operation, to, from, row, column, rest...);
  }
}
#define TSR_PART(NAME, TEXT, HOW)                                                                  \
  template <class D, class S, class... E>                                                          \
  TSR_INLINE RecordEvent NAME(const D& to, const S& from, std::int64_t row = 0,                    \
                              std::int64_t column = 0, const E&... rest) {                         \
    return HOW(TEXT, to, from, row, column, rest...);                                              \
  }                                                                                                \
  template <auto O, auto... Os, class D, class S, class... E>                                      \
  TSR_INLINE RecordEvent NAME(const D& to, const S& from, std::int64_t row = 0,                    \
                              std::int64_t column = 0, const E&... rest) {                         \
    return HOW<O, Os...>(TEXT, to, from, row, column, rest...);                                    \
  }                                                                                                \
  template <class D, class S, auto O, auto... Os, class... E>                                      \
  TSR_INLINE RecordEvent NAME(const D& to, const S& from, std::int64_t row = 0,                    \
                              std::int64_t column = 0, const E&... rest) {                         \
    return HOW<O, Os...>(TEXT, to, from, row, column, rest...);                                    \
  }
TSR_PART(TEXTRACT, "pto.textract", tsr_part)
TSR_PART(TINSERT, "pto.tinsert", tsr_insert)
/// Two parts of one tile.
template <class D, class E, class S, class... W,
          class = std::enable_if_t<is_tile_data_v<E> && is_tile_data_v<S>>>
TSR_INLINE RecordEvent TEXTRACT(const D& first, const E& second, const S& from, std::uint16_t row,
                                std::uint16_t column, std::uint16_t second_row,
                                std::uint16_t second_column, const W&... events) {
  TEXTRACT(first, from, row, column, events...);
  return TEXTRACT(second, from, second_row, second_column);
}

}  // namespace pto
