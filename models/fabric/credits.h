// The credits of a sender (link protocol, tlm_ifaces/link/link_kit.h): how many wavelets it may
// still hand over on each of its channels. A channel is a color of one link, or whatever the owner
// numbers. Plain C++.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::fabric {

class Credits {
 public:
  explicit Credits(std::size_t channels = 0) : counts_(channels) {}

  /// More channels; those that exist keep their counts.
  void resize(std::size_t channels) { counts_.resize(channels); }
  /// The receiver has room for `capacity` wavelets of `channel`, all of it free.
  void set_capacity(unsigned channel, unsigned capacity) {
    counts_[channel] = {capacity, capacity, 0};
  }
  unsigned capacity(unsigned channel) const { return counts_[channel].capacity; }
  /// Credits that may be taken now.
  unsigned usable(unsigned channel) const { return counts_[channel].usable; }
  /// Room of the receiver that no wavelet occupies: usable now, or on its way back.
  unsigned owned(unsigned channel) const {
    return counts_[channel].usable + counts_[channel].returning;
  }
  /// Requires usable(channel) > 0.
  void take(unsigned channel) {
    assert(counts_[channel].usable > 0);
    --counts_[channel].usable;
  }
  /// One credit comes back, usable from cycle `due` on. False, and no effect, when none was taken.
  bool give_back(unsigned channel, Cycle due) {
    if (owned(channel) >= capacity(channel)) return false;
    ++counts_[channel].returning;
    returning_.push_back({due, channel});
    return true;
  }
  /// Credits due by `now` become usable.
  void settle(Cycle now) {
    for (std::size_t i = 0; i < returning_.size();) {
      if (returning_[i].due > now) {
        ++i;
        continue;
      }
      Count& count = counts_[returning_[i].channel];
      ++count.usable;
      --count.returning;
      returning_[i] = returning_.back();  // their order does not matter
      returning_.pop_back();
    }
  }
  /// Earliest cycle in which a credit becomes usable; kNever when none is on its way.
  Cycle next_due() const {
    Cycle due = kNever;
    for (const Returning& r : returning_) due = std::min(due, r.due);
    return due;
  }

 private:
  struct Count {
    unsigned capacity = 0;
    unsigned usable = 0;
    unsigned returning = 0;
  };
  struct Returning {
    Cycle due;
    unsigned channel;
  };
  std::vector<Count> counts_;
  boost::container::small_vector<Returning, 4> returning_;  // a handful at a time
};

}  // namespace tessera::fabric
