#include "models/observe/counters.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include "models/observe/event_fields.h"

namespace tessera::observe {

namespace {

constexpr std::size_t index_of(Counter counter) {
  return static_cast<std::size_t>(counter);
}

Counter hop_counter(Direction d) {
  switch (d) {
  case Direction::kEast:
    return Counter::kHopsEast;
  case Direction::kWest:
    return Counter::kHopsWest;
  case Direction::kNorth:
    return Counter::kHopsNorth;
  case Direction::kSouth:
    return Counter::kHopsSouth;
  case Direction::kRamp:
    break;
  }
  return Counter::kOffRampWavelets;
}

constexpr std::array<Counter, 4> kHopCounters = {Counter::kHopsEast, Counter::kHopsWest,
                                                 Counter::kHopsNorth, Counter::kHopsSouth};

}  // namespace

const std::array<CounterInfo, kCounterCount>& counter_table() {
  using C = Counter;
  static constexpr std::array<CounterInfo, kCounterCount> kTable = {{
      {C::kHopsEast, "hops_east", "wavelets", "wavelets that left a router through EAST"},
      {C::kHopsWest, "hops_west", "wavelets", "wavelets that left a router through WEST"},
      {C::kHopsNorth, "hops_north", "wavelets", "wavelets that left a router through NORTH"},
      {C::kHopsSouth, "hops_south", "wavelets", "wavelets that left a router through SOUTH"},
      {C::kOffRampWavelets, "off_ramp_wavelets", "wavelets",
       "wavelets that left a router through RAMP, down to the compute engine"},
      {C::kInputQueueWrites, "input_queue_writes", "wavelets",
       "wavelets that entered an input queue"},
      {C::kOutputQueueWrites, "output_queue_writes", "wavelets",
       "wavelets that a compute engine wrote to an output queue, up to the router"},
      {C::kTasksStarted, "tasks_started", "tasks", "tasks and launched functions started"},
      {C::kInstructionsIssued, "instructions_issued", "instructions",
       "uses of an issue slot by an instruction"},
      {C::kBusyIssueCycles, "busy_issue_cycles", "cycles",
       "cycles in which an issue slot was used, by an instruction or by a group of a DSD "
       "operation, added over all tiles"},
      {C::kDsdOperations, "dsd_operations", "operations", "DSD operations dispatched"},
      {C::kVectorElements, "vector_elements", "elements", "elements that DSD operations executed"},
      {C::kEdgeWaveletsIn, "edge_wavelets_in", "wavelets",
       "wavelets that the host put on a link at the rim"},
      {C::kEdgeWaveletsOut, "edge_wavelets_out", "wavelets",
       "wavelets that the host took from a link at the rim"},
      {C::kHops, "hops", "wavelets", "wavelets that left a router towards a neighbour or the rim"},
      {C::kLastEventCycle, "last_event_cycle", "cycles", "cycle of the last event"},
  }};
  return kTable;
}

std::optional<Counter> find_counter(std::string_view name) {
  for (const CounterInfo& row : counter_table()) {
    if (row.name == name) return row.counter;
  }
  return std::nullopt;
}

Counters::Counters(unsigned width, unsigned height)
    : width_(width), height_(height),
      tiles_(static_cast<std::size_t>(width) * height * kTileCounterCount) {}

void Counters::count_tile(std::uint32_t place, EventKind kind, std::uint32_t a, std::uint32_t b) {
  switch (kind) {
  case EventKind::kHop:
    return add(place, hop_counter(direction_of({0, place, kind, a, b})), 1);
  case EventKind::kQueueIn:
    return add(place, Counter::kInputQueueWrites, 1);
  case EventKind::kQueueOut:
    return add(place, Counter::kOutputQueueWrites, 1);
  case EventKind::kTaskStart:
    return add(place, Counter::kTasksStarted, 1);
  case EventKind::kIssue:
    add(place, Counter::kInstructionsIssued, 1);
    return add(place, Counter::kBusyIssueCycles, 1);
  case EventKind::kCompute:
    add(place, Counter::kVectorElements, b);
    return add(place, Counter::kBusyIssueCycles, 1);
  case EventKind::kOpStart:
    return add(place, Counter::kDsdOperations, 1);
  case EventKind::kEdgeIn:
    return add(place, Counter::kEdgeWaveletsIn, 1);
  case EventKind::kEdgeOut:
    return add(place, Counter::kEdgeWaveletsOut, 1);
  case EventKind::kTaskEnd:
  case EventKind::kOpEnd:
  case EventKind::kSwitch:
  case EventKind::kTeardown:
  case EventKind::kVfsmMove:
  case EventKind::kVfsmTake:
  case EventKind::kSchedule:
  case EventKind::kWordOut:
  case EventKind::kWordIn:
  case EventKind::kPipeStart:
  case EventKind::kPipeEnd:
  case EventKind::kFlag:
  case EventKind::kSignal:
  case EventKind::kGrant:
  case EventKind::kPipeWait:
    return;
  }
}

void Counters::add(std::uint32_t place, Counter counter, std::uint32_t amount) {
  const std::size_t slot = std::size_t{place} * kTileCounterCount + index_of(counter);
  if (slot >= tiles_.size()) return;
  const std::uint32_t room = std::numeric_limits<std::uint32_t>::max() - tiles_[slot];
  tiles_[slot] += std::min(room, amount);
}

std::uint64_t Counters::seen(EventKind kind) const {
  const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(kind) * kClassesPerKind;
  return std::accumulate(first, first + kClassesPerKind, std::uint64_t{0});
}

std::uint64_t Counters::hops(Direction d) const {
  return seen_[class_of({0, 0, EventKind::kHop, index(d) << 8, 0})];
}

std::uint64_t Counters::total(Counter counter) const {
  switch (counter) {
  case Counter::kHopsEast:
    return hops(Direction::kEast);
  case Counter::kHopsWest:
    return hops(Direction::kWest);
  case Counter::kHopsNorth:
    return hops(Direction::kNorth);
  case Counter::kHopsSouth:
    return hops(Direction::kSouth);
  case Counter::kOffRampWavelets:
    return hops(Direction::kRamp);
  case Counter::kInputQueueWrites:
    return seen(EventKind::kQueueIn);
  case Counter::kOutputQueueWrites:
    return seen(EventKind::kQueueOut);
  case Counter::kTasksStarted:
    return seen(EventKind::kTaskStart);
  case Counter::kInstructionsIssued:
    return seen(EventKind::kIssue);
  case Counter::kBusyIssueCycles:
    return seen(EventKind::kIssue) + seen(EventKind::kCompute);
  case Counter::kDsdOperations:
    return seen(EventKind::kOpStart);
  case Counter::kVectorElements:
    return elements_;
  case Counter::kEdgeWaveletsIn:
    return seen(EventKind::kEdgeIn);
  case Counter::kEdgeWaveletsOut:
    return seen(EventKind::kEdgeOut);
  case Counter::kHops:
    return seen(EventKind::kHop) - hops(Direction::kRamp);
  case Counter::kLastEventCycle:
    return last_;
  }
  return 0;
}

std::uint32_t Counters::tile(std::uint32_t place, Counter counter) const {
  const std::uint32_t* row = &tiles_[std::size_t{place} * kTileCounterCount];
  if (counter == Counter::kLastEventCycle) return 0;
  if (counter != Counter::kHops) return row[index_of(counter)];
  std::uint64_t sum = 0;
  for (Counter part : kHopCounters) sum += row[index_of(part)];
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace tessera::observe
