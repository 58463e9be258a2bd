// What holds back a thread of a compute engine, told in the cycle in which it begins: for the text
// trace (wse_trace.h). Stalls are no events of the stream: nobody tells them unless a trace asks.
#pragma once

#include <cstdint>

#include "models/observe/event.h"

namespace tessera::observe {

struct Stall {
  enum class Kind : std::uint8_t {
    kWavelets,      ///< too few wavelets in input queue `number`: `there` of `needed`
    kRoom,          ///< no room in output queue `number`
    kBankConflict,  ///< two reads in bank `number`, one of them at `address` (wse.md 6.2)
    kDsr,           ///< DSR `number` of file `source` is being loaded (wse.md 6.5)
  };
  /// kDsr: the file of destinations; sources have the number of their file.
  static constexpr std::uint8_t kDestinations = 2;

  Kind kind = Kind::kWavelets;
  std::uint8_t thread = 0;  ///< as in events: 8 is the main thread
  std::uint8_t number = 0;
  std::uint8_t color = 0;   ///< color of the queue
  std::uint8_t source = 0;  ///< operand that reads the queue, or file of the DSR
  std::uint8_t there = 0;   ///< wavelets
  std::uint8_t needed = 0;  ///< wavelets
  std::uint8_t lanes = 0;   ///< elements that a group takes at most
  std::uint32_t address = 0;
};

/// A stall on its way through a sink of events.
inline constexpr auto kStallKind = static_cast<EventKind>(kEventKindCount);

inline Event event_of(const Stall& s, Cycle cycle, std::uint32_t place) {
  Event e{cycle, place, kStallKind};
  e.a = static_cast<std::uint32_t>(s.kind) | std::uint32_t{s.thread} << 8 |
        std::uint32_t{s.number} << 16 | std::uint32_t{s.color} << 24;
  e.b = std::uint32_t{s.source} | std::uint32_t{s.there} << 8 | std::uint32_t{s.needed} << 16 |
        std::uint32_t{s.lanes} << 24;
  e.ident = s.address;
  return e;
}

inline Stall stall_of(const Event& e) {
  const auto byte = [](std::uint32_t word, unsigned i) {
    return static_cast<std::uint8_t>(word >> 8 * i);
  };
  return {static_cast<Stall::Kind>(byte(e.a, 0)),
          byte(e.a, 1),
          byte(e.a, 2),
          byte(e.a, 3),
          byte(e.b, 0),
          byte(e.b, 1),
          byte(e.b, 2),
          byte(e.b, 3),
          static_cast<std::uint32_t>(e.ident)};
}

}  // namespace tessera::observe
