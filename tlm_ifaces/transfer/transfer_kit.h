// Transfer protocol (docs/protocol-kits.md): the interfaces of its two sides, its sockets, stub, tap and
// checker. A core starts transfers, GM/L2 completes them.
// Both calls name the cycle from which their effect may be seen; it lies after the cycle of the
// call. A pipe has at most one transfer that is not done.
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::transfer {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Transfer;
};

/// Core to GM.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  virtual void start(const Transfer& transfer, Cycle due) = 0;
};

/// GM to core.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  virtual void done(const Done& done, Cycle due) = 0;
};

// Sockets (tlm_ifaces/kit/socket.h). Binding as in the other kits.

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  /// The width of the path (ascend.md 1.4: 128 B per cycle).
  static constexpr unsigned kBits = 1024;
  static constexpr const char* kName = "transfer";
  static constexpr const char* kRemedy = "bind a core, a GM or a transfer::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/transfer/unbound";

/// What closes an open side on purpose: a core that moves nothing, or a place of
/// GM without a core. Both sides of it must stay silent.
/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/transfer/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void start(const Transfer& transfer, Cycle due) override { complain(transfer, due); }
  void done(const Done& done, Cycle due) override { complain(done, due); }
};

/// A tap is bound between core and GM and shows what passes; neither knows of it
/// and no cycle changes. Derive from it or hand it observers.
class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using StartObserver = std::function<void(const Transfer&, Cycle due)>;
  using DoneObserver = std::function<void(const Done&, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_start(StartObserver observer) { start_observer_ = std::move(observer); }
  void on_done(DoneObserver observer) { done_observer_ = std::move(observer); }

 protected:
  void start(const Transfer& transfer, Cycle due) override {
    if (start_observer_) start_observer_(transfer, due);
    out->start(transfer, due);
  }
  void done(const Done& d, Cycle due) override {
    if (done_observer_) done_observer_(d, due);
    in->done(d, due);
  }

 private:
  StartObserver start_observer_;
  DoneObserver done_observer_;
};

/// A tap between one core and GM that fails the run when a rule of the protocol is broken. Rules and ids:
///
///   /tessera/transfer/early         a due cycle that does not lie after the cycle of the call
///   /tessera/transfer/pipe          a transfer on ALL, which is no pipe
///   /tessera/transfer/rate          bytes to move over a path of rate 0
///   /tessera/transfer/double_start  a pipe starts before its last transfer is done
///   /tessera/transfer/unasked       a transfer is done that nobody has started
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

  /// Whether `pipe` has a transfer that is not done.
  bool moves(sync::Pipe pipe) const { return moving_[sync::index(pipe)]; }

 protected:
  void start(const Transfer& t, Cycle due) override {
    if (!check(t.pipe != sync::Pipe::kAll, "pipe", t, due, "ALL is no pipe")) return;
    check(due > now_(), "early", t, due, "it is due in or before the cycle of the call");
    check(t.bytes == 0 || t.rate_limit > 0, "rate", t, due, "its path has rate 0");
    if (!check(!moves(t.pipe), "double_start", t, due, "the last one of the pipe is not done"))
      return;
    moving_[sync::index(t.pipe)] = true;
    Tap::start(t, due);
  }

  void done(const Done& d, Cycle due) override {
    check(due > now_(), "early", d, due, "it is due in or before the cycle of the call");
    if (!check(moves(d.pipe), "unasked", d, due, "the pipe has started no transfer")) return;
    moving_[sync::index(d.pipe)] = false;
    Tap::done(d, due);
  }

 private:
  std::function<Cycle()> now_;
  std::array<bool, sync::kPipeCount> moving_{};
};

}  // namespace tessera::transfer
