#include "platforms/cli/main.h"

#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "frontends/text/files_read.h"
#include "frontends/text/output_file.h"
#include "models/timing/clock_domain.h"
#include "platforms/cli/manifest.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cli {

namespace {

// Carries `work` out; what it throws becomes status and message of `report`.
void guarded(report::Report& report, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const Failure failure = current_failure();
    report.status = failure.status;
    report.message = failure.message;
  }
}

bool is_error(const report::Report& result) {
  return result.status != report::Status::kFinished &&
         result.status != report::Status::kCheckFailed;
}

int publish(const Executable& executable, const Options& options, report::Report result) {
  if (result.platform.empty()) result.platform = executable.platform;
  if (result.program.empty()) result.program = options.program;
  if (result.preset.empty()) result.preset = options.preset;
  if (result.structure.empty()) result.structure = options.structure;
  if (result.status != report::Status::kFinished)
    std::cerr << executable.name << ": " << result.message << '\n';
  if (!options.report_file.empty()) report::write_json(result, options.report_file);
  // Errors before the run have nothing more to say; a run that got stuck has its counters and
  // waits.
  const bool ran = !is_error(result) || result.cycles > 0;
  if (ran) (options.quiet ? report::print_why : report::print_text)(result, std::cout);
  return report::exit_code(result.status);
}

/// While one lives, an error that the kernel is about to throw is printed first: an initiator of a user
/// may not survive the unwinding, for example because a payload deletes what stands on its stack.
class ErrorsPrintedFirst {
 public:
  explicit ErrorsPrintedFirst(const std::string& name) {
    name_ = &name;
    printed_.clear();
    before_ = sc_core::sc_report_handler::set_handler(print);
  }
  ~ErrorsPrintedFirst() {
    sc_core::sc_report_handler::set_handler(before_);
    name_ = nullptr;
  }
  ErrorsPrintedFirst(const ErrorsPrintedFirst&) = delete;
  ErrorsPrintedFirst& operator=(const ErrorsPrintedFirst&) = delete;

  /// Prints a message, unless it was the last one.
  static void print(const std::string& message) {
    if (message == printed_) return;
    std::cerr << *name_ << ": " << message << std::endl;
    printed_ = message;
  }

 private:
  static void print(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    const bool throws = (actions & sc_core::SC_THROW) != 0;
    if (throws && (actions & sc_core::SC_DISPLAY) == 0) print(failure_of(report).message);
    const auto handle = before_ != nullptr ? before_ : sc_core::sc_report_handler::default_handler;
    handle(report, actions);
  }

  // The kernel takes a function without an object.
  static inline const std::string* name_ = nullptr;
  static inline std::string printed_;
  static inline sc_core::sc_report_handler_proc before_ = nullptr;
};

}  // namespace

Failure failure_of(const sc_core::sc_report& r) {
  if (std::strcmp(r.get_msg_type(), timing::kIllegalBehaviourId) == 0) {
    return {report::Status::kCouldNotFinish, r.get_msg()};
  }
  if (std::strcmp(r.get_msg_type(), timing::kMemoryId) == 0)
    return {report::Status::kUserInput, kNoMemory};
  if (std::strcmp(r.get_msg_type(), timing::kSystemId) == 0)
    return {report::Status::kUserInput, r.get_msg()};
  if (std::strcmp(r.get_msg_type(), timing::kInternalId) == 0) {
    return {report::Status::kInternal, std::string("internal error: ") + r.get_msg()};
  }
  return {report::Status::kIntegration, std::string(r.get_msg_type()) + ": " + r.get_msg()};
}

Failure current_failure() {
  try {
    throw;
  } catch (const UserError& e) {
    return {report::Status::kUserInput, e.what()};
  } catch (const sc_core::sc_report& e) {
    return failure_of(e);
  } catch (const IllegalBehaviour& e) {
    return {report::Status::kCouldNotFinish, e.what()};
  } catch (const std::bad_alloc&) {
    return {report::Status::kUserInput, kNoMemory};
  } catch (const std::system_error& e) {  // and std::filesystem::filesystem_error
    return {report::Status::kUserInput, refusal_of_system(e)};
  } catch (const std::exception& e) {
    return {report::Status::kInternal, std::string("internal error: ") + e.what()};
  }
}

int run_main(const Executable& executable, int argc, const char* const* argv, Options& options,
             const std::function<bool(report::Report&)>& body) {
  text::make_failed_writes_errors();
  const text::FilesRead read;
  report::Report report;
  bool goes_on = false;
  guarded(report, [&] {
    goes_on = parse(argc, argv, executable, options, std::cout);
    if (goes_on && !options.debug.empty() && executable.platform == "vp")
      throw UserError("", "--debug", std::string(executable.name) + " has no debugger");
  });
  if (is_error(report)) return publish(executable, Options{}, report);
  if (goes_on) {
    guarded(report, [&] { goes_on = body(report); });
    describe_run(executable, {argv, argv + argc}, options, read, report.run);
  }
  report::Report unwritten;
  guarded(unwritten, [&] {
    if (goes_on) publish(executable, options, report);
    text::require_printed();
  });
  // One sentence about refused input; it may have been that of the report file.
  const bool refused = report.status == report::Status::kUserInput;
  if (is_error(unwritten) && !refused) return publish(executable, Options{}, unwritten);
  return report::exit_code(report.status);
}

bool print_valid(const Options& options, const std::string& machine) {
  std::cout << options.program << ": valid" << (machine.empty() ? "" : " for ") << machine << '\n';
  return false;
}

int run_guarded(const std::string& name, const std::function<int()>& body) {
  text::make_failed_writes_errors();
  report::Report failed;
  int exit_code = 0;
  const ErrorsPrintedFirst printed(name);
  guarded(failed, [&] { exit_code = body(); });
  if (!is_error(failed)) return exit_code;
  printed.print(failed.message);
  return report::exit_code(failed.status);
}

}  // namespace tessera::cli
