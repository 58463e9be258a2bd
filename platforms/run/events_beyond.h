// Events of cycles at which a run is stopped, and later ones: they were announced before, so a state that is saved there has them
// in its digest and counters, and what is reported of the run has not.
#pragma once

#include <vector>

#include "models/observe/counters.h"
#include "models/observe/digest.h"
#include "models/observe/event_stream.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

/// The origin of a reset that only begins digest and counters again.
inline constexpr Cycle kOnlyCounts = kNever;

/// Between a stream and listeners that do not hear of events at which the run is stopped, and of later ones.
class ShownEvents final : public observe::Sink {
 public:
  explicit ShownEvents(observe::EventStream& events) : events_(events) {}
  void set_end(Cycle end) { end_ = end; }
  /// `sink` outlives the stream's use.
  void add(observe::Sink& sink) {
    if (sinks_.empty()) events_.add(*this);
    sinks_.push_back(&sink);
  }

 private:
  void on_event(const observe::Event& e) override {
    for (observe::Sink* const sink : sinks_) {
      if (e.cycle < end_) sink->on_event(e);
    }
  }
  void on_reset(Cycle origin) override {
    for (observe::Sink* const sink : sinks_) {
      if (origin != kOnlyCounts) sink->on_reset(origin);
    }
  }

  observe::EventStream& events_;
  Cycle end_ = kNever;
  std::vector<observe::Sink*> sinks_;
};

class EventsBeyond final : private observe::Sink {
 public:
  /// Nothing of cycle `end` or a later one has been announced to `events`, which does not drop it from now on. The stream
  /// lives as long as this. Its other listeners, if there are any, are a ShownEvents.
  EventsBeyond(observe::EventStream& events, Cycle end);
  /// Takes these events out of the stream, which drops them from now on.
  void drop();

 private:
  void on_event(const observe::Event& e) override;

  observe::EventStream& events_;
  const Cycle end_;
  Cycle last_;  // of an event before `end_`
  observe::Digest digest_;
  observe::Counters counters_;
};

}  // namespace tessera::run
