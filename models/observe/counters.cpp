#include "models/observe/counters.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/observe/event_fields.h"

namespace tessera::observe {

namespace {

constexpr std::size_t index_of(Counter counter) {
  return static_cast<std::size_t>(counter);
}

constexpr std::array<Counter, kDirectionCount> kHopCounters = {  // as Direction
    Counter::kHopsWest, Counter::kHopsEast, Counter::kHopsSouth, Counter::kHopsNorth,
    Counter::kOffRampWavelets};
static_assert(index(Direction::kRamp) == kDirectionCount - 1,
              "tile() sums the directions before it");

/// A counter that every event of a kind increases by one.
struct Counted {
  EventKind kind;
  Counter counter;
};
constexpr std::array<Counted, 9> kCounted = {{
    {EventKind::kQueueIn, Counter::kInputQueueWrites},
    {EventKind::kQueueOut, Counter::kOutputQueueWrites},
    {EventKind::kTaskStart, Counter::kTasksStarted},
    {EventKind::kIssue, Counter::kInstructionsIssued},
    {EventKind::kIssue, Counter::kBusyIssueCycles},
    {EventKind::kCompute, Counter::kBusyIssueCycles},
    {EventKind::kOpStart, Counter::kDsdOperations},
    {EventKind::kEdgeIn, Counter::kEdgeWaveletsIn},
    {EventKind::kEdgeOut, Counter::kEdgeWaveletsOut},
}};

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
      {C::kTasksStarted, "tasks_started", "tasks",
       "tasks, launched functions and commands of the host started"},
      {C::kInstructionsIssued, "instructions_issued", "instructions",
       "uses of an issue slot by an instruction"},
      {C::kBusyIssueCycles, "busy_issue_cycles", "cycles",
       "cycles in which an issue slot was used, by an instruction or by a group of a DSD "
       "operation, added over all tiles"},
      {C::kDsdOperations, "dsd_operations", "operations", "DSD operations dispatched"},
      {C::kVectorElements, "vector_elements", "elements", "elements that DSD operations executed"},
      {C::kEdgeWaveletsIn, "edge_wavelets_in", "wavelets",
       "wavelets that the host put on a link at the rim or into a PE"},
      {C::kEdgeWaveletsOut, "edge_wavelets_out", "wavelets",
       "wavelets that the host took from a link at the rim or from a PE"},
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

namespace {

/// Kinds of events that change a counter, a bit each.
std::uint32_t kinds_for(Counter counter) {
  const auto bit = [](EventKind kind) { return 1U << static_cast<unsigned>(kind); };
  std::uint32_t kinds = counter == Counter::kVectorElements ? bit(EventKind::kCompute) : 0;
  const bool of_hops =
      std::find(kHopCounters.begin(), kHopCounters.end(), counter) != kHopCounters.end();
  if (of_hops || counter == Counter::kHops) kinds |= bit(EventKind::kHop);
  for (const Counted& row : kCounted) kinds |= row.counter == counter ? bit(row.kind) : 0;
  return kinds;
}

}  // namespace

Counters::Counters(unsigned width, unsigned height, std::optional<Counter> only)
    : width_(width), height_(height), tile_kinds_(only ? kinds_for(*only) : ~0U),
      tiles_(std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(width) * height *
                                                          kTileCounterCount)) {}

void Counters::collect(Counters& other) {
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] += other.seen_[i];
  elements_ += other.elements_;
  last_ = std::max(last_, other.last_);
  other.clear_totals();
}

void Counters::count_tile(const Event& e) {
  if (e.kind == EventKind::kHop) add(e.place, kHopCounters[index(direction_of(e))], 1);
  if (e.kind == EventKind::kCompute) add(e.place, Counter::kVectorElements, e.b);
  for (const Counted& row : kCounted) {
    const bool step = e.kind == EventKind::kCompute && e.a >> 8 == kStepOfMain;
    if (row.kind == e.kind && !step) add(e.place, row.counter, 1);
  }
}

void Counters::add(std::uint32_t place, Counter counter, std::uint32_t amount) {
  const std::size_t slot = std::size_t{place} * kTileCounterCount + index_of(counter);
  if (slot >= tiles_->size()) return;
  std::uint32_t& count = (*tiles_)[slot];
  count += std::min(std::numeric_limits<std::uint32_t>::max() - count, amount);
}

std::uint64_t Counters::seen(EventKind kind) const {
  const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(kind) * kClassesPerKind;
  return std::accumulate(first, first + kClassesPerKind, std::uint64_t{0});
}

std::uint64_t Counters::hops(Direction d) const {
  return seen_[class_of({0, 0, EventKind::kHop, index(d) << 8, 0})];
}

std::uint64_t Counters::total(Counter counter) const {
  if (counter == Counter::kLastEventCycle) return last_;
  if (counter == Counter::kVectorElements) return elements_;
  if (counter == Counter::kHops) return seen(EventKind::kHop) - hops(Direction::kRamp);
  std::uint64_t sum = 0;
  if (counter == Counter::kBusyIssueCycles)
    sum -= seen_[class_of({0, 0, EventKind::kCompute, kStepOfMain << 8, 0})];
  for (Direction d : kAllDirections) sum += kHopCounters[index(d)] == counter ? hops(d) : 0;
  for (const Counted& row : kCounted) sum += row.counter == counter ? seen(row.kind) : 0;
  return sum;
}

std::uint32_t Counters::tile(std::uint32_t place, Counter counter) const {
  const std::uint32_t* row = &(*tiles_)[std::size_t{place} * kTileCounterCount];
  if (counter == Counter::kLastEventCycle) return 0;
  if (counter != Counter::kHops) return row[index_of(counter)];
  std::uint64_t sum = 0;
  for (unsigned d = 0; d < index(Direction::kRamp); ++d) sum += row[index_of(kHopCounters[d])];
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace tessera::observe
