// Scenarios of reference ascend.md 6 about many cores: SYNCALL, cross-core modes 0 to 2, and flags in
// words of GM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cluster/program/legality.h"
#include "tests/models/cluster/operations.h"

namespace tessera::cluster {
namespace {

using namespace bench;
using testing::HasSubstr;

// --- S1, S2

constexpr std::int64_t kWords = 100;    // a word a participant
constexpr std::int64_t kCounter = 10;   // the counter of the software variant
constexpr std::int64_t kResults = 500;  // sums that the participants have seen: two each

struct Barrier {
  Profile profile;
  SyncScope scope;
  bool hard;
  std::int64_t participants;
};

void append_barrier(Kernel& k, const Barrier& barrier, CoreKind kind) {
  if (barrier.hard)
    append_sync_all(k.program(), barrier.profile, kind, barrier.scope, k.line() + 1);
  else
    append_soft_sync_all(k.program(), kCounter, barrier.participants, k.line() + 1);
}

// Writes (number + 1) * factor, waits for all, and keeps the sum of all words.
void append_round(Kernel& k, const Barrier& barrier, CoreKind kind, unsigned number, int round) {
  const unsigned own = k.reg(), sum = k.reg(), word = k.reg(), at = k.reg();
  k.scalar(Opcode::kAdd, own, reg(number), 1);
  k.scalar(Opcode::kMul, own, reg(own), round + 1);
  k.scalar(Opcode::kAdd, at, reg(number), kWords);
  k.scalar(Opcode::kGmStore, 0, reg(at), reg(own));
  k.add(Opcode::kDataBarrier);
  append_barrier(k, barrier, kind);
  k.scalar(Opcode::kSet, sum, 0);
  k.loop(0, barrier.participants, [&](Operand i) {
    k.scalar(Opcode::kAdd, at, i, kWords);
    k.scalar(Opcode::kGmLoad, word, reg(at));
    k.scalar(Opcode::kAdd, sum, reg(sum), reg(word));
  });
  k.scalar(Opcode::kMul, at, reg(number), 2);
  k.scalar(Opcode::kAdd, at, reg(at), kResults + round);
  k.scalar(Opcode::kGmStore, 0, reg(at), reg(sum));
  k.add(Opcode::kDataBarrier);
  append_barrier(k, barrier, kind);
}

/// Participants are numbered: AIVs by their block index, AICs after them.
Kernel participant(const Barrier& barrier, CoreKind kind, std::int64_t first) {
  Kernel k;
  if (barrier.profile == Profile::kA2A3) k.ffts();
  const unsigned number = k.get(SpecialValue::kBlockIndex);
  k.scalar(Opcode::kAdd, number, reg(number), first);
  for (const int round : {0, 1}) append_round(k, barrier, kind, number, round);
  return k;
}

void expect_all_see_both_rounds(const ClusterConfig& config, const Barrier& barrier,
                                const Launch& launch) {
  const std::int64_t aivs = barrier.scope == SyncScope::kAicOnly
                                ? 0
                                : std::int64_t{launch.clusters} * aivs_of(launch.ratio);
  const bool has_aic = barrier.scope != SyncScope::kAivOnly;
  const bool has_aiv = barrier.scope != SyncScope::kAicOnly;
  Bench b(config, launch);
  b.run(has_aic ? participant(barrier, CoreKind::kAic, aivs) : Kernel(),
        has_aiv ? participant(barrier, CoreKind::kAiv, 0) : Kernel());
  ASSERT_FALSE(b.hangs()) << b.waits();
  const std::int64_t n = barrier.participants;
  for (std::int64_t p = 0; p < n; ++p) {
    EXPECT_EQ(b.word(static_cast<std::uint64_t>(kResults + 2 * p)), n * (n + 1) / 2) << p;
    EXPECT_EQ(b.word(static_cast<std::uint64_t>(kResults + 2 * p + 1)), n * (n + 1)) << p;
  }
}

TEST(ascend, S1_syncall_hard_a2a3) {
  const ClusterConfig c = a2a3_config();
  constexpr auto kP = Profile::kA2A3;
  expect_all_see_both_rounds(c, {kP, SyncScope::kAivOnly, true, 48},
                             launch_of(24, LaunchRatio::k1To2));
  expect_all_see_both_rounds(c, {kP, SyncScope::kAicOnly, true, 24},
                             launch_of(24, LaunchRatio::k1To2));
  expect_all_see_both_rounds(c, {kP, SyncScope::kMix, true, 48}, launch_of(24, LaunchRatio::k1To1));
  expect_all_see_both_rounds(c, {kP, SyncScope::kMix, true, 72}, launch_of(24, LaunchRatio::k1To2));
}

TEST(ascend, S1_syncall_hard_a5) {
  const ClusterConfig c = a5_config();
  constexpr auto kP = Profile::kA5;
  expect_all_see_both_rounds(c, {kP, SyncScope::kAivOnly, true, 36},
                             launch_of(18, LaunchRatio::k1To2));
  expect_all_see_both_rounds(c, {kP, SyncScope::kAicOnly, true, 18},
                             launch_of(18, LaunchRatio::k1To0));
  expect_all_see_both_rounds(c, {kP, SyncScope::kMix, true, 54}, launch_of(18, LaunchRatio::k1To2));
}

TEST(ascend, S1_syncall_soft) {
  expect_all_see_both_rounds(a2a3_config(), {Profile::kA2A3, SyncScope::kAivOnly, false, 48},
                             launch_of(24, LaunchRatio::k1To2));
  expect_all_see_both_rounds(a5_config(), {Profile::kA5, SyncScope::kMix, false, 54},
                             launch_of(18, LaunchRatio::k1To2));
}

TEST(ascend, S2_syncall_soft_of_some_cores) {
  // AIVs 0..8 take part; the others write a mark.
  const Barrier barrier{Profile::kA5, SyncScope::kAivOnly, false, 9};
  const Kernel taking_part = participant(barrier, CoreKind::kAiv, 0);
  Kernel idle;
  const unsigned at = idle.get(SpecialValue::kBlockIndex);
  idle.scalar(Opcode::kAdd, at, reg(at), kWords);
  idle.scalar(Opcode::kGmStore, 0, reg(at), 2);
  Bench b(a5_config(), launch_of(9, LaunchRatio::k1To2));
  for (unsigned block = 0; block < 18; ++block) {
    const Kernel& k = block < 9 ? taking_part : idle;
    b.machine.launch(Bench::place(block / 2, 1 + block % 2), k.build(), 1);
  }
  b.machine.run();
  ASSERT_FALSE(b.hangs()) << b.waits();
  for (unsigned block = 0; block < 9; ++block)
    EXPECT_EQ(b.word(kResults + 2 * block + 1), 9 * 10) << block;
  for (unsigned block = 9; block < 18; ++block) EXPECT_EQ(b.word(kWords + block), 2) << block;
}

// --- S3

/// 16 AIVs add their index to a number; block 0 reads it, after a barrier of mode 0 or at once.
double sum_of_indices(bool with_sync) {
  Kernel k;
  k.ffts();
  const unsigned index = k.get(SpecialValue::kBlockIndex), test = k.reg();
  const TileOperand own = tile(Location::kUb, 0), seen = tile(Location::kUb, 1);
  attach(k, k.vector(DataType::kF32, 64), fill(own, reg(index)));
  k.set_flag(Pipe::kV, Pipe::kMte3, 0);
  k.wait_flag(Pipe::kV, Pipe::kMte3, 0);
  attach(k, k.copy_out(8, 256), add_to(own, number(7)));
  if (with_sync) {
    k.set_cross(Pipe::kMte3, 0, 0);
    k.wait_dev(0);
  }
  k.compare(test, Predicate::kNotEqual, reg(index), 0);
  k.scalar(Opcode::kBranch, 0, reg(test)).target = k.here() + 2;
  attach(k, k.copy_in(8, 256), copy(number(7), seen));
  Bench b(without_l2(a2a3_config()), launch_of(8, LaunchRatio::k1To2));
  b.run(Kernel(), k);
  EXPECT_FALSE(b.hangs()) << b.waits();
  EXPECT_EQ(number_of(b, 7), 120);
  return value_of(b, seen, Bench::place(0, 1));
}

TEST(ascend, S3_cross_core_mode_0) {
  EXPECT_EQ(sum_of_indices(true), 120);  // 0 + 1 + .. + 15
  EXPECT_LT(sum_of_indices(false), 120);
}

// --- S4

TEST(ascend, S4_cross_core_mode_1) {
  Kernel k;
  k.ffts();
  k.busy(Pipe::kMte3, 100);
  k.set_cross(Pipe::kMte3, 1, 4);
  k.wait_dev(4);
  const auto run = [&k](CoreId a, CoreId c) {
    Bench b(a2a3_config(), launch_of(2, LaunchRatio::k1To2));
    b.machine.launch(a, k.build(), 1);
    b.machine.launch(c, k.build(), 1);
    b.machine.run();
    return b.waits();
  };
  EXPECT_EQ(run(Bench::place(0, 1), Bench::place(0, 2)), "");
  const std::string waits = run(Bench::place(0, 1), Bench::place(1, 1));
  EXPECT_THAT(waits, HasSubstr("pipe S of AIV0 of cluster 0 (wait_flag_dev(S, id 4) at k.pto:4)"));
  EXPECT_THAT(waits, HasSubstr("AIV1 of cluster 0 has to set id 4 (mode 1): AIV1 of cluster 0 has "
                               "no program"));
}

// --- S5: AIVs cast, AIC waits for both (mode 2), MAD, adds to C, all AIC (mode 0), AIVs wait for
// their AIC (mode 2) and finish C.

constexpr std::int64_t kOperands = 200, kC = 300, kOut = 310;

Kernel casting_aiv() {
  Kernel k;
  k.ffts();
  const unsigned block = k.get(SpecialValue::kBlockIndex), at = k.reg();
  k.scalar(Opcode::kAdd, at, reg(block), kOperands);
  const TileOperand own = tile(Location::kUb, 0), c = tile(Location::kUb, 1),
                    out = tile(Location::kUb, 2);
  attach(k, k.vector(DataType::kF16, 4096), fill(own, reg(block)));
  k.set_flag(Pipe::kV, Pipe::kMte3, 0);
  k.wait_flag(Pipe::kV, Pipe::kMte3, 0);
  attach(k, k.copy_out(64, 128), copy(own, number(reg(at))));
  k.set_cross(Pipe::kMte3, 2, 1);
  k.wait_dev(3);
  attach(k, k.copy_in(64, 128), copy(number(kC), c));
  k.set_flag(Pipe::kMte2, Pipe::kV, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  attach(k, k.vector(DataType::kF32, 4096), sum(c, c, out));
  k.set_flag(Pipe::kV, Pipe::kMte3, 1);
  k.wait_flag(Pipe::kV, Pipe::kMte3, 1);
  k.scalar(Opcode::kAdd, at, reg(block), kOut);
  attach(k, k.copy_out(64, 128), copy(out, number(reg(at))));
  return k;
}

Kernel multiplying_aic() {
  Kernel k;
  k.ffts();
  const unsigned block = k.get(SpecialValue::kBlockIndex), at = k.reg(), late = k.reg();
  k.scalar(Opcode::kMul, late, reg(block), 5000);  // no AIC is in step with another one
  k.scalar(Opcode::kMul, at, reg(block), 2);
  k.scalar(Opcode::kAdd, at, reg(at), kOperands);
  const TileOperand l1a = tile(Location::kL1, 0), l1b = tile(Location::kL1, 1);
  const TileOperand a = tile(Location::kL0a, 0), b = tile(Location::kL0b, 0),
                    c = tile(Location::kL0c, 0);
  k.wait_dev(1);
  attach(k, k.copy_in(64, 128), copy(number(reg(at)), l1a));
  k.scalar(Opcode::kAdd, at, reg(at), 1);
  attach(k, k.copy_in(64, 128), copy(number(reg(at)), l1b));
  k.set_flag(Pipe::kMte2, Pipe::kMte1, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kMte1, 0);
  attach(k, k.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kF16, 64, 128), copy(l1a, a));
  attach(k, k.tile(Opcode::kLoadB, Pipe::kMte1, DataType::kF16, 64, 128), copy(l1b, b));
  k.set_flag(Pipe::kMte1, Pipe::kM, 0);
  k.wait_flag(Pipe::kMte1, Pipe::kM, 0);
  k.busy(Pipe::kM, reg(late));
  attach(k, k.mad(DataType::kF16, 64, 64, 64), multiply_add(a, b, c));
  k.set_flag(Pipe::kM, Pipe::kFix, 0);
  k.wait_flag(Pipe::kM, Pipe::kFix, 0);
  attach(k, k.fix_out(DataType::kF32, 64, 64), add_to(c, number(kC)));
  k.set_cross(Pipe::kFix, 0, 2);
  k.wait_dev(2);
  k.set_cross(Pipe::kFix, 2, 3);
  return k;
}

TEST(ascend, S5_chain_of_mode_2_and_mode_0) {
  Bench b(without_l2(a2a3_config()), launch_of(4, LaunchRatio::k1To2));
  b.run(multiplying_aic(), casting_aiv());
  ASSERT_FALSE(b.hangs()) << b.waits();
  constexpr std::int64_t kProduct = 0 * 1 + 2 * 3 + 4 * 5 + 6 * 7;
  EXPECT_EQ(number_of(b, kC), kProduct);
  for (std::int64_t block = 0; block < 8; ++block)
    EXPECT_EQ(number_of(b, kOut + block), 2 * kProduct);
}

// --- S20, S21, S26: flags in words of GM

TEST(ascend, S20_data_sync_barrier) {
  Kernel writer, reader;
  writer.scalar(Opcode::kGmStore, 0, 1, 7);  // x
  writer.add(Opcode::kDataBarrier);
  writer.scalar(Opcode::kGmStore, 0, 2, 6);  // y
  const unsigned x = reader.reg();
  reader.poll(2, Predicate::kEqual, 6);
  reader.scalar(Opcode::kGmLoad, x, 1);
  reader.scalar(Opcode::kMul, x, reg(x), 2);
  Bench b(a2a3_config(), launch_of(1, LaunchRatio::k1To1));
  b.run(writer, reader);
  EXPECT_EQ(b.aiv().reg(x), 14);
}

TEST(ascend, S21_blocks_in_strict_order) {
  // WaitPreBlock and NotifyNextBlock: block n appends its number to a word when n - 1 has.
  Kernel k;
  const unsigned block = k.get(SpecialValue::kBlockIndex), value = k.reg();
  k.poll(1, Predicate::kEqual, reg(block));
  k.scalar(Opcode::kGmLoad, value, 2);
  k.scalar(Opcode::kMul, value, reg(value), 10);
  k.scalar(Opcode::kAdd, value, reg(value), reg(block));
  k.scalar(Opcode::kGmStore, 0, 2, reg(value));
  k.add(Opcode::kDataBarrier);
  k.scalar(Opcode::kGmAdd, value, 1, 1);
  Bench b(a2a3_config(), launch_of(3, LaunchRatio::k1To2));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  EXPECT_EQ(b.word(2), 12345);
}

TEST(ascend, S21_group_barrier) {
  // Two AIVs add 12 each and arrive; six wait for both and read 24.
  Kernel arriving, waiting;
  const unsigned none = arriving.reg(), sum = waiting.reg();
  arriving.busy(Pipe::kV, 500);
  arriving.barrier(Pipe::kAll);
  arriving.scalar(Opcode::kGmAdd, none, 2, 12);
  arriving.add(Opcode::kDataBarrier);
  arriving.scalar(Opcode::kGmAdd, none, 1, 1);
  waiting.poll(1, Predicate::kEqual, 2);
  waiting.scalar(Opcode::kGmLoad, sum, 2);
  Bench b(a2a3_config(), launch_of(4, LaunchRatio::k1To2));
  for (unsigned aiv = 0; aiv < 8; ++aiv) {
    const Kernel& k = aiv < 2 ? arriving : waiting;
    b.machine.launch(Bench::place(aiv / 2, 1 + aiv % 2), k.build(), 1);
  }
  b.machine.run();
  ASSERT_FALSE(b.hangs());
  for (unsigned aiv = 2; aiv < 8; ++aiv) EXPECT_EQ(b.aiv(aiv % 2, aiv / 2).reg(sum), 24);
}

TEST(ascend, S26_twait_releases_on_each_comparison) {
  struct Case {
    Predicate predicate;
    std::int64_t against, notified;
  };
  const Case cases[] = {{Predicate::kEqual, 5, 5},   {Predicate::kNotEqual, 0, 9},
                        {Predicate::kGreater, 4, 5}, {Predicate::kGreaterEqual, 5, 5},
                        {Predicate::kLess, 0, -1},   {Predicate::kLessEqual, -1, -1}};
  for (const Case& c : cases) {
    Kernel notifier, waiter;
    notifier.busy(Pipe::kMte2, 3000);
    notifier.barrier(Pipe::kAll);
    notifier.scalar(Opcode::kGmStore, 0, 1, c.notified);
    waiter.poll(1, c.predicate, c.against);
    Bench b(a2a3_config(), launch_of(1, LaunchRatio::k1To1));
    b.run(notifier, waiter);
    EXPECT_FALSE(b.hangs());
    EXPECT_GT(b.aiv().finished_at(), 3000u);
    EXPECT_LT(b.aiv().finished_at(), 4000u);
  }
}

}  // namespace
}  // namespace tessera::cluster
