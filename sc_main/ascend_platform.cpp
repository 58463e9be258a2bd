// ascend_platform: runs a PTO program on Ascend AI-core clusters: docs/ascend-platform.md.
#include <systemc>

#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "platforms/ascend/arrays.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/ascend/cpp_kernel.h"
#include "platforms/ascend/debug_target.h"
#include "platforms/ascend/isolation.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/options.h"
#include "platforms/ascend/simulation.h"
#include "platforms/ascend/tasks/task_report.h"
#include "platforms/ascend/tasks/task_state.h"
#include "platforms/cli/main.h"
#include "platforms/config/json_schema.h"
#include "platforms/config/presets.h"
#include "platforms/debug/attached.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/driver.h"
#include "tessera_commit.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"ascend_platform",
                                     "ascend",
                                     "runs a PTO program on Ascend AI-core clusters",
                                     "PTO program (MLIR text, see docs/ascend-platform.md)",
                                     config::preset_names("ascend"),
                                     ascend::kStructures,
                                     "",  // the module names it; otherwise a5
                                     "launch.clusters=24",
                                     TESSERA_COMMIT};

constexpr std::uint64_t kStuckAfterS = 10;

/// What stands in the file of --program.
struct Program {
  explicit Program(const ascend::Options& options) : in_cpp(ascend::is_cpp(options.program)) {
    if (pto_cpp::is_kernel_file(options.program)) {
      built = pto_cpp::read_kernel_file(options.program);
      names = built->profile;
    } else if (!options.program.empty() && !in_cpp) {
      module = pto::parse_file(options.program, options.text.unknown.empty() ? pto::Unknown::kRefuse
                                                                             : pto::Unknown::kKeep);
      names = pto::profile_of(*module);
    }
  }

  const bool in_cpp;
  std::optional<pto::Module> module;             // PTO text
  std::optional<pto_cpp::CompiledKernel> built;  // a kernel file that ascend-cxx has built
  std::optional<cluster::Profile> names;         // the machine that the program names
};

bool is_task_list(const std::string& file) {
  return std::filesystem::path(file).extension() == ".json";
}

/// Launches of kernels, each of which is a run of its own.
bool run_task_list(const ascend::Options& options, report::Report& report) {
  options.refuse_all_but(
      {"program", "preset", "report", "quiet", "progress", "trace-perfetto", "validate",
       "checkpoint", "checkpoint-at", "checkpoint-every", "checkpoint-on-stop", "restore"},
      "a list of tasks is a run for each task, and says itself what its kernels run with: "
      "arguments, options");
  if (options.validate) {
    ascend::read_tasks(options.program);
    return cli::print_valid(options, options.preset);
  }
  const auto header = [&options] {
    return run::header_of("ascend tasks", run::kAnyStructure, options, report::Run(),
                          TESSERA_COMMIT);
  };
  ascend::run_tasks({options.program, options.preset,
                     std::filesystem::read_symlink("/proc/self/exe").string(),
                     options.trace_perfetto_file, options.quiet, &options.checkpoints, header},
                    report);
  return true;
}

/// Options that would have no effect on a program of this form.
void check_form(const ascend::Options& options, const Program& program) {
  if (program.in_cpp) {
    options.refuse_any(
        {"param", "input", "pto-unknown", "pto-level", "pto-version", "external-peers"},
        "the program is a kernel in C++, not PTO text; its arguments are those of "
        "--arg");
  } else {
    options.refuse_any({"arg", "args", "auto-sync", "host-program", "include"},
                       "the program is PTO text, not a kernel in C++; its arguments are those of "
                       "--param and --input");
  }
  if (program.built)
    options.refuse_any({"include"}, "the kernel is compiled, it includes nothing any more");
}

/// What cannot be saved.
void check_checkpoints(const ascend::Options& options) {
  const run::CheckpointOptions& given = options.checkpoints;
  given.check(options);
  if (!given.is_used()) return;
  const auto refuse = [&given](const std::string& why) { throw UserError("", given.name(), why); };
  if (is_task_list(options.program)) return ascend::TaskState::check(given);
  if (ascend::is_cpp(options.program) || pto_cpp::is_kernel_file(options.program))
    refuse("a kernel in C++ runs on native stacks, which cannot be saved; kernels in PTO text can");
  if (options.isolate) refuse("--isolate is for native code, which cannot be saved; leave it out");
}

/// What has no debugger.
void check_debugger(const ascend::Options& options) {
  if (options.debug.empty()) return;
  if (is_task_list(options.program))
    throw UserError("", "--debug",
                    "a list of tasks is a run for each task; debug the run of one kernel");
  if (ascend::is_cpp(options.program) || pto_cpp::is_kernel_file(options.program))
    throw UserError(
        "", "--debug",
        "a kernel in C++ is native code, which this debugger cannot hold: use gdb --args "
        "with --no-isolate; kernels in PTO text can be debugged");
}

/// What has to be the same in a run that goes on.
run::CheckpointHeader header_of(const ascend::Options& options, const ascend::AscendConfig& config,
                                const report::Run& run) {
  run::CheckpointHeader header =
      run::header_of("ascend", run::kAnyStructure, options, run, TESSERA_COMMIT);
  run::add_config(config, ascend::ascend_schema, header);
  header.same["machine"] = config.name;
  for (const auto& [name, value] : options.params) header.same["parameter " + name] = value;
  header.same["search for hazards"] = options.hazards == "off" ? "off" : "on";
  header.same["run"] = options.no_data ? "one without data" : "one with data";
  const ascend::TextOptions& text = options.text;
  const std::initializer_list<std::pair<const char*, std::string>> named = {
      {"--function", text.function},
      {"--pto-unknown", text.unknown},
      {"--pto-level", text.level},
      {"--pto-version", text.version}};
  for (const auto& [name, value] : named)
    header.same[std::string("value of ") + name] = value.empty() ? "not given" : value;
  header.same["value of --external-peers"] = text.external_peers ? "on" : "off";
  return header;
}

bool run_kernel(const ascend::Options& options, ascend::Isolation& isolation,
                report::Report& report) {
  check_checkpoints(options);
  check_debugger(options);
  if (is_task_list(options.program)) return run_task_list(options, report);

  // 1. The text of the program, which may name its machine. --print-config does without a program.
  const Program program(options);
  check_form(options, program);

  // 2. The configuration of the machine: a preset or a file, changed by --set.
  const ascend::AscendConfig config = ascend::config_of(options, program.names);
  if (options.print_config) {
    config::print_config(std::cout, config, ascend::ascend_schema);
    return false;
  }
  if (options.print_schema) {
    config::print_json_schema(std::cout, config, ascend::ascend_schema, "ascend");
    return false;
  }

  // 3. Native code runs in a process of its own.
  if ((program.in_cpp || options.isolate) && !options.no_isolate)
    if (const auto publishes =
            isolation.split(report, {options.stuck_after_s.value_or(kStuckAfterS),
                                     options.stuck_after_s.value_or(0)}))
      return *publishes;

  // 4. The program: a kernel for the cores of the launch, and the arrays of the host.
  std::optional<ascend::CppKernel> native;
  std::optional<ascend::LaunchedKernel> lowered;
  if (program.in_cpp)
    native.emplace(options, config, program.built, isolation.trail());
  else
    lowered.emplace(*program.module, options, config, options.text);
  if (options.print_program) {
    std::cout << (native ? native->signature() + "\n" : pto::print(*program.module));
    return false;
  }
  if (native) native->prepare(options, config, [&] { isolation.require_surroundings(); });
  const ascend::LaunchedKernel& kernel = native ? native->launched() : *lowered;
  ascend::Arrays arrays(options, config.machine.profile, kernel.launch, kernel.kernel);
  if (native) native->fill(arrays);

  // 5. The machine. The launch checks that every instruction may stand where it does.
  report.preset = config.name;
  std::optional<run::Checkpoints> checkpoints;
  if (options.checkpoints.is_used() && !options.validate)
    checkpoints.emplace(options.checkpoints, options, header_of(options, config, report.run));
  run::Driver driver(options, report);
  ascend::Simulation simulation(options, config, kernel, arrays);
  ascend::Machine& machine = simulation.machine();
  if (options.validate) return cli::print_valid(options, config.name);
  if (checkpoints) simulation.set_checkpoints(*checkpoints);

  const debug::Attached<ascend::DebugTarget> debugger(options, driver, machine, simulation,
                                                      *arrays.data(), simulation.told());

  // 6. Run until nothing moves any more, and report.
  driver.run(machine.domain(), machine.structure(), simulation, simulation);
  if (checkpoints) checkpoints->tell(kExecutable.name, options.quiet, report);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  ascend::Options options;
  ascend::Isolation isolation;
  const auto run = [&](report::Report& report) {
    isolation.note_surroundings();
    try {
      const bool publishes = run_kernel(options, isolation, report);
      isolation.restore_surroundings();
      return publishes;
    } catch (...) {
      isolation.restore_surroundings();
      throw;
    }
  };
  const int exit_code = cli::run_main(kExecutable, argc, argv, options, run);
  isolation.set_published(exit_code);
  return exit_code;
}
