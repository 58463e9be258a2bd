// What traces hear of the tiles of another process, in the order in which it is announced there: events, stalls and waits.
#pragma once

#include <vector>

#include "models/observe/event.h"
#include "models/observe/wait_book.h"
#include "models/wafer/sharing/packet.h"

namespace tessera::wafer {

/// Who hears of it in the leading process.
struct TraceListeners {
  observe::Sink* events = nullptr;  ///< counts them too
  observe::Sink* stalls = nullptr;
  observe::WaitListener* waits = nullptr;
};

class TracedEvents final : public observe::Sink, public observe::WaitListener {
 public:
  void on_event(const observe::Event& e) override { events_.push_back(e); }
  void on_wait(const observe::WaitSpan& span) override;
  /// Moves what has been announced since the last call to `told`, as Told::kEvents; nothing, if there is nothing.
  void put(Packet& told);
  /// Hands on what put() has put there.
  static void tell(Packet& told, const TraceListeners& listeners);

 private:
  std::vector<observe::Event> events_;
};

}  // namespace tessera::wafer
