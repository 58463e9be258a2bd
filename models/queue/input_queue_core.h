// Input queue of a PE (reference wse.md 2.1 lengths, 2.2 binding, 2.3 delivery): what lies between
// the off-ramp of the router and the compute engine. Owns one color. Plain C++; `input_queue.h` is
// its module.
#pragma once

#include <stdexcept>
#include <string>

#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "models/observe/wait.h"
#include "models/queue/queue_core.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::queue {

class InputQueueCore : private QueueCore {
 public:
  /// `room` in wavelets: the length of the queue (wse.md 2.1) and the registers of the off-ramp
  /// (FabricTiming::queue_room).
  InputQueueCore(QueueId id, Color color, unsigned room, observe::Probe probe)
      : QueueCore(room), id_(id), color_(color), probe_(probe) {}

  QueueId id() const { return id_; }
  using QueueCore::size;
  using QueueCore::visit;
  Color color() const { return color_; }
  /// Room for wavelets of `color`: all of it for its own color, 0 for the others.
  unsigned capacity(Color color) const { return color == color_ ? QueueCore::capacity() : 0; }

  /// A wavelet from the off-ramp that may be read from cycle `due` on. Throws std::logic_error when
  /// the router had no credit.
  void put(const link::Wavelet& w, Cycle due) {
    if (w.color != color_) {
      throw std::logic_error("input queue " + std::to_string(id_.value()) + " is bound to color " +
                             std::to_string(color_.value()) + " and got a wavelet of color " +
                             std::to_string(w.color.value()));
    }
    QueueCore::put(w, due);
    probe_.emit(due, observe::EventKind::kQueueIn, id_.value() | color_.value() << 8, w.payload,
                w.ident);
  }
  /// As queue::ReadIf; pop() returns the cycle from which the router may use the credit.
  using QueueCore::available, QueueCore::front, QueueCore::pop, QueueCore::ready_at;

  /// Wavelets that nothing reads, for a deadlock report.
  void describe_waits(observe::Waits& waits, Cycle now) const {
    if (ready_at() > now) return;
    waits.push_back(wait_for_reader(probe_.place(), id_, color_, size(), QueueCore::capacity()));
  }
  static observe::Wait wait_for_reader(std::uint32_t place, QueueId id, Color color,
                                       std::size_t held, std::size_t room) {
    observe::Wait wait{place,
                       "input queue " + std::to_string(id.value()) + " (color " +
                           std::to_string(color.value()) + ")",
                       "a reader: " + std::to_string(held) + " of " + std::to_string(room) +
                           " places are taken, ramp included",
                       false};
    wait.shared = std::string("a reader").size();
    observe::Resource need{observe::Resource::Kind::kReader, static_cast<std::uint8_t>(id.value())};
    need.place = place;
    wait.needs = {need};
    wait.gives = {observe::Resource::Kind::kInput, 0, static_cast<std::uint8_t>(color.value())};
    wait.gives.place = place;
    return wait;
  }

 private:
  QueueId id_;
  Color color_;
  observe::Probe probe_;
};

}  // namespace tessera::queue
