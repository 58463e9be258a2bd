#include "models/cluster/program/operand_rules.h"

#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace tessera::cluster {

namespace {

using F = TileFunction;

// --- relations between two operands ---

using Size = std::optional<std::int64_t>;

struct Side {
  const TileOperand& operand;
  const OperandShape& shape;
  Size rows() const { return shape.rows; }
  Size columns() const { return shape.columns; }
  Element element() const { return operand.element; }
};

struct Relation {
  bool is_about_types;
  const char* expected;
  bool (*holds)(const TileOperation& operation, const Side& a, const Side& b);
};

// A size that is not known agrees with every other.
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

/// Whether `few` has as many elements as the pattern selects of `many`.
bool selects_all(const TileOperation& operation, const Side& many, const Side& few) {
  const auto [rows, columns] = std::pair{many.rows(), many.columns()};
  if (!rows || !columns || !few.rows() || !few.columns()) return true;
  if (operation.mask.by_rows) return operation.mask.count(*rows) == *few.rows();
  const std::int64_t all = operation.mask.count(*columns) * *rows;
  // A result of one row may keep the first of them.
  return all == *few.rows() * *few.columns() || (*few.rows() == 1 && all > *few.columns());
}
/// Selected rows stay rows, of which the result may be wider.
bool has_room(const TileOperation& operation, const Side& source, const Side& result) {
  return !operation.mask.by_rows || at_least(result.columns(), source.columns());
}

bool is_integer(const Side& side, unsigned least_bits, unsigned most_bits) {
  const Element e = side.element();
  return !is_float(e) && has_values(e) && bits_of(e) >= least_bits && bits_of(e) <= most_bits;
}

// In a relation about one operand `a` and `b` are that operand.
using Op = const TileOperation&;
using S = const Side&;
constexpr Relation kSameShape{false, "the same valid rows and columns", [](Op, S a, S b) {
                                return same(a.rows(), b.rows()) && same(a.columns(), b.columns());
                              }};
constexpr Relation kSameRows{false, "as many valid rows",
                             [](Op, S a, S b) { return same(a.rows(), b.rows()); }};
constexpr Relation kSameColumns{false, "as many valid columns",
                                [](Op, S a, S b) { return same(a.columns(), b.columns()); }};
constexpr Relation kOneRow{false, "one valid row", [](Op, S a, S) { return same(a.rows(), 1); }};
constexpr Relation kRowsAndColumn{
    false, "as many valid rows, and one valid column for the result", [](Op, S a, S b) {
      const bool is_empty = b.rows() && *b.rows() == 0;
      return same(a.rows(), b.rows()) && (is_empty || same(b.columns(), 1));
    }};
// The library asserts it; its code gives nothing then, a neutral number, or what lies in UB.
constexpr Relation kSomeColumn{false, "a column to reduce", [](Op, S a, S) {
                                 return !a.columns() || *a.columns() > 0 ||
                                        (a.rows() && *a.rows() == 0);
                               }};
constexpr Relation kOncePerRow{
    false, "a value for each row, in a column or in one row",
    [](Op, S a, S b) { return has_each(a.rows(), a.columns(), b.rows()); }};
constexpr Relation kOncePerColumn{
    false, "a value for each column, in a row or in one column",
    [](Op, S a, S b) { return has_each(a.columns(), a.rows(), b.columns()); }};
constexpr Relation kBits{
    false, "a bit of the mask for each element, eight to a column", [](Op, S a, S b) {
      return same(a.rows(), b.rows()) && at_least(times(a.columns(), 8), b.columns());
    }};
constexpr Relation kTransposed{false, "rows and columns exchanged", [](Op, S a, S b) {
                                 return same(a.rows(), b.columns()) && same(a.columns(), b.rows());
                               }};
constexpr Relation kInner{false, "as many rows of the right tile as columns of the left one",
                          [](Op, S a, S b) { return same(a.columns(), b.rows()); }};
constexpr Relation kAtLeast{false, "no fewer rows and columns in the result", [](Op, S a, S b) {
                              return at_least(a.rows(), b.rows()) &&
                                     at_least(a.columns(), b.columns());
                            }};
// The hardware writes pairs of 8 bytes; a result of f16 with two columns for each value keeps half.
constexpr Relation kPairs{false, "a pair in the result for each value", [](Op, S a, S b) {
                            return at_least(a.columns(), times(b.columns(), 2));
                          }};
constexpr Relation kWholePairs{false, "pairs of 8 bytes", [](Op, S a, S) {
                                 return !a.columns() ||
                                        *a.columns() % pair_columns(a.element()) == 0;
                               }};
constexpr Relation kIndices{
    false, "an index for each column, in every row or in one for all", [](Op, S a, S b) {
      return at_least(a.columns(), b.columns()) && (same(a.rows(), b.rows()) || same(a.rows(), 1));
    }};
constexpr Relation kSelected{false, "as many elements of the result as maskPattern selects",
                             [](Op operation, S a, S b) {
                               return selects_all(operation, a, b) && has_room(operation, a, b);
                             }};
constexpr Relation kSpread{false,
                           "as many elements of the source as maskPattern selects of the result",
                           [](Op operation, S a, S b) {
                             return selects_all(operation, b, a) && has_room(operation, a, b);
                           }};
constexpr Relation kBlocks{
    false, "an offset for each 32 bytes of a row of the result", [](Op, S a, S b) {
      const std::int64_t block = 256 / bits_of(b.element());
      return same(a.rows(), b.rows()) && at_least(times(a.columns(), block), b.columns());
    }};
constexpr Relation kSideBySide{false, "no fewer columns in the result",
                               [](Op, S a, S b) { return at_least(a.columns(), b.columns()); }};
constexpr Relation kSameType{true, "one type; pto.tcvt converts",
                             [](Op, S a, S b) { return a.element() == b.element(); }};
constexpr Relation kSameWidth{true, "elements of one size", [](Op, S a, S b) {
                                return bits_of(a.element()) == bits_of(b.element());
                              }};
constexpr Relation kAccumulates{
    true, "a result of f32 for floats, of i32 for integers", [](Op, S a, S b) {
      return b.element() == (is_float(a.element()) ? Element::kF32 : Element::kI32);
    }};
/// Any two floats of 8 bits, or of 4, that have a sign multiply (ascend_2.md 5.5).
constexpr bool multiply(Element a, Element b) {
  const auto is_scaled = [](Element e) { return is_small_float(e) && e != Element::kE8m0; };
  return a == b || (is_scaled(a) && is_scaled(b) && bits_of(a) == bits_of(b));
}
constexpr Relation kFactors{true, "one type, or two floats of 8 or of 4 bits",
                            [](Op, S a, S b) { return multiply(a.element(), b.element()); }};
constexpr Relation kMxType{true, "f8 or f4 for a product with scales", [](Op, S a, S) {
                             return is_small_float(a.element()) && a.element() != Element::kE8m0;
                           }};
constexpr Relation kSingleResult{true, "f32",
                                 [](Op, S a, S) { return a.element() == Element::kF32; }};
/// A scale for each 32 elements of a row, or of a column.
constexpr bool scales(Size many, Size few) {
  return !many || !few || *few >= (*many + 31) / 32;
}
constexpr Relation kRowScales{false, "a scale for each 32 columns", [](Op, S a, S b) {
                                return at_least(b.rows(), a.rows()) &&
                                       scales(a.columns(), b.columns());
                              }};
constexpr Relation kColumnScales{false, "a scale for each 32 rows", [](Op, S a, S b) {
                                   return at_least(b.columns(), a.columns()) &&
                                          scales(a.rows(), b.rows());
                                 }};
constexpr Relation kMaskType{true, "i8 or ui8 for a mask",
                             [](Op, S a, S) { return is_integer(a, 8, 8); }};
constexpr Relation kIndexType{true, "i32 or ui32 for indices", [](Op operation, S a, S) {
                                return is_integer(a, operation.results > 1 ? 16 : 32,
                                                  32);  // beside a value of 16 bits
                              }};
constexpr Relation kOffsetType{true, "integers of 16 or 32 bits for indices",
                               [](Op, S a, S) { return is_integer(a, 16, 32); }};
constexpr Relation kSingle{true, "f32", [](Op, S a, S) { return a.element() == Element::kF32; }};
constexpr Relation kByteType{true, "i8 or ui8", [](Op, S a, S) { return is_integer(a, 8, 8); }};
constexpr Relation kShortType{true, "integers of 8 or 16 bits",
                              [](Op, S a, S) { return is_integer(a, 8, 16); }};
constexpr Relation kCounted{true, "ui16 or ui32", [](Op, S a, S) {
                              return a.element() == Element::kU16 || a.element() == Element::kU32;
                            }};
constexpr Relation kCounts{true, "ui32 for counts",
                           [](Op, S a, S) { return a.element() == Element::kU32; }};
constexpr Relation kBins{false, "256 columns or more",
                         [](Op, S a, S) { return at_least(a.columns(), 256); }};
constexpr Relation kSortable{true, "f16 or f32", [](Op, S a, S) {
                               return a.element() == Element::kF16 || a.element() == Element::kF32;
                             }};

// --- rules ---

constexpr int kResult = -1;  ///< the last operand

struct Functions {
  constexpr Functions(std::initializer_list<TileFunction> list) {
    for (const TileFunction f : list) bits |= bit(f);
  }
  static constexpr std::uint64_t bit(TileFunction f) {
    return std::uint64_t{1} << static_cast<unsigned>(f);
  }
  std::uint64_t bits = 0;
};

/// For these functions operand `a` has the relation to each operand of `others`. The first rule of a
/// function that does not hold is the fault.
struct Rule {
  Functions functions;
  const Relation& relation;
  int a;
  std::initializer_list<int> others;
};

constexpr Rule kRules[] = {
    {{F::kMatmulMx, F::kMatmulMxBias}, kMxType, 0, {0}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kFactors, 0, {2}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kSingleResult, kResult, {kResult}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kRowScales, 0, {1}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kColumnScales, 2, {3}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kInner, 0, {2}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kSameRows, 0, {kResult}},
    {{F::kMatmulMx, F::kMatmulMxBias}, kSameColumns, 2, {kResult}},
    {{F::kMatmulMxAdd}, kMxType, 1, {1}},
    {{F::kMatmulMxAdd}, kFactors, 1, {3}},
    {{F::kMatmulMxAdd}, kSingleResult, kResult, {kResult}},
    {{F::kMatmulMxAdd}, kRowScales, 1, {2}},
    {{F::kMatmulMxAdd}, kColumnScales, 3, {4}},
    {{F::kMatmulMxAdd}, kInner, 1, {3}},
    {{F::kMatmul, F::kMatmulBias}, kFactors, 0, {1}},
    {{F::kMatmul, F::kMatmulBias}, kAccumulates, 0, {kResult}},
    {{F::kMatmulBias}, kSameType, 2, {kResult}},
    {{F::kMatmul, F::kMatmulBias}, kInner, 0, {1}},
    {{F::kMatmul, F::kMatmulBias}, kSameRows, 0, {kResult}},
    {{F::kMatmul, F::kMatmulBias}, kSameColumns, 1, {kResult}},
    {{F::kMatmulBias}, kOneRow, 2, {2}},
    {{F::kMatmulBias}, kSameColumns, 2, {kResult}},
    {{F::kMatmulAdd}, kFactors, 1, {2}},
    {{F::kMatmulAdd}, kAccumulates, 1, {kResult}},
    {{F::kMatmulAdd}, kSameType, 0, {kResult}},
    {{F::kMatmulAdd}, kInner, 1, {2}},
    {{F::kMap, F::kSelectTile, F::kRowMap, F::kColumnMap}, kSameType, 0, {1, kResult}},
    {{F::kMap, F::kSelectTile}, kSameShape, 0, {1, kResult}},
    {{F::kRowReduce, F::kColumnReduce, F::kRowExpand, F::kColumnExpand}, kSameType, 0, {kResult}},
    {{F::kRowReduce}, kRowsAndColumn, 0, {kResult}},
    {{F::kRowReduce, F::kRowArg}, kSomeColumn, 0, {0}},
    {{F::kColumnReduce}, kSameColumns, 0, {kResult}},
    {{F::kRowExpand}, kOncePerRow, 0, {kResult}},
    {{F::kColumnExpand}, kOncePerColumn, 0, {kResult}},
    {{F::kRowMap, F::kColumnMap, F::kConvert}, kSameShape, 0, {kResult}},
    {{F::kRowMap}, kOncePerRow, 1, {kResult}},
    {{F::kColumnMap}, kOncePerColumn, 1, {kResult}},
    {{F::kCompare}, kMaskType, kResult, {kResult}},
    {{F::kCompare}, kSameType, 0, {1}},
    {{F::kCompare}, kSameShape, 0, {1}},
    {{F::kCompare}, kBits, kResult, {0}},
    {{F::kSelect}, kMaskType, 0, {0}},
    {{F::kSelect}, kSameType, 1, {2, kResult}},
    {{F::kSelect}, kSameShape, 1, {2, kResult}},
    {{F::kSelectScalar}, kSameType, 1, {kResult}},
    {{F::kSelectScalar}, kSameShape, 1, {kResult}},
    {{F::kSelect}, kBits, 0, {kResult}},
    {{F::kMapConvert}, kSameType, 0, {1}},
    {{F::kMapConvert}, kSameShape, 0, {1, kResult}},
    {{F::kPairSum, F::kGatherBlocks, F::kRearrange}, kSameType, 0, {kResult}},
    {{F::kPairSum}, kSameShape, 0, {kResult}},
    {{F::kScatter}, kSameType, 0, {2}},
    {{F::kScatter}, kOffsetType, 1, {1}},
    {{F::kScatter}, kSameShape, 1, {0}},
    {{F::kScatterMask}, kSameType, 0, {kResult}},
    {{F::kScatterMask}, kSpread, 0, {kResult}},
    {{F::kGatherBlocks}, kIndexType, 1, {1}},
    {{F::kGatherBlocks}, kBlocks, 1, {kResult}},
    {{F::kPartArg}, kSameType, 0, {1}},
    {{F::kPartArg}, kSameType, 2, {3, kResult}},
    {{F::kPartArg}, kSameShape, 0, {2}},
    {{F::kPartArg}, kSameShape, 1, {3}},
    {{F::kPartArg}, kAtLeast, kResult, {0, 1}},
    {{F::kFillPad, F::kTranspose}, kSameType, 0, {kResult}},
    {{F::kFillPad}, kAtLeast, kResult, {0}},
    {{F::kTranspose}, kTransposed, 0, {kResult}},
    {{F::kConcat, F::kPart, F::kMapAdd}, kSameType, 0, {1, 2, kResult}},
    {{F::kConcat}, kSameRows, 0, {1, kResult}},
    {{F::kConcat}, kSideBySide, kResult, {0, 1}},
    {{F::kPart}, kAtLeast, kResult, {0, 1}},
    {{F::kMapAdd}, kSameShape, 0, {1, 2, kResult}},
    {{F::kMultiplyAdd}, kSameShape, 0, {kResult}},
    {{F::kRowArg, F::kColumnArg}, kIndexType, kResult, {kResult}},
    {{F::kRowArg}, kSameRows, 0, {kResult}},
    {{F::kColumnArg}, kSameColumns, 0, {kResult}},
    {{F::kQuantize}, kSingle, 0, {0}},
    {{F::kDequantize}, kShortType, 0, {0}},
    {{F::kQuantize, F::kDequantize}, kSingle, 1, {1}},
    {{F::kQuantize, F::kDequantize}, kSingle, 2, {2}},
    {{F::kQuantize}, kByteType, kResult, {kResult}},
    {{F::kDequantize}, kSingle, kResult, {kResult}},
    {{F::kQuantize, F::kDequantize}, kSameShape, 0, {kResult}},
    {{F::kQuantize, F::kDequantize}, kOncePerRow, 1, {kResult}},
    {{F::kQuantize, F::kDequantize}, kOncePerRow, 2, {kResult}},
    {{F::kGather}, kSameType, 0, {kResult}},
    {{F::kGather}, kOffsetType, 1, {1}},
    {{F::kGather}, kSameShape, 1, {kResult}},
    {{F::kGatherMask}, kSameWidth, 0, {kResult}},
    {{F::kGatherMask}, kSelected, 0, {kResult}},
    {{F::kGatherCompare}, kIndexType, kResult, {kResult}},
    {{F::kHistogram}, kCounted, 0, {0}},
    {{F::kHistogram}, kByteType, 1, {1}},
    {{F::kHistogram}, kCounts, kResult, {kResult}},
    {{F::kHistogram}, kSameRows, 0, {kResult}},
    {{F::kHistogram}, kBins, kResult, {kResult}},
    {{F::kRandom}, kIndexType, kResult, {kResult}},
    {{F::kGatherTable}, kSameType, 0, {kResult}},
    {{F::kScatterTable}, kSameType, 0, {kResult}},
    {{F::kGatherTable, F::kScatterTable}, kIndexType, 1, {1}},
    {{F::kSort32, F::kMergeBlocks, F::kMergeLists}, kSortable, 0, {0}},
    {{F::kSort32, F::kMergeBlocks}, kSameType, 0, {kResult}},
    {{F::kSort32}, kIndexType, 1, {1}},
    {{F::kSort32}, kIndices, 1, {0}},
    {{F::kSort32}, kSameRows, 0, {kResult}},
    {{F::kSort32}, kPairs, kResult, {0}},
    {{F::kMergeLists}, kSameType, 0, {1, 2, 3, kResult}},
    {{F::kMergeBlocks, F::kMergeLists}, kOneRow, 0, {0}},
    {{F::kMergeBlocks}, kSameShape, 0, {kResult}},
    {{F::kMergeLists}, kSameRows, 0, {1, 2, 3, kResult}},
    {{F::kMergeLists}, kWholePairs, 0, {0}},
    {{F::kMergeLists}, kWholePairs, 1, {1}},
    {{F::kMergeLists}, kWholePairs, 2, {2}},
    {{F::kMergeLists}, kWholePairs, 3, {3}},
};

std::string shape_text(const OperandShape& shape) {
  const auto size = [](Size s) { return s ? std::to_string(*s) : "?"; };
  return size(shape.rows) + "x" + size(shape.columns);
}

std::string describe(const Side& side, bool types) {
  return (types ? to_string(side.element()) : shape_text(side.shape)) + " (" + side.operand.name +
         ")";
}

}  // namespace

namespace {

/// The rules of each function, one after the other: operations are checked each time that they are issued.
class RulesByFunction {
 public:
  constexpr RulesByFunction() {
    std::uint8_t count = 0;
    for (unsigned f = 0; f < kFunctions; ++f) {
      begin_[f] = count;
      for (std::size_t r = 0; r < std::size(kRules); ++r)
        if ((kRules[r].functions.bits >> f & 1U) != 0)
          rules_[count++] = static_cast<std::uint8_t>(r);
    }
    begin_[kFunctions] = count;
  }
  constexpr const std::uint8_t* begin(TileFunction f) const {
    return rules_.data() + begin_[static_cast<unsigned>(f)];
  }
  constexpr const std::uint8_t* end(TileFunction f) const {
    return rules_.data() + begin_[static_cast<unsigned>(f) + 1];
  }

 private:
  static constexpr unsigned kFunctions = 64;  // bits of Functions
  std::array<std::uint8_t, 255> rules_{};
  std::array<std::uint8_t, kFunctions + 1> begin_{};
};
constexpr RulesByFunction kRulesByFunction;

}  // namespace

std::string find_operand_fault(const TileOperation& operation, const OperandShapes& shapes) {
  const auto inputs = static_cast<int>(input_count(operation));
  const std::size_t result = operation.operands.size() - 1;
  const auto side = [&](int n) {
    const std::size_t i = n == kResult ? result : static_cast<std::size_t>(n);
    return Side{operation.operands[i], shapes[i]};
  };
  const std::uint8_t* const end = kRulesByFunction.end(operation.function);
  for (const std::uint8_t* r = kRulesByFunction.begin(operation.function); r != end; ++r) {
    const Rule& rule = kRules[*r];
    if (rule.a >= inputs) continue;
    for (const int other : rule.others) {
      if (other >= inputs) continue;
      const Side a = side(rule.a), b = side(other);
      if (rule.relation.holds(operation, a, b)) continue;
      const bool types = rule.relation.is_about_types;
      return "are " + describe(a, types) + (rule.a == other ? "" : " and " + describe(b, types)) +
             ": expected " + rule.relation.expected;
    }
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
