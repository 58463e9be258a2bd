// Checkpoints of a fabric (docs/checkpoints.md): what cannot be saved, and what has to be the same where a run goes on.
#pragma once

#include <functional>
#include <string>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/run/checkpoints.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class ObservedMachine;
struct CslOptions;
struct FabricOptions;
struct Workload;

using run::CheckpointOptions;
using run::Checkpoints;

/// CheckpointOptions::check(), and for a run that cannot be saved.
void check_checkpoints(const CheckpointOptions& given, const cli::Options& options,
                       const FabricOptions& fabric);
/// Throws UserError for what watches a machine, or is part of it, and has no state.
void require_saveable(const FabricOptions& fabric);
/// Throws UserError for what observes a run from its first cycle on and has no state: `what` is "--restore".
void require_restorable(const FabricOptions& fabric, const std::string& what);

/// See run::header_of().
run::CheckpointHeader header_of(const cli::Options& options, const WseConfig& config,
                                const report::Run& run, const std::string& commit);
/// What a compiler made of the program.
void add_code(const CslOptions& csl, const Workload& workload, run::CheckpointHeader& header);

/// The machine, what observes it, and what visits the state of the program that runs it. `observed` must outlive the use.
run::Saved saved(
    ObservedMachine& observed, std::function<void(state::Archive&)> visit_program,
    std::function<Cycle()> saved_from = [] { return Cycle{0}; });

}  // namespace tessera::wse
