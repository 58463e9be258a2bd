#include "models/observe/wavelet_tracker.h"

#include <algorithm>

namespace tessera::observe {

WaveletTracker::WaveletTracker(unsigned width, unsigned height, unsigned hop_latency)
    : width_(std::max(width, 1U)), height_(height), hop_latency_(hop_latency) {}

std::uint64_t WaveletTracker::key(std::uint32_t place, Direction port, unsigned color) {
  return (std::uint64_t{place} * kDirectionCount + index(port)) << 8 | color;
}

std::optional<std::uint32_t> WaveletTracker::neighbour_of(std::uint32_t place, Direction d) const {
  if (d == Direction::kRamp) return std::nullopt;
  const TileCoord here{static_cast<int>(place % width_), static_cast<int>(place / width_)};
  const TileCoord there = neighbour(here, d);
  const bool inside = there.x >= 0 && there.y >= 0 && there.x < static_cast<int>(width_) &&
                      there.y < static_cast<int>(height_);
  if (!inside) return std::nullopt;
  return static_cast<std::uint32_t>(there.y) * width_ + static_cast<std::uint32_t>(there.x);
}

void WaveletTracker::written(const Event& e) {
  TrackedWavelet w;
  w.ident = (std::uint64_t{e.place} + 1) << 32 | sent_[e.place]++;
  w.payload = e.b;
  w.since = e.cycle;
  w.queue = queue_of(e);
  waiting_[key(e.place, Direction::kRamp, queue_color_of(e))].push_back(w);
}

const TrackedWavelet& WaveletTracker::entered(const Event& e) {
  TrackedWavelet w;
  w.ident = ++entered_;  // high half 0: the host
  w.payload = e.b;
  w.from = direction_of(e);
  w.since = e.cycle + hop_latency_;
  Fifo& fifo = waiting_[key(e.place, w.from, color_of(e))];
  fifo.push_back(w);
  return fifo.back();
}

WaveletTracker::Departure WaveletTracker::departed(const Event& e) {
  const Direction out = direction_of(e);
  Departure departure;
  if (TrackedWavelet* found = find(e)) {
    departure.first = found->left.empty();
    departure.wavelet = *found;
    found->left.insert(out);
  } else {  // nobody announced it (a model without queue events): it starts here
    departure.wavelet.ident = (std::uint64_t{e.place} + 1) << 32 | sent_[e.place]++;
    departure.wavelet.payload = e.b;
    departure.wavelet.since = e.cycle;
  }
  if (const auto next = neighbour_of(e.place, out)) {
    TrackedWavelet copy = departure.wavelet;
    copy.from = opposite(out);
    copy.since = e.cycle + hop_latency_;
    copy.left = {};
    waiting_[key(*next, copy.from, color_of(e))].push_back(copy);
  }
  return departure;
}

// Of the heads of this color that carry the payload and have no copy through this port yet, the one
// that waits longest.
TrackedWavelet* WaveletTracker::find(const Event& e) {
  const Direction out = direction_of(e);
  TrackedWavelet* best = nullptr;
  for (const Direction port : kAllDirections) {
    const auto it = waiting_.find(key(e.place, port, color_of(e)));
    if (it == waiting_.end()) continue;
    Fifo& fifo = it->second;
    // A head that sends once more through a port it has used is another wavelet: all copies of the
    // first have left.
    auto head = fifo.begin();
    while (head != fifo.end() && head->left.contains(out)) ++head;
    if (head == fifo.end() || head->payload != e.b || head->since > e.cycle) continue;
    if (best != nullptr && best->since <= head->since) continue;
    best = &*head;
  }
  if (best == nullptr) return nullptr;
  Fifo& fifo = waiting_[key(e.place, best->from, color_of(e))];
  while (&fifo.front() != best) fifo.pop_front();
  return best;
}

}  // namespace tessera::observe
