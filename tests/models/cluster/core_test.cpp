// AI core: pipes, flags, barriers, locks, queues (reference ascend.md 1.2, 2.2 to 2.5).
#include "models/cluster/core/ai_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/models/cluster/bench.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::Kernel;
using bench::launch_of;
using observe::EventKind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr CoreId kAiv0{0, 1};
constexpr CoreId kAicCore{0, 0};

ClusterConfig plain(ClusterConfig config = a2a3_config()) {
  config.core.sync.flag_latency = 3;
  return config;
}

TEST(AiCore, 1_2_PipesRunSideBySideAndInOrder) {
  Kernel k;
  k.busy(Pipe::kMte2, 100);
  k.busy(Pipe::kV, 50);
  k.busy(Pipe::kV, 20);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  // The scalar unit issues every 5 cycles from cycle 1 on; a pipe sees it a cycle later.
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kMte2), ElementsAre(2));
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV), ElementsAre(7, 57));
  EXPECT_THAT(b.cycles_of(EventKind::kPipeEnd, kAiv0, Pipe::kMte2), ElementsAre(102));
  EXPECT_EQ(b.aiv().stats(Pipe::kV).busy, 70u);
}

TEST(AiCore, 2_2_WaitFlagHoldsItsPipeUntilTheSourceHasCompleted) {
  Kernel k;
  k.busy(Pipe::kMte2, 100);              // 2 .. 102
  k.set_flag(Pipe::kMte2, Pipe::kV, 3);  // fires at 102, up at 105
  k.wait_flag(Pipe::kMte2, Pipe::kV, 3);
  k.busy(Pipe::kV, 50);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV), ElementsAre(106));
  EXPECT_EQ(b.aiv().stats(Pipe::kV).wait(WaitReason::kFlag), 105u - 12u);
  EXPECT_TRUE(b.aiv().sync().flags_set().empty());
}

/// All that the pipes of a run say of their waits, in each of its cycles.
std::string said_in_all_cycles(const Kernel& aic, const Kernel& aiv, LaunchRatio ratio) {
  Bench b(plain(), launch_of(1, ratio));
  b.machine.launch(aic.build(), aiv.build(), b.machine.now() + 1);
  std::string text;
  for (Cycle end = 1; b.hangs(); ++end) {
    b.machine.run(end);
    text += b.waits();
  }
  return text;
}

// A set that has been carried out takes effect later: until then nobody says that the program has no more of them.
TEST(AiCore, 2_2_WaitsKnowOfFlagsUnderWay) {
  Kernel k;
  k.busy(Pipe::kMte2, 20);
  k.set_flag(Pipe::kMte2, Pipe::kV, 1);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 1);
  k.busy(Pipe::kV, 5);
  const std::string text = said_in_all_cycles(Kernel(), k, LaunchRatio::k0To1);
  EXPECT_THAT(
      text,
      HasSubstr("set_flag(MTE2, V, id 1) at k.pto:2 is under way and takes effect in cycle "));
  EXPECT_THAT(
      text, testing::Not(testing::AnyOf(HasSubstr("after the last set"), HasSubstr("has ended"))));
}

TEST(AiCore, 2_6_WaitsKnowOfSignalsUnderWay) {
  Kernel aic, aiv;
  aic.ffts();
  aic.wait_dev(3);
  aiv.ffts();
  aiv.busy(Pipe::kMte3, 20);
  aiv.set_cross(Pipe::kMte3, 2, 3);
  const std::string text = said_in_all_cycles(aic, aiv, LaunchRatio::k1To1);
  EXPECT_THAT(text, HasSubstr("AIV0 of cluster 0 has set id 3, which arrives in cycle "));
  EXPECT_THAT(text, HasSubstr("it has been set"));
  EXPECT_THAT(text,
              testing::Not(testing::AnyOf(HasSubstr("after the last set"), HasSubstr("has ended"),
                                          HasSubstr("no core that could set it"))));
}

TEST(AiCore, 2_2_FlagsWithOtherPairsAndIdsAreOtherFlags) {
  Kernel k;
  k.busy(Pipe::kMte2, 10);
  k.set_flag(Pipe::kMte2, Pipe::kV, 1);
  k.busy(Pipe::kMte2, 1000);
  k.set_flag(Pipe::kMte2, Pipe::kV, 0);
  k.set_flag(Pipe::kMte2, Pipe::kMte3, 1);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 1);
  k.busy(Pipe::kV, 1);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  EXPECT_GT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV).at(0), 1000u);
  EXPECT_THAT(b.aiv().sync().flags_set(), ElementsAre("MTE2 to MTE3, event 1"));
}

TEST(AiCore, 2_3_BarrierWaitsForTheResultsOfItsPipe) {
  const auto second_start = [](bool barrier) {
    Kernel k;
    k.mad(DataType::kF16, 64, 64, 64);
    if (barrier) k.barrier(Pipe::kM);
    k.mad(DataType::kF16, 64, 64, 64);
    Bench b(plain(), launch_of(1, LaunchRatio::k1To0));
    b.run(k, Kernel());
    return b.cycles_of(EventKind::kPipeStart, kAicCore, Pipe::kM).at(1);
  };
  EXPECT_EQ(second_start(false), 2 + 64 + 10u);     // after the gap of MADs
  EXPECT_EQ(second_start(true), 2 + 64 + 62 + 1u);  // after the result, and the barrier itself
}

TEST(AiCore, 2_3_BarrierOverAllPipesStopsTheScalarUnit) {
  Kernel k;
  k.busy(Pipe::kV, 100);
  k.busy(Pipe::kMte3, 500);
  k.barrier(Pipe::kAll);
  k.busy(Pipe::kV, 1);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  // MTE3 starts at 7 and ends at 507; the barrier takes a scalar cycle.
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV), ElementsAre(2, 509));
  EXPECT_EQ(b.aiv().stats(Pipe::kS).wait(WaitReason::kBarrier), 507u - 11u);
}

TEST(AiCore, 1_2_FullQueueStopsTheScalarUnit) {
  Kernel k;
  for (int i = 0; i < 34; ++i) k.busy(Pipe::kMte1, 1000);  // one in the pipe, 32 in its queue
  k.busy(Pipe::kM, 1);
  Bench b(plain(), launch_of(1, LaunchRatio::k1To0));
  b.run(k, Kernel());
  // The second of MTE1 starts at 1002 and makes room for the last one; M follows 5 cycles later.
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAicCore, Pipe::kM), ElementsAre(1002 + 5 + 1));
  EXPECT_EQ(b.aic().stats(Pipe::kS).wait(WaitReason::kQueue), 1002u - (1 + 33 * 5));
}

// The scalar unit comes to FIX when MTE1 has taken up the 33rd of its copies: the 32 after it fill
// the queue, with flags beside them or without. Where sets take room, it is later.
TEST(AiCore, 5_2_SetsTakeNoRoomOfAQueue) {
  const auto start_of_fix = [](bool flags, bool sets_take_room) {
    Kernel k;
    for (int i = 0; i < 40; ++i) {
      const std::uint8_t id = i % 8;
      if (flags && i >= 8) k.wait_flag(Pipe::kM, Pipe::kMte1, id);
      k.busy(Pipe::kMte1, 1000);
      if (flags) k.set_flag(Pipe::kMte1, Pipe::kM, id);
      if (flags) k.wait_flag(Pipe::kMte1, Pipe::kM, id);
      if (flags) k.set_flag(Pipe::kM, Pipe::kMte1, id);
    }
    k.busy(Pipe::kFix, 1);
    for (std::uint8_t id = 0; flags && id < 8; ++id) k.wait_flag(Pipe::kM, Pipe::kMte1, id);
    ClusterConfig config = plain();
    config.core.sets_take_room = sets_take_room;
    Bench b(config, launch_of(1, LaunchRatio::k1To0));
    b.run(k, Kernel());
    EXPECT_FALSE(b.hangs()) << b.waits();
    return b.cycles_of(EventKind::kPipeStart, kAicCore, Pipe::kFix).at(0) / 1000;
  };
  // 40 copies less those that are still in the queue: 32; 16 with a wait each; 10 with a set as well.
  EXPECT_EQ(start_of_fix(false, false), 40 - 32 - 1u);
  EXPECT_EQ(start_of_fix(true, false), 40 - 16 - 1u);
  EXPECT_EQ(start_of_fix(true, true), 40 - 10 - 1u);
}

TEST(AiCore, 2_4_LocksAreTakenInTheOrderOfTheProgram) {
  // V is idle, but its get stands after that of MTE2 in the program.
  Kernel k;
  k.get_buf(Pipe::kMte2, 4);
  k.busy(Pipe::kMte2, 300);
  k.rls_buf(Pipe::kMte2, 4);
  k.get_buf(Pipe::kMte2, 4);  // its own pipe: a lock is no barrier
  k.busy(Pipe::kMte2, 100);
  k.rls_buf(Pipe::kMte2, 4);
  k.get_buf(Pipe::kV, 4);
  k.busy(Pipe::kV, 1);
  k.rls_buf(Pipe::kV, 4);
  Bench b(a5_config(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs()) << b.waits();
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kMte2), ElementsAre(7, 309));
  EXPECT_GT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV).at(0), 409u);
}

TEST(AiCore, 2_4_NonBlockingGetDoesNotWait) {
  Kernel k;
  k.get_buf(Pipe::kMte2, 4);
  k.busy(Pipe::kMte2, 300);
  k.get_buf(Pipe::kV, 4).mode = 1;
  k.busy(Pipe::kV, 1);
  Bench b(a5_config(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  EXPECT_LT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV).at(0), 50u);
}

/// Cycle in which V of AIV0 starts although MTE2 waits for a flag of the AIC, and the cycle in which
/// MTE2 starts.
std::pair<Cycle, Cycle> starts_around_a_wait(const ClusterConfig& config) {
  Kernel aic, aiv;
  for (Kernel* k : {&aic, &aiv}) k->ffts();
  aic.busy(Pipe::kFix, 5000);
  aic.set_cross(Pipe::kFix, 2, 1);
  aiv.wait_dev(1, Pipe::kMte2);
  aiv.busy(Pipe::kMte2, 1);
  aiv.busy(Pipe::kV, 1);
  Bench b(config);
  b.run(aic, aiv);
  EXPECT_FALSE(b.hangs());
  return {b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV).at(0),
          b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kMte2).at(0)};
}

TEST(AiCore, 2_6_ScopeOfACrossCoreWait) {
  const auto a2 = starts_around_a_wait(a2a3_config());
  EXPECT_GT(a2.first, 5000u);  // A2/A3: the whole core stops
  const auto a5 = starts_around_a_wait(a5_config());
  EXPECT_LT(a5.first, 50u);  // A5: the named pipe
  EXPECT_GT(a5.second, 5000u);
}

TEST(AiCore, ScalarInstructions) {
  struct Case {
    Opcode op;
    std::int64_t a, b, result;
  };
  constexpr std::int64_t kMin = INT64_MIN;
  const Case cases[] = {{Opcode::kAdd, INT64_MAX, 1, kMin}, {Opcode::kSub, 3, 5, -2},
                        {Opcode::kMul, -4, 5, -20},         {Opcode::kDiv, -7, 2, -3},
                        {Opcode::kDiv, kMin, -1, kMin},     {Opcode::kRem, -7, 2, -1},
                        {Opcode::kRem, kMin, -1, 0},        {Opcode::kAnd, 12, 10, 8},
                        {Opcode::kOr, 12, 10, 14},          {Opcode::kXor, 12, 10, 6},
                        {Opcode::kMin, -1, 2, -1},          {Opcode::kMax, -1, 2, 2}};
  Kernel k;
  std::vector<unsigned> results;
  for (const Case& c : cases) {
    results.push_back(k.reg());
    k.scalar(c.op, results.back(), c.a, c.b);
  }
  const unsigned selected = k.reg();
  k.scalar(Opcode::kSelect, selected, 5, 6).c = 0;
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(b.aiv().reg(results[i]), cases[i].result) << i;
  EXPECT_EQ(b.aiv().reg(selected), 6);
  Kernel zero;
  zero.scalar(Opcode::kDiv, zero.reg(), 1, 0);
  EXPECT_THAT(bench::error_of([&] { b.run(Kernel(), zero); }),
              HasSubstr("k.pto:1: AIV0 of cluster 0, div: division by zero"));
}

TEST(AiCore, 1_1_BlockNumbers) {
  Kernel k;
  const unsigned block = k.get(SpecialValue::kBlockIndex), count = k.get(SpecialValue::kBlockCount);
  const unsigned sub = k.get(SpecialValue::kSubblockIndex);
  Bench b(plain(), launch_of(3, LaunchRatio::k1To2));
  b.run(k, k);
  EXPECT_EQ(b.aic(2).reg(block), 2);
  EXPECT_EQ(b.aiv(1, 2).reg(block), 5);  // 2 * block + subblock
  EXPECT_EQ(b.aiv(1, 2).reg(sub), 1);
  EXPECT_EQ(b.aiv(1, 2).reg(count), 3);
}

TEST(AiCore, ProgramsThatDoNotHoldTogetherAreRefused) {
  const auto refusal = [](Kernel k) {
    Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
    return bench::error_of([&] { b.run(Kernel(), k); });
  };
  Kernel jump, source, target, pipe;
  jump.scalar(Opcode::kJump, 0, 0).target = 9;
  source.busy(Pipe::kV, cluster::reg(0));
  target.scalar(Opcode::kSet, 0, 1);
  pipe.tile(Opcode::kCopyIn, Pipe::kMte3, DataType::kF16, 1, 32);
  EXPECT_THAT(refusal(jump), HasSubstr("refused: k.pto:1: jump: jumps beyond the end"));
  EXPECT_THAT(refusal(source), HasSubstr("register 0 of 0"));
  EXPECT_THAT(refusal(target), HasSubstr("register 0 of 0"));
  EXPECT_THAT(refusal(pipe), HasSubstr("pipe MTE3, expected MTE2"));
  Launch none;
  none.clusters = 37;
  EXPECT_THAT(bench::error_of([&] { Bench b(plain(), none); }),
              HasSubstr("clusters: 37, expected 1..36"));
  // What only the run knows.
  Kernel size;
  const unsigned r = size.reg();
  size.scalar(Opcode::kSet, r, -1);
  size.busy(Pipe::kV, cluster::reg(r));
  EXPECT_THAT(refusal(size),
              HasSubstr("illegal: k.pto:2: AIV0 of cluster 0, busy(V): a size of -1"));
  Kernel huge;
  huge.copy_in(std::int64_t{1} << 40, 32);
  EXPECT_THAT(refusal(huge), HasSubstr("a size of 1099511627776, expected 0..1048576"));
}

TEST(AiCore, ConfigurationsThatNoMachineHasAreRefused) {
  const auto refusal = [](void (*change)(ClusterConfig&)) {
    ClusterConfig config = a2a3_config();
    change(config);
    return bench::error_of([&] { Bench b(config); });
  };
  EXPECT_EQ(refusal([](ClusterConfig&) {}), "");
  EXPECT_THAT(refusal([](ClusterConfig& c) { c.core.queue_depth[1] = 0; }),
              HasSubstr("refused: queue_depth: 0, expected 1..4096"));
  EXPECT_THAT(refusal([](ClusterConfig& c) { c.core.sync.event_ids = 17; }),
              HasSubstr("sync.event_ids: 17, expected 1..16"));
  EXPECT_THAT(refusal([](ClusterConfig& c) { c.core.cost.load_a.bytes_per_cycle = 0; }),
              HasSubstr("expected 1.."));
  EXPECT_THAT(refusal([](ClusterConfig& c) { c.core.cost.gm_bytes_per_cycle = 0; }),
              HasSubstr("cost.gm_bytes_per_cycle: 0"));
}

}  // namespace
}  // namespace tessera::cluster
