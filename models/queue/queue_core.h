// A queue of a PE (reference wse.md 2.1): a FIFO of fixed length with one writer and one reader.
// Plain C++.
//
// An entry takes its place when it is put and may be read from the cycle it carries. The place of
// an entry that is popped in cycle t is room for the writer from t + 1 on, whoever is stepped first
// in t.
#pragma once

#include <cassert>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::queue {

class QueueCore {
 public:
  /// `capacity` in wavelets.
  explicit QueueCore(unsigned capacity) : entries_(capacity) {}

  unsigned capacity() const { return static_cast<unsigned>(entries_.capacity()); }
  std::size_t size() const { return entries_.size(); }

  /// Appends `w`, to be read from cycle `visible_from` on. Throws std::logic_error when the queue
  /// is full: its writer did not ask for room or sent without a credit.
  void put(const link::Wavelet& w, Cycle visible_from) {
    if (entries_.full()) {
      throw std::logic_error("a wavelet of color " + std::to_string(w.color.value()) +
                             " was put into a full queue of length " + std::to_string(capacity()));
    }
    entries_.push_back({w, visible_from});
  }
  /// Cycle from which the oldest wavelet may be read; kNever when the queue is empty.
  Cycle ready_at() const { return entries_.empty() ? kNever : entries_.front().visible_from; }
  /// How many wavelets may be read in cycle `now`. An entry is not read before an older one.
  unsigned available(Cycle now) const {
    unsigned n = 0;
    while (n < size() && entries_[n].visible_from <= now) ++n;
    return n;
  }
  /// The oldest wavelet. Requires size() > 0.
  const link::Wavelet& front() const { return entries_.front().wavelet; }
  /// Removes the oldest wavelet. Requires ready_at() <= now. Returns the cycle from which the writer
  /// may use its place.
  Cycle pop(Cycle now) {
    assert(ready_at() <= now);
    if (last_pop_ != now) popped_ = 0;
    last_pop_ = now;
    ++popped_;
    entries_.pop_front();
    return now + 1;
  }
  /// How many wavelets may be put in cycle `now`.
  unsigned room(Cycle now) const {
    const unsigned freed_now = last_pop_ == now ? popped_ : 0;
    return capacity() - static_cast<unsigned>(size()) - freed_now;
  }

  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(entries_, last_pop_, popped_);
  }

 private:
  struct Entry {
    link::Wavelet wavelet;
    Cycle visible_from = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(wavelet, visible_from);
    }
  };
  Ring<Entry> entries_;
  Cycle last_pop_ = kNever;
  unsigned popped_ = 0;  // in cycle last_pop_
};

}  // namespace tessera::queue
