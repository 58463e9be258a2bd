// The fabric of a wafer as a graph of slots. A slot is the buffer of one (tile, color, input port)
// that lies on a route; its links are the outputs of that route. A pipe is the slot that most are:
// it has one output, which is nobody else's; all of it is in one cache line. Pipes and slots are
// numbered along the paths, so that a stream walks memory in order.
//
// Nothing here holds a due cycle. Whoever lands or comes back in cycle d sets bit d % 64 of the
// receiver and wakes it for d; the receiver takes the bit when it is stepped in d. So all latencies
// are below 64 (kMaxLatency).
#pragma once

#include <array>
#include <cstdint>

#include "models/wafer/active_set.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

inline constexpr unsigned kMaxLatency = ActiveSet::kHorizon - 1;
inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;

/// Bit of a cycle in the masks below.
constexpr std::uint64_t cycle_bit(Cycle c) {
  return std::uint64_t{1} << (c % ActiveSet::kHorizon);
}

/// The block at the other end of a connection.
class Ref {
 public:
  enum class Kind : std::uint8_t {
    kNone,    ///< nobody: never has room
    kSlot,    ///< of a receiver: a slot; of a sender: a Link
    kQueue,   ///< an input queue
    kRamp,    ///< RampLink of an on-ramp
    kRouter,  ///< port of a router with a core of its own: router * 8 + direction
    kPort,    ///< a link that leaves the wafer
    kPipe,    ///< of a receiver and of a sender: a pipe
  };
  Ref() = default;
  Ref(Kind kind, std::uint32_t index) : bits_(static_cast<std::uint32_t>(kind) << 29 | index) {}
  static Ref router(std::uint32_t router, Direction d) {
    return {Kind::kRouter, router * 8 + static_cast<std::uint32_t>(tessera::index(d))};
  }
  Kind kind() const { return static_cast<Kind>(bits_ >> 29); }
  std::uint32_t index() const { return bits_ & 0x1FFFFFFFU; }
  std::uint32_t router() const { return index() / 8; }
  Direction direction() const { return static_cast<Direction>(index() % 8); }

 private:
  std::uint32_t bits_ = 0;
};

/// Room of a pipe; where buffers are deeper, slots do its work.
inline constexpr unsigned kPipeRoom = 4;

struct alignas(64) Pipe {
  std::uint64_t arriving = 0;   ///< cycles in which a wavelet lands
  std::uint64_t returning = 0;  ///< cycles in which a credit comes back
  Ref upstream;                 ///< who sends into it
  Ref target;                   ///< who receives from it
  std::uint32_t place = 0;      ///< linear index of its tile
  std::uint16_t credits = 0;    ///< room of the target that may be used
  std::uint8_t head = 0;        ///< of the ring
  std::uint8_t held = 0;        ///< wavelets in the ring
  std::uint8_t landed = 0;      ///< .. that may go on
  Color color;
  Direction in = Direction::kWest;
  Direction out = Direction::kWest;
  bool suspended = false;  ///< in teardown (wse.md 1.9)
  std::array<std::uint8_t, kPipeRoom> flags{};
  std::array<std::uint32_t, kPipeRoom> payloads{};
};
static_assert(sizeof(Pipe) == 64);

struct Slot {
  std::uint64_t arriving = 0;      ///< cycles in which a wavelet lands
  Ref upstream;                    ///< who sends into it
  std::uint32_t first_link = 0;    ///< its links are [first_link, first_link + links)
  std::uint32_t place = 0;         ///< linear index of its tile
  std::uint32_t group = kNoIndex;  ///< those it competes with for an output; none: kNoIndex
  std::uint8_t head = 0;           ///< of its ring
  std::uint8_t held = 0;           ///< wavelets in the ring
  std::uint8_t landed = 0;         ///< .. that may go on
  std::uint8_t to_go = 0;          ///< links that the head has not left through; 0: none has
  std::uint8_t links = 0;
  Direction in = Direction::kWest;
  Color color;
  bool suspended = false;  ///< in teardown (wse.md 1.9)
};

/// One output of a slot.
struct Link {
  std::uint64_t returning = 0;  ///< cycles in which a credit comes back
  std::uint32_t slot = 0;       ///< whose output it is
  Ref target;
  std::uint16_t credits = 0;  ///< room of the receiver that may be used
  Direction out = Direction::kWest;
};

/// Slots of one tile, numbered one after the other, that compete for outputs.
struct Group {
  std::uint32_t first = 0;
  std::uint8_t slots = 0;
  /// Round robin per output: pair (color, input) that goes first (fabric::Arbiter).
  std::array<std::uint8_t, kDirectionCount> turn{};
};

/// An input queue of a PE (queue::InputQueueCore).
struct InQueue {
  std::uint64_t arriving = 0;
  Ref upstream;
  std::uint32_t first_entry = 0;
  std::uint32_t pe = 0;
  std::uint16_t head = 0;
  std::uint16_t held = 0;
  std::uint16_t landed = 0;
  std::uint16_t room = 0;
  QueueId id;
  Color color;
};

/// An output queue of a PE (queue::OutputQueueCore).
struct OutQueue {
  Cycle last_pop = kNever;
  std::uint32_t first_entry = 0;
  std::uint16_t head = 0;
  std::uint16_t held = 0;
  std::uint16_t length = 0;
  std::uint16_t popped = 0;  ///< in cycle last_pop
  QueueId id;
};
struct OutEntry {
  link::Wavelet wavelet;
  Cycle visible_from = 0;
};

/// The way of one color from an on-ramp into its router (fabric::OnRampCore).
struct RampLink {
  std::uint64_t returning = 0;
  Ref target;
  std::uint32_t pe = 0;
  std::uint16_t credits = 0;
  Color color;
};

}  // namespace tessera::wafer
