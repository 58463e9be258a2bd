#include "models/timing/scheduler.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "models/state/archive.h"

namespace tessera::timing {

BlockId Scheduler::add(Steppable& block) {
  blocks_.push_back({&block, kNever, kNever});
  return static_cast<BlockId>(blocks_.size() - 1);
}

BlockId Scheduler::add_early(Steppable& block) {
  early_.push_back(add(block));
  return early_.back();
}

void Scheduler::reset() {
  for (Entry& entry : blocks_) entry.last_step = entry.last_queued = kNever;
  calendar_ = Calendar();
}

void Scheduler::visit(state::Archive& archive, Cycle next) {
  std::vector<std::pair<Cycle, BlockId>> due;
  if (archive.saving()) {
    due = wake_ups();
    std::sort(due.begin(),
              due.end());  // the order of a cycle is that in which blocks were stepped before
  }
  archive(due);
  if (archive.saving()) return;
  reset();
  for (const auto& [at, block] : due) {
    if (at < next || block >= blocks_.size()) state::Archive::fail("it wakes what is not there");
    wake(block, at);
  }
}

void Scheduler::run_cycle(Cycle now) {
  calendar_.take(now, due_);
  begin_early(now);
  if (shuffle_) std::shuffle(due_.begin(), due_.end(), *shuffle_);
  // The cycle is completed also when a block fails, so that what was recorded of it and which
  // failure is reported do not depend on the order of the steps.
  std::exception_ptr failure;
  BlockId failed = 0;
  for (BlockId id : due_) {
    try {
      step_block(id, now);
    } catch (...) {
      if (failure && failed <= id) continue;
      failure = std::current_exception();
      failed = id;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void Scheduler::begin_early(Cycle now) {
  for (BlockId id : early_) {
    const auto end = std::remove(due_.begin(), due_.end(), id);  // it may stand there twice
    if (end == due_.end()) continue;
    due_.erase(end, due_.end());
    if (!due_.empty()) blocks_[id].block->begin(now);
    due_.push_back(id);
  }
}

void Scheduler::step_block(BlockId id, Cycle now) {
  Entry& entry = blocks_[id];
  if (entry.last_step == now) return;
  entry.last_step = now;
  ++steps_;
  const Cycle next = entry.block->step(now);
  if (next == kNever) return;
  if (next <= now) throw std::logic_error("a block asked to be stepped in a cycle that is over");
  wake(id, next);
}

}  // namespace tessera::timing
