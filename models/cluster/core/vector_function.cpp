#include "models/cluster/core/vector_function.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

unsigned physical(const RegisterOperation& op) {
  const std::uint64_t bytes = std::uint64_t{op.lanes} * bits_of(op.element) / 8;
  return static_cast<unsigned>(
      std::max<std::uint64_t>(1, (bytes + kRegisterBytes - 1) / kRegisterBytes));
}

PipelineStep step_of(const RegisterOperation& op) {
  PipelineStep step;
  step.unit = op.unit;
  step.is_half = bits_of(op.element) == 16;
  step.is_splat = op.function == RegisterFunction::kSplat;
  step.is_selection = op.function == RegisterFunction::kSelect;
  step.is_load = loads_from_ub(op.function);
  step.is_store = stores_to_ub(op.function);
  // What is timing only says by its unit what it accesses.
  if (op.function == RegisterFunction::kNoValues) {
    step.is_load = op.unit == RegisterUnit::kLoad;
    step.is_store = op.unit == RegisterUnit::kStore;
  }
  return step;
}

}  // namespace

std::uint32_t& RegisterSchedule::writer(std::uint16_t r) {
  if (r >= writers_.size()) writers_.resize(r + 1U, kNobody);
  return writers_[r];
}

void RegisterSchedule::add(const RegisterOperation& op, std::uintptr_t place) {
  if (op.function == RegisterFunction::kBarrier) {
    is_fenced_ = true;
    return;
  }
  if (op.unit == RegisterUnit::kNone) {  // registers are renamed
    const std::uint16_t from = op.sources[0];
    const std::uint32_t value = from == kNoRegister ? kNobody : writer(from);
    for (const std::uint16_t r : op.results)
      if (r != kNoRegister) writer(r) = value;
    return;
  }
  PipelineStep step = step_of(op);
  const auto read = [&](std::uint16_t r) {
    if (r != kNoRegister && writer(r) != kNobody) step.producers.push_back(writer(r));
  };
  read(op.mask);
  for (const std::uint16_t r : op.sources) read(r);
  step.has_result = op.unit != RegisterUnit::kMask && op.results[0] != kNoRegister;
  step.name = op.results[0];
  step.after_fence = is_fenced_ && (step.is_load || step.is_store);
  if (step.after_fence) is_fenced_ = false;
  step.opens_loop = leaves_loop(place);
  for (unsigned n = physical(op); n > 0; --n) {
    steps_.push_back(step);
    step.after_fence = step.opens_loop = false;
  }
  for (const std::uint16_t r : op.results)
    if (r != kNoRegister) writer(r) = static_cast<std::uint32_t>(steps_.size() - 1);
}

// Instructions lie in the order of the text: one that comes before the last one repeats a loop, and the first one after
// its end leaves it.
bool RegisterSchedule::leaves_loop(std::uintptr_t place) {
  const bool leaves = loop_end_ != 0 && place > loop_end_;
  if (leaves) loop_end_ = 0;
  if (last_ != 0 && place <= last_) loop_end_ = last_;
  last_ = place;
  return leaves;
}

void RegisterTrace::note(const RegisterStep& step, std::int64_t capacity) {
  Range& range = ranges[step.operand];
  const std::int64_t end = step.address + reach_of(step, capacity);
  const bool is_new = range.first == range.end;
  range.first = is_new ? step.address : std::min(range.first, step.address);
  range.end = is_new ? end : std::max(range.end, end);
}

}  // namespace tessera::cluster
