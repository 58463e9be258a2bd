// Scenarios of reference ascend.md 6 about TPUSH and TPOP: rings of slots in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/scenario/ascend/fifo.h"

namespace tessera::cluster {
namespace {

using namespace bench;
using testing::HasSubstr;

constexpr std::int64_t kPopped = 5000, kPoppedBack = 8000;

const ClusterConfig kA2A3 = without_l2(a2a3_config()), kA5 = without_l2(a5_config());
const ClusterConfig kConfigs[] = {kA2A3, kA5};

Kernel started(const ClusterConfig& config) {
  Kernel k;
  if (config.profile == Profile::kA2A3) k.ffts();
  return k;
}

/// Programs of the three cores of a cluster.
struct Cluster {
  explicit Cluster(const ClusterConfig& config)
      : aic(started(config)), aivs{started(config), started(config)} {}
  void launch(Bench& b) const {
    const Cycle at = b.machine.now() + 1;
    b.machine.launch(Bench::place(0, 0), aic.build(), at);
    for (unsigned s = 0; s < 2; ++s)
      b.machine.launch(Bench::place(0, 1 + s), aivs.at(s).build(), at);
  }
  Kernel aic;
  std::array<Kernel, 2> aivs;
};

void expect_counters_are_zero(const Bench& b) {
  for (unsigned u = 0; u < 3; ++u) {
    for (unsigned id = 0; id < 16; ++id) {
      EXPECT_EQ(b.machine.sync_unit().counter(Bench::place(0, u), id, false), 0u) << u << ' ' << id;
      EXPECT_EQ(b.machine.sync_unit().counter(Bench::place(0, u), id, true), 0u) << u << ' ' << id;
    }
  }
}

void expect_cube_to_vector(const ClusterConfig& config, unsigned slots, unsigned tiles,
                           unsigned cube_cycles, unsigned vector_cycles) {
  Fifo f;
  f.profile = config.profile;
  f.slots = slots;
  Cluster c(config);
  append_cube_pushes(c.aic, f, tiles, cube_cycles, 1);
  for (unsigned s = 0; s < 2; ++s)
    append_vector_pops(c.aivs.at(s), f, s, tiles, vector_cycles * (s + 1), kPopped);
  Bench b(config);
  c.launch(b);
  b.machine.run();
  ASSERT_FALSE(b.hangs()) << b.waits();
  for (unsigned i = 0; i < tiles; ++i)
    for (unsigned s = 0; s < 2; ++s)
      EXPECT_EQ(number_of(b, popped(kPopped, i, s)), 1 + i) << i << ' ' << s;
  expect_counters_are_zero(b);
}

TEST(ascend, S9_tpush_tpop_cube_to_vector) {
  for (const ClusterConfig& config : kConfigs) {
    for (const unsigned slots : {1u, 2u, 4u, 8u}) {
      for (const unsigned tiles : {1u, 4u, 5u, 20u}) {
        SCOPED_TRACE(std::string(to_string(config.profile)) + ", " + std::to_string(slots) +
                     " slots, " + std::to_string(tiles) + " tiles");
        expect_cube_to_vector(config, slots, tiles, 50, 900);  // the vector cores are slower
        expect_cube_to_vector(config, slots, tiles, 3000, 10);
      }
    }
  }
}

TEST(ascend, S10_tpush_tpop_vector_to_cube) {
  for (const ClusterConfig& config : kConfigs) {
    for (const unsigned tiles : {1u, 2u, 4u, 12u}) {
      Fifo f;
      f.profile = config.profile;
      f.to_aiv = false;
      f.slots = 4;
      Cluster c(config);
      for (unsigned s = 0; s < 2; ++s)
        append_vector_pushes(c.aivs.at(s), f, s, tiles, 100 + 500 * s, 1);
      append_cube_pops(c.aic, f, tiles, 300, kPopped);
      Bench b(config);
      c.launch(b);
      b.machine.run();
      ASSERT_FALSE(b.hangs()) << b.waits();
      for (unsigned i = 0; i < tiles; ++i)
        for (unsigned s = 0; s < 2; ++s)
          EXPECT_EQ(number_of(b, popped(kPopped, i, s)), 1 + 100 * s + i);
      expect_counters_are_zero(b);
    }
  }
}

TEST(ascend, S11_no_split_and_launched_again) {
  // A5: only AIV0 takes part. A2/A3: both signal. The second launch sees no credits of the first.
  for (const ClusterConfig& config : kConfigs) {
    Fifo f;
    f.profile = config.profile;
    f.split = false;
    f.slots = 8;
    constexpr unsigned kTiles = 40;
    Bench b(config);
    for (const std::int64_t first : {1, 1001}) {
      Cluster c(config);
      append_cube_pushes(c.aic, f, kTiles, 20, first);
      append_vector_pops(c.aivs[0], f, 0, kTiles, 400, kPopped);
      if (!f.is_a5()) append_vector_pops(c.aivs[1], f, 1, kTiles, 10, kPopped);
      c.launch(b);
      b.machine.run();
      ASSERT_FALSE(b.hangs()) << b.waits();
      for (unsigned i = 0; i < kTiles; ++i)
        EXPECT_EQ(number_of(b, popped(kPopped, i, 0)), first + i);
      expect_counters_are_zero(b);
    }
  }
}

TEST(ascend, S12_both_directions_share_a_flag_base) {
  // Flags 0 to 3; the V to C half of the ring starts after the C to V half.
  for (const ClusterConfig& config : kConfigs) {
    Fifo down, up;
    down.profile = up.profile = config.profile;
    down.slots = up.slots = 4;
    up.to_aiv = false;
    up.flag = 2;
    up.ring = down.ring + 2 * down.slots;
    constexpr unsigned kTiles = 6;
    Cluster c(config);
    append_cube_pushes(c.aic, down, kTiles, 100, 1);
    append_cube_pops(c.aic, up, kTiles, 50, kPoppedBack);
    for (unsigned s = 0; s < 2; ++s) {
      append_vector_pops(c.aivs.at(s), down, s, kTiles, 200, kPopped);
      append_vector_pushes(c.aivs.at(s), up, s, kTiles, 100, 500);
    }
    Bench b(config);
    c.launch(b);
    b.machine.run();
    ASSERT_FALSE(b.hangs()) << b.waits();
    for (unsigned i = 0; i < kTiles; ++i) {
      for (unsigned s = 0; s < 2; ++s) {
        EXPECT_EQ(number_of(b, popped(kPopped, i, s)), 1 + i);
        EXPECT_EQ(number_of(b, popped(kPoppedBack, i, s)), 500 + 100 * s + i);
      }
    }
    expect_counters_are_zero(b);
  }
}

/// What the AIC pops of AIV0's tile 500, when its own tile for the AIVs lies `distance` numbers before.
double popped_beside_the_other_direction(std::int64_t distance) {
  Fifo down, up;
  up.to_aiv = false;
  up.flag = 2;
  up.ring = down.ring + distance;
  Cluster c(kA2A3);
  for (unsigned s = 0; s < 2; ++s) {
    Kernel& k = c.aivs.at(s);
    attach(k, k.busy(Pipe::kMte3, 10), fill(tile(Location::kUb, 0), 500));
    k.barrier(Pipe::kMte3);
    attach(k, k.copy_out(16, 256), copy(tile(Location::kUb, 0), number(up.slot(0, s))));
    up.push(k);
  }
  const TileOperand out = tile(Location::kL0c, 0), in = tile(Location::kL1, 0);
  attach(c.aic, c.aic.busy(Pipe::kFix, 5000), fill(out, 7));
  c.aic.barrier(Pipe::kFix);
  attach(c.aic, c.aic.fix_out(DataType::kF32, 16, 64), copy(out, number(down.slot(0, 0))));
  c.aic.barrier(Pipe::kAll);
  up.wait_pop(c.aic);
  attach(c.aic, c.aic.copy_in(16, 256), copy(number(up.slot(0, 0)), in));
  Bench b(kA2A3);
  c.launch(b);
  b.machine.run();
  EXPECT_FALSE(b.hangs()) << b.waits();
  return value_of(b, in, Bench::place(0, 0));
}

TEST(ascend, M23_halves_of_the_ring_overlap) {
  EXPECT_EQ(popped_beside_the_other_direction(8), 500);
  EXPECT_EQ(popped_beside_the_other_direction(0), 7);
}

TEST(ascend, M22_tpop_without_tfree) {
  // The producer stops when the ring has wrapped: after the credits that the consumer sent at first.
  Fifo f;
  f.profile = Profile::kA5;
  f.slots = 2;
  Cluster c(kA5);
  append_cube_pushes(c.aic, f, 6, 10, 1);
  for (unsigned s = 0; s < 2; ++s) {
    Kernel& k = c.aivs.at(s);
    f.open_consumer(k);
    for (unsigned i = 0; i < 2; ++i) f.wait_pop(k);
  }
  Bench b(kA5);
  c.launch(b);
  b.machine.run();
  ASSERT_TRUE(b.hangs());
  EXPECT_THAT(b.waits(), HasSubstr("pipe FIX of AIC of cluster 0 (wait_intra_core(FIX, id 1)"));
  EXPECT_THAT(b.waits(),
              HasSubstr("AIV0 of cluster 0 has to set id 1 (mode 4): the program of AIV0 "
                        "of cluster 0 has ended"));
}

TEST(ascend, S13_tile_smaller_than_its_slot) {
  // Tiles of two sizes share a ring; the stride of the slots stays, so no tile overlaps another.
  Fifo f;
  f.slots = 4;
  Cluster c(kA2A3);
  for (unsigned i = 0; i < 8; ++i) {
    attach(c.aic, c.aic.busy(Pipe::kFix, 10), fill(tile(Location::kL0c, 0), 1 + i));
    c.aic.barrier(Pipe::kFix);
    f.allocate(c.aic, i);
    for (unsigned half = 0; half < 2; ++half)
      attach(c.aic, c.aic.fix_out(DataType::kF32, i % 2 == 0 ? 128 : 5, 64),
             copy(tile(Location::kL0c, 0), number(f.slot(i, half))));
    f.push(c.aic);
  }
  f.close_producer(c.aic, 8);
  for (unsigned s = 0; s < 2; ++s) append_vector_pops(c.aivs.at(s), f, s, 8, 100, kPopped);
  Bench b(kA2A3);
  c.launch(b);
  b.machine.run();
  ASSERT_FALSE(b.hangs()) << b.waits();
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(number_of(b, popped(kPopped, i, 1)), 1 + i);
}

TEST(ascend, S14_one_ready_for_four_partial_stores) {
  Fifo f;
  constexpr std::int64_t kParts = 700;
  Cluster c(kA2A3);
  for (std::int64_t part = 0; part < 4; ++part) {
    attach(c.aic, c.aic.busy(Pipe::kFix, 10), fill(tile(Location::kL0c, 0), part + 1));
    c.aic.barrier(Pipe::kFix);
    attach(c.aic, c.aic.fix_out(DataType::kF32, 4, 64),
           copy(tile(Location::kL0c, 0), number(kParts + part)));
  }
  f.push(c.aic);
  for (unsigned s = 0; s < 2; ++s) {
    Kernel& k = c.aivs.at(s);
    f.wait_pop(k);
    for (std::int64_t part = 0; part < 4; ++part)
      attach(k, k.copy_in(4, 256), copy(number(kParts + part), tile(Location::kUb, part)));
  }
  Bench b(kA2A3);
  c.launch(b);
  b.machine.run();
  ASSERT_FALSE(b.hangs()) << b.waits();
  for (const unsigned aiv : {1u, 2u})
    for (unsigned part = 0; part < 4; ++part)
      EXPECT_EQ(value_of(b, tile(Location::kUb, part), Bench::place(0, aiv)), part + 1);
  expect_counters_are_zero(b);
}

TEST(ascend, S16_producer_blocks_with_all_slots_outstanding) {
  for (const unsigned slots : {1u, 2u, 4u}) {
    Fifo f;
    f.slots = slots;
    Cluster c(kA2A3);
    append_cube_pushes(c.aic, f, 20, 10, 1);  // nobody pops
    Bench b(kA2A3);
    c.launch(b);
    b.machine.run();
    ASSERT_TRUE(b.hangs());
    EXPECT_EQ(b.machine.sync_unit().counter(Bench::place(0, 1), f.flag, false), slots);
    EXPECT_THAT(b.waits(), HasSubstr("id 1 of AIC of cluster 0"));
  }
}

TEST(ascend, S22_ring_depth) {
  // The AIC waits only when it is as many tiles ahead as the ring is deep.
  ClusterConfig config = kA2A3;
  config.core.sync.cluster_latency = 1000;
  const auto fix_idles = [&config](unsigned slots, unsigned cube, unsigned vector) {
    Fifo f;
    f.slots = slots;
    Cluster c(config);
    append_cube_pushes(c.aic, f, 16, cube, 1);
    for (unsigned s = 0; s < 2; ++s) append_vector_pops(c.aivs.at(s), f, s, 16, vector, kPopped);
    Bench b(config);
    c.launch(b);
    b.machine.run();
    EXPECT_FALSE(b.hangs()) << b.waits();
    return b.aic().finished_at() - b.aic().stats(Pipe::kFix).busy;
  };
  // The AIVs need less time for a tile than the AIC, but ready and free are 2000 cycles on their way:
  // with one slot FIX stops for every tile, with four for none but the last ones.
  const Cycle one = fix_idles(1, 1000, 10), four = fix_idles(4, 1000, 10);
  EXPECT_GT(one, 15u * 1000);
  EXPECT_LT(four, 3000u);
  // Slower AIVs stop it whatever the depth.
  EXPECT_GT(fix_idles(4, 100, 4000), 12u * 3000);
}

}  // namespace
}  // namespace tessera::cluster
