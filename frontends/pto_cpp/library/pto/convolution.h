// ConvTile: maps and filters of convolutions, as they lie in GM (ascend_2.md 5.6), and TIMG2COL, which makes the matrix of a map
// that the matrix of a filter multiplies.
#pragma once

#include "pto/copies.h"
#include "pto/pipes.h"

namespace pto {

template <std::int64_t... N>
struct ConvTileShape {
  static constexpr int totalDimCount = sizeof...(N),
                       dynamicDimCount = ((N == DYNAMIC ? 1 : 0) + ... + 0);
  static_assert(totalDimCount >= 1 && totalDimCount <= 6, "a ConvTile has one to six dimensions");
  static constexpr std::int64_t staticShape[6] = {N...};
};

template <TileType Loc_, class T, int BufferSize_, Layout Layout_, class Shape_>
struct ConvTile : tsr::NoOperand {
  using DType = T;
  using TileDType = T*;
  using ShapeType = Shape_;
  static constexpr TileType Loc = Loc_;
  static constexpr Layout layout = Layout_;
  static constexpr int bufferSize = BufferSize_, totalDimCount = Shape_::totalDimCount,
                       dynamicDimCount = Shape_::dynamicDimCount;
  static constexpr const std::int64_t* staticShape = Shape_::staticShape;

  std::uint64_t address = 0;
  std::int64_t shape[6] = {};

  template <class... Sizes>
  TSR_INLINE explicit ConvTile(Sizes... sizes) {
    SetDynamicShape(sizes...);
  }
  template <class... Sizes>
  TSR_INLINE void SetDynamicShape(Sizes... sizes) {
    static_assert(sizeof...(sizes) == dynamicDimCount,
                  "a ConvTile takes its dynamic sizes in order");
    const std::int64_t given[sizeof...(sizes) + 1] = {static_cast<std::int64_t>(sizes)...};
    for (int d = 0, next = 0; d < totalDimCount; ++d)
      shape[d] = staticShape[d] == DYNAMIC ? given[next++] : staticShape[d];
  }
  TSR_INLINE std::int64_t GetShape(int d) const {
    return d < 0 || d >= totalDimCount ? -1 : shape[d];
  }
  TSR_INLINE std::int64_t elements() const {
    std::int64_t count = 1;
    for (int d = 0; d < totalDimCount; ++d) count *= shape[d];
    return count;
  }
  TSR_INLINE T* data() const {
    return static_cast<T*>(
        tsr_api->address(tsr_api->self, tsr_detail::kLocations[static_cast<int>(Loc_)], address));
  }

#define TSR_FIELD(TYPE, NAME, FIELD, START)                                                        \
  TYPE FIELD = START;                                                                              \
  TSR_INLINE TYPE Get##NAME() const {                                                              \
    return FIELD;                                                                                  \
  }                                                                                                \
  TSR_INLINE void Set##NAME(TYPE value) {                                                          \
    FIELD = value;                                                                                 \
  }
  TSR_FIELD(std::uint16_t, FmapH, map_height, 0)
  TSR_FIELD(std::uint16_t, FmapW, map_width, 0)
  TSR_FIELD(std::uint16_t, FilterH, filter_height, 1)
  TSR_FIELD(std::uint16_t, FilterW, filter_width, 1)
  TSR_FIELD(std::uint8_t, DilationH, dilation_height, 1)
  TSR_FIELD(std::uint8_t, DilationW, dilation_width, 1)
  TSR_FIELD(std::uint8_t, StrideH, stride_height, 1)
  TSR_FIELD(std::uint8_t, StrideW, stride_width, 1)
  TSR_FIELD(std::uint16_t, ChannelSize, channels, 0)
  TSR_FIELD(std::uint16_t, RepeatStride, repeat_stride, 0)
  TSR_FIELD(std::uint8_t, RepeatTime, repeats, 1)
  TSR_FIELD(std::uint8_t, RepeatMode, repeat_mode, 0)
  TSR_FIELD(bool, Transpose, transposes, false)
  TSR_FIELD(std::uint16_t, DstStride, result_stride, 0)
  TSR_FIELD(std::uint16_t, DstMposition, result_position, 0)
#undef TSR_FIELD
  T pad_value{};
  TSR_INLINE T GetPadValue() const {
    return pad_value;
  }
  TSR_INLINE void SetPadValue(T value) {
    pad_value = value;
  }
  std::uint8_t pads[4] = {};  ///< left, right, top, bottom
  TSR_INLINE std::uint8_t GetPadList(int n) const {
    return pads[n];
  }
  TSR_INLINE void SetPadList(int n, std::uint8_t value) {
    pads[n] = value;
  }
  TSR_INLINE const std::uint8_t* GetPadListArray() const {
    return pads;
  }
  TSR_INLINE void SetPadListArray(const std::uint8_t* values) {
    for (int n = 0; n < 4; ++n) pads[n] = values[n];
  }
};

namespace tsr_detail {

template <class T>
inline constexpr bool is_conv = false;
template <TileType L, class T, int B, Layout Y, class S>
inline constexpr bool is_conv<ConvTile<L, T, B, Y, S>> = true;
template <class T>
inline constexpr bool is_filter = false;
template <TileType L, class T, int B, Layout Y, class S>
inline constexpr bool is_filter<ConvTile<L, T, B, Y, S>> =
    Y == Layout::FRACTAL_Z || Y == Layout::FRACTAL_Z_3D;

/// `bytes` of a map or filter, from byte `offset` on.
template <class C>
TSR_INLINE auto run_of(const C& conv, std::int64_t offset, std::int64_t bytes) {
  static_assert(C::Loc == TileType::Mat || C::Loc == TileType::Vec, "a ConvTile lies in L1 or UB");
  using R = std::conditional_t<C::Loc == TileType::Vec, RunInUb, RunInL1>;
  R run(bytes);
  TASSIGN(run, conv.address + static_cast<std::uint64_t>(offset));
  return run;
}

/// Calls copy(offset in the tile, address in GM, bytes) for each piece that lies in one piece in GM.
template <class C, class G, class Copy>
TSR_INLINE void for_each_piece(const C& conv, const G& tensor, Copy copy) {
  constexpr std::int64_t size = sizeof(typename C::DType);
  std::int64_t count = 1, run = 1;
  for (int d = 0; d < 5; ++d) count *= tensor.shape[d];
  bool fits = count == conv.elements() && (tensor.stride[4] == 1 || tensor.shape[4] == 1);
  for (int d = 0; d < 5 && C::totalDimCount < 6; ++d) {
    const int n = d - 5 + C::totalDimCount;
    fits &= tensor.shape[d] == (n < 0 ? 1 : conv.shape[n]);
  }
  if (!fits)
    tsr_api->fail(
        tsr_api->self,
        "the tensor has another shape than the ConvTile, which the simulator does not copy");
  int inner = 5;
  while (inner > 0 && (tensor.shape[inner - 1] == 1 || tensor.stride[inner - 1] == run))
    run *= tensor.shape[--inner];
  if (run * size % kBlockBytes != 0 && run != count)
    tsr_api->fail(tsr_api->self,
                  "pieces of the tensor that take no multiple of 32 bytes do not go to a ConvTile");
  for (std::int64_t n = 0; n * run < count; ++n) {
    std::int64_t at = 0;
    for (std::int64_t d = inner, rest = n; d-- > 0; rest /= tensor.shape[d])
      at += rest % tensor.shape[d] * tensor.stride[d];
    copy(n * run * size,
         reinterpret_cast<std::uint64_t>(tensor.data()) + static_cast<std::uint64_t>(at * size),
         run * size);
  }
}

/// The matrix of a filter: rows are what one pixel of the result needs, columns are filters.
template <class C>
TSR_INLINE auto matrix_of(const C& filter) {
  constexpr int dims = C::totalDimCount;
  static_assert(C::dynamicDimCount == 0 && dims >= 4,
                "the matrix of a filter has sizes that are known when it is compiled");
  constexpr std::int64_t c0 = C::staticShape[dims - 1], all = [] {
    std::int64_t n = 1;
    for (int d = 0; d < dims; ++d) n *= C::staticShape[d];
    return n;
  }();
  constexpr std::int64_t columns =
      dims == 4 ? C::staticShape[1] * C::staticShape[2] : C::staticShape[dims - 2];
  static_assert(c0 * sizeof(typename C::DType) == kBlockBytes && columns % 16 == 0,
                "blocks of a filter are 16 filters and 32 bytes of channels");
  Tile<TileType::Mat, typename C::DType, static_cast<int>(all / columns), static_cast<int>(columns),
       BLayout::RowMajor, static_cast<int>(all / columns), static_cast<int>(columns),
       SLayout::ColMajor>
      matrix;
  matrix.address = filter.address;
  return matrix;
}

/// What SETFMATRIX and its relatives set: the size of the map and its margins, and how TIMG2COL repeats.
struct MapRegisters {
  std::int64_t height = 0, width = 0;
  std::uint8_t pads[4] = {};
};
struct ImageRegisters {
  MapRegisters map[2];
  std::int64_t repeats = 1, repeat_mode = 0;
  double pad = 0;
};
TSR_INLINE ImageRegisters& image_registers() {
  static ImageRegisters registers;
  return registers;
}
constexpr bool is_second(SetFmatrixMode m) {
  return m == SetFmatrixMode::FMATRIX_B_AUTO || m == SetFmatrixMode::FMATRIX_B_MANUAL;
}
constexpr bool is_auto(SetFmatrixMode m) {
  return m == SetFmatrixMode::FMATRIX_A_AUTO || m == SetFmatrixMode::FMATRIX_B_AUTO;
}

template <SetFmatrixMode Mode, class C>
TSR_INLINE void set_map(const C& conv) {
  MapRegisters& map = image_registers().map[is_second(Mode) ? 1 : 0];
  map.height = conv.map_height;
  map.width = conv.map_width;
  for (int n = 0; n < 4; ++n) map.pads[n] = conv.pads[n];
}
template <class C>
TSR_INLINE void set_repeats(const C& conv) {
  image_registers().repeats = conv.repeats;
  image_registers().repeat_mode = conv.repeat_mode;
}
template <class C>
TSR_INLINE void set_margin(const C& conv) {
  image_registers().pad = static_cast<double>(static_cast<float>(conv.pad_value));
}

}  // namespace tsr_detail

template <class C, SetFmatrixMode Mode = SetFmatrixMode::FMATRIX_A_MANUAL, class... E>
TSR_INLINE RecordEvent SETFMATRIX(const C& conv, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  if constexpr (!tsr_detail::is_auto(Mode)) tsr_detail::set_map<Mode>(conv);
  return {};
}
template <class C, SetFmatrixMode Mode = SetFmatrixMode::FMATRIX_A_MANUAL, class... E>
TSR_INLINE RecordEvent SET_IMG2COL_RPT(const C& conv, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  if constexpr (!tsr_detail::is_auto(Mode)) tsr_detail::set_repeats(conv);
  return {};
}
template <class C, SetFmatrixMode Mode = SetFmatrixMode::FMATRIX_A_MANUAL, class... E>
TSR_INLINE RecordEvent SET_IMG2COL_PADDING(const C& conv, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  if constexpr (!tsr_detail::is_auto(Mode)) tsr_detail::set_margin(conv);
  return {};
}

template <class D, class C, SetFmatrixMode Mode = SetFmatrixMode::FMATRIX_A_MANUAL, class... E>
TSR_INLINE RecordEvent TIMG2COL(const D& result, const C& conv, std::int64_t row = 0,
                                std::int64_t column = 0, const E&... events) {
  using namespace tsr_detail;
  static_assert(is_conv<C> && D::Loc == TileType::Left && C::Loc == TileType::Mat,
                "TIMG2COL: from a ConvTile in L1 to L0A");
  static_assert(C::layout == Layout::NC1HWC0 || C::layout == Layout::NDC1HWC0,
                "TIMG2COL: a map is NC1HWC0 or NDC1HWC0");
  (wait_for(events), ...);
  if constexpr (is_auto(Mode)) {
    set_map<Mode>(conv);
    set_repeats(conv);
    set_margin(conv);
  }
  const ImageRegisters& all = image_registers();
  const MapRegisters& map = all.map[is_second(Mode) ? 1 : 0];
  if (conv.transposes || all.repeats > 1)
    tsr_api->fail(tsr_api->self, "TIMG2COL: the simulator does not transpose or repeat");
  using T = typename C::DType;
  constexpr int blocks = C::bufferSize * static_cast<int>(sizeof(T)) / kBlockBytes * kBlockBytes /
                         static_cast<int>(sizeof(T));
  static_assert(blocks > 0, "a map takes 32 bytes at least");
  Tile<TileType::Mat, T, 1, blocks, BLayout::RowMajor, 1, DYNAMIC> from(
      std::min<std::int64_t>(conv.elements(), blocks));
  from.address = conv.address;
  Operands operands;
  operands.add(from, false);
  std::int64_t pad_bits = 0;
  std::memcpy(&pad_bits, &all.pad, sizeof pad_bits);
  for (const std::int64_t n :
       {map.height, map.width, std::int64_t{map.pads[0]}, std::int64_t{map.pads[1]},
        std::int64_t{map.pads[2]}, std::int64_t{map.pads[3]}, std::int64_t{conv.filter_height},
        std::int64_t{conv.filter_width}, std::int64_t{conv.stride_height},
        std::int64_t{conv.stride_width}, std::int64_t{conv.dilation_height},
        std::int64_t{conv.dilation_width}, std::int64_t{conv.channels}, row, column, pad_bits})
    operands.position(n);
  operands.add(result, true);
  return operands.call("pto.timg2col");
}

// Moves of maps and filters as they lie in GM, and of the matrix of a filter to L0B.
template <class C, class G, class... E, class = std::enable_if_t<tsr_detail::is_conv<C>>>
TSR_INLINE RecordEvent TLOAD(C& to, const G& from, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  tsr_detail::for_each_piece(
      to, from, [&](std::int64_t offset, std::uint64_t at, std::int64_t bytes) {
        TLOAD(tsr_detail::run_of(to, offset, bytes),
              tsr_detail::run_at<tsr_detail::RunInGm>(reinterpret_cast<const void*>(at), 0, bytes));
      });
  return {};
}
template <class C, class G, class... E, class = std::enable_if_t<tsr_detail::is_conv<C>>>
TSR_INLINE RecordEvent TSTORE(const G& to, C& from, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  tsr_detail::for_each_piece(
      from, to, [&](std::int64_t offset, std::uint64_t at, std::int64_t bytes) {
        TSTORE(tsr_detail::run_at<tsr_detail::RunInGm>(reinterpret_cast<const void*>(at), 0, bytes),
               tsr_detail::run_of(from, offset, bytes));
      });
  return {};
}
template <class D, class C, class... E, class = std::enable_if_t<tsr_detail::is_filter<C>>>
TSR_INLINE RecordEvent TMOV(D& to, C& from, const E&... events) {
  return TMOV(to, tsr_detail::matrix_of(from), events...);
}
template <class D, class C, class... E, class = std::enable_if_t<tsr_detail::is_filter<C>>>
TSR_INLINE RecordEvent TEXTRACT(D& to, C& from, std::int64_t row, std::int64_t column,
                                const E&... events) {
  return TEXTRACT(to, tsr_detail::matrix_of(from), row, column, events...);
}
template <class C, class V, class... E, class = std::enable_if_t<tsr_detail::is_conv<C>>>
TSR_INLINE RecordEvent TEXPANDS(C& to, V value, const E&... events) {
  using T = typename C::DType;
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Run<C::Loc, T, (C::Loc == TileType::Vec ? 256 : 512) * 1024> run(to.elements());
  TASSIGN(run, to.address);
  return TEXPANDS(run, static_cast<T>(value));
}

// Two rows that alternate, and the inverse (A5).
template <class D, class S, class... E>
TSR_INLINE RecordEvent TINTERLEAVE(const D& second, const D& first, const S& b, const S& a,
                                   const E&... events) {
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  operands.add(a, false);
  operands.add(b, false);
  operands.add(first, true);
  operands.add(second, true);
  return operands.call("pto.tinterleave");
}
template <class D, class S, class... E>
TSR_INLINE RecordEvent TDEINTERLEAVE(const D& second, const D& first, const S& b,
                                     const E&... rest) {
  tsr_detail::Operands operands;
  const auto add = [&](const auto& what) {
    if constexpr (tsr_detail::is_operand<std::decay_t<decltype(what)>>)
      operands.add(what, false);
    else
      tsr_detail::wait_for(what);
  };
  (add(rest), ...);  // the first source comes last
  operands.add(b, false);
  operands.add(first, true);
  operands.add(second, true);
  return operands.call("pto.tdeinterleave");
}

}  // namespace pto
