#include "models/observe/sorted_sink.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "models/observe/event_fields.h"

namespace tessera::observe {

namespace {

/// Blocks of a tile in the order in which data passes them; the compute engine is the last one.
std::ptrdiff_t block_rank(EventKind kind) {
  constexpr std::array kBefore = {EventKind::kEdgeIn, EventKind::kHop, EventKind::kEdgeOut,
                                  EventKind::kQueueIn};
  return std::find(kBefore.begin(), kBefore.end(), kind) - kBefore.begin();
}

/// Hops of one router leave through different ports, and a tile on a corner has two host edges.
unsigned port_rank(const Event& e) {
  const bool at_port =
      e.kind == EventKind::kHop || e.kind == EventKind::kEdgeIn || e.kind == EventKind::kEdgeOut;
  return at_port ? index(direction_of(e)) : 0;
}

bool earlier(const Event& a, const Event& b) {
  return std::make_tuple(a.cycle, a.place, block_rank(a.kind), port_rank(a)) <
         std::make_tuple(b.cycle, b.place, block_rank(b.kind), port_rank(b));
}

}  // namespace

void SortedSink::on_event(const Event& e) {
  buffer_.push_back(e);
  buffer_.back().cycle += origin_;
  newest_ = std::max(newest_, buffer_.back().cycle);
  if (buffer_.size() < limit_) return;
  hand_on(newest_ > kHorizon ? newest_ - kHorizon : 0);
  // A run that is dense in events may keep more than a batch inside the horizon: do not sort it
  // again at once.
  limit_ = buffer_.size() + kBatch;
}

void SortedSink::on_reset(Cycle origin) {
  const auto later = [origin](const Event& e) { return e.cycle > origin; };
  buffer_.erase(std::remove_if(buffer_.begin(), buffer_.end(), later), buffer_.end());
  newest_ = origin_ = origin;
}

void SortedSink::finish() {
  hand_on(kNever);
  on_end();
}

void SortedSink::hand_on(Cycle before) {
  std::stable_sort(buffer_.begin(), buffer_.end(), earlier);
  auto it = buffer_.begin();
  for (; it != buffer_.end() && it->cycle < before; ++it) on_sorted_event(*it);
  buffer_.erase(buffer_.begin(), it);
}

}  // namespace tessera::observe
