// The unit flag: one bit per 512-byte block of L0C, by which M and FIX hand blocks over without set
// and wait (reference ascend.md 2.5). 0: M may write the block, 1: FIX may read it.
//
// An operation over n blocks passes them evenly in its time, in order. So the bits are kept as
// cycles: from when on a block may be written or read. The last MAD of a tile (field 3) makes its
// blocks readable one after the other, a FIX (field 3) makes them writable, and either starts as
// soon as it never overtakes the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class UnitFlags {
 public:
  /// Consecutive blocks of L0C.
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  explicit UnitFlags(unsigned blocks) : blocks_(blocks) {}

  bool contains(Span s) const { return s.first + s.count <= blocks_.size(); }
  /// First cycle in which a MAD that takes `cycles` may start; kNever: FIX has not started to read.
  Cycle mad_may_start(Span s, Cycle cycles) const { return may_start(s, cycles, &Block::writable); }
  /// The same for a FIX: kNever: the last MAD of the tile has not started.
  Cycle fix_may_start(Span s, Cycle cycles) const { return may_start(s, cycles, &Block::readable); }
  /// FIX reads as many blocks as the MAD in front of it has written (or: nothing has been written).
  bool matches(Span s) const {
    return blocks_[s.first].readable == kNever || blocks_[s.first].written == s.count;
  }
  /// A MAD with field 3 starts: the first result is there after `depth` cycles.
  void mad_starts(Span s, Cycle now, Cycle cycles, Cycle depth) {
    for (std::uint64_t j = 0; j < s.count; ++j)
      blocks_[s.first + j] = {kNever, now + depth + passed(s, cycles, j + 1), s.count};
  }
  /// A FIX with field 3 starts.
  void fix_starts(Span s, Cycle now, Cycle cycles) {
    for (std::uint64_t j = 0; j < s.count; ++j)
      blocks_[s.first + j] = {now + passed(s, cycles, j + 1), kNever, 0};
  }

 private:
  struct Block {
    Cycle writable = 0;
    Cycle readable = kNever;
    std::uint64_t written = 0;  // blocks of the tile
  };
  static Cycle passed(Span s, Cycle cycles, std::uint64_t blocks) {
    return (cycles * blocks + s.count - 1) / s.count;
  }
  Cycle may_start(Span s, Cycle cycles, Cycle Block::*from) const {
    Cycle start = 0;
    for (std::uint64_t j = 0; j < s.count; ++j) {
      const Cycle ready = blocks_[s.first + j].*from;
      if (ready == kNever) return kNever;
      const Cycle before = passed(s, cycles, j);
      start = std::max(start, ready > before ? ready - before : 0);
    }
    return start;
  }
  std::vector<Block> blocks_;
};

}  // namespace tessera::cluster
