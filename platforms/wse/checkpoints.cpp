#include "platforms/wse/checkpoints.h"

#include <cstddef>
#include <utility>

#include "models/state/archive.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/workload.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

void check_checkpoints(const CheckpointOptions& given, const cli::Options& options,
                       const FabricOptions& fabric) {
  given.check(options);
  if (!given.is_used()) return;
  const bool has_waits = options.waits || (!options.report_file.empty() && !options.no_waits);
  if (fabric.ranks != nullptr && given.saves() &&
      (has_waits || !options.trace_perfetto_file.empty()))
    throw UserError("", given.name(),
                    "the accounts of waits of several processes (mpirun) cannot be saved; add "
                    "--no-waits to --report, and leave --waits and --trace-perfetto out");
  require_saveable(fabric);
  if (!given.restore_file.empty()) require_restorable(fabric, "--restore");
}

void require_saveable(const FabricOptions& fabric) {
  const auto refuse = [](const std::string& option, const std::string& what) {
    throw UserError("", option, what + " has no state that could be saved; leave it out");
  };
  if (fabric.check_links) refuse("--check-links", "the watch over the links");
  if (fabric.check_epochs) refuse("--check-epochs", "the watch over changes of routes");
  if (!fabric.replace.empty()) refuse("--replace", "a module of a user");
}

void require_restorable(const FabricOptions& fabric, const std::string& what) {
  const auto refuse = [&what](const std::string& option, const std::string& why) {
    throw UserError("", option, why + "; leave one of " + option + " and " + what + " out");
  };
  if (!fabric.print_log_file.empty())
    refuse("--print-log", "what was printed before the checkpoint is not in it");
  if (fabric.coverage.is_asked()) refuse("--coverage", "counts from the first cycle on");
  if (!fabric.check_memory.empty())
    refuse("--check-memory", "sees who writes memory from the first cycle on");
}

run::CheckpointHeader header_of(const cli::Options& options, const WseConfig& config,
                                const report::Run& run, const std::string& commit) {
  const std::string structure = options.structure == "modules" ? "modules" : "dense";
  run::CheckpointHeader header = run::header_of("wse", structure, options, run, commit);
  run::add_config(config, wse_schema, header);
  return header;
}

void add_code(const CslOptions& csl, const Workload& workload, run::CheckpointHeader& header) {
  header.same["style of code"] = csl.style + ", locals in " + csl.locals;
  header.same["number of channels"] = std::to_string(csl.channels);
  std::size_t instructions = 0;
  for (const auto& image : workload.programs.images()) instructions += image->code.size();
  header.same["number of instructions"] = std::to_string(instructions);
}

run::Saved saved(ObservedMachine& observed, std::function<void(state::Archive&)> visit_program,
                 std::function<Cycle()> saved_from) {
  run::Saved saved;
  saved.domain = &observed.machine().domain();
  saved.events = &observed.events();
  saved.catch_up = [&observed](Cycle end) { observed.catch_up(end); };
  saved.visit = [&observed, program = std::move(visit_program)](state::Archive& archive,
                                                                Cycle next) {
    observed.visit(archive, next);
    program(archive);
  };
  saved.recorded = [&observed] { return observed.recorded(); };
  saved.saved_from = std::move(saved_from);
  return saved;
}

}  // namespace tessera::wse
