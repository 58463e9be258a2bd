#include "models/cluster/core/register_pipeline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>

namespace tessera::cluster {

namespace {

using U = RegisterUnit;

// 4.2, 4.3.
constexpr Cycle kOpens = 21, kToMemory = 2, kToUnit = 3, kAccess = 9, kDrain = 12, kLoopGap = 2;
constexpr Cycle kGatherCycles = 2;  // 32 elements of 32 bits in a cycle
constexpr Cycle kReleaseDelay = 4;  // of a register after its last consumer has started
constexpr unsigned kUnitQueue = 26;
/// Of 68 registers so many are left for values: fitted to the rows of 4.8, some names that a function does not use hold one too.
constexpr unsigned kRegisters = 56;
constexpr unsigned kDispatch = 5, kQueue = 58, kNames = 32, kUnits = 2;
constexpr unsigned kAccesses = 2, kLoads = 2, kStores = 1;

bool is_special(U unit) {
  return unit == U::kExp || unit == U::kDivide || unit == U::kReduceSum ||
         unit == U::kReduceExtreme;
}
bool is_mask(U unit) {
  return unit == U::kMask;
}

Cycle latency_of(const PipelineStep& s) {
  const auto choose = [&s](Cycle single, Cycle half) { return s.is_half ? half : single; };
  switch (s.unit) {
  case U::kMultiply:
    return 8;
  case U::kMaximum:
  case U::kSelect:
    return 6;
  case U::kUnary:
    return s.is_splat ? 6 : 5;
  case U::kExp:
    return choose(16, 21);
  case U::kDivide:
    return choose(17, 22);
  case U::kReduceSum:
    return choose(22, 24);
  case U::kReduceExtreme:
    return choose(16, 17);
  case U::kReduceBlocks:
    return choose(13, 14);
  case U::kMask:
    return 6;
  case U::kLoad:
  case U::kStore:
  case U::kGather:
    return kAccess;
  default:
    return 7;
  }
}

/// Cycles from the start of a producer to the first one in which a consumer may start (4.4): consumers of the arithmetic
/// unit; of the special one, absolute values and duplicates; stores.
Cycle forwarding(const PipelineStep& from, const PipelineStep& to) {
  const std::size_t kind = to.is_store ? 2 : is_special(to.unit) || to.unit == U::kUnary ? 1 : 0;
  const auto row = [kind](Cycle a, Cycle b, Cycle c) {
    return std::array<Cycle, 3>{a, b, c}[kind];
  };
  const bool half = from.is_half;
  switch (from.unit) {
  case U::kAdd:
    return to.is_selection ? 5 : row(3, 4, 5);
  case U::kMultiply:
    return row(4, 5, 6);
  case U::kMaximum:
    return row(2, 3, 4);
  case U::kUnary:
    return from.is_splat ? row(8, 8, 4) : row(2, 2, 3);
  case U::kSelect:
    if (from.is_selection) return to.is_selection ? 4 : row(2, 2, 3);
    return to.is_selection ? 2 : 4;
  case U::kExp:
    return half ? row(18, 18, 19) : row(13, 13, 14);
  case U::kDivide:
    return half ? row(19, 19, 20) : row(14, 14, 15);
  case U::kReduceSum:
    return half ? row(21, 19, 22) : row(19, 19, 20);
  case U::kReduceExtreme:
    return half ? row(14, 14, 15) : row(13, 13, 14);
  case U::kReduceBlocks:
    return to.is_selection ? 12 : half ? row(11, 12, 13) : row(10, 10, 10);
  case U::kConvert:
    return row(3, 4, 4);
  case U::kLoad:
  case U::kGather:
    return to.is_splat ? 2 : 6;
  case U::kMask:
    return is_mask(to.unit) ? 4 : 2;
  default:
    return 1;
  }
}

/// Least distance of two starts on one unit (4.3, 4.5).
Cycle interval(const PipelineStep& a, const PipelineStep& b) {
  const bool half = a.is_half;
  const U to = b.unit;
  switch (a.unit) {
  case U::kAdd:
    if (to == U::kSelect) return b.is_selection ? 2 : 3;
    return to == U::kMaximum || to == U::kReduceBlocks || (to == U::kUnary && b.is_splat) ? 2 : 1;
  case U::kMultiply:
    return to == U::kAdd || to == U::kConvert || (to == U::kSelect && !b.is_selection) ? 2 : 1;
  case U::kMaximum:
    return to == U::kUnary && !b.is_splat ? 2 : 1;
  case U::kUnary:
    return a.is_splat && to == U::kUnary && !b.is_splat ? 2 : 1;
  case U::kSelect:
    return a.is_selection && !is_special(to) ? 2 : 1;
  case U::kConvert:
    return to == U::kMaximum ? 2 : 1;
  case U::kExp:
    return to == U::kExp ? (half ? 8 : 4) : to == U::kDivide ? (half ? 10 : 6) : 1;
  case U::kDivide:
    if (to == U::kDivide) return half ? 8 : 4;
    return to == U::kExp ? (half ? 9 : 5) : to == U::kReduceExtreme ? 2 : 1;
  case U::kReduceExtreme:
    return to == U::kAdd ? (half ? 3 : 4) : to == U::kMaximum ? (half ? 4 : 5) : 1;
  case U::kReduceSum:
    if (!half) return 1;
    return to == U::kMaximum                                ? 7
           : to == U::kReduceSum || to == U::kReduceExtreme ? 8
           : to == U::kAdd                                  ? 9
                                                            : 1;
  case U::kReduceBlocks:
    return to == U::kAdd ? 4 : to == U::kMaximum ? 5 : to == U::kSelect && !b.is_selection ? 3 : 1;
  default:
    return 1;
  }
}

bool takes_first_unit(const PipelineStep& s) {
  return s.unit == U::kReduceSum || s.unit == U::kReduceExtreme || s.is_splat;
}

/// A run of a function.
class Pipeline {
 public:
  explicit Pipeline(const std::vector<PipelineStep>& steps)
      : steps_(steps), states_(steps.size()) {}

  Cycle run() {
    while (done_ < steps_.size()) {
      free_registers();
      dispatch();
      start_accesses();
      start_units();
      ++now_;
    }
    return end_;
  }

 private:
  static constexpr Cycle kNotYet = kNever;
  struct State {
    Cycle dispatched = kNotYet, start = kNotYet;
    unsigned consumers = 0;  // that have been dispatched and have not started
    Cycle last_use = 0;      // start of the last consumer, or its own
    bool is_renamed = false, is_free = false;
    std::int32_t before = -1;  // the step whose value had the name
  };
  struct Unit {
    const PipelineStep* last = nullptr;
    Cycle at = 0;
    std::array<const PipelineStep*, 2>
        of_kind{};  // the last one of each kind, arithmetic and special
    std::array<Cycle, 2> of_kind_at{};
    std::deque<Cycle> starts;  // of what is in its queue
  };

  // A value that has lost its name and whose consumers have started gives its register back.
  void free_registers() {
    for (std::size_t i = 0; i < renamed_.size();) {
      State& s = states_[renamed_[i]];
      const bool is_over =
          s.start != kNotYet && s.consumers == 0 && now_ >= s.last_use + kReleaseDelay;
      if (!is_over) {
        ++i;
        continue;
      }
      --registers_;
      renamed_[i] = renamed_.back();
      renamed_.pop_back();
    }
  }

  void rename(std::uint32_t name) {
    const auto known = std::find_if(names_.begin(), names_.end(),
                                    [name](const Name& n) { return n.name == name; });
    if (known != names_.end()) {
      renamed_.push_back(known->step);
      names_.erase(known);
    } else if (names_.size() >= kNames) {
      renamed_.push_back(names_.front().step);
      names_.pop_front();
    }
  }

  void dispatch() {
    for (unsigned n = 0; n < kDispatch && next_ < steps_.size(); ++n) {
      const PipelineStep& s = steps_[next_];
      if (s.opens_loop && next_ > 0 && now_ < states_[next_ - 1].dispatched + kLoopGap) return;
      if (s.after_fence && !fence_is_over()) return;
      const bool queues = !s.is_load;
      if (queues && queued_ >= kQueue) return;
      if (s.has_result && registers_ >= kRegisters) {
        starved_ = true;
        return;
      }
      starved_ = false;
      State& state = states_[next_];
      state.dispatched = now_;
      for (const std::uint32_t p : s.producers) ++states_[p].consumers;
      if (s.has_result) {
        rename(s.name);
        names_.push_back({s.name, static_cast<std::uint32_t>(next_)});
        ++registers_;
      }
      queued_ += queues ? 1 : 0;
      (s.is_load    ? loads_
       : s.is_store ? stores_
                    : computing_)
          .push_back(static_cast<std::uint32_t>(next_));
      ++next_;
    }
  }
  // Accesses before the barrier are complete; everything before the last ones is waited for.
  bool fence_is_over() const { return loads_.empty() && stores_.empty() && now_ >= accesses_done_; }

  /// The first cycle in which all sources are there; kNotYet: nobody knows.
  Cycle sources_at(const PipelineStep& s) const {
    Cycle at = 0;
    for (const std::uint32_t p : s.producers) {
      if (states_[p].start == kNotYet) return kNotYet;
      at = std::max(at, states_[p].start + forwarding(steps_[p], s));
    }
    return at;
  }

  void start(std::uint32_t n, Cycle at) {
    const PipelineStep& s = steps_[n];
    states_[n].start = at;
    states_[n].last_use = std::max(states_[n].last_use, at);
    for (const std::uint32_t p : s.producers) {
      --states_[p].consumers;
      states_[p].last_use = std::max(states_[p].last_use, at);
    }
    queued_ -= s.is_load ? 0 : 1;
    ++done_;
    end_ = std::max(end_, at + latency_of(s));
    if (s.unit == U::kGather) memory_free_ = at + kGatherCycles;
    if (s.is_load || s.is_store) accesses_done_ = std::max(accesses_done_, at + kAccess);
  }

  /// Starts up to `most` accesses of a queue whose sources are there.
  unsigned start_from(std::vector<std::uint32_t>& queue, unsigned most) {
    unsigned started = 0;
    for (std::size_t i = 0; i < queue.size() && started < most;) {
      const PipelineStep& s = steps_[queue[i]];
      const Cycle earliest = states_[queue[i]].dispatched + kToMemory;
      const Cycle sources = now_ < earliest ? kNotYet : sources_at(s);
      if (sources == kNotYet || sources > now_) {
        ++i;
        continue;
      }
      if (steps_[queue[i]].unit == U::kGather && started > 0) return started;
      start(queue[i], now_);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
      if (s.unit == U::kGather) return most;
      ++started;
    }
    return started;
  }

  void start_accesses() {
    if (now_ < memory_free_) return;  // a gather takes both ports for two cycles
    unsigned left = kAccesses;
    if (starved_) left -= start_from(stores_, kStores);
    left -= start_from(loads_, std::min(left, kLoads));
    if (!starved_) start_from(stores_, std::min(left, kStores));
  }

  /// The first cycle in which the unit may start `s`, after everything that is in its queue.
  Cycle start_on(const Unit& unit, const PipelineStep& s, Cycle earliest) const {
    Cycle at = earliest;
    if (unit.last != nullptr) at = std::max(at, unit.at + interval(*unit.last, s));
    const std::size_t kind = is_special(s.unit) ? 1 : 0;
    if (const PipelineStep* same = unit.of_kind[kind])
      at = std::max(at, unit.of_kind_at[kind] + interval(*same, s));
    return at;
  }
  bool has_room(const Unit& unit) const { return unit.starts.size() < kUnitQueue; }

  void take(Unit& unit, const PipelineStep& s, Cycle at) {
    const std::size_t kind = is_special(s.unit) ? 1 : 0;
    unit.last = unit.of_kind[kind] = &s;
    unit.at = unit.of_kind_at[kind] = at;
    unit.starts.push_back(at);
  }

  // An instruction goes into the queue of the unit that starts it first: of the shorter queue, or the first one, if both
  // do. Each queue takes one in a cycle, and keeps their order.
  void start_units() {
    for (Unit& unit : units_)
      while (!unit.starts.empty() && unit.starts.front() <= now_) unit.starts.pop_front();
    std::array<bool, kUnits> taken{};
    for (std::size_t i = 0; i < computing_.size() && !(taken[0] && taken[1]);) {
      const std::uint32_t n = computing_[i];
      const PipelineStep& s = steps_[n];
      const Cycle sources = now_ < states_[n].dispatched + kToUnit - 1 ? kNotYet : sources_at(s);
      const Cycle at = start_of(s, sources, taken);
      if (at == kNotYet) {
        ++i;
        continue;
      }
      start(n, at);
      computing_.erase(computing_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  Cycle start_of(const PipelineStep& s, Cycle sources, std::array<bool, kUnits>& taken) {
    if (sources == kNotYet || sources > now_ + 1) return kNotYet;
    const Cycle earliest = std::max(sources, now_ + 1);
    if (is_mask(s.unit)) return earliest;  // predicates have a unit of their own
    std::size_t best = kUnits;
    Cycle at = kNotYet;
    for (std::size_t u = 0; u < kUnits; ++u) {
      if (taken[u] || !has_room(units_[u]) || (u > 0 && takes_first_unit(s))) continue;
      const Cycle here = start_on(units_[u], s, earliest);
      const bool is_better = best == kUnits || here < at ||
                             (here == at && units_[u].starts.size() < units_[best].starts.size());
      if (!is_better) continue;
      best = u;
      at = here;
    }
    if (best == kUnits) return kNotYet;
    taken[best] = true;
    take(units_[best], s, at);
    return at;
  }

  struct Name {
    std::uint32_t name, step;
  };
  const std::vector<PipelineStep>& steps_;
  std::vector<State> states_;
  std::array<Unit, kUnits> units_;
  std::deque<Name> names_;              // bound names, the one that was bound first in front
  std::vector<std::uint32_t> renamed_;  // steps whose values wait for their last consumers
  std::vector<std::uint32_t> loads_, stores_, computing_;  // dispatched and not started, in order
  std::size_t next_ = 0, done_ = 0;
  unsigned queued_ = 0, registers_ = 0;
  bool starved_ = false;
  Cycle now_ = 0, end_ = 0, accesses_done_ = 0, memory_free_ = 0;
};

}  // namespace

Cycle pipeline_cycles(const std::vector<PipelineStep>& steps) {
  if (steps.empty()) return kOpens + kToMemory + kDrain;
  return kOpens + Pipeline(steps).run() + kDrain;
}

}  // namespace tessera::cluster
