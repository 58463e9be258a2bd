// Host edge: closes a rim link on purpose with a stream source and a stream sink, one at a side of
// a rim tile (the host reaches PEs through streams at the edges: reference wse.md 0.3 fact 10). At
// the side RAMP it stands between a PE and its router, for the colors of streams that reach every
// PE (csl.md 11): wavelets to the PE travel as through the off-ramp, and those from the PE wait,
// as many as the router would take, until the host expects them.
// Plain C++; `edge.h` is its module.
//
// Order inside a cycle `now`:
//   1. credits due by now become usable;
//   2. a wavelet from the tile that is due is recorded; its room is a credit for the tile at
//      now + 1;
//   3. one wavelet is handed to the tile and lands at now + hop_latency: round robin over the
//      colors that have something to send and a credit. All colors share the link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/fabric/fabric_timing.h"
#include "models/fabric/sender.h"
#include "models/observe/probe.h"
#include "models/observe/wait.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::host {

/// What the host sends: the 32 payload bits and the control bit.
struct Word {
  std::uint32_t payload = 0;
  bool control = false;
};

/// A wavelet the host took from the link, and the cycle in which it was there.
struct Received {
  Cycle cycle = 0;
  link::Wavelet wavelet;
};

/// Serial numbers (Wavelet::ident) of an edge: first, first + stride, ... Edges of one machine take
/// the number of edges as stride and different firsts, so that no number is given twice.
struct IdentRange {
  std::uint32_t first = 1;
  std::uint32_t stride = 1;
};

class EdgeCore {
 public:
  /// A wavelet on the link, and the cycle in which it gets to the other side.
  struct Put {
    link::Wavelet wavelet;
    Cycle due = 0;
    template <class Archive>
    void visit(Archive& archive) {
      archive(wavelet, due);
    }
  };
  struct CreditReturn {
    Color color;
    Cycle due;
  };
  /// What one cycle did. The caller hands put and credit to the tile.
  struct Step {
    std::optional<Put> put;
    std::optional<CreditReturn> credit;
    bool completed = false;  ///< the last wavelet of a send() left, or the last one of an expect()
                             ///< came, in this cycle
    Cycle next = kNever;     ///< next cycle the edge wants whatever the tile does
  };

  /// `side`: the side of the rim tile that the edge closes, or RAMP. It takes from `timing` the
  /// hop latency or that of the off-ramp (at least 1, else std::invalid_argument), the room of a
  /// RAMP input and the arbitration rule.
  EdgeCore(Direction side, const fabric::FabricTiming& timing, IdentRange idents,
           observe::Probe probe);

  // --- towards the tile ---

  /// The tile has room for `capacity` wavelets of `color` at this side. Default 0: never sends.
  void set_capacity(Color color, unsigned capacity) {
    credits_.set_capacity(color.value(), capacity);
  }
  /// The tile has room again from cycle `due` on: the edge wants to be stepped then. Throws
  /// std::logic_error when no wavelet was outstanding.
  void credit(Color color, Cycle due);
  /// Sends `words` on `color`, after what was asked for earlier, the first in cycle `from` or
  /// later: the edge wants to be stepped then.
  void send(Color color, std::vector<Word> words, Cycle from);

  // --- from the tile ---

  /// The host takes these colors only, one bit a color; others wait in the tile. Default: all.
  void take_only(std::uint32_t colors) { taken_ = colors; }
  /// The host takes control wavelets and forgets them, at a rim link only. Default: they count as
  /// others do.
  void drop_control() { drops_control_ = true; }
  /// Wavelets of these colors, which the host does not take, vanish here and are counted. Default: none.
  void drop(std::uint32_t colors) { dropped_ = colors & ~taken_; }
  /// How many vanished, and the cycle of the first one.
  struct Dropped {
    std::uint64_t count = 0;
    Cycle first = 0;
  };
  const Dropped& dropped(Color color) const { return drops_[color.value()]; }
  /// Room for wavelets of a color that the host takes: as many as keep one wavelet per cycle on the
  /// way.
  unsigned capacity(Color color) const {
    return ((taken_ | dropped_) >> color.value() & 1U) != 0 ? room_ : 0;
  }
  /// A wavelet from the tile that is here in cycle `due`: the edge wants to be stepped then. Throws
  /// std::logic_error when the tile had no credit.
  void put(const link::Wavelet& w, Cycle due);
  /// The host waits for `count` more wavelets of `color`, counted from the end of earlier
  /// expectations. If they are here already, it is complete at once and no step says so. At RAMP
  /// it takes them from cycle `from` on, one a cycle, and wants to be stepped then.
  void expect(Color color, std::size_t count, Cycle from = 0);
  /// The host waits no longer: what it has not taken of earlier expectations is not expected.
  void cancel(Color color);
  /// Wavelets of `color` that the host has taken: at RAMP those that it has expected.
  std::size_t taken(Color color) const {
    const Stream& stream = streams_[color.value()];
    return at_ramp() ? stream.taken : stream.received.size();
  }
  /// All wavelets of `color` so far, in order.
  const std::vector<Received>& received(Color color) const {
    return streams_[color.value()].received;
  }

  // --- running ---

  /// Does the work of cycle `now`; once a cycle.
  Step step(Cycle now);
  /// Wavelets of `color` that have left so far.
  std::size_t sent(Color color) const { return streams_[color.value()].sent; }
  /// Sends and expectations that are not complete, for a deadlock report.
  void describe_waits(observe::Waits& waits, Cycle now) const;
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);
  /// Cycles from `next` on in which the edge is to be stepped; `is_due`: something is due in `next`. For an edge that has
  /// been restored.
  std::vector<Cycle> due_cycles(Cycle next, bool is_due) const;

 private:
  struct Batch {  // one send()
    std::vector<Word> words;
    std::size_t sent = 0;
    Cycle from = 0;
  };
  struct Stream {
    std::vector<Batch> outgoing;  // the first is being sent
    std::size_t sent = 0;
    std::vector<Received> received;
    std::size_t expected = 0;
    // At RAMP:
    std::size_t taken = 0;  ///< how many of `received` the host has taken
    Cycle open_from = 0;    ///< when the last expectation counts
    bool can_take() const { return taken < received.size() && taken < expected; }
  };

  bool at_ramp() const { return side_ == Direction::kRamp; }
  bool take_arrival(Cycle now, Step& step);
  bool take_expected(Cycle now, Step& step);
  bool send_one(Cycle now, Step& step);
  Cycle next_wake(Cycle now, bool sent) const;
  void describe_outgoing(observe::Waits& waits, Cycle now, Color color) const;

  Direction side_;
  unsigned latency_;
  unsigned room_;
  IdentRange idents_;
  observe::Probe probe_;
  std::uint32_t taken_ = ~0U;
  std::uint32_t dropped_ = 0;
  std::array<Dropped, kColorCount> drops_{};
  bool drops_control_ = false;
  std::array<Stream, kColorCount> streams_;
  fabric::CandidateSet sending_;  // colors with something to send
  Ring<Put> arrivals_;
  fabric::Credits credits_{kColorCount};
  fabric::Arbiter arbiter_;
  std::uint32_t sent_ = 0;
};

}  // namespace tessera::host
