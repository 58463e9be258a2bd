// Options of ascend_platform.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/cli/options.h"
#include "tlm_ifaces/vocabulary/errors.h"

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
          {"arg", "NAME=VALUE",
           "an argument of a kernel in C++: a number, a file FILE.npy, or the type and shape of an "
           "array of "
           "zeros, f16[128,128]",
           [this](const std::string& value) {
             if (!args.insert(cli::split("arg", value, "NAME=VALUE")).second)
               throw UserError("", "--arg",
                               "'" + value.substr(0, value.find('=')) + "' is given twice");
           },
           cli::Option::File::kNone, true},
          cli::flag(
              "auto-sync", auto_sync,
              "the simulator orders the pipes of a kernel in C++ that has no flags, as it does "
              "for PTO text"),
          cli::flag(
              "host-program", host_program,
              "the function of --function is one of the host: it allocates memory of the device, "
              "launches a kernel and looks at the results"),
          {"include", "DIR", "a folder with headers of a kernel in C++",
           [this](const std::string& value) { includes.push_back(value); },
           cli::Option::File::kNone, true},
          cli::one_of("hazards", "KIND", hazards, {"warn", "error", "off"},
                      "two operations on the same bytes that nothing orders: warn, error (exit 4), "
                      "off")}});
  }

  bool no_data = false;
  std::string pto_unknown;
  std::string function;
  std::string pto_level;
  std::string hazards = "warn";
  std::map<std::string, std::string> args;  ///< of a kernel in C++
  std::vector<std::string> includes;
  bool auto_sync = false;
  bool host_program = false;
};

}  // namespace tessera::ascend
