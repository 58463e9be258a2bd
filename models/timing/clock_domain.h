// Clock domain: one SC_METHOD and one event for any number of blocks (docs/architecture.md#time). It
// steps what is due and sleeps until the next due cycle; idle hardware costs nothing. The only
// place where Cycle meets sc_time.
#pragma once

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/state/fwd.h"
#include "models/timing/scheduler.h"

namespace tessera::timing {

/// Report id under which an IllegalBehaviour of a block leaves the simulation: the kernel lets only
/// sc_reports out.
inline constexpr const char* kIllegalBehaviourId = "/tessera/model/illegal_behaviour";
/// The same for any other exception of a block: a bug in a model.
inline constexpr const char* kInternalId = "/tessera/model/internal";
/// A block could not get the memory that it needs.
inline constexpr const char* kMemoryId = "/tessera/model/memory";
/// The operating system gave a block no threads or files.
inline constexpr const char* kSystemId = "/tessera/model/system";
/// A block was woken for a cycle that is not in the future.
inline constexpr const char* kEarlyId = "/tessera/timing/early";
/// A domain was reset by one of its own blocks, inside a cycle.
inline constexpr const char* kResetId = "/tessera/timing/reset";

/// Why a block could not go on: the report id, and the text with the cycle.
struct Failure {
  std::string id;
  std::string text;
};

class ClockDomain : public sc_core::sc_module {
 public:
  /// `period_ps`: clock period in picoseconds, at least 1. Cycle n is the time n * period, counted
  /// from the last reset.
  ClockDomain(sc_core::sc_module_name name, std::uint64_t period_ps);

  BlockId add(Steppable& block) { return scheduler_.add(block); }
  /// See Scheduler::add_early.
  BlockId add_early(Steppable& block) { return scheduler_.add_early(block); }
  /// Steps `block` in cycle `at`. Called from inside a step: `at` must lie after now(). Called from
  /// outside: a cycle that has already been stepped is put off to the next one.
  void wake(BlockId block, Cycle at) {
    if (!stepping_) return wake_from_outside(block, at);
    if (at <= now_) return report_early(at);
    scheduler_.wake(block, at);  // arm() follows when the cycle is complete
  }
  /// The cycle being stepped, or the last one that was.
  Cycle now() const { return now_; }
  /// The first cycle in which something that comes from outside the domain can act: after all that
  /// has been stepped.
  Cycle next_free_cycle() const;
  /// Cycle that contains simulation time `t`, and the time at which `cycle` starts.
  Cycle to_cycle(const sc_core::sc_time& t) const;
  sc_core::sc_time to_time(Cycle cycle) const;

  /// Forgets all wake-ups, a pause that was asked for and a failure. The cycle of the present
  /// time becomes cycle 0, and time goes on. The owner of the blocks resets them too and wakes them
  /// afterwards. Not to be called from inside a step: use the time between two cycles.
  void reset();
  /// For checkpoints, where nothing has been stepped since the start or the last reset: all wake-ups are forgotten, and
  /// cycle `next` is the first that can be stepped.
  void go_on_at(Cycle next);
  /// See Calendar::wake_ups().
  std::vector<std::pair<Cycle, BlockId>> wake_ups() const { return scheduler_.wake_ups(); }
  /// Saves what is due, between two cycles of which `next` is the second; or restores it, with go_on_at(). The same blocks have
  /// been added in the same order.
  void visit(state::Archive& archive, Cycle next);
  /// Cycles from the start of the simulation to the last reset.
  Cycle origin() const { return origin_; }

  /// A block that fails ends the simulation with a report. With a listener the domain stops instead,
  /// nothing is stepped until reset(), and the listener is told.
  void set_failure_listener(std::function<void(const Failure&)> listener) {
    failure_listener_ = std::move(listener);
  }
  /// Why the domain has stopped; no value: it has not.
  const std::optional<Failure>& failure() const { return failure_; }

  /// Lets sc_start() return when the cycle being stepped is complete (the kernel is paused, not
  /// stopped).
  void request_pause() { pause_requested_ = true; }
  /// No cycle of number `bound` or above is stepped: the kernel is paused instead. A run that is
  /// paused there goes on after a higher bound.
  void set_bound(Cycle bound);
  /// From now on, or no longer, nobody outside looks at the blocks or acts on them until they rest or the bound is
  /// reached: a block without connections to others may compute cycles before their time.
  void set_unwatched(bool unwatched) { unwatched_ = unwatched; }
  /// No block may compute this cycle or a later one before its time.
  Cycle free_until() const { return unwatched_ ? bound_ : 0; }
  /// A block has computed all cycles before `cycle`: pauses wait until then.
  void set_computed_to(Cycle cycle) { computed_to_ = cycle; }
  /// Called after each cycle; answers true to pause the kernel. For bounds, progress lines and
  /// watchdogs.
  void set_supervisor(std::function<bool(Cycle)> supervisor) {
    supervisor_ = std::move(supervisor);
  }
  /// Called after a cycle after which nothing is due.
  void set_rest_listener(std::function<void(Cycle)> listener) {
    rest_listener_ = std::move(listener);
  }
  void shuffle_step_order(std::uint64_t seed) { scheduler_.shuffle_step_order(seed); }

  /// Nothing is due: only something from outside could start the domain again.
  bool idle() const { return next_due() == kNever; }
  Cycle next_due() const { return failure_ ? kNever : scheduler_.next_due(); }
  std::uint64_t steps() const { return scheduler_.steps(); }

 private:
  void wake_from_outside(BlockId block, Cycle at);
  void report_early(Cycle at) const;
  void run_due_cycle();
  void step_blocks();
  void arm();
  void fail(const char* id, const char* what);

  Scheduler scheduler_;
  const std::uint64_t period_ticks_;  // period in units of the kernel's time resolution
  sc_core::sc_event tick_;
  Cycle origin_ = 0;           // where cycle 0 lies, in cycles since the start of the simulation
  sc_core::sc_time reset_at_;  // time of the last reset, which lies in cycle 0
  Cycle now_ = 0;
  Cycle armed_for_ = kNever;
  Cycle bound_ = kNever;
  Cycle computed_to_ = 0;
  bool unwatched_ = false;
  bool stepping_ = false;
  bool started_ = false;  // cycle now_ has been stepped
  bool pause_requested_ = false;
  std::function<bool(Cycle)> supervisor_;
  std::function<void(Cycle)> rest_listener_;
  std::function<void(const Failure&)> failure_listener_;
  std::optional<Failure> failure_;
};

}  // namespace tessera::timing
