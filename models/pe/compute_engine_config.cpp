// The configuration space as the program sees it (reference wse.md 1.7, 1.9, 1.10, 2.4): registers of the
// router, and those of the compute engine itself.
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

namespace {

using config_space::Address;

/// Cycles from a write until the next instruction issues: it finds the new value.
constexpr unsigned kWriteCycles = 2;
constexpr unsigned kHalfOfColors = 16;
constexpr std::uint32_t kQueueMask = (1U << kMaxQueues) - 1;

}  // namespace

// wse.md 1.9: entering teardown makes the color pending and activates the teardown task.
void ComputeEngineCore::take_teardowns(Cycle now) {
  std::vector<TeardownNotice>& notices = extras_->teardowns;
  for (std::size_t i = 0; i < notices.size();) {
    if (notices[i].due > now) {
      ++i;
      continue;
    }
    extras_->teardowns_pending |= 1U << notices[i].color.value();
    tasks_.activate(TaskId(kTeardownTask));
    notices.erase(notices.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// wse.md 2.4: a queue whose flush was asked for is empty: the teardown task becomes active.
void ComputeEngineCore::take_flushes(Cycle now) {
  const auto take = [this](Flush& flush, std::uint32_t empty) {
    const std::uint32_t done = flush.asked & empty;
    if (done == 0) return;
    flush.asked &= ~done;
    flush.flushed |= done;
    tasks_.activate(TaskId(kTeardownTask));
  };
  take(extras_->input_flush, empty_inputs(now));
  take(extras_->output_flush, empty_outputs(now));
}

// A wavelet on its way does not count: whether its router was stepped already must not matter.
std::uint32_t ComputeEngineCore::empty_inputs(Cycle now) const {
  std::uint32_t empty = kQueueMask;
  for (const QueueBinding& queue : image().queues) {
    if (queue.input && queues_.ready_at(queue.id) <= now) empty &= ~(1U << queue.id.value());
  }
  return empty;
}

std::uint32_t ComputeEngineCore::empty_outputs(Cycle now) const {
  std::uint32_t empty = kQueueMask;
  for (const QueueBinding& queue : image().queues) {
    const OutputUse& use = output_uses_[queue.id.value()];
    if (queue.input || use.capacity == 0) continue;  // not used yet
    if (queues_.room(queue.id, now) < use.capacity) empty &= ~(1U << queue.id.value());
  }
  return empty;
}

std::uint16_t ComputeEngineCore::read_config(std::uint32_t address, Cycle now) {
  const auto at = static_cast<Address>(address);
  if (config_space::is_router(at, image().generation) && config_ != nullptr)
    return config_->read_config(at, now);
  const bool wse3 = image().generation == Generation::kWse3;
  switch (at) {
  case config_space::kTeardownPendingLow:
    return take_pending(0);
  case config_space::kTeardownPendingHigh:
    return take_pending(kHalfOfColors);
  case config_space::kInputEmpty:
    return static_cast<std::uint16_t>(empty_inputs(now));
  case config_space::kOutputEmpty:
    return static_cast<std::uint16_t>(empty_outputs(now));
  case config_space::kInputFlush:
    if (wse3) return static_cast<std::uint16_t>(extras().input_flush.flushed);
    break;
  case config_space::kOutputFlush:
    if (wse3) return static_cast<std::uint16_t>(extras().output_flush.flushed);
    break;
  default:
    break;
  }
  fail(Illegal::kConfigAddress, main_.pc - 1,
       "ldcfg of word address " + std::to_string(at) + ", where no register can be read");
}

// wse.md 1.9: only the first read of the pending colors in a task is reliable; it clears them.
std::uint16_t ComputeEngineCore::take_pending(unsigned shift) {
  const std::uint32_t pending = extras().teardowns_pending >> shift & 0xFFFFU;
  extras().teardowns_pending &= ~(0xFFFFU << shift);
  return static_cast<std::uint16_t>(pending);
}

void ComputeEngineCore::write_config(std::uint32_t address, std::uint32_t value, Cycle now) {
  const auto at = static_cast<Address>(address);
  main_.ready_at = now + kWriteCycles;
  if (config_space::is_router(at, image().generation) && config_ != nullptr) {
    const auto word = static_cast<std::uint16_t>(value);
    const std::string problem = config_->why_illegal(at, word);
    if (!problem.empty()) {
      fail(Illegal::kConfigValue, main_.pc - 1,
           "stcfg to word address " + std::to_string(at) + ": " + problem);
    }
    config_->write_config(at, word, now + 1);
  } else if (image().generation != Generation::kWse3 || !write_queue_register(at, value, now)) {
    fail(Illegal::kConfigAddress, main_.pc - 1,
         "stcfg to word address " + std::to_string(at) + ", where no register can be written");
  }
}

// wse.md 2.2, 2.4: flush and rebinding of queues on WSE-3. False: there is no such register.
bool ComputeEngineCore::write_queue_register(Address at, std::uint32_t value, Cycle now) {
  const std::uint32_t mask = value & kQueueMask;
  switch (at) {
  case config_space::kInputFlush:
    extras().input_flush.asked |= mask;
    return true;
  case config_space::kOutputFlush:
    extras().output_flush.asked |= mask;
    return true;
  case config_space::kInputFlushExit:
    extras().input_flush.flushed &= ~mask;
    return true;
  case config_space::kOutputFlushExit:
    extras().output_flush.flushed &= ~mask;
    return true;
  default:
    break;
  }
  if (!config_space::is_output_color(at)) return false;
  const unsigned queue = at - config_space::kOutputColorBase;
  if (value >= kColorCount || image().find_queue(false, QueueId(queue)) == nullptr) return false;
  if ((empty_outputs(now) >> queue & 1U) == 0) {
    fail(Illegal::kQueueReuse, main_.pc - 1,
         "output queue " + std::to_string(queue) + " is bound to color " + std::to_string(value) +
             " while it holds wavelets of color " +
             std::to_string(
                 extras().output_colors[queue].value_or(output_uses_[queue].color).value()) +
             ", which would go out on color " + std::to_string(value));
  }
  for (const Operation& op : operations_) {
    if (op.complete() || !op.uses_output(QueueId(queue))) continue;
    fail(Illegal::kQueueReuse, main_.pc - 1,
         "output queue " + std::to_string(queue) + " is bound to color " + std::to_string(value) +
             " while it is still written by " + describe(op));
  }
  extras().output_colors[queue] = Color(value);
  return true;
}

}  // namespace tessera::pe
