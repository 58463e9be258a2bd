// Slot protocol: a tap that fails the run when a rule of the protocol is broken. Rules and ids:
//
//   /tessera/slot/cycle    an offer for another cycle than the present one
//   /tessera/slot/twice    a second offer in one cycle: a link carries one word per cycle
//   /tessera/slot/again    a word that has been accepted is offered again; words are known by their
//                          stream, epoch and number (leave it out for senders without numbers)
#pragma once

#include <systemc>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tlm_ifaces/slot/slot_tap.h"

namespace tessera::slot {

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
