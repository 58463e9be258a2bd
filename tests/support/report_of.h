// The text of a report that a test expects.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <systemc>

#include "tests/support/sc_reports.h"

namespace tessera::test {

/// Runs `action`, which must be reported under `id`; answers the text of the report.
template <class Action>
std::string report_of(const std::string& id, Action action) {
  const ExpectReport expected(id);
  try {
    action();
  } catch (const sc_core::sc_report& report) {
    EXPECT_EQ(report.get_msg_type(), id);
    return report.get_msg();
  }
  ADD_FAILURE() << id << " was not reported";
  return "";
}

}  // namespace tessera::test
