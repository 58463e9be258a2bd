// Tiles, tensors and options of PTO in C++ (pto_cpp.md 3): names and constants as kernels use them.
#pragma once

#include "pto/interface.h"
#include "pto/scalars.h"

#define TSR_INLINE __attribute__((always_inline)) inline

namespace pto {

constexpr int DYNAMIC = -1;

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight };
enum class BLayout { RowMajor = 0, ColMajor = 1 };
enum class SLayout { NoneBox = 0, RowMajor = 1, ColMajor = 2 };
enum class PadValue : std::uint64_t { Null = 0, Zero = 1, Max = 2, Min = 3, CustomBase = std::uint64_t{1} << 32 };
/// A pad of any value, by its bits. The simulator has no operations for them.
constexpr bool isCustomPadValue(PadValue pad) { return pad >= PadValue::CustomBase; }
constexpr std::uint32_t getCustomPadBits(PadValue pad) { return static_cast<std::uint32_t>(pad); }
constexpr PadValue PadValueCustom16(std::uint16_t bits) {
  return static_cast<PadValue>(static_cast<std::uint64_t>(PadValue::CustomBase) | bits);
}
template <class T>
constexpr PadValue PadValueCustom(T value) {
  std::uint32_t bits = 0;
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) bits = value.bits;
  else if constexpr (std::is_floating_point_v<T>) bits = __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
  else bits = static_cast<std::make_unsigned_t<T>>(value);
  return static_cast<PadValue>(static_cast<std::uint64_t>(PadValue::CustomBase) | bits);
}
template <auto Value>
inline constexpr PadValue PadCustom = PadValueCustom(Value);
enum class CompactMode { Null = 0, Normal = 1, RowPlusOne = 2 };
enum class Layout {
  ND, DN, NZ, SCALE, MX_A_ZZ, MX_A_ND, MX_A_DN, MX_B_NN, MX_B_ND, MX_B_DN, NC1HWC0, FRACTAL_Z,
  NCHW, NHWC, NDC1HWC0, NCDHW, FRACTAL_Z_3D, FRACTAL_Z_S16S8, GNCHW, GNC1HWC0, MAX
};
enum class RoundMode : std::uint8_t {
  CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD
};
enum class SaturationMode : std::uint8_t { ON = 0, OFF = 1, DEFAULT = 0 };
enum class AtomicType : std::uint8_t { AtomicNone, AtomicAdd, AtomicMax, AtomicMin };
enum class ReluPreMode : std::uint8_t { NoRelu, NormalRelu };
enum class AccToVecMode : std::uint8_t {
  SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN
};
enum class TInsertMode : std::uint8_t { DEFAULT, SPLIT2, SPLIT4 };
enum class AccPhase : std::uint8_t { Unspecified = 0, Unknown = 0, Partial = 2, Final = 3 };
enum class STPhase : std::uint8_t { Unspecified = 0, Unknown = 0, Partial = 2, Final = 3 };
enum class TFillPadMode : std::uint8_t { Normal, InPlace, Expand };
enum class PrintFormat : std::uint8_t { Width8_Precision4, Width8_Precision2, Width10_Precision6 };
enum class SetFmatrixMode : std::uint8_t { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };
enum class CmpMode : std::uint8_t { EQ, NE, LT, LE, GT, GE };
enum class MaskPattern : std::uint8_t { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
enum class GatherAxis : std::uint8_t { GATHER_ROW, GATHER_COL };
enum class ScatterAxis : std::uint8_t { SCATTER_ROW, SCATTER_COL };
enum class QuantType : std::uint8_t { INT8_SYM, INT8_ASYM, MXFP8, MXFP4, MXFP4_E2M1 };
enum class QuantScaleAlg { OCP, NV };
enum class MxQuantAlg { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };
enum class VecStoreMode { ND, NZ };
enum class TCopyMode : std::uint8_t { SHALLOW_COPY, DEEP_COPY };
enum class HistByte : std::uint8_t { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
enum TileSplitAxis : std::uint8_t {
  TILE_NO_SPLIT = 0, TILE_UP_DOWN = 1, TILE_LEFT_RIGHT = 2, TILE_UP_DOWN_ODD = 3, TILE_LEFT_RIGHT_ODD = 4
};
enum class SyncCoreType : std::uint8_t { AIVOnly, AICOnly, Mix };
enum class SyncAllMode : std::uint8_t { Hard, Soft };
enum class DivAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class ExpAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class RemSAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class FmodSAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };
enum class PowAlgorithm : std::uint8_t { DEFAULT, HIGH_PRECISION };

struct GlobalTensorDim {
  static constexpr int DIM_0 = 0, DIM_1 = 1, DIM_2 = 2, DIM_3 = 3, DIM_4 = 4, TOTAL_DIM = 5;
};

/// An operation that an Event has recorded.
struct RecordEvent {};

struct TileConfig {
  static constexpr int alignedSize = 32, fixedRowSize = 16, fixedColSize = 16, fixedMxRowSize = 16,
                       fixedMxColSize = 2, fractalABSize = 512, fractalCSize = 1024,
                       fractalMxSize = 32;
};

}  // namespace pto

namespace tsr {

using pto::DYNAMIC;

/// What only some operations take, which have forms of their own for it.
struct NoOperand {};

/// Five sizes or strides, of which those with DYNAMIC are known at run time.
template <int Kind, std::int64_t... N>
struct Five {
  static constexpr std::int64_t staticShape[5] = {N...};
  static constexpr std::int64_t staticStride[5] = {N...};
  static constexpr int kDynamic = ((N == DYNAMIC ? 1 : 0) + ...);

  TSR_INLINE constexpr Five() : Five(std::integral_constant<bool, true>{}, {}) {}
  template <class... T, class = std::enable_if_t<(std::is_convertible_v<T, std::int64_t> && ...) &&
                                                 (sizeof...(T) > 0)>>
  TSR_INLINE constexpr Five(T... n)
      : Five(std::integral_constant<bool, true>{}, {static_cast<std::int64_t>(n)...}, sizeof...(T)) {
    static_assert(sizeof...(T) == kDynamic || sizeof...(T) == 5,
                  "a Shape or Stride takes its dynamic dimensions in order, or all five");
  }

 private:
  struct Numbers {
    std::int64_t n[5];
  };
  /// Without a loop: its blocks would count as time of the kernel.
  TSR_INLINE constexpr Five(std::integral_constant<bool, true>, Numbers given, int count = 0) : values{N...} {
    int next = 0;
    set<0>(given, count, next);
    set<1>(given, count, next);
    set<2>(given, count, next);
    set<3>(given, count, next);
    set<4>(given, count, next);
  }
  template <int D>
  TSR_INLINE constexpr void set(const Numbers& given, int count, int& next) {
    if constexpr (staticShape[D] == DYNAMIC)
      values[D] = count == 0 ? 1 : given.n[count == 5 ? D : next++];
  }

 public:
  union {
    std::int64_t values[5];
    std::int64_t shape[5];
    std::int64_t stride[5];
  };
};

}  // namespace tsr

namespace pto {

template <std::int64_t N1 = DYNAMIC, std::int64_t N2 = DYNAMIC, std::int64_t N3 = DYNAMIC,
          std::int64_t N4 = DYNAMIC, std::int64_t N5 = DYNAMIC>
struct Shape : tsr::Five<0, N1, N2, N3, N4, N5> {
  using tsr::Five<0, N1, N2, N3, N4, N5>::Five;
};
template <class A, class B, class C, class D, class E>
Shape(A, B, C, D, E) -> Shape<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>;
template <std::int64_t N1 = DYNAMIC, std::int64_t N2 = DYNAMIC, std::int64_t N3 = DYNAMIC,
          std::int64_t N4 = DYNAMIC, std::int64_t N5 = DYNAMIC>
struct Stride : tsr::Five<1, N1, N2, N3, N4, N5> {
  using tsr::Five<1, N1, N2, N3, N4, N5>::Five;
};
template <class A, class B, class C, class D, class E>
Stride(A, B, C, D, E) -> Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>;

namespace tsr_detail {
/// Whether it is one of the layouts of scales.
constexpr bool is_mx(Layout l) { return l >= Layout::MX_A_ZZ && l <= Layout::MX_B_DN; }
}  // namespace tsr_detail

template <class T, class Shape_, class Stride_, Layout Layout_ = Layout::ND>
struct GlobalTensor : TsrTensor {
  using RawDType = std::remove_cv_t<T>;
  using DType = T;
  using Shape = Shape_;
  using Stride = Stride_;
  static constexpr Layout layout = Layout_;
  static constexpr const std::int64_t* staticShape = Shape_::staticShape;
  static constexpr const std::int64_t* staticStride = Stride_::staticStride;

  TSR_INLINE GlobalTensor(T* pointer = nullptr, const Shape_& shape_ = Shape_(),
                          const Stride_& stride_ = Stride_()) {
    element = tsr::tile_element_name<RawDType>();
    TsrTensor::layout = Layout_ == Layout::DN   ? TSR_DN
                        : Layout_ == Layout::ND ? TSR_ND
                        : tsr_detail::is_mx(Layout_)
                            ? TSR_MX_A_ZZ + static_cast<int>(Layout_) - static_cast<int>(Layout::MX_A_ZZ)
                            : TSR_NZ;
    TsrTensor::data = pointer;
    __builtin_memcpy(shape, shape_.shape, sizeof shape);  // no loop: its blocks would count as time of the kernel
    __builtin_memcpy(stride, stride_.stride, sizeof stride);
  }
  TSR_INLINE T* data() const { return static_cast<T*>(const_cast<void*>(TsrTensor::data)); }
  TSR_INLINE void SetAddr(T* pointer) { TsrTensor::data = pointer; }
  TSR_INLINE std::int64_t GetShape(int dim) const { return shape[dim]; }
  TSR_INLINE std::int64_t GetStride(int dim) const { return stride[dim]; }
  template <int Dim>
  TSR_INLINE std::int64_t GetShape() const { return shape[Dim]; }
  template <int Dim>
  TSR_INLINE std::int64_t GetStride() const { return stride[Dim]; }
};

namespace tsr_detail {
/// Scales of products: pairs along k lie side by side, in the orders of the public layouts (shape and stride of five dimensions).
template <int R, int C, Layout L>
struct ShapeOfScales {
  static constexpr bool of_a = L <= Layout::MX_A_DN, boxed = L == Layout::MX_A_ZZ || L == Layout::MX_B_NN;
  static constexpr bool outer = L == Layout::MX_A_ND || L == Layout::MX_B_DN;  // rows of A or columns of B come first
  static constexpr std::int64_t other = of_a ? R : C, k = of_a ? C : R, pairs = k == DYNAMIC ? DYNAMIC : k / 2;
  static constexpr std::int64_t all = R == DYNAMIC || C == DYNAMIC ? DYNAMIC : std::int64_t{R} * C;
  static constexpr std::int64_t times(std::int64_t n, std::int64_t by) { return n == DYNAMIC ? DYNAMIC : n * by; }
  using Shape = std::conditional_t<boxed, pto::Shape<1, other == DYNAMIC ? DYNAMIC : other / 16, pairs, 16, 2>,
                                   pto::Shape<1, 1, outer ? other : pairs, outer ? pairs : other, 2>>;
  using Stride = std::conditional_t<boxed, pto::Stride<all, times(k, 16), 32, 2, 1>, pto::Stride<all, all, outer ? k : times(other, 2), 2, 1>>;
  template <class S>
  static TSR_INLINE void set_shape(S& s, std::int64_t rows, std::int64_t columns) {
    const std::int64_t n = of_a ? rows : columns, p = (of_a ? columns : rows) / 2;
    s.shape[boxed ? 1 : 2] = boxed ? n / 16 : outer ? n : p;
    s.shape[boxed ? 2 : 3] = boxed || outer ? p : n;
  }
  template <class S>
  static TSR_INLINE void set_stride(S& s, std::int64_t rows, std::int64_t columns) {
    const std::int64_t n = of_a ? rows : columns, depth = of_a ? columns : rows;
    s.stride[0] = rows * columns;
    s.stride[1] = boxed ? depth * 16 : rows * columns;
    s.stride[2] = boxed ? 32 : outer ? depth : 2 * n;
    s.stride[3] = 2;
    s.stride[4] = 1;
  }
};
template <class T, int R, int C, Layout L, bool Scales = is_mx(L)>
struct ShapeOf2D : ShapeOfScales<R, C, L> {};
template <class T, int R, int C, Layout L>
struct ShapeOf2D<T, R, C, L, false> {
  static constexpr std::int64_t kC0 = 32 / sizeof(T);
  static constexpr bool nz = L == Layout::NZ, dn = L == Layout::DN;
  static constexpr std::int64_t rows = R, columns = C;
  using Shape = pto::Shape<1, nz ? (C == DYNAMIC ? DYNAMIC : C / kC0) : 1,
                           nz ? (R == DYNAMIC ? DYNAMIC : R / 16) : 1, nz ? 16 : R, nz ? kC0 : C>;
  using Stride =
      std::conditional_t<R == DYNAMIC || C == DYNAMIC,
                         pto::Stride<nz && C != DYNAMIC ? C / kC0 : DYNAMIC, DYNAMIC,
                                     nz ? 16 * kC0 : DYNAMIC, nz ? kC0 : dn ? 1 : DYNAMIC,
                                     nz ? 1 : dn ? DYNAMIC : 1>,
                         pto::Stride<R * C, nz ? R * kC0 : R * C, nz ? 16 * kC0 : R * C,
                                     nz ? kC0 : dn ? 1 : C, nz ? 1 : dn ? R : 1>>;
};
}  // namespace tsr_detail

template <class T, int R = DYNAMIC, int C = DYNAMIC, Layout L = Layout::ND>
struct TileShape2D : tsr_detail::ShapeOf2D<T, R, C, L>::Shape {
  using Base = typename tsr_detail::ShapeOf2D<T, R, C, L>::Shape;
  using Base::Base;
  TSR_INLINE TileShape2D() = default;
  template <class A, class B>
  TSR_INLINE TileShape2D(A rows, B columns) {
    if constexpr (tsr_detail::is_mx(L)) {
      tsr_detail::ShapeOfScales<R, C, L>::set_shape(*this, rows, columns);
    } else if constexpr (L == Layout::NZ) {
      this->shape[1] = columns / (32 / static_cast<std::int64_t>(sizeof(T)));
      this->shape[2] = rows / 16;
    } else {
      this->shape[3] = rows;
      this->shape[4] = columns;
    }
  }
};
/// The strides of a dense tensor of two dimensions.
template <class T, int R = DYNAMIC, int C = DYNAMIC, Layout L = Layout::ND>
struct BaseShape2D : tsr_detail::ShapeOf2D<T, R, C, L>::Stride {
  using Base = typename tsr_detail::ShapeOf2D<T, R, C, L>::Stride;
  using Base::Base;
  TSR_INLINE BaseShape2D() = default;
  template <class A, class B>
  TSR_INLINE BaseShape2D(A rows, B columns) {
    const std::int64_t r = rows, c = columns, all = r * c, c0 = 32 / sizeof(T);
    this->stride[0] = all;
    if constexpr (tsr_detail::is_mx(L)) {
      tsr_detail::ShapeOfScales<R, C, L>::set_stride(*this, r, c);
    } else if constexpr (L == Layout::NZ) {
      this->stride[1] = r * c0;
      this->stride[2] = 16 * c0;
      this->stride[3] = c0;
      this->stride[4] = 1;
    } else {
      this->stride[1] = this->stride[2] = all;
      this->stride[3] = L == Layout::DN ? 1 : c;
      this->stride[4] = L == Layout::DN ? r : 1;
    }
  }
};

namespace tsr_detail {
constexpr const char* kLocations[] = {"vec",  "mat",     "left",       "right",      "acc",
                                      "bias", "scaling", "left_scale", "right_scale"};
constexpr int box_rows(SLayout s, int fractal, int bytes) {
  if (s == SLayout::NoneBox) return 1;
  if (fractal == 1024) return 16;
  if (fractal == 32) return s == SLayout::RowMajor ? 16 : 2;
  return s == SLayout::RowMajor ? 16 : 32 / bytes;
}
constexpr int box_columns(SLayout s, int fractal, int bytes) {
  if (s == SLayout::NoneBox) return 1;
  if (fractal == 1024) return 16;
  if (fractal == 32) return s == SLayout::RowMajor ? 2 : 16;
  return s == SLayout::RowMajor ? 32 / bytes : 16;
}
}  // namespace tsr_detail

template <TileType Loc_, class T, int Rows_, int Cols_, BLayout BFractal_ = BLayout::RowMajor,
          int RowValid_ = Rows_, int ColValid_ = Cols_, SLayout SFractal_ = SLayout::NoneBox,
          int SFractalSize_ = TileConfig::fractalABSize, PadValue PadVal_ = PadValue::Null,
          CompactMode Compact_ = CompactMode::Null>
struct Tile : TsrTile {
  using DType = T;
  using TileDType = T*;
  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_, Cols = Cols_, Numel = Rows_ * Cols_;
  static constexpr int ValidRow = RowValid_, ValidCol = ColValid_;
  static constexpr BLayout BFractal = BFractal_;
  static constexpr SLayout SFractal = SFractal_;
  static constexpr int SFractalSize = SFractalSize_;
  static constexpr PadValue PadVal = PadVal_;
  static constexpr CompactMode Compact = Compact_;
  static constexpr bool isRowMajor = BFractal_ == BLayout::RowMajor;
  static constexpr bool isBoxedLayout = SFractal_ != SLayout::NoneBox;
  static constexpr bool isInnerRowMajor = SFractal_ == SLayout::RowMajor;
  static constexpr bool isInnerColMajor = SFractal_ == SLayout::ColMajor;
  static constexpr int InnerRows = tsr_detail::box_rows(SFractal_, SFractalSize_, sizeof(T));
  static constexpr int InnerCols = tsr_detail::box_columns(SFractal_, SFractalSize_, sizeof(T));
  static constexpr int RowStride = isRowMajor ? Cols_ : 1, ColStride = isRowMajor ? 1 : Rows_;
  static constexpr int InnerNumel = InnerRows * InnerCols;

  static_assert(RowValid_ <= Rows_, "RowValid must not exceed the rows of the tile");
  static_assert(ColValid_ <= Cols_, "ColValid must not exceed the columns of the tile");
  static_assert(isBoxedLayout || !isRowMajor || Loc_ == TileType::Acc || Loc_ == TileType::Bias ||
                    Loc_ == TileType::Scaling || Cols_ * sizeof(T) % 32 == 0,
                "a row of a row-major tile must take a multiple of 32 bytes");
  static_assert(isBoxedLayout || isRowMajor || Rows_ * sizeof(T) % 32 == 0,
                "a column of a column-major tile must take a multiple of 32 bytes");
  static_assert(!isBoxedLayout || Loc_ == TileType::Vec || Rows_ % InnerRows == 0 || Rows_ == 1,
                "the rows of the tile must be a multiple of the rows of its boxes");
  static_assert(!isBoxedLayout || Loc_ == TileType::Vec || Cols_ % InnerCols == 0,
                "the columns of the tile must be a multiple of the columns of its boxes");

  TSR_INLINE Tile() { init(RowValid_ == DYNAMIC ? Rows_ : RowValid_, ColValid_ == DYNAMIC ? Cols_ : ColValid_); }
  template <class N, class = std::enable_if_t<std::is_convertible_v<N, std::int64_t>>>
  TSR_INLINE explicit Tile(N n) {
    static_assert((RowValid_ == DYNAMIC) != (ColValid_ == DYNAMIC),
                  "one valid size takes a tile type with one dynamic size");
    init(RowValid_ == DYNAMIC ? static_cast<int>(n) : RowValid_,
         ColValid_ == DYNAMIC ? static_cast<int>(n) : ColValid_);
  }
  template <class A, class B>
  TSR_INLINE Tile(A rows, B columns) {
    init(RowValid_ == DYNAMIC ? static_cast<int>(rows) : RowValid_,
         ColValid_ == DYNAMIC ? static_cast<int>(columns) : ColValid_);
  }

  TSR_INLINE int GetValidRow() const { return valid_rows; }
  TSR_INLINE int GetValidCol() const { return valid_columns; }
  TSR_INLINE void SetValidRow(int n) { valid_rows = n; }
  TSR_INLINE void SetValidCol(int n) { valid_columns = n; }
  TSR_INLINE void SetValidShape(int rows, int columns) {
    valid_rows = rows;
    valid_columns = columns;
  }
  /// Products of f32 round their factors from here on (ascend_2.md 5.10): a state of the core, not of the tile.
  TSR_INLINE void SetMadTF32Mode(RoundMode mode = RoundMode::CAST_ROUND) {
    if (mode != RoundMode::CAST_ROUND && mode != RoundMode::CAST_RINT)
      tsr_api->fail(tsr_api->self, "SetMadTF32Mode: expected CAST_ROUND or CAST_RINT");
    const std::int64_t rest = get_ctrl() & ~(tsr::kShortProducts | tsr::kTiesAway);
    set_ctrl(rest | tsr::kShortProducts | (mode == RoundMode::CAST_ROUND ? tsr::kTiesAway : 0));
  }
  TSR_INLINE void ResetMadMode() { set_ctrl(get_ctrl() & ~tsr::kShortProducts); }
  TSR_INLINE void SetKAligned(bool) {}
  TSR_INLINE T* data() const;
  TSR_INLINE T GetValue(std::int64_t n) const;
  template <class V>
  TSR_INLINE void SetValue(std::int64_t n, V value);

 private:
  static constexpr TsrTileType kType = {tsr_detail::kLocations[static_cast<int>(Loc_)],
                                        tsr::tile_element_name<std::remove_cv_t<T>>(),
                                        Rows_,
                                        Cols_,
                                        BFractal_ == BLayout::ColMajor,
                                        static_cast<std::uint8_t>(SFractal_),
                                        SFractalSize_,
                                        static_cast<std::uint8_t>(PadVal_ > PadValue::Min ? 4 : static_cast<int>(PadVal_)),
                                        static_cast<std::uint8_t>(Compact_),
                                        RowValid_ == DYNAMIC || ColValid_ == DYNAMIC};
  TSR_INLINE void init(int rows, int columns) {
    type = &kType;
    address = TSR_NO_ADDRESS;
    valid_rows = rows;
    valid_columns = columns;
  }
};

#ifdef PTO_NPU_ARCH_A5
inline constexpr BLayout kLeftBoxes = BLayout::ColMajor;
#else
inline constexpr BLayout kLeftBoxes = BLayout::RowMajor;
#endif
template <class T, int R, int C, int RV = R, int CV = C>
using TileLeft = Tile<TileType::Left, T, R, C, kLeftBoxes, RV, CV, SLayout::RowMajor, 512>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileRight = Tile<TileType::Right, T, R, C, BLayout::RowMajor, RV, CV, SLayout::ColMajor, 512>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileAcc = Tile<TileType::Acc, T, R, C, BLayout::ColMajor, RV, CV, SLayout::RowMajor, 1024>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileLeftCompact = Tile<TileType::Left, T, R, C, kLeftBoxes, RV, CV, SLayout::RowMajor, 512,
                             PadValue::Null, CompactMode::Normal>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileRightCompact = Tile<TileType::Right, T, R, C, BLayout::RowMajor, RV, CV,
                              SLayout::ColMajor, 512, PadValue::Null, CompactMode::Normal>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileAccCompact = Tile<TileType::Acc, T, R, C, BLayout::ColMajor, RV, CV, SLayout::RowMajor,
                            1024, PadValue::Null, CompactMode::Normal>;

template <class T, int R, int C, int RV = R, int CV = C>
using TileLeftScale = Tile<TileType::ScaleLeft, T, R, C, BLayout::RowMajor, RV, CV, SLayout::RowMajor, 32>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileRightScale = Tile<TileType::ScaleRight, T, R, C, BLayout::ColMajor, RV, CV, SLayout::ColMajor, 32>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileLeftScaleCompact = Tile<TileType::ScaleLeft, T, R, C, BLayout::RowMajor, RV, CV, SLayout::RowMajor, 32, PadValue::Null, CompactMode::Normal>;
template <class T, int R, int C, int RV = R, int CV = C>
using TileRightScaleCompact = Tile<TileType::ScaleRight, T, R, C, BLayout::ColMajor, RV, CV, SLayout::ColMajor, 32, PadValue::Null, CompactMode::Normal>;

template <class T>
inline constexpr bool is_tile_data_v = std::is_base_of_v<TsrTile, T>;
template <class T>
inline constexpr bool is_global_data_v = std::is_base_of_v<TsrTensor, T>;

// Scales in boxes of 16 rows: the library moves whole boxes, with 0 where the source has no row.
namespace tsr_detail {
template <class D, class = void>
inline constexpr bool has_scale_boxes = false;
template <class D>
inline constexpr bool has_scale_boxes<D, std::enable_if_t<D::SFractalSize == 32>> =
    D::Loc == TileType::Vec && D::isInnerRowMajor;
template <class D>
TSR_INLINE void clear_last_boxes(const D& to) {
  if (to.valid_rows % 16 == 0) return;
  Tile<TileType::Vec, std::uint8_t, 1, D::Numel> bytes;
  TASSIGN(bytes, to.address);
  TEXPANDS(bytes, std::uint8_t{0});
}
/// The library takes scales one after the other, whatever shape their tile has.
template <class S>
TSR_INLINE auto in_a_row(const S& scales) {
  if constexpr (S::Rows == 1) {
    return scales;
  } else {
    Tile<TileType::Vec, typename S::DType, 1, S::Numel, BLayout::RowMajor, -1, -1> row(1, S::Numel);
    TASSIGN(row, scales.address);
    return row;
  }
}
template <class S, class D>
TSR_INLINE auto as_long_as(const S& scales, const D& to) {
  auto row = in_a_row(scales);
  row.valid_columns = to.valid_rows * to.valid_columns;
  return row;
}
}  // namespace tsr_detail
}  // namespace pto
