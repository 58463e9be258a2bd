// A value that the program changes and that counts some cycles later (reference wse.md 3.3, 4:
// run-time changes of priorities take a few cycles).
#pragma once

#include <algorithm>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

template <class T>
class Delayed {
 public:
  explicit Delayed(T value) : value_(value) {}

  T at(Cycle now) const {
    T value = value_;
    for (const Change& change : changes_) {
      if (change.from <= now) value = change.value;
    }
    return value;
  }
  /// In cycle `now`: `value` counts from cycle `from` on. Changes of later calls count later.
  void change(T value, Cycle from, Cycle now) {
    value_ = at(now);
    changes_.erase(std::remove_if(changes_.begin(), changes_.end(),
                                  [now](const Change& c) { return c.from <= now; }),
                   changes_.end());
    changes_.push_back({value, from});
  }

 private:
  struct Change {
    T value;
    Cycle from;
  };
  T value_;
  std::vector<Change> changes_;  // by cycle
};

}  // namespace tessera::pe
