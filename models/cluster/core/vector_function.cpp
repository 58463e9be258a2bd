#include "models/cluster/core/vector_function.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

constexpr Cycle kStart = 23, kDrain = 12;
constexpr unsigned kIssuePorts = 2, kUbPorts = 2;

/// Cycles from the start of an instruction to its result, and to the next instruction of its unit
/// (ascend.md 4.1; the intervals are the rates of 4.3: 64 floats in a cycle, 16 of exp and division).
struct UnitCost {
  Cycle latency, interval;
};
constexpr std::array<UnitCost, kRegisterUnitCount> kCosts = {{
    {0, 0},   // none
    {9, 0},   // load: bound by the ports of UB
    {9, 1},   // store
    {7, 1},   // add, subtract, logic
    {8, 1},   // multiply
    {6, 1},   // maximum, minimum
    {6, 1},   // select, compare
    {5, 1},   // abs, relu, not
    {16, 4},  // exp, ln, sqrt
    {17, 4},  // divide
    {7, 1},   // convert
    {22, 1},  // sum of all lanes
    {16, 1},  // extreme of all lanes
    {13, 1},  // sum or extreme of each block
    {9, 2},   // gather, scatter: 32 elements of 32 bits in a cycle
    {1, 1},   // masks
}};

bool stores(RegisterFunction f) {
  return f == RegisterFunction::kStore || f == RegisterFunction::kScatter;
}

unsigned physical(const RegisterOperation& op) {
  const std::uint64_t bytes = std::uint64_t{op.lanes} * bits_of(op.element) / 8;
  return static_cast<unsigned>(
      std::max<std::uint64_t>(1, (bytes + kRegisterBytes - 1) / kRegisterBytes));
}

}  // namespace

Cycle& RegisterSchedule::ready(std::uint16_t r) {
  if (r >= ready_.size()) ready_.resize(r + 1U, 0);
  return ready_[r];
}

// An instruction takes the place in the queue of the one 58 before it, which has started.
Cycle RegisterSchedule::dispatch() {
  const Cycle in_order = dispatched_ / kIssuePorts;
  return std::max(in_order, starts_[dispatched_ % kQueue]);
}

bool RegisterSchedule::is_free(const RegisterOperation& op, Cycle start, Cycle interval) const {
  const Calendar& unit = units_[static_cast<unsigned>(op.unit)];
  for (Cycle c = start; c < start + interval; ++c)
    if (unit.at(c) > 0) return false;
  if (!accesses_ub(op.function)) return true;
  return ub_.at(start) < kUbPorts && (!stores(op.function) || stores_of_ub_.at(start) == 0);
}

void RegisterSchedule::issue(const RegisterOperation& op, Cycle sources) {
  const UnitCost cost = kCosts[static_cast<unsigned>(op.unit)];
  Cycle start = std::max({dispatch(), sources, fence_});
  while (!is_free(op, start, cost.interval)) ++start;
  for (Cycle c = start; c < start + cost.interval; ++c)
    units_[static_cast<unsigned>(op.unit)].take(c);
  starts_[dispatched_++ % kQueue] = start;
  const Cycle done = start + cost.latency;
  if (accesses_ub(op.function)) {
    ub_.take(start);
    if (stores(op.function)) stores_of_ub_.take(start);
    accesses_done_ = std::max(accesses_done_, done);
  }
  for (const std::uint16_t r : op.results)
    if (r != kNoRegister) ready(r) = done;
  end_ = std::max(end_, done);
}

void RegisterSchedule::add(const RegisterOperation& op) {
  Cycle sources = op.mask == kNoRegister ? 0 : ready(op.mask);
  for (const std::uint16_t r : op.sources)
    if (r != kNoRegister) sources = std::max(sources, ready(r));
  if (op.function == RegisterFunction::kBarrier) {
    fence_ = std::max(fence_, accesses_done_);
    return;
  }
  if (op.unit == RegisterUnit::kNone) {
    for (const std::uint16_t r : op.results)
      if (r != kNoRegister) ready(r) = sources;
    return;
  }
  for (unsigned n = physical(op); n > 0; --n) issue(op, sources);
}

Cycle RegisterSchedule::cycles() const {
  return kStart + end_ + kDrain;
}

void RegisterTrace::note(const RegisterStep& step, std::int64_t capacity) {
  Range& range = ranges[step.operation->operand];
  const std::int64_t end = step.address + reach_of(step, capacity);
  const bool is_new = range.first == range.end;
  range.first = is_new ? step.address : std::min(range.first, step.address);
  range.end = is_new ? end : std::max(range.end, end);
}

}  // namespace tessera::cluster
