// The order inside a cycle of a wafer: in which order the due units of one kind are stepped, which
// of them are due later than an ActiveSet reaches, and which of several failures is reported.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "models/timing/calendar.h"
#include "models/wafer/active_set.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

/// Steps the due units of one kind in rising order, or in an order drawn for the cycle.
class StepOrder {
 public:
  void shuffle(std::uint64_t seed) { random_.emplace(seed); }

  /// Calls `step(unit)` for every unit due in cycle `now`. Inlined by force: the steps of pipes are
  /// inlined into it.
  template <class Step>
  [[gnu::always_inline]] void step_due(ActiveSet& due, Cycle now, Step&& step) {
    if (!random_) return due.take(now, step);
    units_.clear();
    due.take(now, [this](std::uint32_t unit) { units_.push_back(unit); });
    std::shuffle(units_.begin(), units_.end(), *random_);
    for (const std::uint32_t unit : units_) step(unit);
  }

 private:
  std::optional<std::mt19937_64> random_;
  std::vector<std::uint32_t> units_;  // of a cycle
};

/// An ActiveSet whose units may be due any number of cycles ahead.
class FarActiveSet {
 public:
  void resize(std::size_t units) { near_.resize(units); }
  /// `unit` is due in cycle `at`; `now`: the present one.
  void insert(std::uint32_t unit, Cycle at, Cycle now) {
    if (at - now < ActiveSet::kHorizon) {
      near_.insert(unit, at);
    } else {
      far_.insert(unit, at);
    }
  }
  /// The set that has all units due in cycle `now`.
  ActiveSet& due_in(Cycle now) {
    if (far_.next_due() <= now) {
      far_.take(now, moved_);
      for (const timing::BlockId unit : moved_) near_.insert(unit, now);
    }
    return near_;
  }
  Cycle next_due(Cycle now) const { return std::min(near_.next_due(now), far_.next_due()); }

 private:
  ActiveSet near_;
  timing::Calendar far_;
  std::vector<timing::BlockId> moved_;
};

/// When several blocks fail in a cycle, keeps the failure of the first tile, and in a tile that of
/// the router before that of the engine: the other structure adds its blocks in this order.
class FirstFailure {
 public:
  enum class Block : std::uint8_t { kRouter, kEngine };

  template <class Step>
  void guard(std::uint32_t place, Block block, Step&& step) {
    try {
      step();
    } catch (...) {
      const std::uint64_t order = std::uint64_t{place} * 2 + static_cast<unsigned>(block);
      if (failure_ && order_ <= order) return;
      failure_ = std::current_exception();
      order_ = order;
    }
  }
  /// Throws the failure of this cycle, if there was one.
  void report() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
  std::uint64_t order_ = 0;  // place and block of `failure_`
};

}  // namespace tessera::wafer
