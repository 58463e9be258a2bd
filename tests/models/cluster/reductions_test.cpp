// Reductions by the instructions that the library makes of them: the order of their additions and their time
// (reference ascend_2.md 3).
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "models/cluster/core/cost_model.h"
#include "models/cluster/program/vector_sequence.h"
#include "models/cluster/values/reductions.h"

namespace tessera::cluster::reductions_test {
namespace {

constexpr double kLarge = 16777216;  // 2^24: one more is no number of f32

/// A row of f32 with 2^24 first and ones at these columns.
TileValues row_of(std::size_t columns, const std::vector<std::size_t>& ones) {
  TileValues row = TileValues::zeros(Element::kF32, 1, columns);
  row.numbers[0] = kLarge;
  for (const std::size_t c : ones) row.numbers[c] = 1;
  return row;
}
double beyond(const TileValues& row, VectorForm form) {
  return reduce_rows(row, Arithmetic::kAdd, form).numbers[0] - kLarge;
}

// The two test rows of 3.3, whose sums tell the four orders apart.
TEST(Reductions, 3_3_RowsThatTellOrdersApart) {
  const TileValues neighbours = row_of(128, {1, 2, 3, 4}), second = row_of(128, {64, 65});
  EXPECT_EQ(beyond(neighbours, VectorForm::kRowBlocks), 4);
  EXPECT_EQ(beyond(neighbours, VectorForm::kRowRepeats), 4);
  EXPECT_EQ(beyond(neighbours, VectorForm::kRowOneByOne), 4);
  EXPECT_EQ(beyond(neighbours, VectorForm::kOne), 0);
  EXPECT_EQ(beyond(second, VectorForm::kRowBlocks), 2);
  EXPECT_EQ(beyond(second, VectorForm::kRowRepeats), 0);
  EXPECT_EQ(beyond(second, VectorForm::kRowOneByOne), 2);
  EXPECT_EQ(beyond(second, VectorForm::kOne), 0);
}

// An odd repeat and the rest of a row are added to the first sum, an odd sum to the last one.
TEST(Reductions, 3_2_OddRepeatsAndTheRestOfARow) {
  const auto sum = [](std::size_t columns, const std::vector<std::size_t>& ones) {
    return beyond(row_of(columns, ones), VectorForm::kRowRepeats);
  };
  // Lane 0 of two repeats is 2^24 + 1, which ties to 2^24. The odd repeat and the rest do not meet each other there, but
  // both are in lane 1, which is added last.
  EXPECT_EQ(sum(192, {64, 128}), 0);
  EXPECT_EQ(sum(72, {64}), 0);
  EXPECT_EQ(sum(72, {64, 65}), 0);
  EXPECT_EQ(sum(200, {192, 128}), 0);
  EXPECT_EQ(sum(200, {193, 129}), 2);
  // Repeats 2 and 3 are one sum, 2, before they meet the first.
  EXPECT_EQ(sum(256, {128, 192}), 2);
  // Of six repeats the third sum is added to the first one.
  EXPECT_EQ(sum(384, {256, 320}), 2);
}

TEST(Reductions, 3_3_HalvesRoundToHalvesAtEachStep) {
  TileValues row = TileValues::zeros(Element::kF16, 1, 128);
  row.numbers[0] = 2048;  // one more is no number of f16
  for (std::size_t c = 1; c < 5; ++c) row.numbers[c] = 1;
  EXPECT_EQ(reduce_rows(row, Arithmetic::kAdd, VectorForm::kRowRepeats).numbers[0], 2052);
  for (std::size_t c = 5; c < 128; ++c) row.numbers[c] = 0;
  row.numbers[1] = row.numbers[2] = row.numbers[3] = 0;
  EXPECT_EQ(reduce_rows(row, Arithmetic::kAdd, VectorForm::kRowOneByOne).numbers[0], 2048);
}

TEST(Reductions, 3_5_Columns) {
  TileValues tile = TileValues::zeros(Element::kF32, 5, 1);
  tile.numbers = {kLarge, 1, 1, 1, 1};
  const auto sum = [&](VectorForm form) {
    return reduce_columns(tile, Arithmetic::kAdd, form).numbers[0] - kLarge;
  };
  EXPECT_EQ(sum(VectorForm::kColumnRows), 0);
  EXPECT_EQ(sum(VectorForm::kColumnPairs), 4);
  // (2^24 + 1) + the odd row, then + (1 + 1).
  EXPECT_EQ(sum(VectorForm::kColumnHalves), 2);
}

// Whatever the order, sums of small integers are exact; columns of every length go through all branches.
TEST(Reductions, EveryLengthHasAllElements) {
  for (std::size_t columns = 1; columns < 700; columns += columns < 130 ? 1 : 37) {
    TileValues row = TileValues::zeros(Element::kF32, 1, columns);
    double expected = 0;
    for (std::size_t c = 0; c < columns; ++c)
      expected += row.numbers[c] = static_cast<double>(c % 7) - 2;
    for (const VectorForm form : {VectorForm::kOne, VectorForm::kRowRepeats, VectorForm::kRowLanes,
                                  VectorForm::kRowOneByOne, VectorForm::kRowHalves})
      EXPECT_EQ(reduce_rows(row, Arithmetic::kAdd, form).numbers[0], expected) << columns;
    TileValues column = row;
    std::swap(column.rows, column.columns);
    for (const VectorForm form :
         {VectorForm::kColumnRows, VectorForm::kColumnHalves, VectorForm::kColumnPairs})
      EXPECT_EQ(reduce_columns(column, Arithmetic::kAdd, form).numbers[0], expected) << columns;
  }
  for (const std::size_t columns : {128U, 256U, 512U, 1024U}) {
    TileValues row = TileValues::zeros(Element::kF32, 1, columns);
    row.numbers.assign(columns, 1);
    EXPECT_EQ(reduce_rows(row, Arithmetic::kAdd, VectorForm::kRowBlocks).numbers[0], columns);
  }
}

// --- time ---

std::uint64_t cycles(VectorForm form, VectorClass kind, std::int64_t rows, std::int64_t columns,
                     DataType type = DataType::kF32, bool sequences = true) {
  CostConfig config = a2a3_config().core.cost;
  config.vectors.sequences = sequences;
  Instruction v;
  v.op = Opcode::kVector;
  v.vector_class = kind;
  v.form = form;
  v.type = type;
  return CostModel(config).cost(v, {rows * columns, rows, columns}, CoreKind::kAiv).occupied;
}

TEST(Reductions, WithoutElementsSumsAreZero) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{0, 0}, {3, 0}, {0, 3}}) {
    const TileValues none = TileValues::zeros(Element::kF32, rows, columns);
    for (int form = 0; form <= static_cast<int>(VectorForm::kColumnPairs); ++form)
      for (const Arithmetic what : {Arithmetic::kAdd, Arithmetic::kMul, Arithmetic::kMax}) {
        const auto by = static_cast<VectorForm>(form);
        EXPECT_EQ(reduce_rows(none, what, by).numbers, std::vector<double>(rows, 0));
        EXPECT_EQ(reduce_columns(none, what, by).numbers, std::vector<double>(columns, 0));
      }
  }
}

TEST(Reductions, 3_2_WholeTilesTakeTheirRepeats) {
  const auto of_blocks = [](VectorClass kind, std::int64_t rows, std::int64_t columns) {
    return cycles(VectorForm::kRowBlocks, kind, rows, columns);
  };
  // 144 repeats, two group reductions and two additions: 255 to 276 cycles.
  EXPECT_EQ(of_blocks(VectorClass::kReduce, 32, 256), 144U + 2 * 36 + 2 * 28);
  EXPECT_EQ(of_blocks(VectorClass::kReduceExtreme, 32, 256), 144U + 2 * 29 + 2 * 28);
  EXPECT_EQ(of_blocks(VectorClass::kReduce, 64, 128), 144U + 2 * 36 + 28);
  EXPECT_EQ(of_blocks(VectorClass::kReduce, 16, 512), 146U + 3 * 36);
  EXPECT_EQ(of_blocks(VectorClass::kReduce, 8, 1024), 146U + 3 * 36 + 28);
}

// The formulas of 4.1 of the first page, which were fitted to the general form.
TEST(Reductions, 3_1_TheGeneralFormMeetsThePublishedFormulas) {
  struct Row {
    VectorClass kind;
    std::int64_t columns;
    double published;
  };
  const Row rows[] = {{VectorClass::kReduce, 64, 0.1094 * 4096 + 44},
                      {VectorClass::kReduce, 96, 0.0938 * 6144 + 75},
                      {VectorClass::kReduce, 128, 0.0625 * 8192 + 61.5},
                      {VectorClass::kReduce, 144, 0.0698 * 9216 + 92},
                      {VectorClass::kReduce, 272, 0.0484 * 17408 + 104},
                      {VectorClass::kReduceExtreme, 272, 0.0485 * 17408 + 98},
                      {VectorClass::kReduceExtreme, 64, 480},
                      {VectorClass::kReduceExtreme, 128, 0.0625 * 8192 + 48}};
  for (const Row& row : rows) {
    const auto found =
        static_cast<double>(cycles(VectorForm::kRowRepeats, row.kind, 64, row.columns));
    EXPECT_NEAR(found, row.published, row.published * 0.015) << row.columns;
  }
}

// Instructions as the library issues them for 16 rows (3.4, 3.5): 64 columns are one repeat of f32, 96 are two, the
// second one with a mask.
TEST(Reductions, 3_4_ExpansionsGoByStripsOfColumns) {
  constexpr std::uint64_t kMap = 17, kMask = 14, kSpread = 18 + 2, kDivide = 31, kExp = 31;
  const auto of = [](VectorForm form, VectorClass kind, std::int64_t columns,
                     DataType type = DataType::kF32) {
    return cycles(form, kind, 16, columns, type);
  };
  using F = VectorForm;
  using V = VectorClass;
  EXPECT_EQ(of(F::kColumnMapStrips, V::kSimple, 64), 24U + 16);
  EXPECT_EQ(of(F::kColumnMapStrips, V::kSimple, 96), 24U + 32 + 17);
  EXPECT_EQ(of(F::kRowMapSpread, V::kRowMap, 96), kSpread + kMap + 32 + kMask);
  EXPECT_EQ(of(F::kColumnMapRows, V::kSimple, 64), kMap + 16 * 5);
  EXPECT_EQ(of(F::kRowMapSpread, V::kRowMap, 64), kSpread + kMap + 16);
  EXPECT_EQ(of(F::kRowMapBlocks, V::kRowMap, 64), 24U + 16);
  EXPECT_EQ(of(F::kRowMapSpread, V::kDivide, 64), kSpread + kDivide + 2 * 16);
  EXPECT_EQ(of(F::kRowMapSpread, V::kDivide, 128, DataType::kF16), kSpread + kDivide + 4 * 16);
  EXPECT_EQ(of(F::kRowMapSpread, V::kExp, 64), kSpread + kMap + 16 + kExp + 2 * 16);
  EXPECT_EQ(of(F::kColumnMapRows, V::kExp, 64), 16 * kMap + 16 * 5 + 16 * (kExp + 2));
}

TEST(Reductions, 3_4_OperationsThatGoRowByRow) {
  constexpr std::uint64_t kRows = 16, kMap = 17, kConversion = 24, kTurn = 60, kElement = 11;
  const auto of = [](VectorForm form, VectorClass kind, std::int64_t columns,
                     DataType type = DataType::kF32) {
    return cycles(form, kind, kRows, columns, type);
  };
  using F = VectorForm;
  using V = VectorClass;
  // Repeats of a row are not shared with the next one.
  EXPECT_EQ(of(F::kByRows, V::kConvert, 64), kConversion + 2 * 16);
  EXPECT_EQ(of(F::kByRows, V::kConvert, 64, DataType::kF16), kConversion + 2 * 16 + 17);
  EXPECT_EQ(of(F::kByRows, V::kSimple, 96), 24U + 2 * 16);
  EXPECT_EQ(of(F::kConvertScaled, V::kConvert, 96), kRows * (kConversion + 2 * 2));
  EXPECT_EQ(of(F::kGatherRows, V::kGather, 64), kRows * (kMap + 1 + 24) + kRows * 64 / 5 + 1);
  EXPECT_EQ(of(F::kQuantize, V::kConvert, 64),
            18U + 2 + kMap + 16 + (2 + kRows) * kConversion + 2 * (2 * 16 + 16));
  EXPECT_EQ(of(F::kQuantizeOffset, V::kConvert, 64),
            of(F::kQuantize, V::kConvert, 64) + 18 + 2 + kMap + 16);
  EXPECT_EQ(of(F::kDequantizeByte, V::kConvert, 64),
            kRows * (2 * (kConversion + 2) + kTurn + 2 * kElement + 2 * (kMap + 1)));
  EXPECT_EQ(of(F::kDequantizeByte, V::kConvert, 64) - of(F::kDequantize, V::kConvert, 64),
            kRows * (kConversion + 2));
  EXPECT_EQ(of(F::kDivideWholeOne, V::kDivideScalar, 64),
            24U + 16 + 31 + 2 * 16 + 3 * (kConversion + 2 * 16));
}

// One instruction on a tile counts no elements; its last ones have a mask.
TEST(Reductions, 4_1_MasksOfOperationsOnOneTile) {
  const auto of = [](VectorForm form, VectorClass kind, std::int64_t rows, std::int64_t columns) {
    return cycles(form, kind, rows, columns);
  };
  EXPECT_EQ(of(VectorForm::kUnary, VectorClass::kExp, 16, 96), 31U + 2 * 24);
  EXPECT_EQ(of(VectorForm::kUnary, VectorClass::kExp, 13, 48), 31U + 2 * 10 + 17);
  EXPECT_EQ(of(VectorForm::kOne, VectorClass::kSingle, 16, 96), 24U + 24 + 17);
  EXPECT_EQ(of(VectorForm::kOne, VectorClass::kSingle, 13, 48), 24U + 10 + 17);
}

TEST(Reductions, IntegersGoThroughTheScalarUnit) {
  // A row: a fill, eight blocks of 25 cycles, a turn of the scalar unit, eight elements and the result.
  EXPECT_EQ(cycles(VectorForm::kRowLanes, VectorClass::kReduce, 4, 64, DataType::kInt32),
            4U * (25 + 8 * 25 + 60 + 9 * 11));
  EXPECT_EQ(cycles(VectorForm::kRowLanes, VectorClass::kReduce, 4, 64, DataType::kInt32, false),
            cycles(VectorForm::kOne, VectorClass::kReduce, 4, 64, DataType::kInt32));
}

// A2/A3 have no instruction for these (3.7): 16 x 100 elements of f32, two repeats a row, 25 in all.
TEST(Reductions, 3_7_ElementwiseOperationsOfSeveralInstructions) {
  const auto of = [](VectorForm form) { return cycles(form, VectorClass::kSimple, 16, 100); };
  constexpr std::uint64_t kRow = 2, kAll = 25, kElement = 11, kTurn = 60;
  constexpr std::uint64_t kMap = 17, kFill = 24, kDivision = 31, kConversion = 24, kFunction = 31;
  EXPECT_EQ(of(VectorForm::kScalarLoop), kTurn + 3 * 1600 * kElement);
  EXPECT_EQ(of(VectorForm::kScalarLoopOne), kTurn + 2 * 1600 * kElement);
  EXPECT_EQ(of(VectorForm::kXor), 4 * (kMap + kAll));
  EXPECT_EQ(of(VectorForm::kXorOne), 4 * (kMap + kAll) + 2 * (kFill + kAll));
  EXPECT_EQ(of(VectorForm::kBitwiseOne), kMap + kAll + kFill + kAll);
  EXPECT_EQ(of(VectorForm::kFmod),
            16 * (kDivision + 2 * kRow + kConversion + 2 * kRow + 2 * (kMap + kRow)));
  EXPECT_EQ(of(VectorForm::kRemainder), 16 * (kFill + kRow + kDivision + 2 * kRow + kConversion +
                                              2 * kRow + 6 * (kMap + kRow)));
  EXPECT_EQ(of(VectorForm::kRemainderWhole),
            16 * (kFill + kRow + kDivision + 2 * kRow + 5 * kConversion + 8 * 2 * kRow +
                  6 * (kMap + kRow)));
  EXPECT_EQ(of(VectorForm::kPower),
            4 * (kFunction + 2 * kAll) + 3 * (kMap + kAll) + kTurn + 3 * 1600 * kElement);
}

}  // namespace
}  // namespace tessera::cluster::reductions_test
