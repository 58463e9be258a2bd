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

TEST(CliFailure, ABlockWithoutThreadsIsALimitOfTheSystem) {
  test::ExpectReport expected(timing::kSystemId);
  const Failure failure = failure_when([] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  EXPECT_EQ(failure.status, report::Status::kUserInput);
  EXPECT_THAT(failure.message, testing::HasSubstr("no more threads"));
}

TEST(CliFailure, AnyOtherReportIsAnIntegrationMistake) {
  test::ExpectReport expected("/tessera/queue/protocol");
  const Failure failure =
      failure_when([] { SC_REPORT_ERROR("/tessera/queue/protocol", "no room"); });
  EXPECT_EQ(failure.status, report::Status::kIntegration);
  EXPECT_THAT(failure.message, testing::HasSubstr("/tessera/queue/protocol: no room"));
}

// What an initiator leaves on its stack may end the program while it is unwound.
TEST(CliFailure, AReportIsPrintedBeforeAnythingIsUnwound) {
  test::ExpectReport expected("/tessera/host/checker/phase");
  struct Unwound {
    ~Unwound() { printed = testing::internal::GetCapturedStderr(); }
    std::string& printed;
  };
  std::string before;
  testing::internal::CaptureStderr();
  const int code = run_guarded("mine", [&before]() -> int {
    const Unwound unwound{before};
    SC_REPORT_ERROR("/tessera/host/checker/phase", "one too many");
    return 0;
  });
  EXPECT_EQ(code, 3);
  EXPECT_THAT(before, testing::StartsWith("mine: /tessera/host/checker/phase: one too many"));
}

TEST(CliFailure, AReportThatEndsTheProgramIsPrintedOnce) {
  test::ExpectReport expected("/tessera/host/checker/phase");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_guarded("mine",
                        [] {
                          timing::ClockDomain domain("domain", 1000);
                          Thrower block(
                              [] { SC_REPORT_ERROR("/tessera/host/checker/phase", "x"); });
                          domain.wake(domain.add(block), 42);
                          sc_core::sc_start();
                          return 0;
                        }),
            3);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, testing::HasSubstr("mine: /tessera/host/checker/phase: x"));
  EXPECT_EQ(printed.find("mine: "), printed.rfind("mine: ")) << printed;
}

}  // namespace
}  // namespace tessera::cli
