// main() of test executables with SystemC: GoogleTest inside sc_main, reports checked
// (sc_reports.h).
//
// libsystemc brings a main() of its own that calls sc_main; ours wins because it is in the
// executable, and it reads the GoogleTest flags before SystemC starts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <systemc>

#include "tests/support/sc_reports.h"

namespace tessera::test {
namespace {

/// Reports a test announced, by id, with the number of times each came.
std::map<std::string, std::size_t>& announced() {
  static std::map<std::string, std::size_t> reports;
  return reports;
}

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() < sc_core::SC_WARNING) {
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
    return;
  }
  const auto found = announced().find(report.get_msg_type());
  if (found == announced().end()) {
    ADD_FAILURE() << "SystemC report that the test did not announce: " << report.what();
    sc_core::sc_report_handler::default_handler(report, actions);
    return;
  }
  ++found->second;
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

/// SystemC is elaborated once per process, so a second TEST after one that simulated must say what
/// is wrong instead of failing with E529.
class OneSimulationPerProcess : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& info) override {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) return;
    ADD_FAILURE() << "an earlier TEST of this process has simulated already; run each TEST in its "
                     "own process: ctest, "
                  << "or --gtest_filter=" << info.test_suite_name() << "." << info.name();
  }
};

}  // namespace

ExpectReport::ExpectReport(std::string id) : id_(std::move(id)) {
  announced()[id_] = 0;
}

ExpectReport::~ExpectReport() {
  EXPECT_GT(count(), 0u) << "the announced SystemC report " << id_ << " did not come";
  announced().erase(id_);
}

std::size_t ExpectReport::count() const {
  const auto found = announced().find(id_);
  return found == announced().end() ? 0 : found->second;
}

}  // namespace tessera::test

int sc_main(int, char**) {
  sc_core::sc_report_handler::set_handler(tessera::test::on_report);
  // In front of the default printer, so that a failure it adds is printed with its test.
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  testing::TestEventListener* printer = listeners.Release(listeners.default_result_printer());
  listeners.Append(new tessera::test::OneSimulationPerProcess);
  listeners.Append(printer);
  return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
