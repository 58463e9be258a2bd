#include "models/cluster/program/operand_rules.h"

#include <algorithm>
#include <array>

namespace tessera::cluster {

namespace {

using F = TileFunction;

/// Between operands a and b.
enum class Relation : std::uint8_t {
  kSameShape,
  kSameRows,
  kSameColumns,
  kOneRow,         ///< a has one
  kRowsAndColumn,  ///< b has the rows of a, in one column
  kOncePerRow,     ///< a has a value for each row of b, in a column or in a row of its own
  kOncePerColumn,
  kBits,  ///< a has a bit for each element of b, eight to a column
  kTransposed,
  kInner,       ///< columns of a, rows of b
  kAtLeast,     ///< a has no fewer rows and columns than b
  kPairs,       ///< a has room for a pair for each column of b
  kWholePairs,  ///< a consists of pairs
  kIndices,     ///< a has the columns of b and its rows, or one row for all
  kSelected,    ///< b has as many elements as the pattern of the operation selects of a
  kSameType,
  kSameWidth,
  kAccumulates,  ///< b is f32 for products of floats, i32 for those of integers
  kMaskType,     ///< a has elements of 8 bits
  kIndexType,    ///< a has integers of 32 bits
  kOffsetType,   ///< a has integers of 16 or 32 bits
  kSingle,       ///< a is f32
  kByteType,     ///< a has integers of 8 bits
  kShortType,    ///< a has integers of 8 or 16 bits
  kSortable,     ///< a is f16 or f32
};

constexpr int kResult = -1;  ///< the last operand

struct Rule {
  TileFunction function;
  int a, b;
  Relation relation;
};

constexpr std::array kRules = {
    Rule{F::kMatmul, 0, 1, Relation::kSameType},
    Rule{F::kMatmul, 0, kResult, Relation::kAccumulates},
    Rule{F::kMatmul, 0, 1, Relation::kInner},
    Rule{F::kMatmul, 0, kResult, Relation::kSameRows},
    Rule{F::kMatmul, 1, kResult, Relation::kSameColumns},
    Rule{F::kMatmulAdd, 1, 2, Relation::kSameType},
    Rule{F::kMatmulAdd, 1, kResult, Relation::kAccumulates},
    Rule{F::kMatmulAdd, 0, kResult, Relation::kSameType},
    Rule{F::kMatmulAdd, 1, 2, Relation::kInner},
    Rule{F::kMatmulAdd, 1, kResult, Relation::kSameRows},
    Rule{F::kMatmulAdd, 2, kResult, Relation::kSameColumns},
    Rule{F::kMatmulAdd, 0, kResult, Relation::kSameShape},
    Rule{F::kMatmulBias, 0, 1, Relation::kSameType},
    Rule{F::kMatmulBias, 0, kResult, Relation::kAccumulates},
    Rule{F::kMatmulBias, 2, kResult, Relation::kSameType},
    Rule{F::kMatmulBias, 0, 1, Relation::kInner},
    Rule{F::kMatmulBias, 0, kResult, Relation::kSameRows},
    Rule{F::kMatmulBias, 1, kResult, Relation::kSameColumns},
    Rule{F::kMatmulBias, 2, 2, Relation::kOneRow},
    Rule{F::kMatmulBias, 2, kResult, Relation::kSameColumns},
    Rule{F::kMap, 0, 1, Relation::kSameType},
    Rule{F::kMap, 0, kResult, Relation::kSameType},
    Rule{F::kMap, 0, 1, Relation::kSameShape},
    Rule{F::kMap, 0, kResult, Relation::kSameShape},
    Rule{F::kRowReduce, 0, kResult, Relation::kSameType},
    Rule{F::kRowReduce, 0, kResult, Relation::kRowsAndColumn},
    Rule{F::kColumnReduce, 0, kResult, Relation::kSameType},
    Rule{F::kColumnReduce, 0, kResult, Relation::kSameColumns},
    Rule{F::kRowExpand, 0, kResult, Relation::kSameType},
    Rule{F::kRowExpand, 0, kResult, Relation::kOncePerRow},
    Rule{F::kColumnExpand, 0, kResult, Relation::kSameType},
    Rule{F::kColumnExpand, 0, kResult, Relation::kOncePerColumn},
    Rule{F::kRowMap, 0, 1, Relation::kSameType},
    Rule{F::kRowMap, 0, kResult, Relation::kSameType},
    Rule{F::kRowMap, 0, kResult, Relation::kSameShape},
    Rule{F::kRowMap, 1, kResult, Relation::kOncePerRow},
    Rule{F::kColumnMap, 0, 1, Relation::kSameType},
    Rule{F::kColumnMap, 0, kResult, Relation::kSameType},
    Rule{F::kColumnMap, 0, kResult, Relation::kSameShape},
    Rule{F::kColumnMap, 1, kResult, Relation::kOncePerColumn},
    Rule{F::kConvert, 0, kResult, Relation::kSameShape},
    Rule{F::kCompare, kResult, kResult, Relation::kMaskType},
    Rule{F::kCompare, 0, 1, Relation::kSameType},
    Rule{F::kCompare, 0, 1, Relation::kSameShape},
    Rule{F::kCompare, kResult, 0, Relation::kBits},
    Rule{F::kSelect, 0, 0, Relation::kMaskType},
    Rule{F::kSelect, 1, 2, Relation::kSameType},
    Rule{F::kSelect, 1, kResult, Relation::kSameType},
    Rule{F::kSelect, 1, 2, Relation::kSameShape},
    Rule{F::kSelect, 1, kResult, Relation::kSameShape},
    Rule{F::kSelect, 0, kResult, Relation::kBits},
    Rule{F::kSelectTile, 0, 1, Relation::kSameType},
    Rule{F::kSelectTile, 0, kResult, Relation::kSameType},
    Rule{F::kSelectTile, 0, 1, Relation::kSameShape},
    Rule{F::kSelectTile, 0, kResult, Relation::kSameShape},
    Rule{F::kFillPad, 0, kResult, Relation::kSameType},
    Rule{F::kFillPad, kResult, 0, Relation::kAtLeast},
    Rule{F::kTranspose, 0, kResult, Relation::kSameType},
    Rule{F::kTranspose, 0, kResult, Relation::kTransposed},
    Rule{F::kQuantize, 0, 0, Relation::kSingle},
    Rule{F::kQuantize, 1, 1, Relation::kSingle},
    Rule{F::kQuantize, 2, 2, Relation::kSingle},
    Rule{F::kQuantize, kResult, kResult, Relation::kByteType},
    Rule{F::kQuantize, 0, kResult, Relation::kSameShape},
    Rule{F::kQuantize, 1, kResult, Relation::kOncePerRow},
    Rule{F::kQuantize, 2, kResult, Relation::kOncePerRow},
    Rule{F::kDequantize, 0, 0, Relation::kShortType},
    Rule{F::kDequantize, 1, 1, Relation::kSingle},
    Rule{F::kDequantize, 2, 2, Relation::kSingle},
    Rule{F::kDequantize, kResult, kResult, Relation::kSingle},
    Rule{F::kDequantize, 0, kResult, Relation::kSameShape},
    Rule{F::kDequantize, 1, kResult, Relation::kOncePerRow},
    Rule{F::kDequantize, 2, kResult, Relation::kOncePerRow},
    Rule{F::kGather, 0, kResult, Relation::kSameType},
    Rule{F::kGather, 1, 1, Relation::kOffsetType},
    Rule{F::kGather, 1, kResult, Relation::kSameShape},
    Rule{F::kGatherMask, 0, kResult, Relation::kSameWidth},
    Rule{F::kGatherMask, 0, kResult, Relation::kSelected},
    Rule{F::kSort32, 0, 0, Relation::kSortable},
    Rule{F::kSort32, 0, kResult, Relation::kSameType},
    Rule{F::kSort32, 1, 1, Relation::kIndexType},
    Rule{F::kSort32, 1, 0, Relation::kIndices},
    Rule{F::kSort32, 0, kResult, Relation::kSameRows},
    Rule{F::kSort32, kResult, 0, Relation::kPairs},
    Rule{F::kMergeBlocks, 0, 0, Relation::kSortable},
    Rule{F::kMergeBlocks, 0, kResult, Relation::kSameType},
    Rule{F::kMergeBlocks, 0, 0, Relation::kOneRow},
    Rule{F::kMergeBlocks, 0, kResult, Relation::kSameShape},
    Rule{F::kMergeLists, 0, 0, Relation::kSortable},
    Rule{F::kMergeLists, 0, 1, Relation::kSameType},
    Rule{F::kMergeLists, 0, 2, Relation::kSameType},
    Rule{F::kMergeLists, 0, 3, Relation::kSameType},
    Rule{F::kMergeLists, 0, kResult, Relation::kSameType},
    Rule{F::kMergeLists, 0, 0, Relation::kOneRow},
    Rule{F::kMergeLists, 0, 1, Relation::kSameRows},
    Rule{F::kMergeLists, 0, 2, Relation::kSameRows},
    Rule{F::kMergeLists, 0, 3, Relation::kSameRows},
    Rule{F::kMergeLists, 0, kResult, Relation::kSameRows},
    Rule{F::kMergeLists, 0, 0, Relation::kWholePairs},
    Rule{F::kMergeLists, 1, 1, Relation::kWholePairs},
    Rule{F::kMergeLists, 2, 2, Relation::kWholePairs},
    Rule{F::kMergeLists, 3, 3, Relation::kWholePairs},
};

const char* expectation(Relation relation) {
  switch (relation) {
  case Relation::kSameShape:
    return "the same valid rows and columns";
  case Relation::kSameRows:
    return "as many valid rows";
  case Relation::kSameColumns:
    return "as many valid columns";
  case Relation::kOneRow:
    return "one valid row";
  case Relation::kRowsAndColumn:
    return "as many valid rows, and one valid column for the result";
  case Relation::kOncePerRow:
    return "a value for each row, in a column or in one row";
  case Relation::kOncePerColumn:
    return "a value for each column, in a row or in one column";
  case Relation::kBits:
    return "a bit of the mask for each element, eight to a column";
  case Relation::kTransposed:
    return "rows and columns exchanged";
  case Relation::kInner:
    return "as many rows of the right tile as columns of the left one";
  case Relation::kAtLeast:
    return "no fewer rows and columns in the result";
  case Relation::kPairs:
    return "8 bytes of the result for each value";
  case Relation::kWholePairs:
    return "pairs of 8 bytes";
  case Relation::kIndices:
    return "an index for each column, in every row or in one for all";
  case Relation::kSelected:
    return "as many elements of the result as maskPattern selects";
  case Relation::kSameType:
    return "one type; pto.tcvt converts";
  case Relation::kSameWidth:
    return "elements of one size";
  case Relation::kAccumulates:
    return "a result of f32 for floats, of i32 for integers";
  case Relation::kMaskType:
    return "i8 or ui8 for a mask";
  case Relation::kIndexType:
    return "i32 or ui32 for indices";
  case Relation::kOffsetType:
    return "integers of 16 or 32 bits for indices";
  case Relation::kSingle:
    return "f32";
  case Relation::kByteType:
    return "i8 or ui8";
  case Relation::kShortType:
    return "integers of 8 or 16 bits";
  case Relation::kSortable:
    return "f16 or f32";
  }
  return "";
}

bool is_about_types(Relation relation) {
  return relation >= Relation::kSameType;
}

bool is_integer(Element e, unsigned least_bits, unsigned most_bits) {
  return !is_float(e) && has_values(e) && bits_of(e) >= least_bits && bits_of(e) <= most_bits;
}

bool types_agree(Relation relation, Element a, Element b) {
  switch (relation) {
  case Relation::kSameType:
    return a == b;
  case Relation::kSameWidth:
    return bits_of(a) == bits_of(b);
  case Relation::kAccumulates:
    return b == (is_float(a) || a == Element::kFp8 ? Element::kF32 : Element::kI32);
  case Relation::kMaskType:
  case Relation::kByteType:
    return is_integer(a, 8, 8);
  case Relation::kIndexType:
    return is_integer(a, 32, 32);
  case Relation::kOffsetType:
    return is_integer(a, 16, 32);
  case Relation::kSingle:
    return a == Element::kF32;
  case Relation::kShortType:
    return is_integer(a, 8, 16);
  default:  // kSortable
    return a == Element::kF16 || a == Element::kF32;
  }
}

/// What is not known agrees.
using Size = std::optional<std::int64_t>;
bool same(Size a, Size b) {
  return !a || !b || *a == *b;
}
bool at_least(Size a, Size b) {
  return !a || !b || *a >= *b;
}
Size times(Size a, std::int64_t factor) {
  return a ? Size(*a * factor) : std::nullopt;
}

/// Whether a tile of `along` x `across` has a value for each of `count`, along one side or the other.
bool has_each(Size along, Size across, Size count) {
  const bool is_empty = count && *count == 0;
  return (same(along, count) && (is_empty || at_least(across, 1))) ||
         (same(along, 1) && same(across, count));
}

struct Side {
  const TileOperand& operand;
  const OperandShape& shape;
};

bool selects_all(const TileOperation& operation, const OperandShape& a, const OperandShape& b) {
  if (!a.rows || !a.columns || !b.rows || !b.columns) return true;
  const bool rows = operation.mask.by_rows;
  const std::int64_t selected = operation.mask.count(rows ? *a.rows : *a.columns);
  return selected * (rows ? *a.columns : *a.rows) == *b.rows * *b.columns;
}

bool shapes_agree(Relation relation, const TileOperation& operation, const Side& left,
                  const Side& right) {
  const OperandShape &a = left.shape, &b = right.shape;
  switch (relation) {
  case Relation::kSameShape:
    return same(a.rows, b.rows) && same(a.columns, b.columns);
  case Relation::kSameRows:
    return same(a.rows, b.rows);
  case Relation::kSameColumns:
    return same(a.columns, b.columns);
  case Relation::kOneRow:
    return same(a.rows, 1);
  case Relation::kRowsAndColumn:
    return same(a.rows, b.rows) && same(b.columns, 1);
  case Relation::kOncePerRow:
    return has_each(a.rows, a.columns, b.rows);
  case Relation::kOncePerColumn:
    return has_each(a.columns, a.rows, b.columns);
  case Relation::kBits:
    return same(a.rows, b.rows) && at_least(times(a.columns, 8), b.columns);
  case Relation::kTransposed:
    return same(a.rows, b.columns) && same(a.columns, b.rows);
  case Relation::kInner:
    return same(a.columns, b.rows);
  case Relation::kAtLeast:
    return at_least(a.rows, b.rows) && at_least(a.columns, b.columns);
  case Relation::kPairs:
    return at_least(a.columns, times(b.columns, pair_columns(right.operand.element)));
  case Relation::kWholePairs:
    return !a.columns || *a.columns % pair_columns(left.operand.element) == 0;
  case Relation::kIndices:
    return same(a.columns, b.columns) && (same(a.rows, b.rows) || same(a.rows, 1));
  default:  // kSelected
    return selects_all(operation, a, b);
  }
}

std::string shape_text(const OperandShape& shape) {
  const auto size = [](Size s) { return s ? std::to_string(*s) : "?"; };
  return size(shape.rows) + "x" + size(shape.columns);
}

std::string describe(const Side& side, bool types) {
  return (types ? to_string(side.operand.element) : shape_text(side.shape)) + " (" +
         side.operand.name + ")";
}

}  // namespace

std::string find_operand_fault(const TileOperation& operation,
                               const std::vector<OperandShape>& shapes) {
  const auto inputs = static_cast<int>(input_count(operation));
  const std::size_t result = operation.operands.size() - 1;
  for (const Rule& rule : kRules) {
    if (rule.function != operation.function || rule.a >= inputs || rule.b >= inputs) continue;
    const auto side = [&](int n) {
      const std::size_t i = n == kResult ? result : static_cast<std::size_t>(n);
      return Side{operation.operands[i], shapes[i]};
    };
    const Side a = side(rule.a), b = side(rule.b);
    const bool types = is_about_types(rule.relation);
    const bool agree = types ? types_agree(rule.relation, a.operand.element, b.operand.element)
                             : shapes_agree(rule.relation, operation, a, b);
    if (agree) continue;
    const bool one = rule.a == rule.b;
    return std::string("are ") + describe(a, types) + (one ? "" : " and " + describe(b, types)) +
           ": expected " + expectation(rule.relation);
  }
  return "";
}

std::string find_block_fault(std::int64_t block, std::optional<std::int64_t> columns) {
  constexpr std::int64_t kUnit = 64, kMost = 1 << 24;
  if (block <= 0 || block > kMost || block % kUnit != 0)
    return "blocks of " + std::to_string(block) + " columns, expected a multiple of " +
           std::to_string(kUnit);
  if (!columns || *columns % (kMergedBlocks * block) == 0) return "";
  return std::to_string(*columns) + " columns are no whole number of groups of four blocks of " +
         std::to_string(block);
}

}  // namespace tessera::cluster
