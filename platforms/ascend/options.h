// Options of ascend_platform.
#pragma once

#include <string>

#include "platforms/cli/options.h"

namespace tessera::ascend {

struct Options : cli::MachineOptions {
  Options() {
    own_groups.push_back(
        {"AI-core clusters",
         {cli::flag("no-data", no_data,
                    "timing only: tiles have no values; scalar loads read the arrays of --input"),
          cli::text(
              "function", "NAME", function,
              "the function of the module that the cores start, without @; by default the one "
              "with pto.entry, or those that no other function calls"),
          cli::text("pto-unknown", "cost:N[,PIPE]", pto_unknown,
                    "run operations that are not known as N cycles of a pipe (default V, on AICs "
                    "M), e.g. --pto-unknown=cost:100,V"),
          cli::one_of("pto-level", "LEVEL", pto_level, {"level1", "level2", "level3"},
                      "the text is for this level of the public assembler: level3 gives all "
                      "addresses, level1 and level2 give none"),
          cli::one_of("hazards", "KIND", hazards, {"warn", "error", "off"},
                      "two operations on the same bytes that nothing orders: warn, error (exit 4), "
                      "off")}});
  }

  bool no_data = false;
  std::string pto_unknown;
  std::string function;
  std::string pto_level;
  std::string hazards = "warn";
};

}  // namespace tessera::ascend
