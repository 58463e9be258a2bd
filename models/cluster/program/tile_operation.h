// What a tile operation reads, computes and writes (reference ascend.md 1.3, 2.9).
//
// Costs need sizes only, and so does Instruction. Everything else about the operands of a tile
// operation stands in a table of the program, Program::operations: instructions are copied from
// queue to queue. A core resolves the operands when the scalar unit issues the instruction, because
// registers have other values later.
//
// Layout: a tile lies row by row from its address on, `row_stride` elements from row to row, and a tile in L1
// whose boxes are column-major (slayout) column by column: so it is the transpose of the tile with row-major
// boxes at the same address, as in hardware. Fractals make no other difference, unless an operand says where each
// element lies (Boxes), as those of kernels in C++ do. Only valid rows and columns are read and written.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster {

/// A value known to the program, or a register.
struct Operand {
  std::int64_t value = 0;  ///< the value, or the number of the register
  bool is_register = false;

  constexpr Operand() = default;
  constexpr Operand(std::int64_t v) : value(v) {}  // NOLINT: numbers are operands
};
constexpr Operand reg(unsigned number) {
  Operand operand(number);
  operand.is_register = true;
  return operand;
}

/// A float in a register: the bits of a double, which holds every f32, f16 and bf16.
inline std::int64_t bits_of_real(double value) {
  return bit_cast<std::int64_t>(value);
}
inline double real_of(std::int64_t bits) {
  return bit_cast<double>(bits);
}

/// Where a tile lies. kUb belongs to an AIV, the other buffers belong to an AIC.
/// kScaleA and kScaleB hold the scales of L0A and L0B (A5).
enum class Location : std::uint8_t {
  kGm,
  kUb,
  kL1,
  kL0a,
  kL0b,
  kL0c,
  kBias,
  kFixBuffer,
  kScaleA,
  kScaleB
};
inline constexpr unsigned kLocationCount = 10;
constexpr const char* to_string(Location location) {
  constexpr std::array<const char*, kLocationCount> kNames = {"GM",
                                                              "UB",
                                                              "L1",
                                                              "L0A",
                                                              "L0B",
                                                              "L0C",
                                                              "the bias table",
                                                              "the fixpipe buffer",
                                                              "the scales of L0A",
                                                              "the scales of L0B"};
  return kNames[static_cast<unsigned>(location)];
}

/// Elements of tiles and arrays. Those of 4 bits lie two in a byte, the first one in its low half. kI4 has a size and
/// no values.
enum class Element : std::uint8_t {
  kF32,
  kF16,
  kBf16,
  kE4m3,
  kE5m2,
  kHif8,
  kE8m0,  ///< scales: powers of two
  kE2m1,
  kE1m2,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kI4
};
inline constexpr unsigned kElementCount = 17;
constexpr unsigned bits_of(Element element) {
  constexpr std::array<unsigned, kElementCount> kBits = {32, 16, 16, 8,  8,  8,  8,  4, 4,
                                                         8,  8,  16, 16, 32, 32, 64, 4};
  return kBits[static_cast<unsigned>(element)];
}
constexpr const char* to_string(Element element) {
  constexpr std::array<const char*, kElementCount> kNames = {
      "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "hif8", "f8E8M0FNU", "f4E2M1", "f4E1M2",
      "i8",  "ui8", "i16",  "ui16",     "i32",    "ui32", "i64",       "i4"};
  return kNames[static_cast<unsigned>(element)];
}
constexpr bool is_float(Element element) {
  return element <= Element::kE1m2;
}
/// A float of 8 or 4 bits (small_floats.h).
constexpr bool is_small_float(Element element) {
  return element >= Element::kE4m3 && element <= Element::kE1m2;
}
constexpr bool has_values(Element element) {
  return element != Element::kI4;
}

/// Bytes of the buffers of a core; 0 for GM (ascend.md 1.3).
using Capacities = std::array<std::uint32_t, kLocationCount>;
/// Where tiles have to start, in bytes (ascend.md 1.3).
constexpr std::uint32_t alignment_of(Location location) {
  constexpr std::array<std::uint32_t, kLocationCount> kBytes = {1,    32, 32,  512, 512,
                                                                1024, 64, 128, 32,  32};
  return kBytes[static_cast<unsigned>(location)];
}

/// base + the sum of products of operands.
struct Offset {
  struct Product {
    Operand a, b;
  };
  std::int64_t base = 0;
  std::vector<Product> products;

  /// Adds a * b. If both values are known, `base` grows at once, unless 64 bits do not hold the sum.
  void add(Operand a, Operand b);
  bool is_known() const { return products.empty(); }
};

/// kAdd: reads and writes in one, by the memory itself, so additions of several pipes and cores need no order among themselves.
enum class Access : std::uint8_t { kRead, kWrite, kReadWrite, kAdd };
constexpr bool reads(Access access) {
  return access != Access::kWrite;
}
constexpr bool writes(Access access) {
  return access != Access::kRead;
}

/// The core in whose buffer an operand on chip lies.
enum class Holder : std::uint8_t {
  kSelf,          ///< the core's own
  kAic,           ///< the AIC of its cluster
  kAiv0,          ///< AIV0 of its cluster
  kAiv1,          ///< AIV1 of its cluster
  kSplitRows,     ///< the upper half of the rows in AIV0, the lower one in AIV1, at one address
  kSplitColumns,  ///< the left half of the columns in AIV0, the right one in AIV1
};

inline constexpr unsigned kMostDimensions = 5;
struct Dimension {
  Operand size, stride;  ///< in elements
};

/// TileOperand::array of a pointer that was made from a number: it may point anywhere.
inline constexpr std::uint16_t kNoArray = 0xFFFF;

/// Where the elements of a tile of boxes lie (ascend.md 1.3): element (r, c) at
/// r / rows * row_step + r % rows * row + c / columns * column_step + c % columns * column, in elements.
struct Boxes {
  std::int64_t rows = 0, columns = 0;  ///< size of a box; 0: the tile has none
  std::int64_t row_step = 0, column_step = 0, row = 0, column = 0;
  std::int64_t first_row = 0, first_column = 0;  ///< where the operand begins inside the tile
  /// So many columns, or rows, are a group, and the next one begins a step further; 0: they are one group.
  std::int64_t column_group = 0, column_group_step = 0, row_group = 0, row_group_step = 0;

  std::int64_t at(std::int64_t r, std::int64_t c) const {
    r += first_row;
    c += first_column;
    std::int64_t before = 0;
    if (column_group > 0) {
      before += c / column_group * column_group_step;
      c %= column_group;
    }
    if (row_group > 0) {
      before += r / row_group * row_group_step;
      r %= row_group;
    }
    return before + r / rows * row_step + r % rows * row + c / columns * column_step +
           c % columns * column;
  }
};

struct TileOperand {
  std::string name;  ///< in the text, for diagnoses: "%a"
  Access access = Access::kRead;
  Location location = Location::kUb;
  Holder holder = Holder::kSelf;
  Element element = Element::kF32;
  Offset address;  ///< on chip in bytes; in GM in elements, from the begin of the array
  // On chip.
  Operand rows, columns;        ///< valid rows and columns
  std::int64_t row_stride = 0;  ///< from row to row, in elements
  std::int64_t full_rows = 0;   ///< all rows of the tile; 0: not known
  bool by_columns = false;  ///< row_stride is from column to column, and full_rows counts columns
  Boxes boxes;
  // In GM.
  std::uint16_t array = 0;  ///< index in Program::arrays; kNoArray: `number` is the address
  Operand number;           ///< kNoArray: the address in bytes
  std::vector<Dimension> dimensions;  ///< dimensions of the part; the last one varies fastest
  Offset view_address;                ///< where the tensor begins that it is a part of
  std::vector<Dimension> view;
};

/// Bytes of an array at most; no address is farther from its begin.
inline constexpr std::int64_t kMostArrayBytes = std::int64_t{1} << 36;
/// Operands of an operation at most.
inline constexpr unsigned kMostOperands = 6;

/// What an operation computes. Inputs come first in its operands, the result last; what lies between
/// is scratch. Rows and columns are those of the result unless said otherwise.
enum class TileFunction : std::uint8_t {
  kNone,       ///< moves and computes nothing: only its cost is known
  kCopy,       ///< result = a, converted
  kMatmul,     ///< result = a b
  kMatmulAdd,  ///< result = c + a b; inputs: c, a, b
  kMatmulMx,  ///< result = (a times scales) (b times scales); inputs: a, scales of a, b, scales of b
  kMatmulMxAdd,   ///< result = c + that; inputs: c, then as kMatmulMx
  kMatmulMxBias,  ///< result = that + bias; inputs: as kMatmulMx, then the bias
  kMatmulBias,    ///< result = a b + bias, which has one row; inputs: a, b, bias
  kMap,           ///< result = arithmetic(a), (a, b), (a, scalar)
  kFill,          ///< result = scalar
  kSequence,      ///< result[i] = scalar + i, or scalar - i
  kRowReduce,     ///< result[r, 0] = a[r, 0] .. a[r, n - 1]
  kColumnReduce,  ///< result[0, c] = a[0, c] .. a[n - 1, c]
  kRowExpand,     ///< result[r, c] = a[r, 0]
  kColumnExpand,  ///< result[r, c] = a[0, c]
  kRowMap,  ///< result[r, c] = arithmetic(a[r, c], b[r, 0]), or b[r, c mod n] if rows of b have 32 bytes
  kColumnMap,   ///< result[r, c] = arithmetic(a[r, c], b[0, c])
  kConvert,     ///< result = a rounded to its type
  kCompare,     ///< bit c of row r of the result = a[r, c] PREDICATE b[r, c] or scalar
  kSelect,      ///< result[r, c] = bit c of row r of the mask ? a : b; inputs: mask, a, b
  kSelectTile,  ///< result = scalar != 0 ? a : b
  kFillPad,     ///< result = a, and the pad value where a has no element
  kTranspose,   ///< result[r, c] = a[c, r]
  kQuantize,    ///< result = a * scale[r, 0] + offset[r, 0] as integers; inputs: a, scale[, offset]
  kDequantize,  ///< result = (a - offset[r, 0]) * scale[r, 0]; inputs: a, scale[, offset]
  kGather,      ///< result[r, c] = element b[r, c] of a, counted row by row of the whole tile
  kGatherMask,  ///< result = the elements of a that the mask selects, one after the other
  kSort32,      ///< result = pairs (a, index b), every 32 of a row sorted; pairs have 8 bytes
  kMergeBlocks,  ///< result = a, every four sorted blocks of scalar columns merged; pairs as above
  kMergeLists,   ///< result = two to four sorted lists of pairs merged
  kConcat,       ///< result = the columns of a, then those of b
  kPart,  ///< result = arithmetic(a, b) where both have an element, elsewhere the one there is
  kMultiplyAdd,   ///< result = a * scalar + b
  kMapAdd,        ///< result = arithmetic(a, b) + c, or arithmetic(a, scalar) + b
  kRowArg,        ///< result[r, 0] = the column of the largest (kMax) or least (kMin) a[r, c]
  kColumnArg,     ///< result[0, c] = the row of the largest or least a[r, c]
  kMapConvert,    ///< result = arithmetic(a, b), times the scalar if there is one, in its own type
  kPairSum,       ///< result[r, c] = a[r, 2c] + a[r, 2c + 1], after them 0
  kSelectScalar,  ///< result[r, c] = bit c of row r of the mask ? a : scalar; inputs: mask, a
  /// result[element b[r, c]] = a[r, c], counted row by row of the whole tile; inputs: a, b, the result
  kScatter,
  kScatterMask,   ///< result = the elements of a where the mask selects, elsewhere 0
  kGatherBlocks,  ///< result = blocks of 32 bytes of a, at the byte offsets b
  /// results = kPart, and the elements of two more inputs that stand where its elements come from
  kPartArg,
  /// result = a scaled by FIX: by the word of the scalar, or of its column in b (fix_scale.h); inputs: a[, b]
  kFixScale,
  kRearrange,  ///< elements of the inputs in another order, as TileOperation::rearrangement says
  kTriangle,  ///< result[r, c] = 1 where c <= r + scalar, or (descends) c >= r + scalar; elsewhere 0
  /// result[r, b] = how many of the a[r, c] have a byte of at most b, among those whose higher bytes are those of b
  kHistogram,
  /// results = where the elements of each row of a that compare with its limit stand, one after the other, and how many they
  /// are; inputs: a[, limits], the first result
  kGatherCompare,
  kRandom,  ///< result = random numbers (special_functions.h); scalars: two words of a key, four of a counter
  kQuantizeMx,  ///< results = a in a small float, the scales of its groups, their extremes, what they multiply by
  kGatherTable,  ///< result = rows or elements of a tensor, by indices; inputs: the tensor, the indices
  kScatterTable,    ///< rows or elements of a tensor, by indices, = a; inputs: a, the indices
  kNoValues,        ///< its operands are known, what it computes is not modelled: timing only
  kVectorFunction,  ///< what the body of a vector function does
};

enum class Arithmetic : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kRem,   ///< with the sign of b
  kFmod,  ///< with the sign of a
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kLeakyRelu,  ///< a < 0 ? a * b : a
  kReverseSub,
  kReverseDiv,
  kPow,
  kExpDif,    ///< exp(a - b)
  kExactRem,  ///< kRem and kFmod of f32 with high precision (A5): no step is rounded
  kExactFmod,
  kNeg,
  kAbs,
  kRelu,
  kNot,
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kRecip
};

/// How the library makes an operation of vector instructions (vector_sequence.h).
enum class VectorForm : std::uint8_t {
  kOne,         ///< as its rate class says
  kRowRepeats,  ///< A2/A3: the repeats of a row lane by lane, then the lanes of one
  kRowBlocks,   ///< A2/A3, whole tiles of f32: blocks of 32 bytes to a number each, again and again
  kRowLanes,  ///< A2/A3, integers and products: the blocks of a row lane by lane; the scalar unit ends it
  kRowOneByOne,     ///< A5: each repeat of a row to a number, which is added to the row's
  kRowHalves,       ///< A5, products: the repeats lane by lane, then the halves of the lanes
  kColumnRows,      ///< row after row
  kColumnHalves,    ///< A2/A3, isBinary: rows in pairs, until one is left
  kColumnPairs,     ///< A5: the first row, then sums of two rows
  kRowArgument,     ///< A2/A3: position of the extreme of a row
  kColumnArgument,  ///< A2/A3: position of the extreme of a column
  kRowSpread,       ///< A2/A3: a column to blocks of 32 bytes
  kRowMapSpread,    ///< A2/A3: kRowSpread, then one operation a strip of columns
  kRowMapBlocks,   ///< A2/A3: the same, where each row has its value in a block of 32 bytes already
  kColumnMapRows,  ///< A2/A3: one operation a row
  kColumnMapStrips,  ///< A2/A3, all columns of the result are valid and known: one operation a strip of columns
  // A2/A3, elementwise operations of several instructions; "One" has a tile and a number (ascend_2.md 3.7).
  kScalarLoop,  ///< the scalar unit computes element by element
  kScalarLoopOne,
  kPower,  ///< floats by logarithms; the scalar unit looks for special cases
  kPowerOne,
  kRemainder,  ///< floats, row by row, with the sign of the divisor
  kRemainderOne,
  kRemainderWhole,  ///< i32, by way of f32
  kRemainderWholeOne,
  kFmod,  ///< with the sign of the dividend
  kFmodOne,
  kXor,
  kXorOne,
  kGatherCompare,  ///< the scalar unit counts and reads limits; a comparison and a compression for each row
  kGatherRows,      ///< indices of a row become addresses, by which its elements are gathered
  kBitwiseOne,      ///< the number in all elements, and an operation on two tiles
  kDivideWholeOne,  ///< integers by way of floats
  kConvertScaled,   ///< i32 to f16: a conversion a row, which waits for the one before
  kQuantize,        ///< the scale of a row, then three conversions
  kQuantizeOffset,  ///< an offset of a row, too
  kDequantize,      ///< a conversion a row; offset and scale of each row come from the scalar unit
  kDequantizeByte,  ///< the same with two conversions, by way of f16
  // At the rate of a class.
  kByRows,    ///< an instruction for each row, or strip of rows
  kUnary,     ///< one instruction counts no elements: its last repeat is one of its own
  kNarrowed,  ///< A5: two registers become one in each round of the loop
  // A5, vector functions as kRowOneByOne, kRowHalves and kColumnPairs (core/tile_function.h).
  kRowCopies,       ///< the value of a row is stored in all of it
  kColumnCopies,    ///< a row is stored again and again
  kRowMapLoads,     ///< the value of a row is loaded to all lanes
  kColumnMapLoads,  ///< both operands are loaded, row by row
  kRowFind,         ///< position of the extreme of a row, repeat by repeat
  kColumnFind       ///< of a column, row by row
};
/// Whether it is a vector function of A5.
constexpr bool is_function(VectorForm form) {
  return form == VectorForm::kRowOneByOne || form == VectorForm::kRowHalves ||
         form == VectorForm::kColumnPairs || form >= VectorForm::kRowCopies;
}

/// How a conversion rounds. kDefault: to nearest, ties to even.
enum class Rounding : std::uint8_t {
  kDefault,
  kNearestEven,
  kNearestAway,
  kFloor,
  kCeil,
  kTruncate,
  kOdd
};

/// What the elements beyond the valid ones of the input get (kFillPad), or those up to the end of a block of 32 bytes
/// (kCopy to UB).
/// kOther: a number of the kernel's own, which the model does not know.
enum class Pad : std::uint8_t { kNone, kZero, kLargest, kLeast, kOther };

/// Selects every `period`-th column of a row from `first` on, or every `period`-th row with `by_rows`.
struct GatherPattern {
  std::uint8_t period = 1, first = 0;
  bool by_rows = false;
  constexpr bool selects(std::size_t n) const { return n % period == first; }
  constexpr std::int64_t count(std::int64_t of) const {
    return of <= first ? 0 : (of - first + period - 1) / period;
  }
};

/// Where each element of the results comes from (kRearrange): its number among the elements of all inputs, which count row
/// by row and input after input; kPadded: it is `pad`. The elements of the last operand come first.
struct Rearrangement {
  static constexpr std::int32_t kPadded = -1;
  std::vector<std::int32_t> from;
  double pad = 0;
};

/// How kQuantizeMx groups numbers and finds the scale of a group (ascend_2.md 5.5).
struct MxGroups {
  bool by_rows = false;    ///< 32 rows of a column are a group; otherwise 32 columns of a row
  bool rounds_up = false;  ///< the scale is the extreme over the largest number, rounded up ("NV")
  bool interleaves = false;  ///< by_rows: scales of two groups of a column stand side by side
};

/// What kGatherTable and kScatterTable do with an index that is as large as the table, or larger.
enum class Beyond : std::uint8_t { kFault, kClamp, kWrap, kZero, kSkip };
struct TableAccess {
  bool by_row = true;  ///< an index names a row; otherwise an element
  Beyond beyond = Beyond::kFault;
};

/// A number of the text, or a register.
struct TileScalar {
  bool is_number = false;
  double number = 0;     ///< the value, if is_number
  Operand integer;       ///< the value otherwise
  bool is_real = false;  ///< the register has the bits of a double
};
inline constexpr unsigned kMostScalars = 6;

struct TileOperation {
  std::vector<TileOperand> operands;  ///< inputs, scratch, results
  std::vector<TileScalar> scalars;
  TileFunction function = TileFunction::kNone;
  Arithmetic arithmetic = Arithmetic::kAdd;
  Rounding rounding = Rounding::kDefault;
  VectorForm form = VectorForm::kOne;
  std::uint8_t predicate = 0;  ///< cluster::Predicate
  Pad pad = Pad::kNone;
  bool relu = false;          ///< negative values of the result become 0; kFixScale: of the source
  bool adds = false;          ///< kCopy to GM: the result is added to what is there
  bool saturates = true;      ///< a conversion to an integer saturates; otherwise it wraps around
  bool scalar_first = false;  ///< kMap, kCompare: the scalar is a; kRowMap: b comes first
  bool descends = false;      ///< kSequence, kTriangle: the second form, as TileFunction says
  std::uint8_t inputs =
      0;  ///< number of inputs of kQuantize, kDequantize, kMergeLists, kRearrange and kGatherCompare, which may differ
  /// kPartArg, kRowArg, kColumnArg: 2 are a value and its index; kRearrange: 1 or 2; kQuantizeMx: 4; kGatherCompare: 2
  std::uint8_t results = 1;
  bool by_root = false;      ///< kRsqrt is a square root and a division, each rounded
  bool is_unsigned = false;  ///< integers of 64 bits have no sign
  bool is_anywhere = false;  ///< kCopy within UB: a part may begin at any element
  bool shifts = false;       ///< kFixScale: a scale may say a shift (A2/A3)
  /// Products on A2/A3: M writes columns of boxes as many rows apart as the product has, rounded up to 16, and what
  /// reads the tile takes them this many rows apart (ascend_2.md 1.6). 0: the same.
  std::int64_t read_pitch = 0;
  /// Products of f32: both factors are rounded to so many bits of mantissa first, as `rounding` says (ascend_2.md 5.10). 0: they are not.
  std::uint8_t mantissa = 0;
  bool exhausts = false;  ///< kMergeLists: ends with the first list that has no more pairs
  GatherPattern mask;     ///< pattern of kGatherMask and kScatterMask
  std::shared_ptr<const Rearrangement> rearrangement;
  /// kHistogram: the byte, 0 is the lowest; kRandom: the rounds; kGatherCompare: positions of a row follow those of
  /// the row before, whose columns are rounded up to so many; 0: they count elements of the tile
  std::uint8_t which = 0;
  MxGroups groups;
  TableAccess table;
};

/// How many of the operands are inputs with values; the others but the last one are scratch.
unsigned input_count(const TileOperation& operation);

/// An array in GM: a pointer argument of the kernel. Those of one name are one array.
struct GmArray {
  std::string name;  ///< without %
  Element element = Element::kF32;
  unsigned device = 0;  ///< whose GM has it
};

/// An operand with the values of its registers. Strides are in elements.
struct ResolvedOperand {
  Access access = Access::kRead;
  Location location = Location::kUb;
  Holder holder = Holder::kSelf;
  Element element = Element::kF32;
  std::uint16_t array = 0;
  std::uint8_t dimensions = 0;
  std::array<std::int64_t, kMostDimensions> sizes{};  ///< on chip: valid rows, columns
  std::array<std::int64_t, kMostDimensions>
      strides{};               ///< on chip: row_stride, 1; or 1, row_stride
  std::int64_t address = 0;    ///< address of the first element, in bytes
  std::int64_t first = 0;      ///< the bytes that it touches lie in [first, first + bytes)
  std::int64_t bytes = 0;      ///< 0: it has no elements
  std::int64_t view_size = 0;  ///< in GM: bytes up to the end of the tensor that it is a part of
  std::array<std::int64_t, kMostDimensions> view_sizes{};
  const Boxes* boxes = nullptr;  ///< boxes of the TileOperand; nullptr: it has none
};

struct ResolvedOperation {
  std::array<ResolvedOperand, kMostOperands> operands;
  std::array<double, kMostScalars> numbers{};  ///< the scalars as real numbers
  std::array<std::int64_t, kMostScalars> integers{};
  std::uint8_t count = 0;
  std::uint32_t pc = 0;  ///< index of the instruction: Program::where says its line
};

/// `operation` with the registers' values.
void resolve(const TileOperation& operation, const std::vector<std::int64_t>& registers,
             ResolvedOperation& result);

}  // namespace tessera::cluster
