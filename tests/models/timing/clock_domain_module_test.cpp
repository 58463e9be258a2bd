// Clock domain as a module (docs/architecture.md#time): cycles and sc_time agree exactly, idle
// hardware costs nothing, wake-ups from outside are never lost. One TEST a process.
#include "models/timing/clock_domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tests/support/sc_reports.h"
#include "tlm_ifaces/kit/process.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::timing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

sc_core::sc_time ps(std::uint64_t value) {
  return sc_core::sc_time::from_value(value);
}

/// Notes cycle and simulation time of each step and does what the test says.
class Recorder : public Steppable {
 public:
  explicit Recorder(std::function<Cycle(Cycle)> on_step = [](Cycle) { return kNever; })
      : on_step_(std::move(on_step)) {}
  Cycle step(Cycle now) override {
    cycles.push_back(now);
    times.push_back(sc_core::sc_time_stamp().value());
    return on_step_(now);
  }
  std::vector<Cycle> cycles;
  std::vector<std::uint64_t> times;  // in ps, the default resolution

 private:
  std::function<Cycle(Cycle)> on_step_;
};

/// Something outside the domain that acts at given times.
class Outside : public sc_core::sc_module {
 public:
  Outside(sc_core::sc_module_name name, std::vector<std::uint64_t> times_ps,
          std::function<void()> act)
      : sc_core::sc_module(name), times_(std::move(times_ps)), act_(std::move(act)) {
    TESSERA_HAS_PROCESS(Outside);
    SC_METHOD(run);
    sensitive << at_;
    dont_initialize();
    for (const std::uint64_t t : times_) at_.notify(ps(t));
  }

 private:
  void run() { act_(); }
  sc_core::sc_event_queue at_;
  std::vector<std::uint64_t> times_;
  std::function<void()> act_;
};

TEST(ClockDomain, CyclesAreExactMultiplesOfAnOddPeriod) {
  // 1176 ps is 850 MHz (wse.md 11); 0.1 % off would show after a thousand cycles.
  ClockDomain domain("domain", 1176);
  const std::vector<Cycle> wanted = {0, 1, 7, 1'000'003, 3'000'000'019};
  std::size_t next = 0;
  Recorder block([&](Cycle) { return ++next < wanted.size() ? wanted[next] : kNever; });
  domain.wake(domain.add(block), 0);
  sc_core::sc_start();
  EXPECT_EQ(block.cycles, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(block.times.at(i), wanted[i] * 1176);
}

TEST(ClockDomain, ConvertsTimesToTheCycleThatContainsThem) {
  const ClockDomain domain("domain", 1176);
  EXPECT_EQ(domain.to_cycle(ps(0)), 0u);
  EXPECT_EQ(domain.to_cycle(ps(1175)), 0u);
  EXPECT_EQ(domain.to_cycle(ps(1176)), 1u);
  EXPECT_EQ(domain.to_cycle(ps(1176ULL * 1'000'000'000'000)), 1'000'000'000'000u);
  EXPECT_EQ(domain.to_cycle(ps(1176ULL * 1'000'000'000'000 - 1)), 999'999'999'999u);
  EXPECT_EQ(domain.to_time(1'000'000'000'000).value(), 1176ULL * 1'000'000'000'000);
}

TEST(ClockDomain, OnlyDueCyclesAreStepped) {
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle now) { return now < 3'000'000 ? now + 1'000'000 : kNever; });
  Recorder idle_block;
  domain.wake(domain.add(block), 5);
  domain.add(idle_block);
  const std::uint64_t deltas_before = sc_core::sc_delta_count();
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(5, 1'000'005, 2'000'005, 3'000'005));
  EXPECT_TRUE(idle_block.cycles.empty());
  EXPECT_EQ(domain.steps(), 4u);
  EXPECT_LE(sc_core::sc_delta_count() - deltas_before, 6u);  // the kernel slept as well
  EXPECT_TRUE(domain.idle());
  EXPECT_EQ(domain.next_due(), kNever);
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 3'000'005'000u);
}

TEST(ClockDomain, WithoutWakeUpsNothingRuns) {
  ClockDomain domain("domain", 1000);
  Recorder block;
  domain.add(block);
  sc_core::sc_start();
  EXPECT_TRUE(block.cycles.empty());
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 0u);
}

TEST(ClockDomain, EarlierWakeWhileArmedForALaterCycle) {
  ClockDomain domain("domain", 1176);
  Recorder block;
  const BlockId id = domain.add(block);
  domain.wake(id, 100);
  domain.wake(id, 10);
  domain.wake(id, 50);
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(10, 50, 100));
  EXPECT_THAT(block.times, ElementsAre(10 * 1176, 50 * 1176, 100 * 1176));
}

TEST(ClockDomain, EarlierWakeFromOutsideWhileTheKernelWaitsForALaterCycle) {
  ClockDomain domain("domain", 1000);
  Recorder block;
  const BlockId id = domain.add(block);
  domain.wake(id, 1000);
  Outside outside("outside", {20'000}, [&] { domain.wake(id, 30); });
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(30, 1000));
}

TEST(ClockDomain, WakeFromOutsideBetweenTwoCyclesWaitsForTheNext) {
  ClockDomain domain("domain", 1176);
  Recorder block;
  const BlockId id = domain.add(block);
  // In the middle of cycle 1: cycle 1 has begun, 2 is the first that can still be stepped.
  Outside outside("outside", {1176 + 588}, [&] {
    EXPECT_EQ(domain.next_free_cycle(), 2u);
    domain.wake(id, domain.to_cycle(sc_core::sc_time_stamp()));
  });
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(2));
  EXPECT_THAT(block.times, ElementsAre(2 * 1176));
}

TEST(ClockDomain, WakeFromOutsideForALaterCycleIsKept) {
  ClockDomain domain("domain", 1176);
  Recorder block;
  const BlockId id = domain.add(block);
  Outside outside("outside", {1, 1176 + 588, 3 * 1176 - 1}, [&] { domain.wake(id, 40); });
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(40));
}

TEST(ClockDomain, WakeFromOutsideAtACycleThatWasSteppedIsPutOff) {
  ClockDomain domain("domain", 1000);
  Recorder block([&](Cycle now) {
    if (now == 3) domain.request_pause();
    return kNever;
  });
  const BlockId id = domain.add(block);
  domain.wake(id, 3);
  sc_core::sc_start();
  ASSERT_EQ(sc_core::sc_time_stamp().value(), 3000u);
  EXPECT_EQ(domain.next_free_cycle(), 4u);
  domain.wake(id, 3);
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(3, 4));
}

TEST(ClockDomain, WakeFromOutsideLongAfterTheLastStepIsNotInThePast) {
  ClockDomain domain("domain", 1000);
  Recorder block;
  const BlockId id = domain.add(block);
  domain.wake(id, 0);
  Outside outside("outside", {500'000, 900'001}, [&] { domain.wake(id, 1); });
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(0, 500, 901));
  EXPECT_EQ(domain.now(), 901u);
}

TEST(ClockDomain, BlocksWakeEachOtherAcrossDomains) {
  ClockDomain fast("fast", 1000);
  ClockDomain slow("slow", 7001);
  Recorder receiver;
  const BlockId id = slow.add(receiver);
  Recorder sender([&](Cycle now) {
    slow.wake(id, slow.next_free_cycle());
    return now < 14 ? now + 7 : kNever;
  });
  fast.wake(fast.add(sender), 1);
  sc_core::sc_start();
  EXPECT_THAT(sender.times, ElementsAre(1000, 8000, 15'000));
  EXPECT_THAT(receiver.times, ElementsAre(7001, 14'002, 21'003));
}

TEST(ClockDomain, RequestedPauseComesWhenTheCycleIsCompleteAndTheRunResumes) {
  ClockDomain domain("domain", 1176);
  Recorder first([&](Cycle now) {
    if (now == 2) domain.request_pause();
    return now < 4 ? now + 1 : kNever;
  });
  Recorder second([](Cycle now) { return now < 4 ? now + 1 : kNever; });
  domain.wake(domain.add(first), 0);
  domain.wake(domain.add(second), 0);
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  EXPECT_THAT(first.cycles, ElementsAre(0, 1, 2));
  EXPECT_THAT(second.cycles, ElementsAre(0, 1, 2));
  EXPECT_EQ(domain.now(), 2u);
  EXPECT_EQ(domain.next_due(), 3u);
  sc_core::sc_start();
  EXPECT_THAT(first.cycles, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(second.times, ElementsAre(0, 1176, 2 * 1176, 3 * 1176, 4 * 1176));
}

TEST(ClockDomain, SupervisorSeesEveryDueCycleAndPauses) {
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle now) { return now + 10; });
  domain.wake(domain.add(block), 5);
  std::vector<Cycle> supervised;
  domain.set_supervisor([&](Cycle now) {
    supervised.push_back(now);
    return now >= 25;
  });
  sc_core::sc_start();
  EXPECT_THAT(supervised, ElementsAre(5, 15, 25));
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  sc_core::sc_start();
  EXPECT_THAT(supervised, ElementsAre(5, 15, 25, 35));  // it pauses again
}

TEST(ClockDomain, IllegalBehaviourLeavesAsAReportWithItsId) {
  test::ExpectReport expected(kIllegalBehaviourId);
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle) -> Cycle { throw IllegalBehaviour("PE (1, 2), f.tasm:3: it broke"); });
  domain.wake(domain.add(block), 42);
  try {
    sc_core::sc_start();
    FAIL() << "sc_start() returned as if nothing had happened";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), kIllegalBehaviourId);
    EXPECT_EQ(report.get_severity(), sc_core::SC_ERROR);
    EXPECT_STREQ(report.get_msg(), "cycle 42: PE (1, 2), f.tasm:3: it broke");
  }
  EXPECT_EQ(domain.now(), 42u);
}

// Whoever handles the report may still wake blocks: the domain does not think it is inside a step.
TEST(ClockDomain, AfterAReportTheStepIsOver) {
  test::ExpectReport expected(kIllegalBehaviourId);
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle) -> Cycle { throw IllegalBehaviour("it broke"); });
  const BlockId id = domain.add(block);
  domain.wake(id, 42);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
  EXPECT_NO_THROW(domain.wake(id, 42));  // put off, as any wake-up from outside
  EXPECT_EQ(domain.next_due(), 43u);
}

TEST(ClockDomain, AnyOtherExceptionLeavesAsAnInternalError) {
  test::ExpectReport expected(kInternalId);
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle) -> Cycle { throw std::logic_error("it cannot be"); });
  domain.wake(domain.add(block), 7);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(ClockDomain, AWakeThatIsNotInTheFutureIsAnIntegrationMistake) {
  test::ExpectReport expected(kEarlyId);
  ClockDomain domain("domain", 1000);
  Recorder other;
  const BlockId other_id = domain.add(other);
  Recorder block([&](Cycle now) {
    domain.wake(other_id, now);
    return kNever;
  });
  domain.wake(domain.add(block), 5);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(ClockDomain, NoCycleAtOrBehindTheBoundIsStepped) {
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle now) { return now + 1; });
  domain.set_bound(3);
  domain.wake(domain.add(block), 0);
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  EXPECT_THAT(block.cycles, ElementsAre(0, 1, 2));
}

TEST(ClockDomain, WithAHigherBoundTheRunGoesOn) {
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle now) { return now + 2; });
  domain.set_bound(3);
  domain.wake(domain.add(block), 0);
  sc_core::sc_start();
  ASSERT_THAT(block.cycles, ElementsAre(0, 2));
  domain.set_bound(7);
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  EXPECT_THAT(block.cycles, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(block.times, ElementsAre(0, 2000, 4000, 6000));
}

TEST(ClockDomain, TheBoundMayBeRaisedWhileACycleIsStepped) {
  ClockDomain domain("domain", 1000);
  Recorder block([&](Cycle now) {
    if (now == 2) domain.set_bound(5);
    return now + 1;
  });
  domain.set_bound(3);
  domain.wake(domain.add(block), 0);
  sc_core::sc_start();
  EXPECT_THAT(block.cycles, ElementsAre(0, 1, 2, 3, 4));
}

TEST(ClockDomain, ShuffledStepOrderKeepsCycles) {
  ClockDomain domain("domain", 1000);
  domain.shuffle_step_order(3);
  std::string order;
  std::vector<Recorder> blocks;
  for (char name = 'a'; name < 'h'; ++name) {
    blocks.emplace_back([&order, name](Cycle now) {
      order += name;
      return now < 1 ? now + 1 : kNever;
    });
  }
  for (Recorder& block : blocks) domain.wake(domain.add(block), 0);
  sc_core::sc_start();
  EXPECT_EQ(order.size(), 14u);
  EXPECT_NE(order, "abcdefgabcdefg");
  for (const Recorder& block : blocks) EXPECT_THAT(block.cycles, ElementsAre(0, 1));
}

TEST(ClockDomain, PeriodOfZeroIsAnIntegrationMistake) {
  test::ExpectReport expected("/tessera/timing/period");
  EXPECT_THROW(ClockDomain("domain", 0), sc_core::sc_report);
}

TEST(ClockDomain, PeriodBelowTheResolutionOfTheKernelIsAnIntegrationMistake) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  test::ExpectReport expected("/tessera/timing/period");
  EXPECT_THROW(ClockDomain("domain", 1), sc_core::sc_report);
}

TEST(ClockDomain, PeriodThatTheResolutionWouldRoundIsAnIntegrationMistake) {
  // "Cycle n is the time n * period": a period of 1180 ps instead of 1176 ps is another clock.
  sc_core::sc_set_time_resolution(10, sc_core::SC_PS);
  test::ExpectReport expected("/tessera/timing/period");
  EXPECT_THROW(ClockDomain("domain", 1176), sc_core::sc_report);
}

TEST(ClockDomain, FinerResolutionKeepsThePeriod) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const ClockDomain domain("domain", 1176);
  EXPECT_EQ(domain.to_time(3), sc_core::sc_time(3 * 1176, sc_core::SC_PS));
}

TEST(ClockDomain, TellsWhenNothingIsDueAnyMore) {
  ClockDomain domain("domain", 1000);
  Recorder block([](Cycle now) { return now < 3 ? now + 1 : kNever; });
  const BlockId id = domain.add(block);
  std::vector<Cycle> rests;
  domain.set_rest_listener([&](Cycle now) { rests.push_back(now); });
  domain.wake(id, 1);
  Outside outside("outside", {10'000}, [&] { domain.wake(id, 12); });
  sc_core::sc_start();
  EXPECT_THAT(rests, ElementsAre(3, 12));
}

}  // namespace
}  // namespace tessera::timing
