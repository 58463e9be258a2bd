#include "models/timing/scheduler.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace tessera::timing {

BlockId Scheduler::add(Steppable& block) {
  blocks_.push_back({&block, kNever});
  return static_cast<BlockId>(blocks_.size() - 1);
}

void Scheduler::wake(BlockId block, Cycle at) {
  assert(block < blocks_.size());
  calendar_.insert(block, at);
}

void Scheduler::run_cycle(Cycle now) {
  calendar_.take(now, due_);
  if (shuffle_) std::shuffle(due_.begin(), due_.end(), *shuffle_);
  for (BlockId id : due_) {
    Entry& entry = blocks_[id];
    if (entry.last_step == now) continue;
    entry.last_step = now;
    ++steps_;
    const Cycle next = entry.block->step(now);
    if (next == kNever) continue;
    if (next <= now) throw std::logic_error("a block asked to be stepped in a cycle that is over");
    calendar_.insert(id, next);
  }
}

}  // namespace tessera::timing
