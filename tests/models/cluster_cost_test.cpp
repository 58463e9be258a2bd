// Micro-tables of reference ascend.md 4.2 to 4.4, within 3 %: busy cycles of a pipe per instruction.
#include "models/cluster/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/cluster_bench.h"

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
  constexpr auto kF16 = DataType::kF16;
  // Serial: cases 0 and 1 of the matmul ladder.
  expect_near(cycles_per_mad(a2, kF16, 64, 64, 64, true), 125.0, "910B1 case 0");
  expect_near(cycles_per_mad(a2, kF16, 128, 256, 64, true), 575.0, "910B1 case 1");
  expect_near(cycles_per_mad(a5, kF16, 64, 64, 64, true), 156.06, "950PR case 0");
  expect_near(cycles_per_mad(a5, kF16, 256, 256, 64, true), 1116.4, "950PR case 1");
  // Back to back.
  expect_near(cycles_per_mad(a2, kF16, 128, 256, 64, false), 521.9, "910B1 basic API");
  expect_near(cycles_per_mad(a2, kF16, 128, 256, 64, false), 524.2, "910B1 pto GEMM");
  expect_near(cycles_per_mad(a2, DataType::kInt8, 128, 256, 128, false), 522.5, "910B1 QGMM");
  expect_near(cycles_per_mad(a5, kF16, 256, 256, 64, false), 1033.2, "950PR basic API");
  expect_near(cycles_per_mad(a5, DataType::kMxFp4, 256, 256, 256, false), 1031.5, "950PR mxfp4");
  expect_near(cycles_per_mad(a5, DataType::kFp8, 128, 256, 128, false), 531.0, "950PR MXFP8");
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

/// Busy cycles of MTE1 for a pair of loads, each pair waiting for the one before.
double cycles_per_pair(const ClusterConfig& config, unsigned m, unsigned n, unsigned k) {
  constexpr int kPairs = 100;
  Kernel kernel;
  for (int i = 0; i < kPairs; ++i) {
    kernel.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kF16, m, 2 * k);
    kernel.tile(Opcode::kLoadB, Pipe::kMte1, DataType::kF16, n, 2 * k);
    kernel.barrier(Pipe::kMte1);
  }
  Bench b(config, launch_of(1, LaunchRatio::k1To0));
  return static_cast<double>(run_aic(b, kernel, Pipe::kMte1).busy) / kPairs;
}

TEST(CostModel, 4_4_Mte1Pairs) {
  expect_near(cycles_per_pair(a2a3_config(), 64, 64, 64), 143.0, "910B1 64x64x64");
  expect_near(cycles_per_pair(a2a3_config(), 128, 256, 64), 367.0, "910B1 128x256x64");
  expect_near(cycles_per_pair(a5_config(), 64, 64, 64), 91.03, "950PR 64x64x64");
  expect_near(cycles_per_pair(a5_config(), 256, 256, 64), 283.1, "950PR 256x256x64");
}

/// Busy cycles of FIX per tile to GM, one at a time.
double cycles_per_fix(const ClusterConfig& config, DataType type, unsigned m, unsigned n) {
  constexpr int kTiles = 20;
  Kernel kernel;
  for (int i = 0; i < kTiles; ++i) {
    kernel.fix_out(type, m, n);
    kernel.barrier(Pipe::kFix);
  }
  Bench b(config, launch_of(1, LaunchRatio::k1To0));
  return static_cast<double>(run_aic(b, kernel, Pipe::kFix).busy) / kTiles;
}

TEST(CostModel, 4_4_FixToGm) {
  expect_near(cycles_per_fix(a2a3_config(), DataType::kF16, 128, 256), 990, "910B1 half");
  expect_near(cycles_per_fix(a2a3_config(), DataType::kF32, 128, 256), 1837, "910B1 fp32");
  expect_near(cycles_per_fix(a5_config(), DataType::kF16, 256, 256), 1735, "950PR half");
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
  EXPECT_EQ(repeats(VectorClass::kGather, DataType::kF32, 640), 128u);         // 5
  EXPECT_EQ(repeats(VectorClass::kSort, DataType::kF32, 640), 320u);           // 2
}

struct Copy {
  bool aic;
  unsigned rows, row_bytes;
  bool aligned;
  double cycles;  ///< per copy: bytes of it x cores / aggregate bandwidth
  const char* what;
};

/// Cycles per copy when all cores of the chip copy from GM.
double cycles_per_copy(const ClusterConfig& config, unsigned clusters, const Copy& copy) {
  constexpr int kCopies = 60;
  Kernel kernel;
  for (int i = 0; i < kCopies; ++i)
    kernel.copy_in(copy.rows, copy.row_bytes).aligned = copy.aligned;
  const auto ratio = copy.aic ? LaunchRatio::k1To0 : LaunchRatio::k1To2;
  Bench b(config, launch_of(clusters, ratio));
  b.run(copy.aic ? kernel : Kernel(), copy.aic ? Kernel() : kernel);
  EXPECT_FALSE(b.hangs());
  const auto starts =
      b.cycles_of(observe::EventKind::kPipeStart, Bench::place(0, copy.aic ? 0 : 1), Pipe::kMte2);
  return static_cast<double>(starts.back() - starts.front()) / (kCopies - 1);
}

double at_tb_per_s(double bytes, unsigned cores, double tb, double ghz) {
  return bytes * cores * ghz / (tb * 1000);
}

TEST(CostModel, 4_4_SmallAndLargeCopiesFromGm) {
  constexpr double kA2 = 1.85;
  const auto ub = [](double bytes, double tb) { return at_tb_per_s(bytes, 48, tb, kA2); };
  const auto l1 = [](double bytes, double tb) { return at_tb_per_s(bytes, 24, tb, kA2); };
  const Copy copies[] = {
      {false, 1, 128, true, 20.6, "UB 1 x 128"},
      {false, 64, 128, true, 532, "UB 64 x 128"},
      {false, 64, 2048, true, ub(64 * 2048, 1.49), "UB 64 x 2048"},
      {false, 64, 2046, false, ub(64 * 2046, 1.17), "UB unaligned"},
      {true, 64, 128, true, l1(64 * 128, 1.07), "L1 64 x 128"},
      {true, 64, 512, true, l1(64 * 512, 1.41), "L1 64 x 512"},
      {true, 64, 510, false, l1(64 * 510, 0.71), "L1 unaligned"},
  };
  for (const Copy& c : copies) expect_near(cycles_per_copy(a2a3_config(), 24, c), c.cycles, c.what);
}

TEST(CostModel, 4_4_SmallAndLargeCopiesFromGmOnA5) {
  constexpr double kA5 = 1.65;
  const auto ub = [](double bytes, double tb) { return at_tb_per_s(bytes, 64, tb, kA5); };
  const auto l1 = [](double bytes, double tb) { return at_tb_per_s(bytes, 32, tb, kA5); };
  const Copy copies[] = {
      {false, 1, 128, true, 39.4, "UB 1 x 128"},
      {false, 64, 128, true, 590, "UB 64 x 128"},
      {false, 64, 2048, true, ub(64 * 2048, 1.63), "UB 64 x 2048"},
      {true, 64, 128, true, l1(64 * 128, 1.25), "L1 64 x 128"},
      {true, 64, 512, true, l1(64 * 512, 1.61), "L1 64 x 512"},
      {true, 64, 510, false, l1(64 * 510, 1.49), "L1 unaligned"},
  };
  for (const Copy& c : copies) expect_near(cycles_per_copy(a5_config(), 32, c), c.cycles, c.what);
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

TEST(CostModel, 4_4_ALoneAicWithShortRows) {
  // 910B1: 1380.5 cycles for 16 + 32 KB in rows of 128 B. (8 + 8 KB: 513.9.)
  const auto busy = [](unsigned a, unsigned c) {
    Kernel k;
    k.copy_in(a, 128);
    k.copy_in(c, 128);
    Bench b(a2a3_config(), launch_of(1, LaunchRatio::k1To0));
    return static_cast<double>(run_aic(b, k, Pipe::kMte2).busy);
  };
  expect_near(busy(128, 256), 1380.5, "16 + 32 KB");
  expect_near(busy(64, 64), 513.9, "8 + 8 KB");
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
