// The fabric of a wafer as a graph of slots. A slot is the buffer of one (tile, color, input port)
// that lies on a route; its links are the outputs of that route. A pipe is the slot that most are:
// it has one output, which is nobody else's, and fits into half a cache line. Pipes and slots are
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

// Small enough that two pipes share a cache line: the wafer is larger than any cache, and the way
// of a stream through memory is what it costs. Where buffers are deeper or latencies longer, and at
// ports, slots do the work.
inline constexpr unsigned kPipeRoom = 3;
inline constexpr unsigned kPipeLatency = 7;
inline constexpr unsigned kPipeCredits = 255;

/// Bit of a cycle in the masks of a pipe.
constexpr std::uint8_t pipe_bit(Cycle c) {
  return static_cast<std::uint8_t>(1U << (c % (kPipeLatency + 1)));
}

struct Pipe {
  Pipe(std::uint32_t at, Color c, Direction d)
      : place(at), color(static_cast<std::uint8_t>(c.value() & 31U)),
        out(static_cast<std::uint8_t>(tessera::index(d) & 7U)) {}

  Ref upstream;               ///< who sends into it
  Ref target;                 ///< who receives from it
  const std::uint32_t place;  ///< linear index of its tile
  /// Oldest first; the others move up when it leaves.
  std::array<std::uint32_t, kPipeRoom> payloads{};
  std::uint16_t flags = 0;  ///< of the wavelets, kFlagBits each, as observe::hop_word has them
  // Bytes that change together do not lie together: a store of one and a load of two would wait for
  // each other.
  std::uint8_t held = 0;      ///< wavelets
  std::uint8_t arriving = 0;  ///< cycles in which a wavelet lands
  std::uint8_t landed = 0;    ///< wavelets that may go on; kSuspended more in teardown (wse.md 1.9)
  std::uint8_t returning = 0;  ///< cycles in which a credit comes back
  std::uint8_t credits = 0;    ///< room of the target that may be used
  const std::uint8_t color : 5;
  const std::uint8_t out : 3;

  static constexpr unsigned kFlagBits = 5;
  static constexpr std::uint8_t kSuspended = 0x80;
  Direction direction() const { return static_cast<Direction>(out); }
  bool suspended() const { return landed >= kSuspended; }
  /// A wavelet may go on: one has landed, and nothing is suspended.
  bool ready() const { return static_cast<std::uint8_t>(landed - 1U) < kPipeRoom; }
  unsigned head_flags() const { return flags & ((1U << kFlagBits) - 1); }
  void append(std::uint32_t payload, unsigned wavelet_flags) {
    payloads[held] = payload;
    flags = static_cast<std::uint16_t>(flags | wavelet_flags << (kFlagBits * held));
    ++held;
  }
  void remove_head() {
    for (unsigned i = 0; i + 1 < kPipeRoom; ++i) payloads[i] = payloads[i + 1];
    flags = static_cast<std::uint16_t>(flags >> kFlagBits);
    --held;
    --landed;
  }
};
static_assert(sizeof(Pipe) == 32);

struct Slot {
  std::uint64_t arriving = 0;      ///< cycles in which a wavelet lands
  std::uint64_t returning = 0;     ///< cycles in which one of its links gets a credit back
  Ref upstream;                    ///< who sends into it
  std::uint32_t first_link = 0;    ///< its links are [first_link, first_link + links)
  std::uint32_t place = 0;         ///< linear index of its tile
  std::uint32_t group = kNoIndex;  ///< those it competes with for an output; none: kNoIndex
  std::uint32_t unit = 0;          ///< the first slot of the group, or itself: stepped together
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
  bool merges = false;         ///< every slot has one output, and it is the same one
  std::uint16_t controls = 0;  ///< control wavelets in the slots
  std::uint32_t busy = 0;      ///< slots that hold something or get a credit back, one bit each
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
