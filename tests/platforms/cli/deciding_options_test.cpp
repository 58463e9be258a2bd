// Each option decides about results, or is known not to: whoever adds one answers the question here or in its declaration.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "platforms/ascend/options.h"
#include "platforms/wse/options.h"

namespace tessera {
namespace {

/// They say what is shown, written, saved or how the computer is used, or another member of `run` has their values.
const std::set<std::string> kDecideNothing = {"input",
                                              "output",
                                              "print-config",
                                              "print-schema",
                                              "print-program",  // run.inputs, outputs
                                              "trace-wse",
                                              "trace-rect",
                                              "trace-megabytes",
                                              "print-log",
                                              "vcd",
                                              "heatmap",
                                              "heatmap-counter",
                                              "heatmap-of",
                                              "routes",
                                              "threads",
                                              "skew",
                                              "coverage",
                                              "coverage-listing",
                                              "arch",  // the preset
                                              "import-path",
                                              "include",  // run.files
                                              "args",     // run.inputs
                                              "isolate",
                                              "no-isolate",  // of the process
                                              "checkpoint",
                                              "checkpoint-at",
                                              "checkpoint-every",
                                              "checkpoint-on-stop",
                                              "restore"};

template <class Options>
void expect_answers() {
  const Options options;
  for (const cli::OptionGroup& group : options.own_groups)
    for (const cli::Option& option : group.options)
      EXPECT_NE(option.decides, kDecideNothing.count(option.name) != 0) << "--" << option.name;
}

TEST(DecidingOptions, OfTheFabricAreAnswered) {
  expect_answers<wse::Options>();
}
TEST(DecidingOptions, OfAiCoresAreAnswered) {
  expect_answers<ascend::Options>();
}

}  // namespace
}  // namespace tessera
