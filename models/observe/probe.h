// How a core tells of events.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/observe/event.h"
#include "models/observe/event_stream.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// Held by a core: knows its place and where events go. Without a sink an event costs one
/// predictable branch, and an EventStream takes it without a virtual call.
class Probe {
 public:
  Probe() = default;
  Probe(std::nullptr_t, std::uint32_t place) : place_(place) {}
  Probe(Sink* sink, std::uint32_t place) : sink_(sink), place_(place) {}
  Probe(EventStream* stream, std::uint32_t place)
      : sink_(stream), place_(place), is_stream_(stream != nullptr) {}
  /// Inlined by force: what it costs to pass an event on is half of what it costs to record it.
  [[gnu::always_inline]] void emit(Cycle cycle, EventKind kind, std::uint32_t a, std::uint32_t b,
                                   std::uint64_t ident = 0) const {
    if (is_stream_)
      static_cast<EventStream*>(sink_)->record({cycle, place_, kind, a, b, ident});
    else if (sink_ != nullptr)
      sink_->on_event({cycle, place_, kind, a, b, ident});
  }
  std::uint32_t place() const { return place_; }

 private:
  Sink* sink_ = nullptr;
  std::uint32_t place_ = 0;
  bool is_stream_ = false;
};

}  // namespace tessera::observe
