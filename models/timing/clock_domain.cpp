#include "models/timing/clock_domain.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "models/state/archive.h"
#include "tlm_ifaces/kit/process.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::timing {

namespace {

// The period in units of the kernel's time resolution, exactly: a rounded period would let time and
// cycles drift apart.
std::uint64_t ticks_of(std::uint64_t period_ps) {
  const sc_core::sc_time period(static_cast<double>(period_ps), sc_core::SC_PS);
  const auto represented_ps = std::llround(period.to_seconds() * 1e12);
  if (period_ps == 0 || static_cast<std::uint64_t>(represented_ps) != period_ps) {
    SC_REPORT_ERROR("/tessera/timing/period",
                    ("a clock period of " + std::to_string(period_ps) +
                     " ps is not a positive multiple of the time resolution, " +
                     sc_core::sc_get_time_resolution().to_string())
                        .c_str());
  }
  return std::max<std::uint64_t>(period.value(), 1);
}

/// Holds a flag up until it goes out of scope, by whatever way.
class SetWhileAlive {
 public:
  explicit SetWhileAlive(bool& flag) : flag_(flag) { flag_ = true; }
  ~SetWhileAlive() { flag_ = false; }
  SetWhileAlive(const SetWhileAlive&) = delete;
  SetWhileAlive& operator=(const SetWhileAlive&) = delete;

 private:
  bool& flag_;
};

}  // namespace

ClockDomain::ClockDomain(sc_core::sc_module_name name, std::uint64_t period_ps)
    : sc_core::sc_module(name), period_ticks_(ticks_of(period_ps)), tick_("tick") {
  TESSERA_HAS_PROCESS(ClockDomain);
  SC_METHOD(run_due_cycle);
  sensitive << tick_;
  dont_initialize();
}

Cycle ClockDomain::to_cycle(const sc_core::sc_time& t) const {
  return t.value() / period_ticks_ - origin_;
}

sc_core::sc_time ClockDomain::to_time(Cycle cycle) const {
  return sc_core::sc_time::from_value((origin_ + cycle) * period_ticks_);
}

Cycle ClockDomain::next_free_cycle() const {
  const sc_core::sc_time& t = sc_core::sc_time_stamp();
  // A reset falls into cycle 0, wherever in it.
  const Cycle by_time =
      t == reset_at_ ? 0 : (t.value() + period_ticks_ - 1) / period_ticks_ - origin_;
  return started_ ? std::max(by_time, now_ + 1) : by_time;
}

void ClockDomain::wake_from_outside(BlockId block, Cycle at) {
  scheduler_.wake(block, std::max(at, next_free_cycle()));
  arm();
}

void ClockDomain::reset() {
  if (stepping_) {
    SC_REPORT_ERROR(kResetId, "a clock domain cannot be reset inside a cycle; let the process that "
                              "asks for it run between two cycles");
    return;
  }
  scheduler_.reset();
  tick_.cancel();
  reset_at_ = sc_core::sc_time_stamp();
  origin_ = reset_at_.value() / period_ticks_;
  now_ = 0;
  armed_for_ = kNever;
  computed_to_ = 0;
  started_ = false;
  pause_requested_ = false;
  failure_.reset();
}

void ClockDomain::go_on_at(Cycle next) {
  scheduler_.reset();
  tick_.cancel();
  armed_for_ = kNever;
  now_ = next == 0 ? 0 : next - 1;
  started_ = next > 0;
}

void ClockDomain::visit(state::Archive& archive, Cycle next) {
  if (failure_) state::Archive::fail("the machine has failed");
  if (archive.loading()) go_on_at(next);
  scheduler_.visit(archive, next);
  if (archive.loading()) arm();
}

void ClockDomain::report_early(Cycle at) const {
  SC_REPORT_ERROR(kEarlyId, ("in cycle " + std::to_string(now_) + " a block was woken for cycle " +
                             std::to_string(at) +
                             "; every effect of one block on another takes at least one cycle")
                                .c_str());
}

void ClockDomain::set_bound(Cycle bound) {
  bound_ = bound;
  if (!stepping_) arm();  // reaching a bound has disarmed the domain
}

void ClockDomain::arm() {
  const Cycle due = next_due();
  if (due == kNever || due >= armed_for_) return;
  armed_for_ = due;
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  tick_.notify(std::max(to_time(due), now) - now);
}

void ClockDomain::fail(const char* id, const char* what) {
  const std::string text = "cycle " + std::to_string(now_) + ": " + what;
  if (!failure_listener_) return SC_REPORT_ERROR(id, text.c_str());
  failure_ = Failure{id, text};
  failure_listener_(*failure_);
}

void ClockDomain::step_blocks() {
  const SetWhileAlive stepping(stepping_);
  try {
    scheduler_.run_cycle(now_);
  } catch (const sc_core::sc_report&) {
    throw;
  } catch (const IllegalBehaviour& e) {
    fail(kIllegalBehaviourId, e.what());
  } catch (const std::bad_alloc& e) {
    fail(kMemoryId, e.what());
  } catch (const std::system_error& e) {
    fail(kSystemId, refusal_of_system(e).c_str());
  } catch (const std::exception& e) {
    fail(kInternalId, e.what());
  }
}

void ClockDomain::run_due_cycle() {
  if (armed_for_ >= bound_) {
    armed_for_ = kNever;
    sc_core::sc_pause();
    return;
  }
  now_ = armed_for_;
  armed_for_ = kNever;
  started_ = true;
  step_blocks();
  arm();
  if (rest_listener_ && idle()) rest_listener_(now_);
  if (supervisor_ && supervisor_(now_)) pause_requested_ = true;
  if (!pause_requested_ || now_ + 1 < computed_to_) return;
  pause_requested_ = false;
  sc_core::sc_pause();
}

}  // namespace tessera::timing
