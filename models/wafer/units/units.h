// How the units of a wafer name each other and how they keep time: which are due in which cycle, in
// which order those of one kind are stepped, and which of several failures is reported.
//
// No block holds a due cycle. Whoever lands or comes back in cycle d sets bit d % 64 of the
// receiver and wakes it for d; the receiver takes the bit when it is stepped in d. So all latencies
// are below 64 (kMaxLatency).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/timing/calendar.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

namespace tessera::wafer {

/// Units `first` to `end` - 1 of one kind.
struct Span {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};
using Spans = std::vector<Span>;

/// Which of many numbered units are due in which of the next cycles: a bit a unit and cycle, with a
/// summary on top, so that a cycle costs what is due in it and units are visited in rising order -
/// the order in which they lie in memory.
class ActiveSet {
 public:
  /// A unit may be due less than this many cycles ahead.
  static constexpr unsigned kHorizon = 64;

  /// Units 0 .. `units` - 1; none is due.
  void resize(std::size_t units) {
    words_ = (units + 63) / 64;
    summary_words_ = (words_ + 63) / 64;
    bits_.assign(words_ * kHorizon, 0);
    summary_.assign(summary_words_ * kHorizon, 0);
    occupied_ = 0;
  }

  /// `unit` is due in cycle `at`, at most kHorizon - 1 cycles after the cycle of the last take().
  void insert(std::uint32_t unit, Cycle at) {
    const unsigned row = row_of(at);
    if (mark(bits_.data() + row * words_, summary_.data() + row * summary_words_, unit))
      occupied_ |= bit(row);
  }
  /// `unit` is due in the cycle after that of the last take().
  void insert_for_next(std::uint32_t unit) {
    if (mark(next_words_, next_summary_, unit)) occupied_ |= next_bit_;
  }

  /// One cycle of the set, for whoever inserts many units for it.
  class Row {
   public:
    Row(ActiveSet& set, Cycle at)
        : set_(set), row_(row_of(at)), words_(set.bits_.data() + row_ * set.words_),
          summary_(set.summary_.data() + row_ * set.summary_words_) {}
    ~Row() {
      if (used_) set_.occupied_ |= bit(row_);
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    void insert(std::uint32_t unit) {
      if (mark(words_, summary_, unit)) used_ = true;
    }

   private:
    ActiveSet& set_;
    const unsigned row_;
    std::uint64_t* const words_;
    std::uint64_t* const summary_;
    bool used_ = false;
  };

  /// Calls `visit(unit)` for every unit due in cycle `now` and forgets them. `visit` may insert for
  /// later cycles, and may answer whether the unit is due in the next one, too.
  template <class Visit>
  void take(Cycle now, Visit&& visit) {
    look_to(now + 1);
    const unsigned row = row_of(now);
    if ((occupied_ & bit(row)) == 0) return;
    occupied_ &= ~bit(row);
    std::uint64_t* words = &bits_[row * words_];
    std::uint64_t* summary = &summary_[row * summary_words_];
    for (std::size_t s = 0; s < summary_words_; ++s) {
      std::uint64_t used = summary[s];
      summary[s] = 0;
      for (; used != 0; used &= used - 1) {
        const std::size_t word = s * 64 + lowest(used);
        std::uint64_t due = words[word];
        words[word] = 0;
        visit_all(word, due, visit);
      }
    }
  }

  /// take() of some of the units; answers whether one was due. When all have been taken in parts,
  /// forget() has to follow.
  template <class Visit>
  [[gnu::always_inline]] bool take(Cycle now, const Spans& some, Visit&& visit) {
    look_to(now + 1);
    const unsigned row = row_of(now);
    if ((occupied_ & bit(row)) == 0) return false;
    std::uint64_t* const words = &bits_[row * words_];
    std::uint64_t* const summary = &summary_[row * summary_words_];
    bool any = false;
    for (const Span& units : some) {
      const std::size_t last = (units.end - 1) / 64;
      std::uint64_t mask = ~std::uint64_t{0} << (units.first % 64);
      for (std::size_t word = units.first / 64; word <= last; ++word) {
        if (word == last) mask &= ~std::uint64_t{0} >> (63 - (units.end - 1) % 64);
        const std::uint64_t before = words[word];
        std::uint64_t due = before & mask;
        mask = ~std::uint64_t{0};
        if (due == 0) continue;
        any = true;
        words[word] = before & ~due;
        if (before == due) summary[word / 64] &= ~bit(word % 64);
        visit_all(word, due, visit);
      }
    }
    return any;
  }
  /// Nothing is due any more in cycle `now`.
  void forget(Cycle now) { occupied_ &= ~bit(row_of(now)); }

  /// The earliest cycle after `now` in which a unit is due; kNever when there is none.
  Cycle next_due(Cycle now) const {
    if (occupied_ == 0) return kNever;
    const unsigned first = row_of(now + 1);
    const std::uint64_t ahead =
        first == 0 ? occupied_ : occupied_ >> first | occupied_ << (64 - first);
    return now + 1 + lowest(ahead);
  }
  /// What `visit(unit)` answers: whether the unit is due in the next cycle.
  template <class Visit>
  [[gnu::always_inline]] static bool goes_on(Visit&& visit, std::uint32_t unit) {
    if constexpr (std::is_same_v<std::invoke_result_t<Visit&, std::uint32_t>, bool>)
      return visit(unit);
    visit(unit);
    return false;
  }
  /// Calls `visit(unit, cycle)` for all that are due in cycle `now` or later ones.
  template <class Visit>
  void for_each(Cycle now, Visit&& visit) const {
    for (Cycle at = now; at < now + kHorizon; ++at) {
      const unsigned row = row_of(at);
      if ((occupied_ & bit(row)) == 0) continue;
      for (std::size_t word = 0; word < words_; ++word) {
        for (std::uint64_t due = bits_[row * words_ + word]; due != 0; due &= due - 1)
          visit(static_cast<std::uint32_t>(word * 64 + lowest(due)), at);
      }
    }
  }

 private:
  // insert_for_next() is for cycle `next` from now on.
  void look_to(Cycle next) {
    const unsigned row = row_of(next);
    next_words_ = bits_.data() + row * words_;
    next_summary_ = summary_.data() + row * summary_words_;
    next_bit_ = bit(row);
  }
  // Of the units that go on those of one word are noted together.
  template <class Visit>
  [[gnu::always_inline]] void visit_all(std::size_t word, std::uint64_t due, Visit&& visit) {
    std::uint64_t again = 0;
    for (; due != 0; due &= due - 1) {
      const unsigned unit = lowest(due);
      again |= std::uint64_t{goes_on(visit, static_cast<std::uint32_t>(word * 64 + unit))} << unit;
    }
    if (again == 0) return;
    const std::uint64_t before = next_words_[word];
    next_words_[word] = before | again;
    if (before != 0) return;
    next_summary_[word / 64] |= bit(word % 64);
    occupied_ |= next_bit_;
  }
  static unsigned row_of(Cycle c) { return static_cast<unsigned>(c % kHorizon); }
  static std::uint64_t bit(std::size_t n) { return std::uint64_t{1} << n; }
  /// Notes a unit in a row. True: it is the first one of its word.
  static bool mark(std::uint64_t* words, std::uint64_t* summary, std::uint32_t unit) {
    const std::size_t word = unit / 64;
    const std::uint64_t before = words[word];
    words[word] = before | bit(unit % 64);
    if (before != 0) return false;
    summary[word / 64] |= bit(word % 64);
    return true;
  }
  static unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }

  std::size_t words_ = 0;
  std::size_t summary_words_ = 0;
  std::vector<std::uint64_t> bits_;     // [cycle][unit / 64]
  std::vector<std::uint64_t> summary_;  // [cycle][word / 64]: words that are not 0
  std::uint64_t occupied_ = 0;          // cycles that have something
  // Where the cycle after that of the last take() lies.
  std::uint64_t* next_words_ = nullptr;
  std::uint64_t* next_summary_ = nullptr;
  std::uint64_t next_bit_ = 0;
};

/// Tiles stepped ahead of others (Skew, skew.h) are ahead by fewer cycles than this.
inline constexpr unsigned kMaxDepth = 32;

/// Steps the due units of one kind in rising order, or in an order drawn for the cycle.
class StepOrder {
 public:
  void shuffle(std::uint64_t seed) { random_.emplace(seed); }

  /// Calls `step(unit)`, as ActiveSet::take does, for every unit due in cycle `now`, or for those of `some`. Inlined by force: the
  /// steps of pipes are inlined into it.
  template <class Step>
  [[gnu::always_inline]] void step_due(ActiveSet& due, Cycle now, const Spans* some, Step&& step) {
    if (some != nullptr) return step_some(due, now, *some, step);
    if (!random_) return due.take(now, step);
    units_.clear();
    due.take(now, [this](std::uint32_t unit) { units_.push_back(unit); });
    step_shuffled(due, step);
  }
  /// The last cycle in which one of `some` was due.
  Cycle last_of_some() const { return last_of_some_; }

 private:
  template <class Step>
  void step_some(ActiveSet& due, Cycle now, const Spans& some, Step& step) {
    bool any = false;
    if (!random_) {
      any = due.take(now, some, step);
    } else {
      units_.clear();
      any = due.take(now, some, [this](std::uint32_t unit) { units_.push_back(unit); });
      step_shuffled(due, step);
    }
    if (any) last_of_some_ = std::max(last_of_some_, now);
  }
  template <class Step>
  void step_shuffled(ActiveSet& due, Step& step) {
    std::shuffle(units_.begin(), units_.end(), *random_);
    for (const std::uint32_t unit : units_) {
      if (ActiveSet::goes_on(step, unit)) due.insert_for_next(unit);
    }
  }

  Cycle last_of_some_ = 0;
  std::optional<std::mt19937_64> random_;
  std::vector<std::uint32_t> units_;  // those that are due in a cycle
};

/// An ActiveSet whose units may be due any number of cycles ahead.
class FarActiveSet {
 public:
  void resize(std::size_t units) {
    near_.resize(units);
    far_ = {};
    far_due_ = kNever;
  }
  /// As that of ActiveSet; a unit may come twice for a cycle.
  template <class Visit>
  void for_each(Cycle now, Visit&& visit) const {
    near_.for_each(now, visit);
    timing::Calendar far = far_;
    std::vector<timing::BlockId> units;
    for (Cycle at = far.next_due(); at != kNever; at = far.next_due()) {
      far.take(at, units);
      for (const timing::BlockId unit : units) visit(unit, at);
    }
  }
  /// `unit` is due in cycle `at`; `now`: the present one. What is near stays so for those that are
  /// kMaxDepth cycles behind.
  void insert(std::uint32_t unit, Cycle at, Cycle now) {
    if (at - now < ActiveSet::kHorizon - kMaxDepth) {
      near_.insert(unit, at);
    } else {
      far_.insert(unit, at);
      far_due_ = std::min(far_due_, at);
    }
  }
  /// The set that has all units due in cycle `now`.
  ActiveSet& due_in(Cycle now) {
    bring_near(now);
    return near_;
  }
  /// .. and in those before it.
  void bring_near(Cycle last) {
    if (far_due_ > last) return;
    for (Cycle at = far_.next_due(); at <= last; at = far_.next_due()) {
      far_.take(at, moved_);
      for (const timing::BlockId unit : moved_) near_.insert(unit, at);
    }
    far_due_ = far_.next_due();
  }
  void forget(Cycle now) { near_.forget(now); }
  Cycle next_due(Cycle now) const { return std::min(near_.next_due(now), far_due_); }
  /// Those that are due in less than ActiveSet::kHorizon cycles.
  ActiveSet& near() { return near_; }

 private:
  ActiveSet near_;
  timing::Calendar far_;
  Cycle far_due_ = kNever;  // far_.next_due(), which is asked in every cycle
  std::vector<timing::BlockId> moved_;
};

/// When several blocks fail, keeps the failure of the first cycle, in a cycle that of the first tile, and in a
/// tile that of the router before that of the engine: the other structure adds its blocks in this order.
class FirstFailure {
 public:
  enum class Block : std::uint8_t { kRouter, kEngine };

  template <class Step>
  [[gnu::always_inline]] void guard(const std::uint32_t& place, Block block, Cycle now,
                                    Step&& step) {
    try {
      step();
    } catch (...) {
      note(place, block, now);
    }
  }
  /// Throws the failure, if there was one.
  void report() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  /// Its cycle; kNever: there was none.
  Cycle cycle() const { return failure_ ? cycle_ : kNever; }

 private:
  // The exception that is handled.
  [[gnu::noinline, gnu::cold]] void note(std::uint32_t place, Block block, Cycle now) {
    const std::uint64_t order = std::uint64_t{place} * 2 + static_cast<unsigned>(block);
    if (failure_ && std::pair(cycle_, order_) <= std::pair(now, order)) return;
    failure_ = std::current_exception();
    cycle_ = now;
    order_ = order;
  }

  std::exception_ptr failure_;
  Cycle cycle_ = 0;          // cycle of `failure_`
  std::uint64_t order_ = 0;  // place and block of `failure_`
};

inline constexpr unsigned kMaxLatency = ActiveSet::kHorizon - 1;
inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;

/// Bit of a cycle in the masks of slots, links and queues.
constexpr std::uint64_t cycle_bit(Cycle c) {
  return std::uint64_t{1} << (c % ActiveSet::kHorizon);
}

/// A credit of the next cycle counts now if the sender has others, because nothing waits for one of several. False: it
/// has none. The wafer is to be stepped in the next cycle all the same.
template <class Way>
bool credit_at_once(Way& way) {
  if (way.credits == 0) return false;
  ++way.credits;
  return true;
}

/// A wavelet in a buffer or on its way there, without its serial number: a wafer has very many, and only traces read
/// the numbers. It is one word, so that a register holds it from one buffer to the next.
class Stored {
 public:
  Stored() = default;
  explicit Stored(const link::Wavelet& w) { std::memcpy(&word_, &w, sizeof word_); }
  /// A data wavelet.
  Stored(std::uint32_t payload, Color color, bool half)
      : word_(payload | std::uint64_t{color.value()} << 32 | (half ? kHalf : 0)) {}
  link::Wavelet wavelet(std::uint64_t ident) const {
    link::Wavelet w;
    std::memcpy(static_cast<void*>(&w), &word_, sizeof word_);
    w.ident = ident;
    return w;
  }
  std::uint32_t payload() const { return static_cast<std::uint32_t>(word_); }
  Color color() const { return Color(static_cast<unsigned>(word_ >> 32 & 0xFFU)); }
  bool control() const { return (word_ & kControl) != 0; }
  /// It is a control or a half wavelet, or moves a switch.
  bool has_flags() const { return word_ >= kControl; }
  Stored without_local_flip() const {
    Stored w = *this;
    w.word_ &= ~kLocalFlip;
    return w;
  }

 private:
  // The word is the first members of link::Wavelet, so that both are copied at a time.
  static constexpr std::uint64_t kControl = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kHalf = std::uint64_t{1} << 48;
  static constexpr std::uint64_t kLocalFlip = std::uint64_t{1} << 56;
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                offsetof(link::Wavelet, payload) == 0 && offsetof(link::Wavelet, color) == 4 &&
                offsetof(link::Wavelet, control) == 5 && offsetof(link::Wavelet, half) == 6 &&
                offsetof(link::Wavelet, local_flip) == 7 && offsetof(link::Wavelet, ident) == 8);
  std::uint64_t word_ = 0;
};

/// The wavelets of buffers of one kind, by number of the place; with serial numbers if they are
/// traced.
class Store {
 public:
  Store(std::size_t places, bool traced)
      : traced_(traced), wavelets_(places), idents_(traced ? places : 0) {}
  void put(std::size_t at, Stored w, std::uint64_t ident) {
    wavelets_[at] = w;
    if (traced_) idents_[at] = ident;
  }
  Stored operator[](std::size_t at) const { return wavelets_[at]; }
  /// Its serial number; 0 unless it is traced.
  std::uint64_t ident(std::size_t at) const { return traced_ ? idents_[at] : 0; }
  [[gnu::always_inline]] void prefetch(std::size_t first, std::size_t end) const {
    tessera::prefetch(wavelets_.data(), first, end);
  }

 private:
  const bool traced_;
  std::vector<Stored> wavelets_;
  std::vector<std::uint64_t> idents_;
};

/// The block at the other end of a connection.
class Ref {
 public:
  enum class Kind : std::uint8_t {
    kPipe,    ///< a pipe, as a receiver and as a sender
    kSlot,    ///< as a receiver a slot, as a sender a Link
    kQueue,   ///< an input queue
    kRamp,    ///< RampLink of an on-ramp
    kRouter,  ///< port of a router with a core of its own: router * 8 + direction
    kPort,    ///< a link that leaves the wafer
    kRim,     ///< a way into the neighbouring strip (rims.h)
    kNone,    ///< nobody: never has room
  };
  Ref() : Ref(Kind::kNone, 0) {}
  Ref(Kind kind, std::uint32_t index) : bits_(static_cast<std::uint32_t>(kind) << 29 | index) {}
  static Ref router(std::uint32_t router, Direction d) {
    return {Kind::kRouter, router * 8 + static_cast<std::uint32_t>(tessera::index(d))};
  }
  Kind kind() const { return static_cast<Kind>(bits_ >> 29); }
  std::uint32_t index() const { return bits_ & 0x1FFFFFFFU; }
  std::uint32_t router() const { return index() / 8; }
  Direction direction() const { return static_cast<Direction>(index() % 8); }

 private:
  std::uint32_t bits_;
};

}  // namespace tessera::wafer
