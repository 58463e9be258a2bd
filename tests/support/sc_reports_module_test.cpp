// The report rule of the SystemC tests (sc_reports.h) catches what it should.
#include "tests/support/sc_reports.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <systemc>

namespace tessera::test {
namespace {

struct Twin : sc_core::sc_module {
  explicit Twin(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};

TEST(ScReports, UnannouncedWarningFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING("/tessera/test/warning", "something is odd"),
                          "/tessera/test/warning");
}

TEST(ScReports, DuplicateNameIsAWarningThatFailsTheTest) {
  // practice 5.2: SystemC only renames the second module (W505).
  Twin first("twin");
  EXPECT_NONFATAL_FAILURE(Twin second("twin"), "did not announce");
}

TEST(ScReports, UnannouncedErrorFailsAndStillThrows) {
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THROW(SC_REPORT_ERROR("/tessera/test/error", "broken"), sc_core::sc_report),
      "/tessera/test/error");
}

TEST(ScReports, AnnouncedErrorIsCountedAndThrows) {
  ExpectReport expected("/tessera/test/error");
  EXPECT_THROW(SC_REPORT_ERROR("/tessera/test/error", "broken"), sc_core::sc_report);
  EXPECT_EQ(expected.count(), 1u);
}

TEST(ScReports, AnnouncedReportThatDoesNotComeFails) {
  EXPECT_NONFATAL_FAILURE(ExpectReport expected("/tessera/test/never"), "did not come");
}

// ctest also runs this one twice in a process (modules.one_simulation_per_process) and expects the
// second to be told.
TEST(ScReports, SimulationLeavesElaboration) {
  ASSERT_EQ(sc_core::sc_get_status(), sc_core::SC_ELABORATION);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_NE(sc_core::sc_get_status(), sc_core::SC_ELABORATION);
}

}  // namespace
}  // namespace tessera::test
