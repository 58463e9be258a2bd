// Scenarios of reference ascend.md 6 about hand-over inside a cluster: mode 4 of A5, unit flag, locks,
// and kernels that get the protocol wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cluster/program/legality.h"
#include "tests/models/cluster/operations.h"

namespace tessera::cluster {
namespace {

using namespace bench;
using observe::EventKind;
using testing::AllOf;
using testing::HasSubstr;

constexpr CoreId kAic{0, 0}, kAiv0{0, 1}, kAiv1{0, 2};

/// Runs a program on each core of a cluster.
void run_cores(Bench& b, const Kernel& aic, const Kernel& aiv0, const Kernel& aiv1) {
  const Cycle at = b.machine.now() + 1;
  b.machine.launch(kAic, aic.build(), at);
  b.machine.launch(kAiv0, aiv0.build(), at);
  b.machine.launch(kAiv1, aiv1.build(), at);
  b.machine.run();
}

TEST(ascend, S6_mode_4_id_map) {
  // V to C: both AIVs set 0; the AIC waits 0, then 16, each released by its own AIV.
  Kernel aic, early, late;
  aic.wait_intra(Pipe::kMte1, 0);
  aic.busy(Pipe::kMte1, 1);
  aic.wait_intra(Pipe::kMte1, 16);
  aic.busy(Pipe::kMte1, 1);
  early.busy(Pipe::kMte3, 1000);
  early.set_intra(Pipe::kMte3, 0);
  late.busy(Pipe::kMte3, 5000);
  late.set_intra(Pipe::kMte3, 0);
  Bench b(a5_config());
  run_cores(b, aic, early, late);
  ASSERT_FALSE(b.hangs()) << b.waits();
  const auto starts = b.cycles_of(EventKind::kPipeStart, kAic, Pipe::kMte1);
  const unsigned latency = a5_config().core.sync.intra_latency;
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0], 1002u + latency + 1);  // the wait takes a cycle of the pipe
  EXPECT_EQ(starts[1], 5002u + latency + 1);
}

TEST(ascend, S6_mode_4_id_map_from_the_cube) {
  // C to V: the AIC sets 3 and 19; each AIV waits 3.
  Kernel aic, aiv;
  aic.busy(Pipe::kFix, 1000);
  aic.set_intra(Pipe::kFix, 3);
  aic.busy(Pipe::kFix, 1000);
  aic.set_intra(Pipe::kFix, 19);
  aiv.wait_intra(Pipe::kV, 3);
  aiv.busy(Pipe::kV, 1);
  Bench b(a5_config());
  run_cores(b, aic, aiv, aiv);
  ASSERT_FALSE(b.hangs()) << b.waits();
  EXPECT_LT(b.aiv(0).finished_at(), 1100u);
  EXPECT_GT(b.aiv(1).finished_at(), 2000u);
}

TEST(ascend, S7_plus_15_hangs) {
  Kernel aic, aiv;
  aic.wait_intra(Pipe::kMte1, 0);
  aic.wait_intra(Pipe::kMte1, 15);  // for id 0 of AIV1
  aiv.set_intra(Pipe::kMte3, 0);
  Bench b(a5_config());
  run_cores(b, aic, aiv, aiv);
  ASSERT_TRUE(b.hangs());
  EXPECT_THAT(
      b.waits(),
      AllOf(HasSubstr("pipe MTE1 of AIC of cluster 0 (wait_intra_core(MTE1, id 15) at k.pto:2)"),
            HasSubstr("AIV0 of cluster 0 has to set id 15 (mode 4)"),
            HasSubstr("the program of AIV0 of cluster 0 has no set of it")));
}

TEST(ascend, S8_ub_to_l1) {
  // tmov_ub2l1: AIVs write their halves of an L1 tile, MTE1 loads it when both have.
  Kernel aic, aiv;
  aiv.tile(Opcode::kUbToL1, Pipe::kMte3, DataType::kF16, 64, 256);
  aiv.set_intra(Pipe::kMte3, 0);
  aic.wait_intra(Pipe::kMte1, 0);
  aic.wait_intra(Pipe::kMte1, 16);
  aic.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kF16, 128, 256);
  Bench b(a5_config());
  run_cores(b, aic, aiv, aiv);
  ASSERT_FALSE(b.hangs()) << b.waits();
  const Cycle written = b.cycles_of(EventKind::kPipeEnd, kAiv1, Pipe::kMte3).at(0);
  EXPECT_EQ(written, 2 + 64 * 256 / 128 + 30u);  // 128 B per cycle and 30
  EXPECT_GT(b.cycles_of(EventKind::kPipeStart, kAic, Pipe::kMte1).at(0), written);
}

/// FIX writes both UBs, and each AIV starts after it.
void expect_l0c_to_ub(DataType type) {
  Kernel aic, aiv;
  aic.tile(Opcode::kFixLocal, Pipe::kFix, type, 128, 256);
  aic.set_intra(Pipe::kFix, 2);
  aic.set_intra(Pipe::kFix, 18);
  aiv.wait_intra(Pipe::kV, 2);
  aiv.vector(type, 64 * 256);
  Bench b(a5_config());
  run_cores(b, aic, aiv, aiv);
  ASSERT_FALSE(b.hangs()) << b.waits();
  const Cycle stream = 128 * 256 / (type == DataType::kF32 ? 32 : 64);
  const Cycle written = b.cycles_of(EventKind::kPipeEnd, kAic, Pipe::kFix).at(0);
  EXPECT_EQ(written, 2 + stream + 26);
  for (const CoreId aiv_id : {kAiv0, kAiv1})
    EXPECT_GT(b.cycles_of(EventKind::kPipeStart, aiv_id, Pipe::kV).at(0), written);
}

TEST(ascend, S8_l0c_to_ub) {  // tmov_acc2vec
  expect_l0c_to_ub(DataType::kF32);
}

TEST(ascend, S15_quantised_l0c_to_ub) {
  expect_l0c_to_ub(DataType::kInt8);
}

// --- S18: an addition with two buffers, ordered by flags or by locks

constexpr unsigned kRounds = 32;

Kernel add_with_flags() {
  Kernel k;
  for (std::int64_t b : {0, 1}) {
    k.set_flag(Pipe::kV, Pipe::kMte2, b);
    k.set_flag(Pipe::kMte3, Pipe::kV, b);
  }
  for (unsigned i = 0; i < kRounds; ++i) {
    const std::int64_t b = i % 2;
    k.wait_flag(Pipe::kV, Pipe::kMte2, b);
    k.copy_in(16, 2048);
    k.set_flag(Pipe::kMte2, Pipe::kV, b);
    k.wait_flag(Pipe::kMte2, Pipe::kV, b);
    k.wait_flag(Pipe::kMte3, Pipe::kV, b);
    k.vector(DataType::kF32, 8192);
    k.set_flag(Pipe::kV, Pipe::kMte2, b);
    k.set_flag(Pipe::kV, Pipe::kMte3, b);
    k.wait_flag(Pipe::kV, Pipe::kMte3, b);
    k.copy_out(16, 2048);
    k.set_flag(Pipe::kMte3, Pipe::kV, b);
  }
  for (std::int64_t b : {0, 1}) {
    k.wait_flag(Pipe::kV, Pipe::kMte2, b);
    k.wait_flag(Pipe::kMte3, Pipe::kV, b);
  }
  return k;
}

Kernel add_with_locks() {
  Kernel k;
  for (unsigned i = 0; i < kRounds; ++i) {
    const std::int64_t in = i % 2, out = 2 + in;
    k.get_buf(Pipe::kMte2, in);
    k.copy_in(16, 2048);
    k.rls_buf(Pipe::kMte2, in);
    k.get_buf(Pipe::kV, in);
    k.get_buf(Pipe::kV, out);
    k.vector(DataType::kF32, 8192);
    k.rls_buf(Pipe::kV, in);
    k.rls_buf(Pipe::kV, out);
    k.get_buf(Pipe::kMte3, out);
    k.copy_out(16, 2048);
    k.rls_buf(Pipe::kMte3, out);
  }
  return k;
}

TEST(ascend, S18_locks_overlap_like_flags_without_primes) {
  const auto cycles = [](const Kernel& k) {
    Bench b(a5_config(), launch_of(1, LaunchRatio::k0To1));
    b.run(Kernel(), k);
    EXPECT_FALSE(b.hangs()) << b.waits();
    return static_cast<double>(b.machine.finished_at());
  };
  const double flags = cycles(add_with_flags()), locks = cycles(add_with_locks());
  EXPECT_NEAR(locks / flags, 1, 0.03);
  // Two buffers overlap the stages: less than the sum of the three.
  EXPECT_LT(flags, kRounds * (32768 / 51.0 + 280 + 215 + 32768 / 100.0));
  EXPECT_EQ(add_with_locks().build()->code.size(), 11 * kRounds + 1);
  EXPECT_EQ(add_with_flags().build()->code.size(), 11 * kRounds + 8 + 1);
}

// --- S19

TEST(ascend, S19_unit_flag) {
  const auto cycles = [](bool unit_flag) {
    Kernel k;
    for (int step = 0; step < 8; ++step)
      k.mad(DataType::kF16, 128, 256, 64).unit_flag = static_cast<std::uint8_t>(!unit_flag ? 0
                                                                                : step < 7 ? 2
                                                                                           : 3);
    if (!unit_flag) {
      k.set_flag(Pipe::kM, Pipe::kFix, 0);
      k.wait_flag(Pipe::kM, Pipe::kFix, 0);
    }
    k.fix_out(DataType::kF32, 128, 256).unit_flag = unit_flag ? 3 : 0;
    Bench b(a2a3_config(), launch_of(1, LaunchRatio::k1To0));
    b.run(k, Kernel());
    EXPECT_FALSE(b.hangs()) << b.waits();
    return std::make_pair(b.aic().stats(Pipe::kM).busy, b.machine.finished_at());
  };
  const auto with = cycles(true), without = cycles(false);
  EXPECT_NEAR(static_cast<double>(with.first), 4209, 0.03 * 4209);
  EXPECT_NEAR(static_cast<double>(without.first), 4225, 0.03 * 4225);
  // FIX drains the tile while the last MAD still computes.
  EXPECT_LT(with.second + 400, without.second);
}

TEST(ascend, S19_unit_flag_keeps_m_and_fix_in_order) {
  // Two tiles in one place of L0C, no flags: FIX reads after M, and M writes after FIX.
  Kernel k;
  const TileOperand left = tile(Location::kL0a, 0), right = tile(Location::kL0b, 0),
                    product = tile(Location::kL0c, 0);
  for (const TileOperand& factor : {left, right}) attach(k, k.busy(Pipe::kM, 1), fill(factor, 3));
  k.barrier(Pipe::kM);
  for (std::int64_t tile = 0; tile < 2; ++tile) {
    for (int step = 0; step < 2; ++step) {
      Instruction& mad = k.mad(DataType::kF16, 128, 256, 64);
      mad.unit_flag = step == 0 ? 2 : 3;
      attach(k, mad, multiply_add(left, right, product));
    }
    Instruction& fix = k.fix_out(DataType::kF32, 128, 256);
    fix.unit_flag = 3;
    attach(k, fix, copy(product, number(10 + tile)));
  }
  Bench b(without_l2(a2a3_config()), launch_of(1, LaunchRatio::k1To0));
  b.run(k, Kernel());
  ASSERT_FALSE(b.hangs()) << b.waits();
  EXPECT_EQ(number_of(b, 10), 18);
  EXPECT_EQ(number_of(b, 11), 36);
  const auto mads = b.cycles_of(EventKind::kPipeStart, kAic, Pipe::kM);
  const auto fixes = b.cycles_of(EventKind::kPipeStart, kAic, Pipe::kFix);
  const auto mad_ends = b.cycles_of(EventKind::kPipeEnd, kAic, Pipe::kM);
  const auto fix_ends = b.cycles_of(EventKind::kPipeEnd, kAic, Pipe::kFix);
  ASSERT_EQ(mads.size(), 6u);  // with the two fills
  // FIX takes longer than a MAD: it starts after the first block of the last one, and the first MAD
  // of the next tile stays behind it to the last block.
  EXPECT_GT(fixes[0], mads[3]);
  EXPECT_LT(fixes[0], mad_ends[3]);
  EXPECT_GT(mads[4] + 522, fixes[0] + 131072 / 77);
  EXPECT_LT(mads[4], fix_ends[0]);
}

// --- S23 to S25, S27, S28

TEST(ascend, S23_one_aiv_runs_ahead) {
  // Both AIVs free a slot with one id; the AIC goes on when both have. If either were enough, the
  // faster one would run a tile ahead of the other.
  constexpr unsigned kTiles = 10;
  const auto aiv = [](unsigned cycles) {
    Kernel k;
    k.ffts();
    for (unsigned i = 0; i < kTiles; ++i) {
      k.wait_dev(0);
      k.busy(Pipe::kMte2, cycles);
      k.set_cross(Pipe::kMte2, 2, 1);
    }
    return k;
  };
  Kernel aic;
  aic.ffts();
  for (unsigned i = 0; i < kTiles; ++i) {
    aic.busy(Pipe::kFix, 10);
    aic.set_cross(Pipe::kFix, 2, 0);
    aic.wait_dev(1);
  }
  Bench b(a2a3_config());
  run_cores(b, aic, aiv(10), aiv(3000));
  ASSERT_FALSE(b.hangs()) << b.waits();
  const auto fix = b.cycles_of(EventKind::kPipeStart, kAic, Pipe::kFix);
  const auto slow = b.cycles_of(EventKind::kPipeEnd, kAiv1, Pipe::kMte2);
  ASSERT_EQ(fix.size(), kTiles);
  for (unsigned i = 1; i < kTiles; ++i) EXPECT_GT(fix[i], slow[i - 1]) << i;
}

/// What AIV0 reads of a tile that FIX writes, when the AIC signals on `pipe`.
double read_behind_signal_on(Pipe pipe) {
  const TileOperand out = tile(Location::kL0c, 0), in = tile(Location::kUb, 1);
  Kernel aic, aiv, idle;
  aic.ffts();
  aiv.ffts();
  attach(aic, aic.busy(Pipe::kFix, 1), fill(out, 42));
  aic.barrier(Pipe::kAll);
  attach(aic, aic.fix_out(DataType::kF32, 128, 256), copy(out, number(5)));
  aic.set_cross(pipe, 2, 0);
  aiv.wait_dev(0);
  attach(aiv, aiv.copy_in(16, 256), copy(number(5), in));
  Bench b(without_l2(a2a3_config()));
  run_cores(b, aic, aiv, idle);
  EXPECT_FALSE(b.hangs());
  return value_of(b, in, kAiv0);
}

TEST(ascend, S24_record_before_fix_has_drained) {
  EXPECT_EQ(read_behind_signal_on(Pipe::kFix), 42);
  EXPECT_EQ(read_behind_signal_on(Pipe::kMte2), 0);  // stale
}

/// The producer signals ready for each of 40 tiles; with a window it waits until the consumer has
/// freed the tile so many behind.
void run_producer_ahead(Bench& b, unsigned window) {
  Kernel aic, aiv;
  aic.ffts();
  aiv.ffts();
  for (unsigned i = 0; i < 40; ++i) {
    if (window > 0 && i >= window) aic.wait_dev(1);
    aic.busy(Pipe::kFix, 10);
    aic.set_cross(Pipe::kFix, 2, 0);
    aiv.wait_dev(0);
    aiv.busy(Pipe::kMte2, 1000);
    aiv.barrier(Pipe::kAll);
    if (window > 0) aiv.set_cross(Pipe::kMte2, 2, 1);
  }
  run_cores(b, aic, aiv, aiv);
}

TEST(ascend, S25_producer_ahead_by_more_than_15) {
  Bench alone(a2a3_config());
  // Tile 16 is signalled when the AIVs have taken none or one: the counters overflow.
  EXPECT_THAT(error_of([&] { run_producer_ahead(alone, 0); }),
              AllOf(HasSubstr("k.pto:"),
                    HasSubstr("AIC of cluster 0, set_cross_core(FIX, mode 2, id 0)"),
                    HasSubstr("more than 15 sets of id 0 without a wait"), HasSubstr(kOverflowId)));
  // Where the machine loses the set instead, the consumer hangs.
  ClusterConfig losing = a2a3_config();
  losing.core.sync.counter_overflow = Undefined::kIgnore;
  Bench lost(losing);
  run_producer_ahead(lost, 0);
  EXPECT_TRUE(lost.hangs());
  EXPECT_THAT(lost.waits(), HasSubstr("the program of AIC of cluster 0 has ended"));
  // With a free flag and a window of 2 it passes.
  Bench windowed(a2a3_config());
  run_producer_ahead(windowed, 2);
  EXPECT_TRUE(windowed.aiv(0).finished() && windowed.aiv(1).finished()) << windowed.waits();
}

TEST(ascend, S27_first_use_needs_priming) {
  const auto loop = [](bool primed) {
    Kernel k;
    if (primed) k.set_flag(Pipe::kV, Pipe::kMte2, 0);
    for (int i = 0; i < 3; ++i) {
      k.wait_flag(Pipe::kV, Pipe::kMte2, 0);
      k.copy_in(16, 256);
      k.set_flag(Pipe::kMte2, Pipe::kV, 0);
      k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
      k.vector(DataType::kF32, 1024);
      k.set_flag(Pipe::kV, Pipe::kMte2, 0);
    }
    if (primed) k.wait_flag(Pipe::kV, Pipe::kMte2, 0);
    return k;
  };
  Bench primed(a2a3_config(), launch_of(1, LaunchRatio::k0To1));
  primed.run(Kernel(), loop(true));
  EXPECT_FALSE(primed.hangs());
  Bench bare(a2a3_config(), launch_of(1, LaunchRatio::k0To1));
  bare.run(Kernel(), loop(false));
  ASSERT_TRUE(bare.hangs());
  EXPECT_THAT(
      bare.waits(),
      AllOf(HasSubstr("pipe MTE2 of AIV0 of cluster 0 (wait_flag(V, MTE2, id 0) at k.pto:1)"),
            HasSubstr("set_flag(V, MTE2, id 0) at k.pto:6 stands in the queue of pipe V, which "
                      "is held back by wait_flag(MTE2, V, id 0) at k.pto:4")));
}

TEST(ascend, S28_stale_flag) {
  // A kernel leaves a flag up. The next one's first wait passes too early: V reads the old tile.
  Kernel first, second;
  first.set_flag(Pipe::kMte2, Pipe::kV, 0);
  const TileOperand in = tile(Location::kUb, 0), out = tile(Location::kUb, 1);
  attach(second, second.copy_in(64, 256), copy(number(9), in));
  second.set_flag(Pipe::kMte2, Pipe::kV, 0);
  second.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  attach(second, second.vector(DataType::kF32, 64), copy(in, out));
  const auto run = [&](bool with_first) {
    Bench b(without_l2(a2a3_config()), launch_of(1, LaunchRatio::k0To1));
    set_number(b, 9, 77);
    if (with_first) {
      b.run(Kernel(), first);
      EXPECT_THAT(b.aiv().sync().flags_set(), testing::ElementsAre("MTE2 to V, event 0"));
    }
    b.run(Kernel(), second);
    EXPECT_FALSE(b.hangs());
    return value_of(b, out, kAiv0);
  };
  EXPECT_EQ(run(false), 77);
  EXPECT_EQ(run(true), 0);
}

}  // namespace
}  // namespace tessera::cluster
