// Slot protocol: a link between two routers of a scheduled mesh (reference numesh.md 1.3). Both
// belong to one clock domain.
//
// In a cycle the sender drives a word with valid, and the receiver accept, on one link; if both are
// up the word is handed over. Each side drives its wire from its state at the start of the cycle,
// so one call is enough: it answers with accept, which must not depend on what the receiver has
// done or will do in this cycle. A word that is taken is seen by the receiver's schedule from the
// next cycle on.
//
//   cycle      t                        t + 1
//   sender     offer(w, parity, t)      its buffer is free
//   receiver     -> accept              may offer w itself
#pragma once

#include <systemc>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::slot {

struct Protocol {
  using payload_type = Word;
};

/// Sender to receiver.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// `word` is on the link in cycle `now`; true: it is accepted and the receiver has it. At most
  /// once a cycle. `parity` is the tag wire: the parity of the sender's phase.
  virtual bool offer(const Word& word, bool parity, Cycle now) = 0;
};

/// Receiver to sender: there is nothing to say but accept.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
};

// Sockets (tlm_ifaces/kit/socket.h). Those of links that no schedule uses stay open;
// `require_bound` is for those that are used.

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  static constexpr unsigned kBits = 32;
  static constexpr const char* kName = "slot";
  static constexpr const char* kRemedy = "a schedule uses it";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/slot/unbound";

/// What closes an open side on purpose. A stub receiver never accepts, so words wait at
/// their sender; a stub sender never offers.
/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  bool offer(const Word&, bool, Cycle) override { return false; }
};

/// A tap is bound between sender and receiver and shows what is offered and whether it
/// is accepted; neither knows of it and no cycle changes.
class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using Observer = std::function<void(const Word&, bool accepted, Cycle now)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_offer(Observer observer) { observer_ = std::move(observer); }

 protected:
  bool offer(const Word& word, bool parity, Cycle now) override {
    const bool accepted = out->offer(word, parity, now);
    if (observer_) observer_(word, accepted, now);
    return accepted;
  }

 private:
  Observer observer_;
};

/// A tap that fails the run when a rule of the protocol is broken. Rules and ids:
///
///   /tessera/slot/cycle    an offer for another cycle than the present one
///   /tessera/slot/twice    a second offer in one cycle: a link carries one word per cycle
///   /tessera/slot/again    a word that has been accepted is offered again; words are known by their
///                          stream, epoch and number (leave it out for senders without numbers)
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now, bool numbered = true)
      : Tap(name), now_(std::move(now)), numbered_(numbered) {}

  /// Words that went over the link.
  std::uint64_t words() const { return words_; }

 protected:
  bool offer(const Word& word, bool parity, Cycle now) override {
    check(now == now_(), "cycle", word, now, "the present cycle is " + std::to_string(now_()));
    check(last_ == kNever || now != last_, "twice", word, now,
          "another word was offered in this cycle");
    last_ = now;
    const Key key{word.stream, word.epoch};
    const auto last = accepted_.find(key);
    check(!numbered_ || last == accepted_.end() || last->second != word.sequence, "again", word,
          now, "it has been accepted");
    const bool accepted = Tap::offer(word, parity, now);
    if (!accepted) return false;
    accepted_[key] = word.sequence;
    ++words_;
    return true;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // stream and epoch

  std::function<Cycle()> now_;
  const bool numbered_;
  std::map<Key, std::uint32_t> accepted_;  // number of the last word that was
  Cycle last_ = kNever;
  std::uint64_t words_ = 0;
};

}  // namespace tessera::slot
