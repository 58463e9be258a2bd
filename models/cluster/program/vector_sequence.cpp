#include "models/cluster/program/vector_sequence.h"

#include <algorithm>
#include <iterator>

namespace tessera::cluster {

namespace {

using U = VectorUnit;
constexpr std::uint64_t kRepeatBits = 256 * 8, kBlockBits = 32 * 8;
/// The scalar unit issues an instruction in so many cycles: short ones do not follow each other faster (ascend.md 4.4).
constexpr std::uint64_t kIssue = 5;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

struct Sizes {
  explicit Sizes(const VectorShape& s)
      : rows(s.rows), columns(s.columns), in_repeat(kRepeatBits / s.bits),
        in_block(kBlockBits / s.bits), repeats(divide_up(columns, in_repeat)),
        whole(s.is_extreme ? U::kWholeExtreme : U::kWholeSum),
        group(s.is_extreme ? U::kGroupExtreme : U::kGroupSum),
        map(s.divides ? U::kDivision : U::kMap), then_exp(s.then_exp) {}
  bool has_tail() const { return columns % in_repeat != 0; }
  std::uint64_t all() const { return rows * repeats; }
  std::uint64_t rows, columns, in_repeat, in_block;
  std::uint64_t repeats;  // of a row
  U whole, group, map;
  bool then_exp;
};

/// `count` instructions of `repeats` each that do not wait for each other.
std::uint64_t stream(std::uint64_t count, std::uint64_t repeats) {
  return count * std::max(repeats, count > 1 ? kIssue : 1);
}

// Scratch begins in the group of banks of its row: what has the next but one repeat as a source reads two blocks of one
// group. With less than two repeats, the first one is copied.
VectorSequence by_repeats_of_rows(const Sizes& s) {
  VectorSequence q;
  const std::uint64_t further = s.repeats - 1;
  if (further > 0) q.add(U::kMap, further, further * s.rows);
  if (s.has_tail())
    q.add(U::kMask, 1, further > 0 ? std::max<std::uint64_t>(further / 2, 1) * s.rows : 0);
  q.add(s.whole, 1, s.rows);
  return q;
}

// Instructions on strips of columns, each with a repeat for each row.
void add_strips(VectorSequence& q, const Sizes& s) {
  q.add(s.map, 1, s.all());
  if (s.has_tail()) q.add(U::kMask, 1, 0);
  if (s.then_exp) q.add(U::kExponential, 1, s.all());
}

// A row becomes a number for each block; blocks are added while they are no more than seven, which one group
// reduction can end.
VectorSequence by_blocks(const Sizes& s) {
  VectorSequence q;
  std::uint64_t numbers = s.columns;  // of a row
  while (numbers > 1) {
    const bool groups = numbers == s.in_block || numbers >= s.in_repeat;
    const std::uint64_t left = groups ? numbers / s.in_block : numbers / 2;
    const std::uint64_t read = groups ? numbers : left;
    q.add(groups ? s.group : U::kBlockMap, 1, divide_up(s.rows * read, s.in_repeat));
    numbers = left;
  }
  return q;
}

VectorSequence by_lanes_of_a_block(const Sizes& s) {
  VectorSequence q;
  const std::uint64_t blocks = divide_up(s.columns, s.in_block);
  q.add(U::kFill, s.rows, s.rows);
  q.add(U::kChain, s.rows * blocks, s.rows * blocks);
  q.add(U::kScalarTurn, s.rows, 0);
  q.add(U::kScalarElement, s.rows * (s.in_block + 1), 0);
  return q;
}

// Rows are added in pairs until one is left. The additions of a level do not wait for each other.
VectorSequence by_halves(const Sizes& s) {
  VectorSequence q;
  std::uint64_t waits = 0, repeats = 0;
  for (std::uint64_t n = s.rows; n > 1; n /= 2) {
    waits += 1 + n % 2;
    repeats += stream(n / 2, s.repeats) + n % 2 * s.repeats;
  }
  q.add(U::kMap, waits, repeats);
  q.add(U::kMap, 1, s.repeats);  // the copy to the result
  return q;
}

VectorSequence row_argument(const Sizes& s) {
  VectorSequence q;
  if (s.repeats == 1) {
    q.add(U::kWholeExtreme, 1, s.rows);
    return q;
  }
  // For each row the extreme of each repeat, the values and the indices apart, and the extreme of the values.
  const std::uint64_t pairs = divide_up(2 * s.repeats, s.in_repeat);
  q.add(U::kWholeExtreme, s.rows, s.rows * s.repeats);
  q.add(U::kCompress, 2 * s.rows, 2 * s.rows * pairs);
  q.add(U::kWholeExtreme, s.rows, s.rows);
  q.add(U::kScalarTurn, 1, 0);
  q.add(U::kScalarElement, 3 * s.rows, 0);
  return q;
}

/// Instructions of an elementwise operation: of all elements, or of each row, with as many waits unless said otherwise.
struct Recipe {
  VectorForm form;
  bool by_rows;
  unsigned maps, fills, functions, divisions, conversions, conversion_waits;
  unsigned scalars;  ///< of the scalar unit, for each element
};
constexpr Recipe kRecipes[] = {
    {VectorForm::kScalarLoop, false, 0, 0, 0, 0, 0, 0, 3},
    {VectorForm::kScalarLoopOne, false, 0, 0, 0, 0, 0, 0, 2},
    {VectorForm::kPower, false, 3, 0, 4, 0, 0, 0, 3},
    {VectorForm::kPowerOne, false, 3, 0, 4, 0, 0, 0, 2},
    {VectorForm::kRemainder, true, 6, 1, 0, 1, 1, 1, 0},
    {VectorForm::kRemainderOne, true, 6, 1, 0, 1, 1, 1, 0},
    {VectorForm::kRemainderWhole, true, 6, 1, 0, 1, 8, 5, 0},
    {VectorForm::kRemainderWholeOne, true, 6, 1, 0, 1, 6, 4, 0},
    {VectorForm::kFmod, true, 2, 0, 0, 1, 1, 1, 0},
    {VectorForm::kFmodOne, true, 2, 1, 0, 1, 1, 1, 0},
    {VectorForm::kXor, false, 4, 0, 0, 0, 0, 0, 0},
    {VectorForm::kXorOne, false, 4, 2, 0, 0, 0, 0, 0},
    {VectorForm::kBitwiseOne, false, 1, 1, 0, 0, 0, 0, 0},
    {VectorForm::kDivideWholeOne, false, 0, 1, 0, 1, 3, 3, 0},
    {VectorForm::kConvertScaled, true, 0, 0, 0, 0, 1, 1, 0},
};

VectorSequence by_recipe(const Recipe& r, const Sizes& s) {
  VectorSequence q;
  const std::uint64_t elements = s.rows * s.columns;
  const std::uint64_t times = r.by_rows ? s.rows : 1;
  const std::uint64_t repeats = r.by_rows ? s.rows * s.repeats : divide_up(elements, s.in_repeat);
  const auto add = [&](U unit, unsigned waits, unsigned instructions) {
    if (instructions > 0) q.add(unit, waits * times, instructions * repeats);
  };
  add(U::kFill, r.fills, r.fills);
  add(U::kDivision, r.divisions, r.divisions);
  add(U::kConversion, r.conversion_waits, r.conversions);
  add(U::kFunction, r.functions, r.functions);
  add(U::kMap, r.maps, r.maps);
  if (r.scalars == 0) return q;
  q.add(U::kScalarTurn, 1, 0);
  q.add(U::kScalarElement, r.scalars * elements, 0);
  return q;
}

// The scale of each row comes as for operations on a row and a tile. Numbers become i32, then f16 row by row, then bytes.
VectorSequence by_scales(const Sizes& s, bool has_offset) {
  constexpr std::uint64_t kSpreadRows = 8;
  VectorSequence q;
  const std::uint64_t times = has_offset ? 2 : 1;
  q.add(U::kSpread, times, times * divide_up(s.rows, kSpreadRows));
  q.add(U::kMap, times, times * s.all());
  const std::uint64_t half = s.rows * divide_up(s.columns, 2 * s.in_repeat);
  q.add(U::kConversion, 2 + s.rows, 2 * s.all() + half);
  return q;
}

VectorSequence by_scalars_of_rows(const Sizes& s, std::uint64_t conversions) {
  VectorSequence q;
  q.add(U::kConversion, conversions * s.rows, conversions * s.all());
  q.add(U::kScalarTurn, s.rows, 0);
  q.add(U::kScalarElement, 2 * s.rows, 0);
  q.add(U::kMap, 2 * s.rows, 2 * s.all());
  return q;
}

// The scalar unit numbers all elements, and reads the limit of each row when V has converted them.
VectorSequence by_comparison(const Sizes& s) {
  VectorSequence q;
  q.add(U::kScalarElement, s.rows * (s.columns + 1), 0);
  q.add(U::kScalarTurn, 1 + s.rows, 0);
  q.add(U::kConversion, 1, divide_up(s.rows, s.in_repeat));
  q.add(U::kMap, s.rows, s.rows * s.repeats);
  q.add(U::kCompress, s.rows, s.rows * s.repeats);
  return q;
}

}  // namespace

VectorSequence sequence_of(VectorForm form, const VectorShape& shape) {
  VectorSequence q;
  if (shape.rows == 0 || shape.columns == 0) return q;
  const Sizes s(shape);
  constexpr std::uint64_t kSpreadRows = 8;
  const auto* recipe = std::find_if(std::begin(kRecipes), std::end(kRecipes),
                                    [form](const Recipe& r) { return r.form == form; });
  if (recipe != std::end(kRecipes)) return by_recipe(*recipe, s);
  switch (form) {
  case VectorForm::kRowRepeats:
    return by_repeats_of_rows(s);
  case VectorForm::kRowBlocks:
    return by_blocks(s);
  case VectorForm::kRowLanes:
    return by_lanes_of_a_block(s);
  case VectorForm::kColumnHalves:
    return s.rows > 1 ? by_halves(s) : q;
  case VectorForm::kRowArgument:
    return row_argument(s);
  case VectorForm::kColumnArgument:  // index, comparison, selection and extreme for each row
    q.add(U::kMap, 4 * s.rows, 4 * s.rows * s.repeats);
    return q;
  case VectorForm::kGatherCompare:
    return by_comparison(s);
  case VectorForm::kRowSpread:
    q.add(U::kSpread, 1, divide_up(s.rows, kSpreadRows));
    return q;
  case VectorForm::kRowMapSpread:
    q.add(U::kSpread, 1, divide_up(s.rows, kSpreadRows));
    add_strips(q, s);
    return q;
  case VectorForm::kRowMapBlocks:
  case VectorForm::kColumnMapStrips:  // without an exponential at the rate of the class
    if (s.then_exp) add_strips(q, s);
    return q;
  case VectorForm::kColumnMapRows:
    q.add(s.map, s.then_exp ? s.rows : 1, stream(s.rows, s.repeats));
    if (s.then_exp) q.add(U::kExponential, s.rows, s.all());
    return q;
  case VectorForm::kGatherRows:
    q.add(U::kMap, s.rows, s.all());
    q.add(U::kGatherElements, s.rows, s.rows * s.columns);
    return q;
  case VectorForm::kQuantize:
  case VectorForm::kQuantizeOffset:
    return by_scales(s, form == VectorForm::kQuantizeOffset);
  case VectorForm::kDequantize:
  case VectorForm::kDequantizeByte:
    return by_scalars_of_rows(s, form == VectorForm::kDequantizeByte ? 2 : 1);
  default:
    return q;
  }
}

}  // namespace tessera::cluster
