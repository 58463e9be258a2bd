// What reports of the kernel mean to the user (docs/running.md#exit-codes). One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

#include "models/timing/clock_domain.h"
#include "platforms/cli/main.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cli {
namespace {

class Thrower : public timing::Steppable {
 public:
  explicit Thrower(std::function<void()> act) : act_(std::move(act)) {}
  Cycle step(Cycle) override {
    act_();
    return kNever;
  }

 private:
  std::function<void()> act_;
};

/// The failure of a run in which a block does `act` in cycle 42.
Failure failure_when(std::function<void()> act) {
  timing::ClockDomain domain("domain", 1000);
  Thrower block(std::move(act));
  domain.wake(domain.add(block), 42);
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    return failure_of(report);
  }
  return {report::Status::kFinished, ""};
}

TEST(CliFailure, IllegalBehaviourIsNamedWithTheIdOfItsRule) {
  test::ExpectReport expected(timing::kIllegalBehaviourId);
  const Failure failure = failure_when(
      [] { throw IllegalBehaviour("PE (1, 2), f.tasm:3: it broke", "/tessera/pe/fifo_reentry"); });
  EXPECT_EQ(failure.status, report::Status::kCouldNotFinish);
  EXPECT_EQ(failure.message, "cycle 42: PE (1, 2), f.tasm:3: it broke [/tessera/pe/fifo_reentry]");
}

TEST(CliFailure, AnyOtherExceptionOfABlockIsInternal) {
  test::ExpectReport expected(timing::kInternalId);
  const Failure failure = failure_when([] { throw std::logic_error("it cannot be"); });
  EXPECT_EQ(failure.status, report::Status::kInternal);
  EXPECT_EQ(failure.message, "internal error: cycle 42: it cannot be");
}

TEST(CliFailure, ABlockWithoutMemoryIsALimitOfTheComputer) {
  test::ExpectReport expected(timing::kMemoryId);
  const Failure failure = failure_when([] { throw std::bad_alloc(); });
  EXPECT_EQ(failure.status, report::Status::kUserInput);
  EXPECT_EQ(failure.message, "there is not enough memory for this program on this machine");
}

TEST(CliFailure, AnyOtherReportIsAnIntegrationMistake) {
  test::ExpectReport expected("/tessera/queue/protocol");
  const Failure failure =
      failure_when([] { SC_REPORT_ERROR("/tessera/queue/protocol", "no room"); });
  EXPECT_EQ(failure.status, report::Status::kIntegration);
  EXPECT_THAT(failure.message, testing::HasSubstr("/tessera/queue/protocol: no room"));
}

}  // namespace
}  // namespace tessera::cli
