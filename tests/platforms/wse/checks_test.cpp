// Check steps of a layout (docs/layout.md): what is known before the run and what only after it.
#include "platforms/wse/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/layout/layout_reader.h"
#include "tlm_ifaces/vocabulary/errors.h"

using namespace tessera;
using testing::HasSubstr;

namespace {

/// Array y is written by the run, a is not: [3, 4].
layout::Layout layout_with(const std::string& check) {
  return layout::read_layout_text(R"~({
    "schema": "tessera-wse-layout-1", "grid": [1, 1],
    "arrays": {"a": {"dtype": "f32", "shape": [2], "init": "iota() + 3"},
               "y": {"dtype": "f32", "shape": [2]}},
    "symbols": {"y": {"symbol": "y", "rect": [0, 0, 1, 1], "dtype": "f32"}},
    "host": [{"copy_out": "y"}, {"check": )~" +
                                      check + "}]}",
                                  "l.json", "");
}

const layout::Check& check_of(const layout::Layout& layout) {
  return std::get<layout::Check>(layout.host.back());
}

std::string problem_of(const std::string& check) {
  const layout::Layout layout = layout_with(check);
  const wse::HostArrays arrays(layout, {});
  try {
    wse::Checks checks(layout, arrays);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST(WseChecks, ComparesTheArrayAsItIsThen) {
  const layout::Layout layout = layout_with(R"~({"name": "y", "value": "a + 1"})~");
  wse::HostArrays arrays(layout, {});
  const wse::Checks checks(layout, arrays);
  EXPECT_FALSE(checks.carry_out(check_of(layout)).passed);
  arrays["y"].set(0, 4);
  arrays["y"].set(1, 5);
  EXPECT_TRUE(checks.carry_out(check_of(layout)).passed);
}

TEST(WseChecks, APartIsComparedAlone) {
  const layout::Layout layout = layout_with(R"~({"name": "y[1:]", "value": "a[:1]"})~");
  wse::HostArrays arrays(layout, {});
  const wse::Checks checks(layout, arrays);
  arrays["y"].set(0, 77);
  EXPECT_FALSE(checks.carry_out(check_of(layout)).passed);
  arrays["y"].set(1, 3);
  const report::Check check = checks.carry_out(check_of(layout));
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_EQ(check.name, "y[1:]");
}

TEST(WseChecks, APartThatTheArrayDoesNotHaveIsFoundBeforeTheRun) {
  EXPECT_THAT(problem_of(R"~({"name": "y[1:3]", "value": "0"})~"),
              HasSubstr("host[1]: in \"y[1:3]\" at character 2: the slice takes elements 1 up to "
                        "3 of dimension 0 of an array of shape (2,)"));
}

TEST(WseChecks, AToleranceMayDependOnTheResult) {
  const layout::Layout layout =
      layout_with(R"~({"name": "y", "value": "a", "rtol": 0, "atol": "max(y) - 4"})~");
  wse::HostArrays arrays(layout, {});
  const wse::Checks checks(layout, arrays);  // here it would be negative
  arrays["y"].set(0, 5);
  arrays["y"].set(1, 6);
  EXPECT_EQ(checks.carry_out(check_of(layout)).detail, "all 2 elements agree (rtol 0, atol 2)");
}

TEST(WseChecks, MistakesAreToldBeforeTheRun) {
  const std::string negative = R"~({"name": "y", "value": "a", "atol": "3 - max(a)"})~";
  EXPECT_THAT(problem_of(negative),
              HasSubstr("host[1]: the tolerance atol is not a number of 0 or more"));
  const std::string no_number = R"~({"name": "y", "value": "a", "atol": "a"})~";
  EXPECT_THAT(problem_of(no_number), HasSubstr("the expression has shape (2,)"));
  const std::string other_shape = R"~({"name": "y", "value": "reshape(a, 1, 2)"
})~";
  EXPECT_THAT(problem_of(other_shape),
              HasSubstr("the expression has shape (1, 2), but the array has shape (2,)"));
  const std::string unknown = R"~({"name": "y", "value": "z"})~";
  EXPECT_THAT(problem_of(unknown), HasSubstr("unknown name \"z\""));
  const std::string itself = R"~({"name": "y", "value": "y"})~";
  EXPECT_EQ(problem_of(itself), "accepted");
}
