#include "models/wafer/sharing/traced_events.h"

#include "models/observe/stall.h"
#include "models/wafer/sharing/requests.h"

namespace tessera::wafer {

namespace {

/// A wait on its way as an event.
constexpr auto kWaitKind = static_cast<observe::EventKind>(observe::kEventKindCount + 1);

constexpr unsigned kByte = 8;

}  // namespace

void TracedEvents::on_wait(const observe::WaitSpan& span) {
  observe::Event e{span.to, span.place, kWaitKind};
  e.a = span.thread | static_cast<std::uint32_t>(span.reason) << kByte |
        std::uint32_t{span.number} << 2 * kByte;
  e.b = span.pc;
  e.ident = span.from;
  events_.push_back(e);
}

void TracedEvents::put(Packet& told) {
  if (events_.empty()) return;
  told.put(Told::kEvents);
  told.put_all(events_);
  events_.clear();
}

void TracedEvents::tell(Packet& told, const TraceListeners& listeners) {
  for (const observe::Event& e : told.get_all<observe::Event>()) {
    if (e.kind == observe::kStallKind) {
      if (listeners.stalls != nullptr) listeners.stalls->on_event(e);
    } else if (e.kind == kWaitKind) {
      const auto reason = static_cast<observe::WaitReason>(static_cast<std::uint8_t>(e.a >> kByte));
      const auto number = static_cast<std::uint8_t>(e.a >> 2 * kByte);
      const unsigned thread = static_cast<std::uint8_t>(e.a);
      if (listeners.waits != nullptr)
        listeners.waits->on_wait({e.place, thread, e.b, reason, number, e.ident, e.cycle});
    } else if (listeners.events != nullptr) {
      listeners.events->on_event(e);
    }
  }
}

}  // namespace tessera::wafer
