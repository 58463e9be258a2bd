// Pipes: the input buffers of plain routers whose route has one output that no other color of the
// tile uses. This is where the time of streams goes, so a pipe fits into half a cache line, and
// pipes are numbered along the paths: a stream walks memory forward. Cycle rules as in
// models/fabric/router_core.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/wafer/units/units.h"
#include "models/wafer/units/visit.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

struct Blocks;

// Slots take the place of pipes where buffers are deeper or latencies longer, and at ports.
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
  std::uint16_t flags = 0;  ///< kFlagBits for each wavelet, as observe::hop_word has them
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

class Pipes {
 public:
  /// `blocks` must outlive it. The pipes come from a SlotGraph, without their connections.
  Pipes(Blocks& blocks, std::vector<Pipe> pipes);

  void step(Cycle now);
  /// The next cycle in which a pipe is due, after `now`.
  Cycle next_due(Cycle now) const { return due_.next_due(now); }
  /// As that of ActiveSet.
  void forget(Cycle now) { due_.forget(now); }
  /// A wavelet lands in cycle `due`.
  void put(std::uint32_t pipe, const link::Wavelet& w, Cycle due);
  /// The target has room again, usable from cycle `due` on.
  void credit(std::uint32_t pipe, Cycle due);
  /// The same when all pipes have been stepped in the cycle before `next`: usable from `next` on.
  void credit_for_next(std::uint32_t pipe, Cycle next) {
    ++pipes_[pipe].credits;
    if (pipes_[pipe].held > 0) due_.insert(pipe, next);
  }

  std::vector<Pipe>& all() { return pipes_; }
  const std::vector<Pipe>& all() const { return pipes_; }
  /// Before pipes are restored: none is due.
  void forget_all() { due_.resize(pipes_.size()); }
  void visit(std::uint32_t pipe, const Visit& visit);

 private:
  struct CycleState;

  [[gnu::always_inline]] void step_one(std::uint32_t pipe, CycleState& cycle);
  void send_plain(const Pipe& pipe, unsigned flags, CycleState& cycle);
  bool send_head(std::uint32_t pipe, Cycle now);
  link::Wavelet head_of(std::uint32_t pipe) const;

  Blocks& blocks_;
  std::vector<Pipe> pipes_;
  std::vector<std::uint64_t> idents_;  // [pipe][place in the pipe]; only for traces
  ActiveSet due_;
};

}  // namespace tessera::wafer
