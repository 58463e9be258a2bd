#include "platforms/cli/main.h"

#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "models/timing/clock_domain.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cli {

namespace {

report::Report failure(report::Status status, const std::string& message) {
  report::Report result;
  result.status = status;
  result.message = message;
  return result;
}

// Carries `work` out; what it throws becomes a report.
std::optional<report::Report> guarded(const std::function<std::optional<report::Report>()>& work) {
  try {
    return work();
  } catch (const UserError& e) {
    return failure(report::Status::kUserInput, e.what());
  } catch (const sc_core::sc_report& e) {
    const Failure f = failure_of(e);
    return failure(f.status, f.message);
  } catch (const IllegalBehaviour& e) {
    return failure(report::Status::kCouldNotFinish, e.what());
  } catch (const std::bad_alloc&) {
    return failure(report::Status::kUserInput,
                   "there is not enough memory for this program on this machine");
  } catch (const std::exception& e) {
    return failure(report::Status::kInternal, std::string("internal error: ") + e.what());
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
  if (ran && !options.quiet) report::print_text(result, std::cout);
  return report::exit_code(result.status);
}

}  // namespace

Failure failure_of(const sc_core::sc_report& r) {
  if (std::strcmp(r.get_msg_type(), timing::kIllegalBehaviourId) == 0) {
    return {report::Status::kCouldNotFinish, r.get_msg()};
  }
  if (std::strcmp(r.get_msg_type(), timing::kInternalId) == 0) {
    return {report::Status::kInternal, std::string("internal error: ") + r.get_msg()};
  }
  return {report::Status::kIntegration, std::string(r.get_msg_type()) + ": " + r.get_msg()};
}

int run_main(const Executable& executable, int argc, const char* const* argv,
             const std::function<std::optional<report::Report>(const Options&)>& body) {
  std::optional<Options> options;
  const auto bad_options = guarded([&]() -> std::optional<report::Report> {
    options = parse(argc, argv, executable, std::cout);
    return std::nullopt;
  });
  if (bad_options) return publish(executable, Options{}, *bad_options);
  if (!options) return 0;
  const auto result = guarded([&] { return body(*options); });
  if (!result) return 0;
  const auto unpublished = guarded([&]() -> std::optional<report::Report> {
    publish(executable, *options, *result);
    return std::nullopt;
  });
  if (unpublished) return publish(executable, Options{}, *unpublished);
  return report::exit_code(result->status);
}

int run_guarded(const std::string& name, const std::function<int()>& body) {
  int exit_code = 0;
  const auto failed = guarded([&]() -> std::optional<report::Report> {
    exit_code = body();
    return std::nullopt;
  });
  if (!failed) return exit_code;
  std::cerr << name << ": " << failed->message << '\n';
  return report::exit_code(failed->status);
}

}  // namespace tessera::cli
