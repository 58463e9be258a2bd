// S22 of reference ascend.md 6 with the numbers of 5.4: QuantGroupMatmul on 24 clusters of A2. int8
// tiles of 128 x 256 with K = 1024, a ring of D slots in GM between AIC and AIVs; ready on id 5 by
// FIX, free on id 3 by MTE2 after the last read of a tile. Given: the time of the vector unit, 2.76 us
// per 64 rows, the L2 hits of the operands, and how fast an AIV reads a slot, which is slower when both
// AIVs of a cluster do. Those rates and the latency of cross-core flags are those of the kernel as PTO
// text, scripts/validation/families/ascend_fused.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/models/cluster/bench.h"

namespace tessera::cluster {
namespace {

using bench::Kernel;
using bench::launch_of;

constexpr int kTiles = 85;  // a core has 2048 / 24 = 85.33
constexpr double kTilesPerCore = 2048.0 / 24;
constexpr double kCyclesPerUs = 1850;
constexpr unsigned kReady = 5, kFree = 3;

/// Four steps of K with the operands of one half of L1.
void append_half(Kernel& k, std::int64_t half) {
  k.wait_flag(Pipe::kMte1, Pipe::kMte2, half);
  k.copy_in(32, 512).l2_hit = 950;  // A stays for four tiles of a row
  k.copy_in(512, 256).l2_hit = 950;
  k.set_flag(Pipe::kMte2, Pipe::kMte1, half);
  for (int step = 0; step < 4; ++step) {
    const std::int64_t l0 = step % 2;
    k.wait_flag(Pipe::kM, Pipe::kMte1, l0);
    if (step == 0) k.wait_flag(Pipe::kMte2, Pipe::kMte1, half);
    k.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kInt8, 128, 128);
    k.tile(Opcode::kLoadB, Pipe::kMte1, DataType::kInt8, 256, 128);
    if (step == 3) k.set_flag(Pipe::kMte1, Pipe::kMte2, half);
    k.set_flag(Pipe::kMte1, Pipe::kM, l0);
    k.wait_flag(Pipe::kMte1, Pipe::kM, l0);
    k.mad(DataType::kInt8, 128, 256, 128).unit_flag = half == 1 && step == 3 ? 3 : 2;
    k.set_flag(Pipe::kM, Pipe::kMte1, l0);
  }
}

Kernel cube(int depth) {
  Kernel k;
  k.ffts();
  for (const std::int64_t i : {0, 1}) {
    k.set_flag(Pipe::kMte1, Pipe::kMte2, i);
    k.set_flag(Pipe::kM, Pipe::kMte1, i);
  }
  const unsigned first = k.reg();
  k.loop(0, kTiles, [&](Operand tile) {
    append_half(k, 0);
    append_half(k, 1);
    k.compare(first, Predicate::kLess, tile, depth);
    k.scalar(Opcode::kBranch, 0, reg(first)).target = k.here() + 2;
    k.wait_dev(kFree);
    k.fix_out(DataType::kInt32, 128, 256).unit_flag = 3;
    k.set_cross(Pipe::kFix, 2, kReady);
  });
  k.loop(0, std::min(depth, kTiles), [&](Operand) { k.wait_dev(kFree); });  // drain
  return k;
}

Kernel vector_core(int rows) {
  constexpr int kChunk = 24, kVectorCycles = 5106;  // rows of a chunk; cycles for 64 rows
  Kernel k;
  k.ffts();
  for (const std::int64_t i : {0, 1}) {
    k.set_flag(Pipe::kV, Pipe::kMte2, i);
    k.set_flag(Pipe::kMte3, Pipe::kV, i);
  }
  k.loop(0, kTiles, [&](Operand) {
    k.wait_dev(kReady);
    std::int64_t buffer = 0;
    for (int row = 0; row < rows; row += kChunk) {
      const int n = std::min(kChunk, rows - row);
      k.wait_flag(Pipe::kV, Pipe::kMte2, buffer);
      k.copy_in(n, 1024).l2_hit = 1000;
      if (row + kChunk >= rows) k.set_cross(Pipe::kMte2, 2, kFree);
      k.set_flag(Pipe::kMte2, Pipe::kV, buffer);
      k.wait_flag(Pipe::kMte2, Pipe::kV, buffer);
      k.wait_flag(Pipe::kMte3, Pipe::kV, buffer);
      k.busy(Pipe::kV, kVectorCycles * n / 64);
      k.set_flag(Pipe::kV, Pipe::kMte2, buffer);
      k.set_flag(Pipe::kV, Pipe::kMte3, buffer);
      k.wait_flag(Pipe::kV, Pipe::kMte3, buffer);
      k.copy_out(n, 512);
      k.set_flag(Pipe::kMte3, Pipe::kV, buffer);
      buffer ^= 1;
    }
  });
  return k;
}

struct Times {
  double core, mac, vec;  ///< us
};

/// `latency`: cycles of cross-core flags; 0: the preset's.
Times run(LaunchRatio ratio, int depth, unsigned latency = 0) {
  ClusterConfig config = a2a3_config();
  if (latency > 0) config.core.sync.cluster_latency = latency;
  config.core.cost.aiv.read.bytes_per_cycle = ratio == LaunchRatio::k1To2 ? 38 : 89;
  ClusterCore machine(config, launch_of(24, ratio));
  machine.launch(cube(depth).build(), vector_core(ratio == LaunchRatio::k1To2 ? 64 : 128).build(),
                 1);
  machine.run();
  EXPECT_TRUE(machine.finished());
  const double us = kTilesPerCore / kTiles / kCyclesPerUs;
  const auto busy = [&](CoreId core, Pipe pipe) {
    return static_cast<double>(machine.core(core).stats(pipe).busy) * us;
  };
  const double core = static_cast<double>(machine.finished_at()) * us;
  std::cout << to_string(ratio) << ", " << depth << " slots, flag latency "
            << config.core.sync.cluster_latency << ": " << core << " us\n";
  return {core, busy({0, 0}, Pipe::kM), busy({0, 1}, Pipe::kV)};
}

TEST(ascend, S22_quant_group_matmul) {
  const Times one_to_one = run(LaunchRatio::k1To1, 1);
  const Times one_slot = run(LaunchRatio::k1To2, 1);
  const Times four_slots = run(LaunchRatio::k1To2, 4);
  const auto near = [](double value, double published, double percent) {
    EXPECT_NEAR(value / published, 1, percent / 100) << value << " for " << published;
  };
  near(one_to_one.core, 564.1, 8);
  near(one_slot.core, 344.0, 8);
  near(four_slots.core, 288.7, 8);
  near(one_slot.core / one_to_one.core, 344.0 / 564.1, 4);
  near(four_slots.core / one_slot.core, 288.7 / 344.0, 4);
  near(four_slots.mac, 193.6, 8);
  near(four_slots.vec, 235.9, 3);
}

TEST(ascend, S22_quant_group_matmul_sensitivity_to_flag_latency) {
  // One slot pays for two flags a tile, less what it waits for anyway; four hide them.
  const double one_fast = run(LaunchRatio::k1To2, 1, 200).core;
  const double one_slow = run(LaunchRatio::k1To2, 1, 700).core;
  const double four_fast = run(LaunchRatio::k1To2, 4, 200).core;
  const double four_slow = run(LaunchRatio::k1To2, 4, 700).core;
  EXPECT_GT(one_slow - one_fast, 0.75 * 85 * 500 / kCyclesPerUs);
  EXPECT_LT(four_slow / four_fast, 1.03);
}

}  // namespace
}  // namespace tessera::cluster
