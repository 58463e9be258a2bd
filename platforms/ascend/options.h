// Options of ascend_platform.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/ascend/kernel.h"
#include "platforms/cli/coverage_options.h"
#include "platforms/cli/options.h"
#include "platforms/run/checkpoints.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

struct Options : cli::MachineOptions {
  Options() {
    own_groups.push_back(
        {"AI-core clusters",
         {cli::deciding(cli::flag(
              "no-data", no_data,
              "timing only: tiles have no values; scalar loads read the arrays of --input")),
          cli::deciding(cli::text(
              "function", "NAME", text.function,
              "the function of the module that the cores start, without @; by default the one "
              "with pto.entry, or those that no other function calls")),
          cli::deciding(cli::text(
              "pto-unknown", "cost:N[,PIPE]", text.unknown,
              "run operations that are not known as N cycles of a pipe (default V, on AICs "
              "M), e.g. --pto-unknown=cost:100,V")),
          cli::deciding(
              cli::one_of("pto-level", "LEVEL", text.level, {"level1", "level2", "level3"},
                          "the text is for this level of the public assembler: level3 gives all "
                          "addresses, level1 and level2 give none")),
          cli::deciding(
              cli::one_of("pto-version", "VERSION", text.version, {"2026-04", "2026-08"},
                          "the state of the public assembler whose rules hold, default 2026-08; "
                          "2026-04 takes tiles that 2026-08 refuses")),
          cli::deciding(
              cli::flag("external-peers", text.external_peers,
                        "ends of pipes between cube and vector that no function of the program has "
                        "belong to a peer that is always ready")),
          cli::deciding(argument_option()),
          cli::file("vcd", "FILE", vcd_file, cli::Option::File::kWritten,
                    "wave form of the pipes, e.g. --vcd w.vcd"),
          cli::file(
              "args", "FILE.json", args_file, cli::Option::File::kRead,
              "the arguments of a kernel in C++ that --arg does not give: an object with names "
              "and values, or a list of values in order; files are relative to this one"),
          cli::deciding(cli::flag(
              "auto-sync", auto_sync,
              "the simulator orders the pipes of a kernel in C++ that has no flags, as it does "
              "for PTO text")),
          cli::deciding(cli::flag(
              "host-program", host_program,
              "the function of --function is one of the host: it allocates memory of the device, "
              "launches a kernel and looks at the results")),
          {"include", "DIR", "a folder with headers of a kernel in C++",
           [this](const std::string& value) { includes.push_back(value); },
           cli::Option::File::kNone, true},
          cli::flag(
              "isolate", isolate,
              "run in a process of its own, so that native code that crashes or loops ends with "
              "a sentence; kernels in C++ always do, but with --no-isolate"),
          cli::flag("no-isolate", no_isolate, "run a kernel in C++ in this process, for debuggers"),
          cli::deciding(cli::whole_number(
              "stuck-after", stuck_after_s,
              "native code of a core that comes to no operation for N seconds ends the "
              "run (default 10; 0: never); if it is given, that of a host program too")),
          cli::deciding(cli::one_of(
              "hazards", "KIND", hazards, {"warn", "error", "off"},
              "two operations on the same bytes that nothing orders: warn, error (exit 4), "
              "off"))}});
    own_groups.push_back(checkpoints.group());
    own_groups.push_back(coverage.group());
  }

  cli::Option argument_option() {
    return cli::named_values(
        "arg", args,
        "an argument of a kernel in C++: a number, a file FILE.npy, or the type and shape of an "
        "array of zeros, f16[128,128], or null (repeatable)");
  }

  bool no_data = false;
  TextOptions text;
  std::string hazards = "warn";
  std::map<std::string, std::string> args;  ///< arguments of a kernel in C++
  std::string vcd_file;
  std::string args_file;  ///< a file with more of them
  std::vector<std::string> includes;
  bool auto_sync = false;
  bool host_program = false;
  bool isolate = false;
  bool no_isolate = false;
  std::optional<std::uint64_t> stuck_after_s;
  run::CheckpointOptions checkpoints;
  cli::CoverageOptions coverage;
};

}  // namespace tessera::ascend
