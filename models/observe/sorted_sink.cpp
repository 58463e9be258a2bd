#include "models/observe/sorted_sink.h"

#include <algorithm>
#include <utility>

#include "models/observe/event_fields.h"

namespace tessera::observe {

namespace {

/// Kinds of which a block knows the cycle before it comes, and those that a recorder adds.
bool may_be_ahead(EventKind kind) {
  if (static_cast<unsigned>(kind) >= kEventKindCount) return true;
  return kind == EventKind::kQueueIn || kind == EventKind::kTaskEnd ||
         kind == EventKind::kPipeEnd || kind == EventKind::kTeardown;
}

/// Blocks of a tile in the order in which data passes them; the compute engine is the last one.
unsigned block_rank(EventKind kind) {
  switch (kind) {
  case EventKind::kEdgeIn:
    return 0;
  case EventKind::kHop:
    return 1;
  case EventKind::kEdgeOut:
    return 2;
  case EventKind::kQueueIn:
    return 3;
  default:
    return 4;
  }
}

/// Hops of one router leave through different ports, and a tile on a corner has two host edges.
unsigned port_rank(const Event& e) {
  const bool at_port =
      e.kind == EventKind::kHop || e.kind == EventKind::kEdgeIn || e.kind == EventKind::kEdgeOut;
  return at_port ? index(direction_of(e)) : 0;
}

// Order of the events of a cycle as one number: tile, block, port, and place in the sequence.
constexpr unsigned kSequenceBits = 26, kPortBits = 3, kRankBits = 3;

std::uint64_t order_of(const Event& e, std::size_t number) {
  const std::uint64_t block = std::uint64_t{e.place} << kRankBits | block_rank(e.kind);
  return (block << kPortBits | port_rank(e)) << kSequenceBits | number;
}

}  // namespace

void SortedSink::on_event(const Event& announced) {
  Event e = announced;
  e.cycle += origin_;
  if (e.cycle > cycle_ && !may_be_ahead(e.kind)) hand_on_before(e.cycle);
  if (!takes(e)) return;
  const bool ahead = e.cycle > cycle_;
  const auto late = static_cast<std::uint16_t>(ahead ? 0 : cycle_ - e.cycle);
  (ahead ? ahead_[e.cycle] : events_).push_back({e.ident, e.place, e.a, e.b, e.kind, late});
}

void SortedSink::on_reset(Cycle origin) {
  ahead_.erase(ahead_.upper_bound(origin), ahead_.end());
  if (origin > cycle_) hand_on_before(origin);
  origin_ = origin;
  on_machine_reset(origin);
}

void SortedSink::finish() {
  hand_on_before(kNever);
  on_end();
}

void SortedSink::hand_on_before(Cycle cycle) {
  hand_on(events_, cycle_);
  events_.clear();
  auto next = ahead_.begin();
  for (; next != ahead_.end() && next->first < cycle; ++next) hand_on(next->second, next->first);
  if (next != ahead_.end() && next->first == cycle) events_ = std::move((next++)->second);
  ahead_.erase(ahead_.begin(), next);
  cycle_ = cycle;
}

void SortedSink::hand_on(const Events& events, Cycle cycle) {
  const auto event = [&](std::size_t i) -> Event {
    const Held& e = events[i];
    return {cycle - e.late, e.place, e.kind, e.a, e.b, e.ident};
  };
  order_.clear();
  order_.reserve(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) order_.push_back(order_of(event(i), i));
  std::sort(order_.begin(), order_.end());
  constexpr std::uint64_t kSequence = (1U << kSequenceBits) - 1;
  for (const std::uint64_t order : order_)
    on_sorted_event(event(static_cast<std::size_t>(order & kSequence)));
}

}  // namespace tessera::observe
