#include "platforms/run/events_beyond.h"

#include <algorithm>
#include <cstddef>

namespace tessera::run {

namespace {

observe::Counters counters_like(const observe::Counters& other) {
  return other.has_tiles() ? observe::Counters(other.width(), other.height(), other.kept())
                           : observe::Counters();
}

template <class T>
void subtract(std::vector<T>& from, const std::vector<T>& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

}  // namespace

EventsBeyond::EventsBeyond(observe::EventStream& events, Cycle end)
    : events_(events), end_(end), last_(events.counters().state().last),
      counters_(counters_like(events.counters())) {
  events_.add(*this);
  events_.set_end(kNever);
}

void EventsBeyond::on_event(const observe::Event& e) {
  if (e.cycle < end_) {
    last_ = std::max(last_, e.cycle);
    return;
  }
  digest_.record(e);
  counters_.record(e);
}

void EventsBeyond::drop() {
  const std::uint64_t digest = events_.digest().value() - digest_.value();
  observe::Counters::State kept = events_.counters().state();
  const observe::Counters::State dropped = counters_.state();
  subtract(kept.totals, dropped.totals);
  subtract(kept.tiles, dropped.tiles);
  kept.last = last_;
  events_.on_reset(kOnlyCounts);
  events_.add(digest, kept);
  events_.set_end(end_);
  digest_ = {};
  counters_.clear();
}

}  // namespace tessera::run
