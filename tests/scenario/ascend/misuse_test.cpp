// The misuses of reference ascend.md 7, in the order of its table: what is an error names its
// instruction and line, what hangs is explained, what races gives the wrong value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cluster/program/legality.h"
#include "tests/models/cluster/operations.h"

namespace tessera::cluster {
namespace {

using namespace bench;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const Launch kVectorOnly = launch_of(1, LaunchRatio::k0To1);
const Launch kCubeOnly = launch_of(1, LaunchRatio::k1To0);

Kernel a2() {
  Kernel k;
  k.ffts();
  return k;
}

std::string error_on_aiv(const ClusterConfig& config, const Kernel& k, Launch launch = {}) {
  Bench b(config, launch);
  return error_of([&] { b.run(Kernel(), k); });
}
std::string error_on_aic(const ClusterConfig& config, const Kernel& k, Launch launch = {}) {
  Bench b(config, launch);
  return error_of([&] { b.run(k, Kernel()); });
}

/// How the run of `aic` and `aiv` hangs.
std::string hang_of(const ClusterConfig& config, const Launch& launch, const Kernel& aic,
                    const Kernel& aiv) {
  Bench b(config, launch);
  b.run(aic, aiv);
  EXPECT_TRUE(b.hangs());
  return b.waits();
}

TEST(ascend, M1_wait_without_set) {
  Kernel k;
  k.wait_flag(Pipe::kMte2, Pipe::kV, 2);
  k.busy(Pipe::kV, 1);
  EXPECT_THAT(hang_of(a2a3_config(), kVectorOnly, Kernel(), k),
              AllOf(HasSubstr("pipe V of AIV0 of cluster 0 (wait_flag(MTE2, V, id 2) at k.pto:1)"),
                    HasSubstr("the flag MTE2 to V, event 2"),
                    HasSubstr("the program of AIV0 of cluster 0 has no set of it")));
}

TEST(ascend, M2_set_twice) {
  Kernel k;
  k.set_flag(Pipe::kMte2, Pipe::kV, 2);
  k.set_flag(Pipe::kMte2, Pipe::kV, 2);
  EXPECT_THAT(error_on_aiv(a2a3_config(), k),
              AllOf(StartsWith("illegal: k.pto:2: AIV0 of cluster 0, set_flag(MTE2, V, id 2)"),
                    HasSubstr(kDoubleSetId)));
  // The fallback of 2.2: the flag stays up.
  ClusterConfig saturating = a2a3_config();
  saturating.core.sync.double_set = Undefined::kIgnore;
  k.wait_flag(Pipe::kMte2, Pipe::kV, 2);
  EXPECT_EQ(error_on_aiv(saturating, k), "");
}

TEST(ascend, M2_set_again_behind_a_wait_in_a_queue) {
  // V is busy while both sets take effect; each wait takes one of them.
  Kernel k;
  k.busy(Pipe::kV, 500);
  for (int n = 0; n < 2; ++n) {
    k.set_flag(Pipe::kMte2, Pipe::kV, 2);
    k.wait_flag(Pipe::kMte2, Pipe::kV, 2);
  }
  EXPECT_EQ(error_on_aiv(a2a3_config(), k), "");
  Kernel third = k;  // no wait stands after it
  third.set_flag(Pipe::kMte2, Pipe::kV, 2);
  third.set_flag(Pipe::kMte2, Pipe::kV, 2);
  EXPECT_THAT(error_on_aiv(a2a3_config(), third), HasSubstr(kDoubleSetId));
}

TEST(ascend, M3_pair_does_not_match) {
  Kernel k;
  k.set_flag(Pipe::kMte2, Pipe::kMte3, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  EXPECT_THAT(hang_of(a2a3_config(), kVectorOnly, Kernel(), k), HasSubstr("has no set of it"));
}

TEST(ascend, M4_set_left_at_the_end) {
  Kernel k;
  k.set_flag(Pipe::kMte2, Pipe::kV, 1);
  Bench b(a2a3_config(), kVectorOnly);
  b.run(Kernel(), k);
  EXPECT_THAT(b.aiv().sync().flags_set(), testing::ElementsAre("MTE2 to V, event 1"));
  // The same kernel again sets it a second time.
  EXPECT_THAT(error_of([&] { b.run(Kernel(), k); }), HasSubstr(kDoubleSetId));
}

TEST(ascend, M5_missing_primes) {
  Kernel k;
  k.wait_flag(Pipe::kMte1, Pipe::kMte2, 0);
  k.copy_in(16, 256);
  k.set_flag(Pipe::kMte2, Pipe::kMte1, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kMte1, 0);
  k.set_flag(Pipe::kMte1, Pipe::kMte2, 0);
  EXPECT_THAT(hang_of(a2a3_config(), kCubeOnly, k, Kernel()),
              HasSubstr("set_flag(MTE1, MTE2, id 0) at k.pto:5 stands in the queue of pipe MTE1"));
}

TEST(ascend, M6_event_id_out_of_range) {
  for (const std::int64_t id : {-1, 8}) {
    Kernel k;
    k.set_flag(Pipe::kMte2, Pipe::kV, id);
    EXPECT_THAT(error_on_aiv(a2a3_config(), k),
                AllOf(StartsWith("refused: k.pto:1: "), HasSubstr("is outside 0..7"),
                      HasSubstr(kIdRangeId)));
  }
  Kernel computed;  // the same with an id that only the run knows
  const unsigned id = computed.reg();
  computed.scalar(Opcode::kSet, id, 8);
  computed.set_flag(Pipe::kMte2, Pipe::kV, reg(id));
  EXPECT_THAT(error_on_aiv(a2a3_config(), computed),
              AllOf(StartsWith("illegal: k.pto:2: "), HasSubstr("event 8 is outside 0..7")));
}

TEST(ascend, M7_counter_above_15) {
  const auto sets = [](int count) {
    Kernel k = a2();
    for (int i = 0; i < count; ++i) k.set_cross(Pipe::kFix, 2, 3);
    return k;
  };
  EXPECT_EQ(error_on_aic(a2a3_config(), sets(15)), "");
  EXPECT_THAT(error_on_aic(a2a3_config(), sets(16)),
              AllOf(StartsWith("illegal: k.pto:17: "), HasSubstr(kOverflowId)));
  ClusterConfig narrow = a2a3_config();  // the third-party note: a binary semaphore
  narrow.core.sync.counter_max = 1;
  EXPECT_THAT(error_on_aic(narrow, sets(2)), StartsWith("illegal: k.pto:3: "));
}

TEST(ascend, M8_flag_id_above_15) {
  Kernel aic = a2(), aiv = a2();
  aic.set_cross(Pipe::kFix, 2, 19);
  aiv.wait_dev(3);
  EXPECT_THAT(error_on_aic(a2a3_config(), aic),
              AllOf(StartsWith("refused: k.pto:2: "), HasSubstr("flag 19 is outside 0..15")));
  ClusterConfig truncating = a2a3_config();
  truncating.core.sync.wide_id = Undefined::kIgnore;
  Bench b(truncating);
  b.run(aic, aiv);
  EXPECT_FALSE(b.hangs()) << b.waits();
}

TEST(ascend, M9_sem_id_subblock_and_profile) {
  Kernel wide, wide_on_aiv, plain;
  wide.set_intra(Pipe::kFix, 32);
  wide_on_aiv.wait_intra(Pipe::kV, 16);
  plain.set_intra(Pipe::kFix, 3);
  EXPECT_THAT(error_on_aic(a5_config(), wide),
              AllOf(HasSubstr("set_intra_block(FIX, id 32): id 32 is outside 0..31"),
                    HasSubstr(kIdRangeId)));
  EXPECT_THAT(error_on_aiv(a5_config(), wide_on_aiv), HasSubstr(kUnreachableId));
  EXPECT_THAT(error_on_aic(a5_config(), plain, launch_of(1, LaunchRatio::k1To0)),
              AllOf(HasSubstr("this one is 1:0"), HasSubstr(kLaunchId)));
  Kernel to_aiv1;
  to_aiv1.set_intra(Pipe::kFix, 19);
  EXPECT_THAT(
      error_on_aic(a5_config(), to_aiv1, launch_of(1, LaunchRatio::k1To1)),
      AllOf(HasSubstr("id 19 names AIV1, and this launch is 1:1"), HasSubstr(kUnreachableId)));
  EXPECT_THAT(error_on_aic(a2a3_config(), plain),
              AllOf(StartsWith("refused: k.pto:1: set_intra_block(FIX, id 3): set_intra_block does "
                               "not exist on A2/A3"),
                    HasSubstr(kProfileId)));
  Kernel wait;
  wait.wait_intra(Pipe::kV, 0);
  EXPECT_THAT(error_on_aiv(a2a3_config(), wait), HasSubstr(kProfileId));
}

TEST(ascend, M10_trigger_pipe) {
  for (const Pipe pipe : {Pipe::kS, Pipe::kAll}) {
    Kernel k = a2();
    k.set_cross(pipe, 0, 3);
    EXPECT_THAT(
        error_on_aic(a2a3_config(), k),
        AllOf(StartsWith("refused: k.pto:2: "), HasSubstr("cannot trigger"), HasSubstr(kPipeId)));
  }
  Kernel all;
  all.set_intra(Pipe::kAll, 0);
  EXPECT_THAT(error_on_aic(a5_config(), all), HasSubstr(kPipeId));
  Kernel other;  // a pipe of the other kind of core
  other.ffts();
  other.set_cross(Pipe::kFix, 2, 3);
  EXPECT_THAT(error_on_aiv(a2a3_config(), other), HasSubstr("an AIV has no pipe FIX"));
}

TEST(ascend, M11_only_one_aiv_sets) {
  Kernel aic = a2(), setting = a2();
  aic.wait_dev(4);
  setting.set_cross(Pipe::kMte3, 2, 4);
  Bench b(a2a3_config());
  b.machine.launch(Bench::place(0, 0), aic.build(), 1);
  b.machine.launch(Bench::place(0, 1), setting.build(), 1);
  b.machine.launch(Bench::place(0, 2), Kernel().build(), 1);
  b.machine.run();
  ASSERT_TRUE(b.hangs());
  EXPECT_THAT(b.waits(), AllOf(HasSubstr("AIV1 of cluster 0 has to set id 4 (mode 2): the program "
                                         "of AIV1 of cluster 0 has no set of it"),
                               testing::Not(HasSubstr("AIV0"))));
}

TEST(ascend, M12_aivs_of_two_clusters_in_mode_1) {
  Kernel k = a2();
  k.set_cross(Pipe::kMte3, 1, 4);
  k.wait_dev(4);
  Bench b(a2a3_config(), launch_of(2, LaunchRatio::k1To2));
  for (const unsigned cluster : {0u, 1u}) b.machine.launch(Bench::place(cluster, 1), k.build(), 1);
  b.machine.run();
  EXPECT_THAT(b.waits(), AllOf(HasSubstr("AIV1 of cluster 0 has to set id 4 (mode 1)"),
                               HasSubstr("AIV1 of cluster 1 has to set id 4 (mode 1)")));
}

TEST(ascend, M13_kernel_is_not_mix) {
  Kernel k = a2();
  k.set_cross(Pipe::kMte3, 0, 4);
  k.wait_dev(4);
  Launch launch = kVectorOnly;
  EXPECT_EQ(error_on_aiv(a2a3_config(), k, launch), "");
  launch.mix = false;
  EXPECT_THAT(hang_of(a2a3_config(), launch, Kernel(), k),
              HasSubstr("the kernel is not of MIX type, so there is no scheduling module"));
}

TEST(ascend, M14_hardware_syncall_in_a_cube_only_kernel) {
  Kernel k = a2();
  append_sync_all(k.program(), Profile::kA2A3, CoreKind::kAic, SyncScope::kAicOnly, 2);
  Launch launch = launch_of(2, LaunchRatio::k1To0);
  launch.mix = false;
  EXPECT_THAT(hang_of(a2a3_config(), launch, k, Kernel()),
              AllOf(HasSubstr("wait_flag_dev(S, id 11) at k.pto:2"), HasSubstr("not of MIX type")));
}

TEST(ascend, M15_wrong_scope_of_syncall) {
  // A mixed barrier called by the AIVs alone: the AIC never answers.
  Kernel aiv = a2();
  append_sync_all(aiv.program(), Profile::kA2A3, CoreKind::kAiv, SyncScope::kMix, 2);
  EXPECT_THAT(hang_of(a2a3_config(), {}, Kernel(), aiv),
              HasSubstr("no core that could set it has a set of it in its program"));
}

TEST(ascend, M16_more_blocks_than_cores) {
  Kernel k = a2();
  k.set_cross(Pipe::kMte3, 0, 4);
  k.wait_dev(4);
  Launch launch = launch_of(2, LaunchRatio::k0To1);
  launch.blocks = 5;
  EXPECT_THAT(hang_of(a2a3_config(), launch, Kernel(), k),
              HasSubstr("3 blocks of the kernel are not resident and cannot set it (mode 0)"));
}

TEST(ascend, M17_unequal_numbers_of_syncall) {
  const auto calls = [](int count, bool hard) {
    Kernel k = a2();
    for (int i = 0; i < count; ++i) {
      if (hard)
        append_sync_all(k.program(), Profile::kA2A3, CoreKind::kAiv, SyncScope::kAivOnly, 9);
      else
        append_soft_sync_all(k.program(), 1, 2, 9, 1000);
    }
    return k;
  };
  for (const bool hard : {true, false}) {
    Bench b(a2a3_config());
    b.machine.launch(Bench::place(0, 1), calls(2, hard).build(), 1);
    b.machine.launch(Bench::place(0, 2), calls(1, hard).build(), 1);
    const std::string error = error_of([&] { b.machine.run(); });
    if (hard) {
      EXPECT_THAT(b.waits(),
                  HasSubstr("AIV1 of cluster 0 has to set id 14 (mode 0): the program of "
                            "AIV1 of cluster 0 has ended"));
    } else {
      EXPECT_THAT(error, AllOf(HasSubstr("k.pto:9"), HasSubstr("polled 1000 times"),
                               HasSubstr("possible deadlock")));
    }
  }
}

TEST(ascend, M18_id_shared_with_syncall) {
  // A user's set of id 12 takes part in SYNCALL: the barrier of one AIV releases the AIC early, and
  // a credit is left over.
  Kernel aic = a2(), aiv = a2();
  append_sync_all(aic.program(), Profile::kA2A3, CoreKind::kAic, SyncScope::kMix, 2);
  aiv.set_cross(Pipe::kMte3, 2, 12);
  append_sync_all(aiv.program(), Profile::kA2A3, CoreKind::kAiv, SyncScope::kMix, 3);
  Bench b(a2a3_config());
  b.run(aic, aiv);
  ASSERT_FALSE(b.hangs()) << b.waits();
  EXPECT_EQ(b.machine.sync_unit().counter(Bench::place(0, 0), 12, false), 1u);
}

TEST(ascend, M19_ffts_base_not_set) {
  Kernel k;
  k.set_cross(Pipe::kFix, 2, 3);
  EXPECT_THAT(error_on_aic(a2a3_config(), k),
              AllOf(StartsWith("illegal: k.pto:1: "), HasSubstr(kFftsId)));
  EXPECT_EQ(error_on_aic(a5_config(), k), "");
}

TEST(ascend, M20_locks) {
  Kernel release, twice, other;
  release.rls_buf(Pipe::kV, 3);
  EXPECT_THAT(error_on_aiv(a5_config(), release),
              AllOf(StartsWith("illegal: k.pto:1: "), HasSubstr("does not hold this lock"),
                    HasSubstr(kBufferLockId)));
  twice.get_buf(Pipe::kV, 3);
  twice.get_buf(Pipe::kV, 3);
  EXPECT_THAT(error_on_aiv(a5_config(), twice),
              AllOf(StartsWith("illegal: k.pto:2: "), HasSubstr("holds this lock already")));
  other.get_buf(Pipe::kV, 3);
  other.rls_buf(Pipe::kMte2, 3);
  EXPECT_THAT(error_on_aiv(a5_config(), other), StartsWith("illegal: k.pto:2: "));
  Kernel kept;  // nobody else gets a lock that is not given back
  kept.get_buf(Pipe::kV, 3);
  kept.get_buf(Pipe::kMte2, 3);
  kept.rls_buf(Pipe::kMte2, 3);
  EXPECT_THAT(hang_of(a5_config(), kVectorOnly, Kernel(), kept), HasSubstr("lock 3"));
  EXPECT_THAT(error_on_aiv(a2a3_config(), twice),
              AllOf(StartsWith("refused: k.pto:1: "), HasSubstr(kProfileId)));
}

TEST(ascend, M24_wait_on_a_pipe_that_does_not_read) {
  // The wait holds MTE3 back, but MTE2 reads the tile.
  const auto read = [](Pipe waiting) {
    Kernel aic, aiv;
    const TileOperand out = tile(Location::kL0c, 0), in = tile(Location::kUb, 1);
    attach(aic, aic.busy(Pipe::kFix, 500), fill(out, 42));
    aic.barrier(Pipe::kFix);
    attach(aic, aic.fix_out(DataType::kF32, 16, 64), copy(out, number(5)));
    aic.set_intra(Pipe::kFix, 1);
    aic.set_intra(Pipe::kFix, 17);
    aiv.wait_intra(waiting, 1);
    attach(aiv, aiv.copy_in(16, 256), copy(number(5), in));
    Bench b(without_l2(a5_config()));
    b.run(aic, aiv);
    return value_of(b, in, Bench::place(0, 2));
  };
  EXPECT_EQ(read(Pipe::kMte2), 42);
  EXPECT_EQ(read(Pipe::kMte3), 0);
}

TEST(ascend, M25_accumulation_without_barrier) {
  // Fewer than ten fractals: the second MAD adds to the value before the first, unless a barrier
  // stands between. From ten on the cube resolves it.
  const auto accumulated = [](unsigned m, unsigned n, bool barrier) {
    Kernel k;
    const TileOperand a = tile(Location::kL0a, 0), b = tile(Location::kL0b, 0),
                      c = tile(Location::kL0c, 0);
    for (const TileOperand& factor : {a, b}) attach(k, k.busy(Pipe::kM, 1), fill(factor, 3));
    k.barrier(Pipe::kM);
    for (int i = 0; i < 2; ++i) {
      attach(k, k.mad(DataType::kF16, m, n, 16), multiply_add(a, b, c));
      if (barrier) k.barrier(Pipe::kM);
    }
    Bench machine(a2a3_config(), kCubeOnly);
    machine.run(k, Kernel());
    return value_of(machine, c);
  };
  EXPECT_EQ(accumulated(48, 48, false), 9);
  EXPECT_EQ(accumulated(48, 48, true), 18);
  EXPECT_EQ(accumulated(32, 80, false), 18);
}

TEST(ascend, M26_m_and_fix_sizes_differ) {
  Kernel k;
  k.mad(DataType::kF16, 128, 256, 64).unit_flag = 3;
  k.fix_out(DataType::kF32, 128, 128).unit_flag = 3;
  EXPECT_THAT(error_on_aic(a2a3_config(), k),
              AllOf(StartsWith("illegal: k.pto:2: "), HasSubstr(kUnitFlagId)));
}

TEST(ascend, M_pairs_and_barriers_that_do_not_exist) {
  // ascend.md 1.2 and 2.3.
  const auto pair = [](Pipe from, Pipe to) {
    Kernel k;
    k.set_flag(from, to, 0);
    return error_on_aic(a2a3_config(), k);
  };
  EXPECT_THAT(pair(Pipe::kM, Pipe::kMte3),
              AllOf(HasSubstr("the pair M to MTE3 does not exist on an AIC"), HasSubstr(kPairId)));
  EXPECT_THAT(pair(Pipe::kMte3, Pipe::kFix), HasSubstr(kPairId));
  EXPECT_EQ(pair(Pipe::kMte2, Pipe::kFix), "");
  EXPECT_THAT(pair(Pipe::kM, Pipe::kM), HasSubstr(kPairId));
  EXPECT_THAT(pair(Pipe::kV, Pipe::kMte2), HasSubstr(kPipeId));
  EXPECT_EQ(pair(Pipe::kM, Pipe::kFix), "");
  Kernel scalar;
  scalar.barrier(Pipe::kS);
  EXPECT_THAT(error_on_aic(a2a3_config(), scalar), HasSubstr(kPipeId));
  Kernel vector;
  vector.barrier(Pipe::kV);
  EXPECT_EQ(error_on_aiv(a5_config(), vector), "");
  ClusterConfig tool_chain = a5_config();
  tool_chain.core.sync.barrier_on_all_pipes = false;
  EXPECT_THAT(error_on_aiv(tool_chain, vector),
              HasSubstr("this profile accepts MTE2, MTE3 and ALL"));
}

}  // namespace
}  // namespace tessera::cluster
