// Saves the state of a run of wse_platform, and goes on from a saved one (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/run/checkpoint_file.h"
#include "platforms/run/run_control.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::state {
class Archive;
}  // namespace tessera::state

namespace tessera::wse {

class ObservedMachine;
struct CslOptions;
struct FabricOptions;
struct Workload;

struct CheckpointOptions {
  static constexpr const char* kHeading = "Checkpoints";

  std::string file;
  std::optional<std::uint64_t> at;
  std::optional<std::uint64_t> every_cycles;
  std::optional<double> every_s;
  bool on_stop = false;
  std::string restore_file;

  cli::OptionGroup group();
  bool saves() const { return !file.empty(); }
  bool is_used() const { return saves() || !restore_file.empty(); }
  /// Throws UserError for options that do not go together, and for a run that cannot be saved.
  void check(const cli::Options& options, const FabricOptions& fabric) const;
};

/// What has to be the same where a run or a machine goes on, once all files of the program and the host have been read.
/// `run` has the parameters of the program.
run::CheckpointHeader header_of(const cli::Options& options, const WseConfig& config,
                                const report::Run& run, const std::string& commit);
/// What a compiler made of the program.
void add_code(const CslOptions& csl, const Workload& workload, run::CheckpointHeader& header);
/// Throws UserError for what observes a run from its first cycle on and has no state: `what` is "--restore".
void require_restorable(const FabricOptions& fabric, const std::string& what);

/// The checkpoints of one run. A program runs its machine through run() instead of RunControl.
class Checkpoints {
 public:
  using Stop = run::RunControl::Stop;

  /// Reads the file of --restore. All arguments must outlive it. `run` has the parameters of the program, and all files
  /// of the program and the host have been read. Throws UserError where the checkpoint is not of this run.
  Checkpoints(const CheckpointOptions& given, const cli::Options& options, const WseConfig& config,
              const report::Run& run, const std::string& commit);
  /// The machine that is saved, and what visits the state of the program that runs it; `saved_from`: the first
  /// cycle before which it can be saved; kNever: not while it runs the machine for what it does now.
  void attach(
      ObservedMachine& observed, std::function<void(state::Archive&)> visit_program,
      std::function<Cycle()> saved_from = [] { return Cycle{0}; });
  /// What has to be the same in a restored run; something else may be added before begin().
  run::CheckpointHeader& header() { return same_; }

  /// The run begins: restores the state if there is one to restore. Answers whether there was.
  bool begin(const run::RunControl& control);
  /// RunControl::run_until(), or run_unwatched_until(), with checkpoints in between.
  Stop run(run::RunControl& control, const std::function<bool()>& done, bool unwatched);
  /// After the run: what the user should know, such as that the run ended before its checkpoint. May be empty.
  std::string remark() const;

 private:
  /// Events are announced less than so many cycles ahead. Those of --max-cycles and later ones are not recorded, so
  /// nothing is saved in the last cycles before.
  static constexpr Cycle kAnnouncedAhead = 64;

  Cycle next_bound(const run::RunControl& control);
  void reach(Cycle bound, const run::RunControl& control);
  void save(Cycle next);
  void check_restored() const;
  void visit(state::Archive& archive, Cycle next);

  const CheckpointOptions& given_;
  run::CheckpointHeader same_;
  std::optional<run::Checkpoint> restored_;
  ObservedMachine* observed_ = nullptr;
  std::function<void(state::Archive&)> visit_program_;
  std::function<Cycle()> saved_from_;
  bool is_late_ = false;  // a state is to be saved as soon as it can be
  Cycle begun_at_ = 0;    // the cycle that was restored
  Cycle passed_ = 0;      // the last bound
  std::optional<Cycle> saved_;
  std::string why_not_;  // why the state was not saved before a stop
  // Checkpoints by the clock: a bound at which it is looked at.
  Cycle clock_bound_ = kNever;
  Cycle clock_cycles_ = kAnnouncedAhead;
  double next_s_ = 0;
  double looked_s_ = 0;
};

}  // namespace tessera::wse
