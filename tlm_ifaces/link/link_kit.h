// Link protocol (docs/protocol-kits.md): the interfaces of its two sides, its sockets, stub, tap and
// checker.
//
// A link carries wavelets one way and credits the other way. The sender owns, per color, as many
// credits as the receiver has room (`capacity`); a put takes one, the receiver gives it back when
// the room is free again. Therefore a put is never refused. Every call names the cycle from which
// its effect may be seen, and that cycle lies after the cycle of the call: the order in which
// blocks are stepped inside a cycle cannot matter.
//
//   cycle      t              t+L            u             u+1
//   sender     put(w, t+L) ->                               may send again
//   receiver                  w is visible   takes w
//                                            credit(c, u+1) ->
#pragma once

#include <systemc>

#include <array>
#include <deque>
#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::link {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Wavelet;
};

/// Sender to receiver.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// Hands `w` over; the receiver may see it from cycle `due` on. The sender must hold a credit of
  /// w.color.
  virtual void put(const Wavelet& w, Cycle due) = 0;
  /// How many wavelets of `color` the receiver has room for: the sender's credits at the start. 0:
  /// never sends. Constant after elaboration.
  virtual unsigned capacity(Color color) const = 0;
};

/// Receiver to sender.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// Gives one credit of `color` back; the sender may use it from cycle `due` on.
  virtual void credit(Color color, Cycle due) = 0;
};

// Sockets. 32 bits wide: a link of another width does not bind (compile-time error).
//
// A module implements ForwardIf (receiver) or BackwardIf (sender), one object a port, and binds
// that object to the export of its own socket: `socket.bind(object)`. A multi initiator socket fans
// out to several receivers that share one physical port, each owning some colors (the off-ramp of a
// router and the input queues behind it). Open sockets and second bindings: tlm_ifaces/kit/socket.h.

inline constexpr unsigned kLinkBits = 32;

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  static constexpr unsigned kBits = kLinkBits;
  static constexpr const char* kName = "link";
  static constexpr const char* kRemedy = "bind a neighbour, a host edge or a link::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
/// Bound to any number of target sockets.
using MultiInitiatorSocket = kit::InitiatorSocket<Kit, 0>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/link/unbound";

/// What closes an open side on purpose. A stub receiver has no room, so its sender
/// never sends; a stub sender never sends and takes no credits.
/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/link/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void put(const Wavelet& w, Cycle due) override {
    std::ostringstream text;
    text << name() << " closes a link that must stay silent, but received " << w << " due in cycle "
         << due;
    SC_REPORT_ERROR(kTrafficId, text.str().c_str());
  }
  unsigned capacity(Color) const override { return 0; }
  void credit(Color color, Cycle due) override {
    std::ostringstream text;
    text << name() << " never sends, but got a credit of color " << color << " due in cycle "
         << due;
    SC_REPORT_ERROR(kTrafficId, text.str().c_str());
  }
};

/// A tap is bound between sender and receiver and shows what passes; neither knows of
/// it and no cycle changes. Derive from it or hand it observers.
class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using PutObserver = std::function<void(const Wavelet&, Cycle due)>;
  using CreditObserver = std::function<void(Color, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_put(PutObserver observer) { put_observer_ = std::move(observer); }
  void on_credit(CreditObserver observer) { credit_observer_ = std::move(observer); }

 protected:
  void put(const Wavelet& w, Cycle due) override {
    if (put_observer_) put_observer_(w, due);
    out->put(w, due);
  }
  unsigned capacity(Color color) const override { return out->capacity(color); }
  void credit(Color color, Cycle due) override {
    if (credit_observer_) credit_observer_(color, due);
    in->credit(color, due);
  }

 private:
  PutObserver put_observer_;
  CreditObserver credit_observer_;
};

/// A tap that fails the run when a rule of the protocol is broken. Rules and ids:
///
///   /tessera/link/no_credit     a put without a credit: never given, used, or not yet due
///   /tessera/link/extra_credit  a credit for room that was never taken
///   /tessera/link/early         a due cycle that does not lie after the cycle of the call
///   /tessera/link/order         due cycles of wavelets, or of credits of one color, go backwards
///   /tessera/link/rate          two wavelets due in the same cycle: a link carries one per cycle
///   /tessera/link/color         a color outside 0..23
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

  /// Both sides were reset: the link is empty.
  void reset() {
    colors_ = {};
    last_put_ = kNever;
  }
  /// Wavelets handed over whose room has not been given back: 0 on a link that has drained.
  unsigned outstanding(Color color) const { return colors_[color.value()].outstanding; }

 protected:
  void put(const Wavelet& w, Cycle due) override {
    if (!check(w.color.value() < kColorCount, "color", w, due, "its color is outside 0..23"))
      return;
    PerColor& state = colors_[w.color.value()];
    while (!state.returning.empty() && state.returning.front() <= now_())
      state.returning.pop_front();
    const auto in_use = state.outstanding + static_cast<unsigned>(state.returning.size());
    check(in_use < Tap::capacity(w.color), "no_credit", w, due,
          "the receiver has room for " + std::to_string(Tap::capacity(w.color)) +
              " of this color and holds " + std::to_string(in_use) +
              (state.returning.empty() ? "" : ", counting credits that are not due yet"));
    check(due > now_(), "early", w, due,
          "it is due in or before the cycle of the call, " + std::to_string(now_()));
    check(last_put_ == kNever || due >= last_put_, "order", w, due,
          "an earlier wavelet is due in cycle " + std::to_string(last_put_));
    check(last_put_ == kNever || due != last_put_, "rate", w, due,
          "another wavelet is due in the same cycle");
    last_put_ = due;
    ++state.outstanding;
    Tap::put(w, due);
  }

  void credit(Color color, Cycle due) override {
    Wavelet subject;
    subject.color = color;
    if (!check(color.value() < kColorCount, "color", subject, due,
               "a credit's color is outside 0..23"))
      return;
    PerColor& state = colors_[color.value()];
    check(due > now_(), "early", subject, due,
          "a credit is due in or before the cycle of the call");
    check(state.last_credit == kNever || due >= state.last_credit, "order", subject, due,
          "an earlier credit is due in cycle " + std::to_string(state.last_credit));
    if (!check(state.outstanding > 0, "extra_credit", subject, due,
               "no wavelet of this color is outstanding"))
      return;
    state.last_credit = due;
    state.returning.push_back(due);
    --state.outstanding;
    Tap::credit(color, due);
  }

 private:
  struct PerColor {
    unsigned outstanding = 0;     // put, credit not given back
    std::deque<Cycle> returning;  // due cycles of credits that the sender may not use yet
    Cycle last_credit = kNever;
  };

  std::function<Cycle()> now_;
  std::array<PerColor, kColorCount> colors_{};
  Cycle last_put_ = kNever;
};

}  // namespace tessera::link
