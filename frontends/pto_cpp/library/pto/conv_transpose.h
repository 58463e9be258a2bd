// TTRANS of a ConvTile in UB: maps and filters from one order of dimensions to another (public library). Blocks of whole 32 bytes are
// transposed and copied by the vector unit; others go through the scalar unit element by element, as the library does on A2/A3.
#pragma once

#include "pto/convolution.h"

namespace pto::tsr_detail {

/// Rows of `Columns` elements at a distance of `Pitch` elements in UB.
template <class T, std::int64_t Rows, std::int64_t Columns, std::int64_t Pitch = Columns>
TSR_INLINE auto rows_in_ub(std::uint64_t address) {
  constexpr int rows = static_cast<int>(Rows), columns = static_cast<int>(Columns);
  Tile<TileType::Vec, T, rows, static_cast<int>(Pitch), BLayout::RowMajor, rows, columns> part;
  part.address = address;
  return part;
}
template <class T>
TSR_INLINE T* elements_in_ub(std::uint64_t address) {
  return static_cast<T*>(
      tsr_api->address(tsr_api->self, kLocations[static_cast<int>(TileType::Vec)], address));
}
template <class T, std::int64_t... N>
inline constexpr bool
    is_whole_blocks = ((N * static_cast<std::int64_t>(sizeof(T)) % kBlockBytes == 0) && ...);

/// `count` matrices of Rows x Columns, one after the other; those of the result are their transpositions.
template <class T, std::int64_t Rows, std::int64_t Columns, class Scratch>
TSR_INLINE void transpose_each(std::uint64_t to, std::uint64_t from, std::int64_t count,
                               const Scratch& scratch) {
  constexpr std::int64_t step = Rows * Columns;
  if constexpr (is_whole_blocks<T, Rows, Columns>) {
    for (std::int64_t n = 0; n < count; ++n) {
      const auto at = static_cast<std::uint64_t>(n * step) * sizeof(T);
      auto result = rows_in_ub<T, Columns, Rows>(to + at);
      auto source = rows_in_ub<T, Rows, Columns>(from + at);
      TTRANS(result, source, scratch);
    }
  } else {
    PtoSetWaitFlag<PIPE_V, PIPE_S>();
    const T* const source = elements_in_ub<T>(from);
    T* const result = elements_in_ub<T>(to);
    for (std::int64_t n = 0; n < count; ++n)
      for (std::int64_t r = 0; r < Rows; ++r)
        for (std::int64_t c = 0; c < Columns; ++c)
          result[n * step + c * Rows + r] = source[n * step + r * Columns + c];
    PtoSetWaitFlag<PIPE_S, PIPE_V>();
  }
}
/// `Rows` rows of `Columns` elements to rows at a distance of `Pitch`; without a source: zeros.
template <class T, std::int64_t Rows, std::int64_t Columns, std::int64_t Pitch>
TSR_INLINE void spread_rows(std::uint64_t to, const std::uint64_t* from) {
  if constexpr (is_whole_blocks<T, Columns, Pitch>) {
    if (from) {
      auto result = rows_in_ub<T, Rows, Columns, Pitch>(to);
      auto source = rows_in_ub<T, Rows, Columns>(*from);
      TMOV(result, source);
      return;
    }
  }
  PtoSetWaitFlag<PIPE_V, PIPE_S>();
  const T* const source = from ? elements_in_ub<T>(*from) : nullptr;
  T* const result = elements_in_ub<T>(to);
  for (std::int64_t r = 0; r < Rows; ++r)
    for (std::int64_t c = 0; c < Columns; ++c)
      result[r * Pitch + c] = source ? source[r * Columns + c] : T{};
  PtoSetWaitFlag<PIPE_S, PIPE_V>();
}

/// Size of dimension `d` from the end: 0 is the last one.
template <class C>
constexpr std::int64_t from_end(int d) {
  return C::staticShape[C::totalDimCount - 1 - d];
}
template <class C>
constexpr std::int64_t product_of(int first, int last) {
  std::int64_t n = 1;
  for (int d = first; d <= last; ++d) n *= C::staticShape[d];
  return n;
}
constexpr bool is_plain_map(Layout l) {
  return l == Layout::NCHW || l == Layout::GNCHW;
}
constexpr bool is_blocked_map(Layout l) {
  return l == Layout::NC1HWC0 || l == Layout::GNC1HWC0;
}

/// Channels in blocks of C0 that follow the pixels, and back.
template <class D, class S, class Scratch>
TSR_INLINE void transpose_map(const D& to, const S& from, const Scratch& scratch) {
  constexpr bool back = is_plain_map(D::layout);
  using Plain = std::conditional_t<back, D, S>;
  using Blocked = std::conditional_t<back, S, D>;
  constexpr std::int64_t c0 = from_end<Blocked>(0),
                         pixels = from_end<Plain>(0) * from_end<Plain>(1),
                         blocks = product_of<Blocked>(0, Blocked::totalDimCount - 4);
  static_assert(from_end<Blocked>(1) == from_end<Plain>(0) &&
                    from_end<Blocked>(2) == from_end<Plain>(1) &&
                    product_of<Blocked>(0, Blocked::totalDimCount - 5) ==
                        product_of<Plain>(0, Plain::totalDimCount - 4) &&
                    from_end<Blocked>(3) * c0 == from_end<Plain>(2),
                "TTRANS: maps of the same size, whose channels fill blocks");
  if constexpr (back)
    transpose_each<typename D::DType, pixels, c0>(to.address, from.address, blocks, scratch);
  else
    transpose_each<typename D::DType, c0, pixels>(to.address, from.address, blocks, scratch);
}

/// A map as the matrix of a filter: blocks of the same pixel of all maps stand together; in each of `groups`.
template <class D, class S>
TSR_INLINE void map_to_filter(const D& to, const S& from) {
  using T = typename D::DType;
  constexpr bool grouped = S::layout == Layout::GNC1HWC0;
  constexpr std::int64_t groups = grouped ? S::staticShape[0] : 1,
                         maps = S::staticShape[grouped ? 1 : 0], c0 = from_end<S>(0),
                         pixels = from_end<S>(1) * from_end<S>(2) * from_end<S>(3),
                         filters = D::staticShape[1] * D::staticShape[2];
  static_assert(D::totalDimCount == 4 && D::staticShape[0] == groups * pixels &&
                    D::staticShape[3] == c0 && filters >= maps,
                "TTRANS: a filter of the size of the map");
  // Maps that a group lacks are zeros, and take room in the source, too; without groups the result keeps what it had there.
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t n = 0; n < (grouped ? filters : maps); ++n) {
      const auto group = static_cast<std::uint64_t>(g * filters * pixels * c0) * sizeof(T);
      const std::uint64_t source =
          from.address + group + static_cast<std::uint64_t>(n * pixels * c0) * sizeof(T);
      spread_rows<T, pixels, c0, filters * c0>(to.address + group +
                                                   static_cast<std::uint64_t>(n * c0) * sizeof(T),
                                               n < maps ? &source : nullptr);
    }
}

/// A volume as the matrix of a filter, plane by plane: the plane with channels to whole blocks, then as a map.
template <class D, class S, class Scratch>
TSR_INLINE void volume_to_filter(const D& to, const S& from, const Scratch& scratch) {
  using T = typename D::DType;
  constexpr std::int64_t maps = S::staticShape[0], channels = S::staticShape[1],
                         depth = S::staticShape[2], pixels = S::staticShape[3] * S::staticShape[4],
                         filters = D::staticShape[1] * D::staticShape[2], c0 = D::staticShape[3],
                         blocks = (channels + c0 - 1) / c0, plane = maps * blocks * c0 * pixels;
  static_assert(D::totalDimCount == 4 && D::staticShape[0] == depth * blocks * pixels &&
                    filters >= maps,
                "TTRANS: a filter of the size of the volume");
  static_assert(Scratch::Rows * Scratch::Cols >= 2 * plane,
                "TTRANS: a scratch tile of two planes with whole blocks of channels");
  const auto bytes = [](std::int64_t n) { return static_cast<std::uint64_t>(n) * sizeof(T); };
  const std::uint64_t padded = scratch.address, mixed = scratch.address + bytes(plane);
  for (std::int64_t d = 0; d < depth; ++d) {
    for (std::int64_t n = 0; n < maps; ++n) {
      const std::uint64_t source = from.address + bytes((n * channels * depth + d) * pixels),
                          target = padded + bytes(n * blocks * c0 * pixels);
      if constexpr (is_whole_blocks<T, pixels>) {
        auto result = rows_in_ub<T, channels, pixels>(target);
        auto rows = rows_in_ub<T, channels, pixels, depth * pixels>(source);
        TMOV(result, rows);
      } else {
        PtoSetWaitFlag<PIPE_V, PIPE_S>();
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t i = 0; i < pixels; ++i)
            elements_in_ub<T>(target)[c * pixels + i] =
                elements_in_ub<T>(source)[c * depth * pixels + i];
        PtoSetWaitFlag<PIPE_S, PIPE_V>();
      }
      if constexpr (blocks * c0 > channels)
        spread_rows<T, blocks * c0 - channels, pixels, pixels>(target + bytes(channels * pixels),
                                                               nullptr);
    }
    pipe_barrier(PIPE_V);
    transpose_each<T, c0, pixels>(mixed, padded, maps * blocks, scratch);
    pipe_barrier(PIPE_V);
    for (std::int64_t n = 0; n < filters; ++n) {
      const std::uint64_t source = mixed + bytes(n * blocks * pixels * c0);
      spread_rows<T, blocks * pixels, c0, filters * c0>(
          to.address + bytes((d * blocks * pixels * filters + n) * c0),
          n < maps ? &source : nullptr);
    }
    pipe_barrier(PIPE_V);
  }
}

}  // namespace pto::tsr_detail

namespace pto {

template <class D, class S, class Scratch, class... E,
          class = std::enable_if_t<tsr_detail::is_conv<S>>>
TSR_INLINE RecordEvent TTRANS(D& to, S& from, const Scratch& scratch, const E&... events) {
  using namespace tsr_detail;
  static_assert(is_conv<D> && D::Loc == TileType::Vec && S::Loc == TileType::Vec,
                "TTRANS: from a ConvTile in UB to one in UB");
  static_assert(std::is_same_v<typename D::DType, typename S::DType>, "TTRANS: both have one type");
  static_assert(D::dynamicDimCount == 0 && S::dynamicDimCount == 0,
                "TTRANS: a ConvTile has sizes that are known when it is compiled");
  (wait_for(events), ...);
  if constexpr ((is_plain_map(S::layout) && is_blocked_map(D::layout)) ||
                (is_blocked_map(S::layout) && is_plain_map(D::layout)))
    transpose_map(to, from, scratch);
  else if constexpr (is_blocked_map(S::layout) && D::layout == Layout::FRACTAL_Z)
    map_to_filter(to, from);
  else if constexpr (S::layout == Layout::NCDHW && D::layout == Layout::FRACTAL_Z_3D)
    volume_to_filter(to, from, scratch);
  else
    static_assert(sizeof(D) == 0, "TTRANS: no form from the layout of this ConvTile to that one");
  return {};
}

}  // namespace pto
