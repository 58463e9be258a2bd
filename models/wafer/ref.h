// How the blocks of a wafer name each other, and how they keep time.
//
// No block holds a due cycle. Whoever lands or comes back in cycle d sets bit d % 64 of the
// receiver and wakes it for d; the receiver takes the bit when it is stepped in d. So all latencies
// are below 64 (kMaxLatency).
#pragma once

#include <cstdint>

#include "models/wafer/active_set.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::wafer {

inline constexpr unsigned kMaxLatency = ActiveSet::kHorizon - 1;
inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;

/// Bit of a cycle in the masks of slots, links and queues.
constexpr std::uint64_t cycle_bit(Cycle c) {
  return std::uint64_t{1} << (c % ActiveSet::kHorizon);
}

/// The block at the other end of a connection.
class Ref {
 public:
  enum class Kind : std::uint8_t {
    kPipe,    ///< of a receiver and of a sender: a pipe
    kSlot,    ///< of a receiver: a slot; of a sender: a Link
    kQueue,   ///< an input queue
    kRamp,    ///< RampLink of an on-ramp
    kRouter,  ///< port of a router with a core of its own: router * 8 + direction
    kPort,    ///< a link that leaves the wafer
    kNone,    ///< nobody: never has room
  };
  Ref() : Ref(Kind::kNone, 0) {}
  Ref(Kind kind, std::uint32_t index) : bits_(static_cast<std::uint32_t>(kind) << 29 | index) {}
  static Ref router(std::uint32_t router, Direction d) {
    return {Kind::kRouter, router * 8 + static_cast<std::uint32_t>(tessera::index(d))};
  }
  Kind kind() const { return static_cast<Kind>(bits_ >> 29); }
  std::uint32_t index() const { return bits_ & 0x1FFFFFFFU; }
  std::uint32_t router() const { return index() / 8; }
  Direction direction() const { return static_cast<Direction>(index() % 8); }

 private:
  std::uint32_t bits_;
};

}  // namespace tessera::wafer
