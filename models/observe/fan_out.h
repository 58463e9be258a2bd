// One event stream, several readers.
#pragma once

#include <vector>

#include "models/observe/event.h"

namespace tessera::observe {

/// Forwards every event to all its sinks, in the order they were added. It does not own them.
class FanOut final : public Sink {
 public:
  void add(Sink& sink) { sinks_.push_back(&sink); }
  void on_event(const Event& e) override {
    for (Sink* sink : sinks_) sink->on_event(e);
  }
  /// What a model should be given: nothing when nobody listens, the listener itself when there is
  /// one.
  Sink* as_sink() {
    if (sinks_.empty()) return nullptr;
    return sinks_.size() == 1 ? sinks_.front() : this;
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace tessera::observe
