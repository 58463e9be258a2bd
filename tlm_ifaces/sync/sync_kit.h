// Sync protocol (docs/protocol-kits.md): the interfaces of its two sides, its sockets, stub, tap and
// checker. An AI core asks, the
// cluster sync unit answers. Every call names the cycle from which its effect may be seen, and that
// cycle lies after the cycle of the call: the step order inside a cycle cannot matter.
//
//   cycle      t                 t+1            u            u+1
//   core       ask(set, t+1) ->
//   unit                         counts it ..   grants ->
//   other core ask(wait) earlier                             goes on: answer(granted, u+1)
//
// A set is answered only if it is illegal. A pipe has at most one wait that is not granted.
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::sync {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Request;
};

/// Core to sync unit.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// The unit may see `request` from cycle `due` on.
  virtual void ask(const Request& request, Cycle due) = 0;
};

/// Sync unit to core.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// The core may see `answer` from cycle `due` on.
  virtual void answer(const Answer& answer, Cycle due) = 0;
};

// Sockets (tlm_ifaces/kit/socket.h). A module implements ForwardIf (sync unit) or
// BackwardIf (core), one object a port, and binds that object to the export of its own socket:
// `socket.bind(object)`.

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  /// The width of the message of a set (ascend.md 2.6).
  static constexpr unsigned kBits = 16;
  static constexpr const char* kName = "sync";
  static constexpr const char* kRemedy = "bind a core, a sync unit or a sync::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/sync/unbound";

/// What closes an open side on purpose: a place of a sync unit without a core, or a
/// core that takes no part in synchronisation. Both sides of it must stay silent.
/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/sync/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void ask(const Request& request, Cycle due) override { complain(request, due); }
  void answer(const Answer& answer, Cycle due) override { complain(answer, due); }
};

/// A tap is bound between core and sync unit and shows what passes; neither knows of
/// it and no cycle changes. Derive from it or hand it observers.
class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using AskObserver = std::function<void(const Request&, Cycle due)>;
  using AnswerObserver = std::function<void(const Answer&, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_ask(AskObserver observer) { ask_observer_ = std::move(observer); }
  void on_answer(AnswerObserver observer) { answer_observer_ = std::move(observer); }

 protected:
  void ask(const Request& request, Cycle due) override {
    if (ask_observer_) ask_observer_(request, due);
    out->ask(request, due);
  }
  void answer(const Answer& a, Cycle due) override {
    if (answer_observer_) answer_observer_(a, due);
    in->answer(a, due);
  }

 private:
  AskObserver ask_observer_;
  AnswerObserver answer_observer_;
};

/// A tap between one core and the sync unit that fails the run when a rule of the protocol is broken. Rules and ids:
///
///   /tessera/sync/early        a due cycle that does not lie after the cycle of the call
///   /tessera/sync/id           an id beyond 15, or beyond 31 in mode 4
///   /tessera/sync/pipe         a request on ALL, which is no pipe
///   /tessera/sync/double_wait  a pipe waits that has not been granted its last wait
///   /tessera/sync/unasked      an answer to a wait that nobody has asked, or a set that is granted
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

  /// Whether `pipe` has asked for a wait that is not granted.
  bool waits(Pipe pipe) const { return waiting_[index(pipe)]; }

 protected:
  void ask(const Request& r, Cycle due) override {
    const unsigned ids = r.mode == Mode::kIntraBlock ? kIntraBlockIds : kFlagIds;
    if (!check(r.id < ids, "id", r, due, "ids are 0.." + std::to_string(ids - 1))) return;
    if (!check(r.pipe != Pipe::kAll, "pipe", r, due, "ALL is no pipe")) return;
    check(due > now_(), "early", r, due, "it is due in or before the cycle of the call");
    if (r.operation == Operation::kWait) {
      if (!check(!waits(r.pipe), "double_wait", r, due, "the pipe waits already")) return;
      waiting_[index(r.pipe)] = true;
    }
    Tap::ask(r, due);
  }

  void answer(const Answer& a, Cycle due) override {
    const Request& r = a.request;
    check(due > now_(), "early", a, due, "it is due in or before the cycle of the call");
    const bool asked =
        r.operation == Operation::kWait ? waits(r.pipe) : a.verdict == Verdict::kIllegal;
    if (!check(asked, "unasked", a, due, "nothing waits for this answer")) return;
    if (r.operation == Operation::kWait && a.verdict == Verdict::kGranted)
      waiting_[index(r.pipe)] = false;
    Tap::answer(a, due);
  }

 private:
  std::function<Cycle()> now_;
  std::array<bool, kPipeCount> waiting_{};
};

}  // namespace tessera::sync
