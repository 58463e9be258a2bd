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

Counters::Counters(unsigned width, unsigned height, const std::vector<Counter>& kept)
    : width_(width), height_(height) {
  slot_of_.fill(kNoSlot);
  for (unsigned i = 0; i < kTileCounterCount; ++i) {
    const bool is_kept =
        kept.empty() || std::count(kept.begin(), kept.end(), static_cast<Counter>(i)) != 0;
    if (is_kept) slot_of_[i] = static_cast<Slot>(kept_++);
  }
  slots_of_class_.fill({kNoSlot, kNoSlot});
  for (unsigned low = 0; low < kClassesPerKind; ++low) {
    for (const Counted& row : kCounted) {
      const bool step = row.kind == EventKind::kCompute && low == kStepOfMain;
      if (!step) note(first_class_of(row.kind) + low, row.counter);
    }
    note(first_class_of(EventKind::kCompute) + low, Counter::kVectorElements);
    if (low < kDirectionCount) note(first_class_of(EventKind::kHop) + low, kHopCounters[low]);
  }
  tiles_ = std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(width) * height *
                                                        kept_);
}

void Counters::collect(Counters& other) {
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] += other.seen_[i];
  elements_ += other.elements_;
  last_ = std::max(last_, other.last_);
  other.clear_totals();
}

void Counters::note(std::size_t of_class, Counter counter) {
  SlotsOfClass& slots = slots_of_class_[of_class];
  const Slot slot = slot_of_[index_of(counter)];
  if (slot != kNoSlot) slots[slots[0] == kNoSlot ? 0 : 1] = slot;
}

std::vector<Counter> Counters::kept() const {
  std::vector<Counter> counters;
  for (unsigned i = 0; i < kTileCounterCount; ++i) {
    if (has_tiles() && slot_of_[i] != kNoSlot) counters.push_back(static_cast<Counter>(i));
  }
  return counters;
}

std::uint32_t Counters::kept(std::uint32_t place, Counter counter) const {
  const Slot slot = slot_of_[index_of(counter)];
  return slot == kNoSlot ? 0 : (*tiles_)[std::size_t{place} * kept_ + slot];
}

Counters::State Counters::state() const {
  State state;
  state.totals.assign(seen_.begin(), seen_.end());
  state.totals.push_back(elements_);
  state.last = last_;
  if (tiles_ != nullptr) state.tiles = *tiles_;
  return state;
}

void Counters::add(const State& state) {
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] += state.totals[i];
  elements_ += state.totals.back();
  last_ = std::max(last_, state.last);
  for (std::size_t i = 0; i < state.tiles.size(); ++i) (*tiles_)[i] += state.tiles[i];
}

std::uint64_t Counters::seen(EventKind kind) const {
  const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(first_class_of(kind));
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
  if (counter == Counter::kLastEventCycle) return 0;
  if (counter != Counter::kHops) return kept(place, counter);
  std::uint64_t sum = 0;
  for (unsigned d = 0; d < index(Direction::kRamp); ++d) sum += kept(place, kHopCounters[d]);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace tessera::observe
