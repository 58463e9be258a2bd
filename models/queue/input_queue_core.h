// Input queue of a PE (reference wse.md 2.1 lengths, 2.2 binding, 2.3 delivery): what lies between
// the off-ramp of the router and the compute engine. Owns one color. Plain C++; `input_queue.h` is
// its module.
#pragma once

#include <stdexcept>
#include <string>

#include "models/observe/event.h"
#include "models/observe/wait.h"
#include "models/queue/queue_core.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::queue {

class InputQueueCore {
 public:
  /// `room` in wavelets: the length of the queue (wse.md 2.1) and the registers of the off-ramp
  /// (FabricTiming::queue_room).
  InputQueueCore(QueueId id, Color color, unsigned room, observe::Probe probe)
      : id_(id), color_(color), entries_(room), probe_(probe) {}

  QueueId id() const { return id_; }
  Color color() const { return color_; }
  /// Room for wavelets of `color`: all of it for its own color, 0 for the others.
  unsigned capacity(Color color) const { return color == color_ ? entries_.capacity() : 0; }
  std::size_t size() const { return entries_.size(); }

  /// A wavelet from the off-ramp that may be read from cycle `due` on. Throws std::logic_error when
  /// the router had no credit.
  void put(const link::Wavelet& w, Cycle due) {
    if (w.color != color_) {
      throw std::logic_error("input queue " + std::to_string(id_.value()) + " is bound to color " +
                             std::to_string(color_.value()) + " and got a wavelet of color " +
                             std::to_string(w.color.value()));
    }
    entries_.put(w, due);
    probe_.emit(due, observe::EventKind::kQueueIn, id_.value() | color_.value() << 8, w.payload,
                w.ident);
  }
  /// As queue::ReadIf.
  Cycle ready_at() const { return entries_.ready_at(); }
  unsigned available(Cycle now) const { return entries_.available(now); }
  const link::Wavelet& front() const { return entries_.front(); }
  /// Removes the oldest wavelet. Returns the cycle from which the router may use the credit.
  Cycle pop(Cycle now) {
    entries_.pop(now);
    return now + 1;
  }

  /// Wavelets that nothing reads, for a deadlock report.
  void describe_waits(observe::Waits& waits, Cycle now) const {
    if (entries_.ready_at() > now) return;
    waits.push_back(wait_for_reader(probe_.place(), id_, color_, size(), entries_.capacity()));
  }
  static observe::Wait wait_for_reader(std::uint32_t place, QueueId id, Color color,
                                       std::size_t held, std::size_t room) {
    return {place,
            "input queue " + std::to_string(id.value()) + " (color " +
                std::to_string(color.value()) + ")",
            "a reader: " + std::to_string(held) + " of " + std::to_string(room) +
                " places are taken, ramp included",
            false};
  }

 private:
  QueueId id_;
  Color color_;
  QueueCore entries_;
  observe::Probe probe_;
};

}  // namespace tessera::queue
