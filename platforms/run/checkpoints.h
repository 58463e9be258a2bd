// Saves the state of a run, and goes on from a saved one (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "models/observe/event_stream.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"
#include "platforms/cli/options.h"
#include "platforms/config/schema.h"
#include "platforms/report/report.h"
#include "platforms/run/checkpoint_file.h"
#include "platforms/run/events_beyond.h"
#include "platforms/run/run_control.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

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
  /// The option that a refusal names.
  std::string name() const { return saves() ? "--checkpoint" : "--restore"; }
  /// Throws UserError for options that do not go together.
  void check(const cli::Options& options) const;
};

/// The structure of header_of() for machines of which either structure goes on with the state of the other.
inline constexpr const char* kAnyStructure = "";

/// What has to be the same where a run or a machine goes on, but for its configuration, once all files of the program and
/// the host have been read. `run` has the parameters of the program.
CheckpointHeader header_of(const std::string& platform, const std::string& structure,
                           const cli::Options& options, const report::Run& run,
                           const std::string& commit);
/// Adds all values of a configuration. `schema`: its fields.
template <class Config, class Schema>
void add_config(const Config& config, Schema&& schema, CheckpointHeader& header) {
  Config copy = config;
  for (const config::Field& field : schema(copy))
    header.same["config " + field.path] = config::to_string(field.get());
  header.told["machine"] = config.name;
}

/// A machine, what observes it, and the program that runs it.
struct Saved {
  timing::ClockDomain* domain = nullptr;
  observe::EventStream* events = nullptr;
  /// Nothing that is due before the cycle is put off.
  std::function<void(Cycle)> catch_up = [](Cycle) {};
  /// Saves all of it as it is between two cycles, of which `next` is the second, or restores it where everything has
  /// started and nothing was stepped.
  std::function<void(state::Archive& archive, Cycle next)> visit;
  /// What is observed, for people.
  std::function<std::string()> recorded = [] { return std::string("counters, digest"); };
  /// The first cycle before which it can be saved; kNever: not while the program does what it does now.
  std::function<Cycle()> saved_from = [] { return Cycle{0}; };
};

/// A state could not be written. The run ends: what the program has done by then is done, so that nobody may take this for a
/// refusal of what it was asked.
class StateNotWritten : public UserError {
 public:
  explicit StateNotWritten(const UserError& why) : UserError(why) {}
};

/// The checkpoints of one run. A program runs its machine through run() instead of RunControl.
class Checkpoints {
 public:
  using Stop = RunControl::Stop;

  /// Reads the file of --restore. All arguments must outlive it. `same`: see header_of(). Throws UserError where the
  /// checkpoint is not of this run.
  Checkpoints(const CheckpointOptions& given, const cli::Options& options, CheckpointHeader same);
  void attach(Saved saved) { of_ = std::move(saved); }
  /// What has to be the same in a restored run; something else may be added before begin().
  CheckpointHeader& header() { return same_; }

  /// The run begins: restores the state if there is one to restore. Answers whether there was.
  bool begin(RunControl& control);
  /// RunControl::run_until(), or run_unwatched_until(), with checkpoints in between.
  Stop run(RunControl& control, const std::function<bool()>& done, bool unwatched);
  /// The run is over: what it records ends with --max-cycles. Ended does it at the end of a scope.
  void end();
  class Ended {
   public:
    /// nullptr is allowed.
    explicit Ended(Checkpoints* of) : of_(of) {}
    ~Ended() {
      if (of_ != nullptr) of_->end();
    }
    Ended(const Ended&) = delete;
    Ended& operator=(const Ended&) = delete;

   private:
    Checkpoints* const of_;
  };
  /// After the run: the report says from which cycle a restored run went on, and the user, unless `quiet`, where the last
  /// state is. Why there is none where --checkpoint-at asked for one is said in any case.
  void tell(const std::string& executable, bool quiet, report::Report& report) const;

 private:
  std::string remark(Cycle cycles) const;
  /// Events are announced less than so many cycles ahead.
  static constexpr Cycle kAnnouncedAhead = 64;

  Cycle next_bound(const RunControl& control);
  void reach(Cycle bound, const RunControl& control);
  void save(Cycle next);
  void check_restored() const;
  void restore();
  void watch_beyond(Cycle max);

  const CheckpointOptions& given_;
  CheckpointHeader same_;
  std::optional<Checkpoint> restored_;
  Saved of_;
  std::unique_ptr<EventsBeyond> beyond_;  // in the last cycles before --max-cycles
  bool is_late_ = false;                  // a state is to be saved as soon as it can be
  Cycle begun_at_ = 0;                    // the cycle that was restored
  Cycle passed_ = 0;                      // the last bound
  std::optional<Cycle> saved_;
  std::string why_not_;  // why the state was not saved before a stop
  // Checkpoints by the clock: a bound at which it is looked at.
  Cycle clock_bound_ = kNever;
  Cycle clock_cycles_ = kAnnouncedAhead;
  double next_s_ = 0;
  double looked_s_ = 0;
};

}  // namespace tessera::run
