// Costs of instructions (reference ascend.md 4.2 to 4.4). The tables of the section are held by scripts/validate.sh, from runs of
// the executable (docs/validation.md, ascend_micro).
#include "models/cluster/core/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/cluster/bench.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::Kernel;
using bench::launch_of;

constexpr double kTolerance = 0.03;

void expect_near(double measured, double published, const std::string& what) {
  EXPECT_LE(std::abs(measured / published - 1), kTolerance)
      << what << ": " << measured << ", published " << published;
}

const PipeStats& run_aic(Bench& b, const Kernel& k, Pipe pipe) {
  b.run(k, Kernel());
  EXPECT_FALSE(b.hangs()) << b.waits();
  return b.aic().stats(pipe);
}

/// Busy cycles of M per MAD; `serial`: each waits for the one before.
double cycles_per_mad(const ClusterConfig& config, DataType type, unsigned m, unsigned n,
                      unsigned k, bool serial) {
  constexpr int kMads = 200;
  Kernel kernel;
  for (int i = 0; i < kMads; ++i) {
    kernel.mad(type, m, n, k);
    if (serial) kernel.barrier(Pipe::kM);
  }
  Bench b(config, launch_of(1, LaunchRatio::k1To0));
  return static_cast<double>(run_aic(b, kernel, Pipe::kM).busy) / kMads;
}

TEST(CostModel, 4_2_MadBursts) {
  const ClusterConfig a2 = a2a3_config(), a5 = a5_config();
  EXPECT_NEAR(cycles_per_mad(a2, DataType::kF16, 64, 64, 64, true), 64 + 62, 0.5);
  EXPECT_NEAR(cycles_per_mad(a2, DataType::kF16, 64, 64, 64, false), 64 + 10, 0.5);
  // No program in PTO has this type.
  expect_near(cycles_per_mad(a5, DataType::kMxFp4, 256, 256, 256, false), 1031.5, "950PR mxfp4");
}

TEST(CostModel, 4_2_RatesOfTheCube) {
  // ascend.md 4.2, "theoretical table": the slope without fixed cost.
  const CostModel a2(a2a3_config().core.cost), a5(a5_config().core.cost);
  Instruction mad;
  mad.op = Opcode::kMad;
  const auto ideal = [&mad](const CostModel& model, DataType type, unsigned gap) {
    mad.type = type;
    return model.cost(mad, {128, 128, 512}, CoreKind::kAic).occupied - gap;
  };
  constexpr std::uint64_t kMacs = 128 * 128 * 512;
  EXPECT_EQ(ideal(a2, DataType::kInt4, 10), kMacs / 16384);
  EXPECT_EQ(ideal(a2, DataType::kInt8, 10), kMacs / 8192);
  EXPECT_EQ(ideal(a2, DataType::kBf16, 10), kMacs / 4096);
  EXPECT_EQ(ideal(a2, DataType::kF32, 10), kMacs / 1024);
  EXPECT_EQ(ideal(a2, DataType::kHf32, 10), kMacs / 2048);
  EXPECT_EQ(ideal(a5, DataType::kFp8, 9), kMacs / 8192);
  EXPECT_EQ(ideal(a5, DataType::kF32, 9), kMacs / 256);
  // Sizes are rounded up to fractals: 16 x 16 x 32 bytes.
  mad.type = DataType::kF16;
  EXPECT_EQ(a2.cost(mad, {40, 50, 60}, CoreKind::kAic).occupied - 10, 3u * 4 * 4);
}

TEST(CostModel, 0_FixToL1OrUb) {
  const CostModel a2(a2a3_config().core.cost), a5(a5_config().core.cost);
  Instruction fix;
  fix.op = Opcode::kFixLocal;
  const auto ready = [&fix](const CostModel& model, DataType type) {
    fix.type = type;
    return model.cost(fix, {128, 256, 0}, CoreKind::kAic).ready;
  };
  EXPECT_EQ(ready(a2, DataType::kF16), 128u * 256 / 64 + 20);
  EXPECT_EQ(ready(a5, DataType::kF16), 128u * 256 / 64 + 26);
  EXPECT_EQ(ready(a5, DataType::kF32), 128u * 256 / 32 + 26);
  fix.both = true;  // 1.4: twice as fast into the UB of both AIVs, without conversion
  EXPECT_EQ(ready(a5, DataType::kF32), 128u * 256 / 64 + 26);
  EXPECT_EQ(ready(a5, DataType::kF16), 128u * 256 / 64 + 26);
}

/// Cycles of V per addition of 4096 floats, back to back.
double cycles_per_add(BankConflict conflict) {
  constexpr int kAdds = 1000;
  Kernel kernel;
  kernel.loop(0, kAdds,
              [&](Operand) { kernel.vector(DataType::kF32, 4096).bank_conflict = conflict; });
  Bench b(a2a3_config(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), kernel);
  EXPECT_FALSE(b.hangs());
  return static_cast<double>(b.aiv().stats(Pipe::kV).busy) / kAdds;
}

TEST(CostModel, 4_3_BankConflicts) {
  expect_near(cycles_per_add(BankConflict::kNone), 88.4, "no conflict");
  expect_near(cycles_per_add(BankConflict::kReadRead), 154.2, "two sources in a bank");
  expect_near(cycles_per_add(BankConflict::kReadWrite), 138.8, "source and destination");
  expect_near(cycles_per_add(BankConflict::kNeighbour), 132.6, "neighbouring block");
}

TEST(CostModel, 4_3_VectorRates) {
  const CostModel a2(a2a3_config().core.cost);
  Instruction v;
  v.op = Opcode::kVector;
  const auto repeats = [&](VectorClass c, DataType type, unsigned elements) {
    v.vector_class = c;
    v.type = type;
    return a2.cost(v, {elements, 0, 0}, CoreKind::kAiv).occupied -
           a2a3_config().core.cost.vector[static_cast<unsigned>(c)].overhead;
  };
  EXPECT_EQ(repeats(VectorClass::kSimple, DataType::kF16, 1280), 10u);         // 128 per cycle
  EXPECT_EQ(repeats(VectorClass::kSimple, DataType::kF32, 640), 10u);          // 64
  EXPECT_EQ(repeats(VectorClass::kTranscendental, DataType::kF32, 640), 20u);  // 32
  EXPECT_EQ(repeats(VectorClass::kTranscendental, DataType::kF16, 640), 20u);  // 32
  EXPECT_EQ(repeats(VectorClass::kRsqrt, DataType::kF16, 1280), 11u);   // 1.07 a repeat (4.1)
  EXPECT_EQ(repeats(VectorClass::kGather, DataType::kF32, 640), 128u);  // 5
  EXPECT_EQ(repeats(VectorClass::kSort, DataType::kF32, 640), 320u);    // 2
}

/// An operation on rows of `columns` elements; `width`: from row to row, 0 for the same.
struct Published {
  const char* what;
  VectorClass kind;
  DataType type;
  std::int64_t rows, columns, width;
  double cycles;
  BankConflict conflict = BankConflict::kNone;
};

void expect_published(const CostConfig& config, const Published& p) {
  const CostModel model(config);
  Instruction v;
  v.op = Opcode::kVector;
  v.vector_class = p.kind;
  v.type = p.type;
  v.bank_conflict = p.conflict;
  const Sizes sizes = {p.rows * p.columns, p.rows, p.width > 0 ? p.width : p.columns};
  expect_near(static_cast<double>(model.cost(v, sizes, CoreKind::kAiv).occupied), p.cycles,
              std::string(p.what) + ", " + std::to_string(p.rows) + " x " +
                  std::to_string(p.columns));
}

// The table of formulas and the single operations of 4.1. The sources of TADD, TMUL and TDIV are 16 KB apart: in one
// group of banks.
TEST(CostModel, 4_1_OperationsOfA2) {
  using V = VectorClass;
  constexpr DataType kF32 = DataType::kF32, kF16 = DataType::kF16, kI32 = DataType::kInt32;
  constexpr BankConflict kSame = BankConflict::kReadRead;
  const Published rows[] = {
      {"trowsum", V::kReduce, kF32, 64, 64, 0, 0.1094 * 4096 + 44},
      {"trowsum", V::kReduce, kF32, 64, 96, 0, 0.0938 * 6144 + 75},
      {"trowsum", V::kReduce, kF32, 64, 128, 0, 0.0625 * 8192 + 61.5},
      {"trowsum", V::kReduce, kF32, 64, 144, 0, 0.0698 * 9216 + 92},
      {"trowsum", V::kReduce, kF16, 64, 128, 0, 495},
      {"trowmax", V::kReduceExtreme, kF32, 64, 64, 0, 480},
      {"trowmax", V::kReduceExtreme, kF32, 64, 96, 0, 0.0937 * 6144 + 61},
      {"trowmax", V::kReduceExtreme, kF32, 64, 128, 0, 0.0625 * 8192 + 48},
      {"trowmax", V::kReduceExtreme, kF16, 64, 128, 0, 481},
      {"tcolsum", V::kColumn, kF32, 64, 64, 0, 1263},
      {"tcolsum", V::kColumn, kF32, 64, 128, 0, 0.1728 * 8192 + 8},
      {"tcolsum", V::kColumn, kF32, 64, 240, 0, 0.1031 * 15360 + 36},
      {"tcolsum", V::kColumn, kF32, 64, 336, 0, 0.0833 * 21504 + 34},
      {"tcolsum", V::kColumn, kF16, 64, 64, 0, 0.3008 * 4096 + 15},
      {"tcolsum", V::kColumn, kF16, 64, 496, 0, 0.0507 * 31744 + 36},
      {"tcolsum of one row", V::kColumn, kF32, 1, 3072, 0, 390},
      {"tcolmax", V::kColumnExtreme, kF32, 64, 64, 0, 0.2734 * 4096 + 17},
      {"tcolmax", V::kColumnExtreme, kF32, 64, 128, 0, 0.1571 * 8192 + 10},
      // What is left of each row behind whole repeats has an instruction of its own.
      {"tcolmax", V::kColumnExtreme, kF32, 64, 96, 0, 0.3646 * 6144 + 2},
      {"tcolmax", V::kColumnExtreme, kF16, 64, 160, 0, 0.2187 * 10240 + 2},
      {"trowexpand", V::kExpand, kF32, 64, 64, 0, 933},
      {"trowexpand", V::kExpand, kF32, 64, 128, 0, 0.1176 * 8192 + 34.5},
      {"trowexpand", V::kExpand, kF16, 64, 64, 0, 933},
      {"ttrans", V::kTranspose, kF32, 128, 128, 0, 501},
      {"tsel", V::kSelect, kF16, 4, 128, 0, 67},
      {"tsel", V::kSelect, kF16, 1, 128, 0, 19},
      {"tmov", V::kMove, kF32, 64, 128, 0, 1029},
      {"tmov", V::kMove, kF32, 63, 125, 128, 1323},
      {"tmov", V::kMove, kF32, 15, 23, 24, 120},
      {"tadd", V::kSimple, kI32, 64, 64, 0, 151, kSame},
      {"tadd", V::kSimple, kF16, 64, 64, 0, 167, kSame},
      {"tmul", V::kSimple, kF16, 64, 64, 0, 168, kSame},
      {"tmul", V::kSimple, kF32, 64, 80, 0, 0.0312 * 5120 + 43, kSame},
      {"tmul", V::kSimple, kF32, 64, 32, 0, 0.0625 * 2048 + 43, kSame},
      {"tsub", V::kSimple, kF16, 64, 64, 0, 0.0312 * 4096 + 41, kSame},
      {"tdiv", V::kDivide, kF32, 64, 64, 0, 288, kSame},
      {"tdiv", V::kDivide, kF16, 64, 64, 0, 304, kSame},
      {"tadds", V::kSingle, kF32, 32, 64, 0, 57},
      {"tadds", V::kSingle, kF32, 64, 80, 0, 0.0156 * 5120 + 42},
      {"tmuls", V::kSingle, kF32, 64, 80, 0, 0.0156 * 5120 + 43},
      {"tmuls", V::kSingle, kF16, 64, 272, 0, 0.0078 * 17408 + 43},
      {"tdivs", V::kDivideScalar, kF32, 32, 64, 0, 205},
      {"tdivs", V::kDivideScalar, kF16, 63, 64, 0, 328},
      {"tabs", V::kAbs, kF32, 64, 64, 0, 68},
      {"tabs", V::kAbs, kF16, 16, 256, 0, 36},
      {"texp", V::kExp, kF32, 64, 64, 0, 159},
      {"texp", V::kExp, kF16, 64, 64, 0, 95},
      {"texp", V::kExp, kF16, 32, 32, 0, 47},
      {"tsqrt", V::kTranscendental, kF16, 64, 64, 0, 160},
      {"trsqrt", V::kRsqrt, kF16, 64, 64, 0, 58},
  };
  for (const Published& row : rows) expect_published(a2a3_config().core.cost, row);
}

TEST(CostModel, 4_1_ReductionsReduceOnceARow) {
  const CostModel a2(a2a3_config().core.cost);
  Instruction v;
  v.op = Opcode::kVector;
  v.vector_class = VectorClass::kReduce;
  const auto cycles = [&](std::int64_t rows, std::int64_t columns) {
    return a2.cost(v, {rows * columns, rows, columns}, CoreKind::kAiv).occupied;
  };
  EXPECT_EQ(cycles(16, 512), 16u * 7 + 44 + 7 * (16 + 17));
  EXPECT_EQ(cycles(1, 8192), 7u + 44 + 127 * (1 + 17));
}

// Rows of a vector function of A5, one after the other and apart (4.1).
TEST(CostModel, 4_1_OperationsOfA5) {
  using V = VectorClass;
  constexpr DataType kF32 = DataType::kF32, kF16 = DataType::kF16;
  const Published rows[] = {
      {"tadd", V::kSimple, kF32, 1, 4096, 0, 1.247 * 64 + 55.07},
      {"tadd", V::kSimple, kF32, 1, 1280, 0, 80},
      {"tadd", V::kSimple, kF32, 2, 128, 160, 65},
      {"tadd", V::kSimple, kF32, 3, 192, 224, 75},
      {"tadd", V::kSimple, kF32, 10, 128, 160, 121},
      {"tadd", V::kSimple, kF32, 10, 640, 672, 245},
      {"tadd", V::kSimple, kF32, 10, 1280, 1312, 449},
      {"tadd", V::kSimple, kF32, 20, 640, 672, 450},
      {"tadd", V::kSimple, kF32, 20, 1280, 1312, 869},
      {"tmins", V::kSingle, kF32, 10, 128, 160, 119},
      {"tmins", V::kSingle, kF32, 10, 640, 672, 199},
      {"tmins", V::kSingle, kF32, 20, 1280, 1312, 583},
      {"tneg", V::kSingle, kF32, 20, 640, 672, 351},
      {"texp", V::kExp, kF32, 10, 192, 224, 141},
      {"texp", V::kExp, kF32, 20, 1280, 1312, 862},
      {"texp", V::kExp, kF16, 10, 1280, 1344, 463},
      {"texp", V::kExp, kF16, 10, 128, 192, 102},
      {"tsqrt", V::kTranscendental, kF32, 10, 640, 672, 263},
      {"tcvt f32 to f8", V::kToBytes, kF32, 1, 64, 0, 67},
      {"tcvt f32 to f8", V::kToBytes, kF32, 1, 640, 0, 178},
      {"tcvt f32 to f8", V::kToBytes, kF32, 10, 128, 192, 181},
      {"tcvt f32 to f8", V::kToBytes, kF32, 3, 384, 448, 890},
      {"tcvt f32 to f8", V::kToBytes, kF32, 10, 1280, 1344, 8359},
      {"tcvt bf16 to f4", V::kToBytes, kF16, 3, 384, 448, 893},
      {"tcvt f8 to f32", V::kFromBytes, kF32, 1, 320, 0, 88},
      {"tcvt f8 to f32", V::kFromBytes, kF32, 3, 640, 704, 217},
      {"tcvt f8 to f32", V::kFromBytes, kF32, 10, 640, 704, 567},
      {"tdivs", V::kDivideScalar, kF32, 1, 1280, 0, 103},
      {"tdivs", V::kDivideScalar, kF16, 1, 1280, 0, 104},
      {"trsqrt", V::kRsqrt, kF32, 20, 1280, 1312, 1677},
      {"trsqrt", V::kRsqrt, kF16, 10, 1280, 1344, 882},
  };
  for (const Published& row : rows) expect_published(a5_config().core.cost, row);
}

// 4.3: what continues a vector function has no fixed part and no loads; only if the profile says so.
TEST(CostModel, 4_3_FusedOperationsShareAFunction) {
  CostConfig config = a5_config().core.cost;
  Instruction v;
  v.op = Opcode::kVector;
  v.fused = true;
  const Sizes sizes = {4096, 1, 4096};
  EXPECT_EQ(CostModel(config).cost(v, sizes, CoreKind::kAiv).occupied, 80u + 55);
  config.vectors.fusion = true;
  EXPECT_EQ(CostModel(config).cost(v, sizes, CoreKind::kAiv).occupied, 54u);  // 0.83 a repeat
  v.vector_class = VectorClass::kExp;  // its own unit is slower
  EXPECT_EQ(CostModel(config).cost(v, sizes, CoreKind::kAiv).occupied, 127u);
}

TEST(CostModel, 4_4_WhatACopyTakesOfGm) {
  // Bytes with their weight, and so many more for each row; the tables of 4.4 are rows of docs/validation.md.
  const CostConfig& config = a2a3_config().core.cost;
  const CostModel model(config);
  Instruction copy;
  copy.op = Opcode::kCopyIn;
  const auto cold = [&](CoreKind kind, bool aligned) {
    return model.cost(copy, {64, 512, 0}, kind, aligned).gm_bytes_cold;
  };
  constexpr std::uint64_t kBytes = 64 * 512;
  EXPECT_EQ(cold(CoreKind::kAic, true), kBytes + 64 * config.aic.row_overhead);
  EXPECT_EQ(cold(CoreKind::kAiv, true), kBytes * 1052 / 1000 + 64 * config.aiv.row_overhead);
  EXPECT_EQ(cold(CoreKind::kAic, false) - cold(CoreKind::kAic, true),
            64 * config.aic.unaligned_overhead);
  EXPECT_EQ(model.cost(copy, {1, 128, 0}, CoreKind::kAiv).occupied, config.aiv.interval);
}

TEST(CostModel, 4_4_L2HitsAreLimitedByThePathOfTheCore) {
  const auto rate = [](const ClusterConfig& config, bool aic) {
    Kernel kernel;
    for (int i = 0; i < 10; ++i)
      kernel.copy_in(64, aic ? 512 : 2048).l2_hit = 1000;  // the tiles of 4.4
    Bench b(config, launch_of(1, aic ? LaunchRatio::k1To0 : LaunchRatio::k0To1));
    b.run(kernel, kernel);
    const auto starts =
        b.cycles_of(observe::EventKind::kPipeStart, Bench::place(0, aic ? 0 : 1), Pipe::kMte2);
    return 9.0 * 64 * (aic ? 512 : 2048) / static_cast<double>(starts.back() - starts.front());
  };
  expect_near(rate(a2a3_config(), true), 111, "A2 AIC");
  expect_near(rate(a2a3_config(), false), 67, "A2 AIV");
  expect_near(rate(a5_config(), true), 85, "A5 AIC");
  expect_near(rate(a5_config(), false), 51, "A5 AIV");
}

TEST(CostModel, 1_4_GmIsSharedFairly) {
  // Two AIVs copy the same amount from GM; a third of the rate is left to neither.
  ClusterConfig config = a2a3_config();
  config.core.cost.gm_bytes_per_cycle = 60;
  config.core.cost.aiv.weight = 1000;
  config.core.cost.aiv.row_overhead = 0;
  Kernel k;
  k.copy_in(1, 60'000);
  Bench b(config, launch_of(1, LaunchRatio::k1To2));
  b.run(Kernel(), k);
  const Cycle alone_at_30 = 60'000 / 30;
  EXPECT_NEAR(static_cast<double>(b.aiv(0).stats(Pipe::kMte2).busy),
              static_cast<double>(alone_at_30 + 228), 4);
  EXPECT_EQ(b.aiv(0).stats(Pipe::kMte2).busy, b.aiv(1).stats(Pipe::kMte2).busy);
  EXPECT_EQ(b.machine.gm().bytes_read(), 120'000u);
}

}  // namespace
}  // namespace tessera::cluster
