// The commands of a host program to a compiled CSL program on a machine, one frame each
// (docs/csl-host.md, "Protocol").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frontends/compiled/program.h"
#include "frontends/text/folder_lock.h"
#include "platforms/run/driver.h"
#include "platforms/server/frame.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::server {

/// What a host made wrong, or what ended the run, for the host's exception.
struct Failure {
  enum class Kind : std::uint8_t {
    kValue,   ///< a mistake in a command, which has had no effect
    kRuntime  ///< anything else
  };
  Kind kind = Kind::kRuntime;
  std::string text;
  bool is_fatal = true;  ///< the run has ended
};

/// {"id": .., "error": {"kind": "value"|"runtime", "text": .., "fatal": ..}}
Frame failure_frame(std::int64_t id, const Failure& failure);
/// {"id": .., MEMBERS}; `members` is the inside of a JSON object, or empty.
Frame reply_frame(std::int64_t id, const std::string& members = {});

/// "cmd", "id" and the whole header of a frame.
struct Command {
  std::string name;
  std::int64_t id = 0;
};
/// Throws std::runtime_error for a header that is no command.
Command command_of(const Frame& frame);

/// Carries out commands until the host stops or the run cannot go on. The reply to the last command
/// is that of the caller, who has a report to write first.
class Session final : public run::Program {
 public:
  /// All arguments must outlive the session. The folder gets the memory of the machine at the end.
  Session(FrameChannel& channel, const compiled::Program& program, const wse::Workload& workload,
          const wse::WseConfig& config, wse::ObservedMachine& observed, std::string folder);
  ~Session() override;
  /// The session runs the machine through `checkpoints`, which outlives it. The host of a restored run sends its commands
  /// from the first one on: those before the checkpoint are compared with the ones that were saved, and answered from there.
  void set_checkpoints(wse::Checkpoints& checkpoints) { checkpoints_ = &checkpoints; }

  run::Stop drive(run::RunControl& control) override;
  bool is_done(run::Stop, const observe::Waits&) override { return !failure_.has_value(); }
  std::string remark(const observe::Waits& waits) const override { return observed_.unread(waits); }
  std::string describe_stop(const std::string& stopped, const report::Report&) const override {
    return failure_ ? failure_->text : stopped;
  }
  /// Writes the memory of the PEs for the host.
  void finish(report::Report& report) override;

  /// The number of the command that ended the run; no value: the host has gone.
  std::optional<std::int64_t> last_command() const { return last_command_; }
  /// Why the run ended, unless the host stopped it.
  const std::optional<Failure>& failure() const { return failure_; }
  /// Who waits for ever after all commands of the host; empty: nobody. The host has what it asked for, so this is no failure:
  /// PEs at the rim of published programs wait for neighbors that do not exist.
  const std::string& unfinished() const { return unfinished_; }

 private:
  class Commands;
  /// false: it was the last one.
  bool carry_out(const Frame& frame);
  bool restore(run::RunControl& control);

  FrameChannel& channel_;
  const compiled::Program& program_;
  const wse::Workload& workload_;
  const wse::WseConfig& config_;
  wse::ObservedMachine& observed_;
  const std::string folder_;
  std::unique_ptr<Commands> commands_;  // commands of the run
  wse::Checkpoints* checkpoints_ = nullptr;
  std::optional<std::int64_t> last_command_;
  std::optional<Failure> failure_;
  std::string unfinished_;
  std::unique_ptr<text::FolderLock>
      memory_lock_;  // until the host has opened what the machine left
  run::Stop stop_ = run::Stop::kCondition;
};

}  // namespace tessera::server
