// Link protocol: a tap that fails the run when a rule of the protocol is broken. Rules and ids:
//
//   /tessera/link/no_credit     a put without a credit: never given, used, or not yet due
//   /tessera/link/extra_credit  a credit for room that was never taken
//   /tessera/link/early         a due cycle that does not lie after the cycle of the call
//   /tessera/link/order         due cycles go backwards: of wavelets, or of credits of one color
//   /tessera/link/rate          two wavelets due in the same cycle: a link carries one per cycle
//   /tessera/link/color         a color outside 0..23
#pragma once

#include <systemc>

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/link/link_tap.h"

namespace tessera::link {

class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

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
