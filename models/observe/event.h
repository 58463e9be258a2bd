// Typed events: the one stream that counters, traces, heat maps and the digest are built from (ARCHITECTURE section 8).
#pragma once

#include <cstdint>
#include <iosfwd>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// What happened. `a` and `b` of an Event are given per kind.
/// The numbers enter the digest: append new kinds, never renumber.
enum class EventKind : std::uint8_t {
  kHop = 0,        ///< router sent a wavelet out of a port.        a: color | direction << 8 | control << 16, b: payload
  kQueueIn = 1,    ///< a wavelet entered an input queue.           a: queue | color << 8, b: payload
  kQueueOut = 2,   ///< the CE wrote a wavelet to an output queue.  a: queue | color << 8, b: payload
  kTaskStart = 3,  ///< the picker started a task.                  a: task id (64: launched function), b: entry pc
  kTaskEnd = 4,    ///< the task ended.                             a: task id, b: 0
  kIssue = 5,      ///< the CE used its issue slot.                 a: opcode | thread << 8 (8: main), b: pc
  kOpStart = 6,    ///< a DSD operation was dispatched.             a: opcode | thread << 8, b: elements
  kOpEnd = 7,      ///< a DSD operation completed.                  a: opcode | thread << 8, b: elements done
  kEdgeIn = 8,     ///< the host put a wavelet on a rim link.       a: color | direction << 8, b: payload
  kEdgeOut = 9,    ///< the host took a wavelet from a rim link.    a: color | direction << 8, b: payload
  kCompute = 10,   ///< a group of a DSD operation executed.        a: opcode | thread << 8, b: elements in the group
};
inline constexpr unsigned kEventKindCount = 11;

const char* to_string(EventKind kind);

/// One event. `place` is the linear index of the tile, y * W + x.
struct Event {
  Cycle cycle = 0;
  std::uint32_t place = 0;
  EventKind kind = EventKind::kHop;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

std::ostream& operator<<(std::ostream& os, const Event& e);

/// Receives events. In one cycle they come in any order; over cycles time never goes back.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_event(const Event& e) = 0;
};

/// Held by a core: knows its place and where events go. Without a sink an event costs one predictable branch.
class Probe {
 public:
  Probe() = default;
  Probe(Sink* sink, std::uint32_t place) : sink_(sink), place_(place) {}
  void emit(Cycle cycle, EventKind kind, std::uint32_t a, std::uint32_t b) const {
    if (sink_ != nullptr) sink_->on_event({cycle, place_, kind, a, b});
  }
  std::uint32_t place() const { return place_; }

 private:
  Sink* sink_ = nullptr;
  std::uint32_t place_ = 0;
};

}  // namespace tessera::observe
