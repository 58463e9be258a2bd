// What every platform executable does around its run: read the options, turn errors into exit codes
// and one clear message, print and write the report (docs/running.md#exit-codes,
// docs/architecture.md#errors).
#pragma once

#include <systemc>

#include <functional>
#include <string>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"

namespace tessera::cli {

/// What an exception of the kernel means to the user: a block's illegal behaviour is a program that
/// cannot finish, every other report an integration mistake.
struct Failure {
  report::Status status;
  std::string message;
};
Failure failure_of(const sc_core::sc_report& report);
/// The same for the exception that is being handled; call it in a catch block. An exception that no
/// executable throws is thrown again.
Failure current_failure();

/// Reads the command line into `options` and calls `body`, which runs and fills the report. What it
/// throws becomes the status and the message of the report as it stands. `body` answers false when
/// there is nothing to report (--validate, --print-config, --print-program). Prints the report, writes it for
/// --report, and returns the exit code.
int run_main(const Executable& executable, int argc, const char* const* argv, Options& options,
             const std::function<bool(report::Report&)>& body);

/// What --validate prints for a program that has been accepted. Returns false: nothing to report.
bool print_valid(const Options& options, const std::string& machine);

/// For a platform of one's own, in sc_main: runs `body`, which answers the exit code. What it throws
/// becomes one line on stderr, "NAME: message", and the exit code of its kind: 2 user input, 3
/// integration, 4 the model could not finish, 5 internal. The line of a SystemC report is printed before
/// the kernel throws it, and so even if the unwinding does not reach this function.
int run_guarded(const std::string& name, const std::function<int()>& body);

}  // namespace tessera::cli
