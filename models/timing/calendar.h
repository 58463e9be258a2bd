// Calendar of wake-ups: which block is due in which cycle. Plain C++.
//
// Near cycles lie in a ring of buckets, far ones in an ordered map and move into the ring when they
// come near. Wake-ups are never merged across cycles, so none can be lost; a block that is woken
// twice for one cycle may stand in a bucket twice. Buckets keep their memory: the steady state does
// not allocate.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::timing {

/// Number of a block within its clock domain.
using BlockId = std::uint32_t;

class Calendar {
 public:
  /// Notes that `block` is due in cycle `at`. Requires at >= the cycle of the last take().
  void insert(BlockId block, Cycle at) {
    assert(at >= base_ && at != kNever);
    if (at - base_ >= kBuckets) {
      far_[at].push_back(block);
      return;
    }
    const unsigned b = bucket_of(at);
    ring_[b].push_back(block);
    occupied_[b / 64] |= std::uint64_t{1} << (b % 64);
  }
  /// The earliest cycle in which a block is due; kNever when the calendar is empty.
  Cycle next_due() const;
  /// Moves the blocks due in cycle `now` into `due` (cleared first). Requires now <= next_due(),
  /// and time only moves forward.
  void take(Cycle now, std::vector<BlockId>& due);
  /// All that is due, by cycle, in the order in which a cycle has it; each block once a cycle.
  std::vector<std::pair<Cycle, BlockId>> wake_ups() const;

 private:
  static constexpr unsigned kBuckets = 256;
  static constexpr unsigned kWords = kBuckets / 64;
  static unsigned bucket_of(Cycle c) { return static_cast<unsigned>(c % kBuckets); }
  void pull_far_wakeups();

  Cycle base_ = 0;  // the ring covers cycles [base_, base_ + kBuckets)
  std::array<std::vector<BlockId>, kBuckets> ring_;
  std::array<std::uint64_t, kWords> occupied_{};  // one bit a bucket
  std::map<Cycle, std::vector<BlockId>> far_;
};

}  // namespace tessera::timing
