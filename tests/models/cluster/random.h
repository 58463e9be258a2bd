// Random kernels of a cluster that are free of deadlock and of misuse by construction, for tests that
// hold two structures or two step orders to each other, with the values that must come out.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/models/cluster/operations.h"

namespace tessera::cluster::bench {

/// Kernels for the cores of each cluster. Rounds of: AIC works and hands a tile to both AIVs; they
/// work in two overlapped stages and hand it back; sometimes all cores wait for each other.
class RandomKernels {
 public:
  RandomKernels(std::uint64_t seed, Profile profile) : random_(seed), profile_(profile) {
    for (Kernel* k : {&aic, &aivs[0], &aivs[1]}) {
      if (profile == Profile::kA2A3) k->ffts();
      const unsigned cluster = k->get(SpecialValue::kCluster);
      k->scalar(Opcode::kAdd, cluster, reg(cluster), 5);
      handed_over_ = reg(cluster);  // the same register of all
    }
    const unsigned rounds = 2 + pick(6);
    for (unsigned i = 0; i < rounds; ++i) append_round(i);
  }
  Kernel aic;
  std::array<Kernel, 2> aivs;

  /// Expects of a machine that has run the kernels on so many clusters that every AIV has added what
  /// its AIC had handed over.
  void expect_sums(ClusterData& data, unsigned clusters) const {
    for (unsigned round = 0; round < sums_.size(); ++round)
      for (unsigned s = 0; s < 2; ++s)
        EXPECT_EQ(data.peek(resolved(number(sum_at(round, s))), {}).number(0),
                  clusters * sums_[round].at(s))
            << "round " << round << ", AIV" << s;
  }

 private:
  static std::int64_t sum_at(unsigned round, unsigned s) { return 100 + 10 * round + s; }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  void append_round(unsigned round) {
    sums_.push_back(round == 0 ? std::array<unsigned, 2>{} : sums_.back());
    append_cube_work(round);
    set(true, Pipe::kFix, 1);
    for (unsigned s = 0; s < 2; ++s) append_vector_work(s, round);
    wait(true, Pipe::kFix, 2);
    if (pick(3) == 0) append_barrier(round);
  }
  void append_cube_work(unsigned round) {
    for (unsigned step = 0, steps = 1 + pick(4); step < steps; ++step) {
      aic.copy_in(16 + pick(64), 128 + 64 * pick(6)).l2_hit =
          static_cast<std::uint16_t>(pick(1001));
      aic.set_flag(Pipe::kMte2, Pipe::kMte1, 0);
      aic.wait_flag(Pipe::kMte2, Pipe::kMte1, 0);
      aic.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kF16, 64, 128);
      aic.set_flag(Pipe::kMte1, Pipe::kM, 1);
      aic.wait_flag(Pipe::kMte1, Pipe::kM, 1);
      aic.mad(DataType::kF16, 16 * (1 + pick(8)), 64, 64);
      aic.set_flag(Pipe::kM, Pipe::kMte2, 2);
      aic.wait_flag(Pipe::kM, Pipe::kMte2, 2);
    }
    aic.barrier(Pipe::kAll);
    const TileOperand out = tile(Location::kL0c, 0);
    attach(aic, aic.busy(Pipe::kFix, 1), fill(out, round + 1));
    aic.barrier(Pipe::kFix);
    attach(aic, aic.fix_out(DataType::kF32, 16, 16 * (1 + pick(16))),
           copy(out, number(handed_over_)));
  }
  void append_vector_work(unsigned s, unsigned round) {
    Kernel& k = aivs.at(s);
    wait(false, Pipe::kMte2, 1, s);
    const TileOperand in = tile(Location::kUb, 0), sum_here = tile(Location::kUb, 1);
    attach(k, k.copy_in(8 + pick(32), 256), copy(number(handed_over_), in));
    k.set_flag(Pipe::kMte2, Pipe::kV, 3);
    k.wait_flag(Pipe::kMte2, Pipe::kV, 3);
    for (unsigned i = 0, n = 1 + pick(3); i < n; ++i) {
      attach(k, k.vector(DataType::kF32, 64 + pick(8192)), sum(sum_here, in, sum_here));
      sums_.back().at(s) += round + 1;
    }
    k.barrier(Pipe::kAll);
    attach(k, k.copy_out(8, 256), add_to(sum_here, number(sum_at(round, s))));
    set(false, Pipe::kMte3, 2, s);
    if (pick(2) == 0) k.busy(Pipe::kV, pick(500));
  }
  void append_barrier(unsigned round) {
    append_sync_all(aic.program(), profile_, CoreKind::kAic, SyncScope::kMix, 100 + round);
    for (Kernel& k : aivs)
      append_sync_all(k.program(), profile_, CoreKind::kAiv, SyncScope::kMix, 100 + round);
  }
  void set(bool on_aic, Pipe pipe, unsigned id, unsigned s = 0) {
    Kernel& k = on_aic ? aic : aivs.at(s);
    if (profile_ == Profile::kA2A3) {
      k.set_cross(pipe, 2, id);
      return;
    }
    k.set_intra(pipe, id);
    if (on_aic) k.set_intra(pipe, id + 16);
  }
  void wait(bool on_aic, Pipe pipe, unsigned id, unsigned s = 0) {
    Kernel& k = on_aic ? aic : aivs.at(s);
    if (profile_ == Profile::kA2A3) {
      k.wait_dev(id);
      return;
    }
    k.wait_intra(pipe, id);
    if (on_aic) k.wait_intra(pipe, id + 16);
  }

  std::mt19937_64 random_;
  const Profile profile_;
  Operand handed_over_;  // number through which the AIC of a cluster hands over
  std::vector<std::array<unsigned, 2>> sums_;  // by round: the sum of each AIV after it
};

}  // namespace tessera::cluster::bench
