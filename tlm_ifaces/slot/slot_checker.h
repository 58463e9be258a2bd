// Slot protocol: a tap that fails the run when a rule of the protocol is broken. Rules and ids:
//
//   /tessera/slot/cycle    an offer for another cycle than the present one
//   /tessera/slot/twice    a second offer in one cycle: a link carries one word per cycle
//   /tessera/slot/again    a word that has been accepted is offered again
//   /tessera/slot/dropped  a word that was refused is not offered again before others of its stream
//
// The last two follow words by their stream, epoch and number. Leave them out (`follow_words`) for
// senders that do not number their words, and for programs whose words go astray: those overtake.
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
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now, bool follow_words = true)
      : Tap(name), now_(std::move(now)), follow_words_(follow_words) {}

  /// Words that went over the link.
  std::uint64_t accepted() const { return accepted_; }

 protected:
  bool offer(const Word& word, bool parity, Cycle now) override {
    check(now == now_(), "cycle", word, now, "the present cycle is " + std::to_string(now_()));
    check(last_ == kNever || now != last_, "twice", word, now,
          "another word was offered in this cycle");
    last_ = now;
    if (follow_words_) check_order(word, now);
    const bool accepted = Tap::offer(word, parity, now);
    streams_[{word.stream, word.epoch}] = {word.sequence, accepted};
    accepted_ += accepted ? 1 : 0;
    return accepted;
  }

 private:
  /// The last word of a stream that was offered.
  struct Last {
    std::uint32_t sequence = 0;
    bool accepted = false;
  };

  void check_order(const Word& word, Cycle now) const {
    const auto found = streams_.find({word.stream, word.epoch});
    if (found == streams_.end()) return;
    const Last& last = found->second;
    const std::string number = std::to_string(last.sequence);
    if (last.accepted)
      check(word.sequence != last.sequence, "again", word, now, "it has been accepted");
    else
      check(word.sequence == last.sequence, "dropped", word, now,
            "number " + number + " was refused and is not offered again");
  }

  std::function<Cycle()> now_;
  const bool follow_words_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Last> streams_;  // by stream and epoch
  Cycle last_ = kNever;
  std::uint64_t accepted_ = 0;
};

}  // namespace tessera::slot
