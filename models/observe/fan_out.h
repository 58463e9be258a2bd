// One event stream, several readers.
#pragma once

#include <vector>

#include "models/observe/event.h"

namespace tessera::observe {

/// Forwards every event to all its sinks, in the order they were added. It does not own them.
class FanOut final : public Sink {
 public:
  void add(Sink& sink) { sinks_.push_back(&sink); }
  /// Drops events of cycle `end` and later: a run that is stopped before `end` does not reach what
  /// was announced for then. Default: none are dropped.
  void set_end(Cycle end) { end_ = end; }
  void on_event(const Event& e) override {
    if (e.cycle >= end_) return;
    for (Sink* sink : sinks_) sink->on_event(e);
  }
  /// What a model should be given: nothing when nobody listens, the listener itself when there is
  /// one.
  Sink* as_sink() {
    if (sinks_.empty()) return nullptr;
    return sinks_.size() == 1 && end_ == kNever ? sinks_.front() : this;
  }

 private:
  Cycle end_ = kNever;
  std::vector<Sink*> sinks_;
};

}  // namespace tessera::observe
