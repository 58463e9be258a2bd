// The plain core of a clock domain: the blocks, their calendar, and the loop that steps what is
// due. It knows nothing of SystemC; ClockDomain wraps it, tests use it directly.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "models/state/fwd.h"
#include "models/timing/calendar.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::timing {

/// A block, as the clock domain knows it.
class Steppable {
 public:
  virtual ~Steppable() = default;
  /// Does the work of cycle `now`. Returns the next cycle (> now) in which the block wants to be
  /// stepped whatever its neighbours do, or kNever. A step in which nothing is due must not change
  /// anything: a block may be woken more often than it asked for.
  virtual Cycle step(Cycle now) = 0;
  /// The work of cycle `now` may begin, in other threads, while other blocks are stepped; step() follows. Called
  /// for blocks of Scheduler::add_early() only.
  virtual void begin(Cycle /*now*/) noexcept {}
};

class Scheduler {
 public:
  /// Adds a block; it is stepped only after a wake(). The block must outlive the scheduler's use.
  BlockId add(Steppable& block);
  /// The same for a block whose begin() is called first in its cycles. Its step() comes last, but for a shuffled
  /// order.
  BlockId add_early(Steppable& block);
  /// Steps the block in cycle `at`. `at` must lie after the cycle being stepped.
  void wake(BlockId block, Cycle at) {
    assert(block < blocks_.size());
    // A wavelet, a credit and the block itself often ask for the same cycle.
    if (blocks_[block].last_queued == at) return;
    blocks_[block].last_queued = at;
    calendar_.insert(block, at);
  }
  /// Forgets all wake-ups: time begins again with cycle 0.
  void reset();
  /// For checkpoints: saves what is due, from cycle `next` on; or restores it, and forgets what was due before. The same
  /// blocks have been added in the same order.
  void visit(state::Archive& archive, Cycle next);
  /// Calendar::wake_ups()
  std::vector<std::pair<Cycle, BlockId>> wake_ups() const { return calendar_.wake_ups(); }
  /// The earliest cycle in which something is due, kNever when all sleep.
  Cycle next_due() const { return calendar_.next_due(); }
  /// Steps every block due in cycle `now`, each once. Requires now <= next_due(). If several
  /// blocks throw, the exception of the one added first is passed on; the others are stepped all the
  /// same.
  void run_cycle(Cycle now);
  /// From now on the blocks of a cycle are stepped in an order drawn from `seed`. Results must not
  /// change; the option exists to prove that.
  void shuffle_step_order(std::uint64_t seed) { shuffle_.emplace(seed); }

  std::uint64_t steps() const { return steps_; }

 private:
  struct Entry {
    Steppable* block;
    Cycle last_step = kNever;    // drops a second wake-up for the same cycle
    Cycle last_queued = kNever;  // keeps a second one out of the calendar, if it comes at once
  };
  void begin_early(Cycle now);
  void step_block(BlockId id, Cycle now);

  std::vector<Entry> blocks_;
  std::vector<BlockId> early_;  // those of add_early()
  Calendar calendar_;
  std::vector<BlockId> due_;
  std::optional<std::mt19937_64> shuffle_;
  std::uint64_t steps_ = 0;
};

}  // namespace tessera::timing
