// How tasks and launched functions come to the main thread (reference wse.md 2.3, 3): which
// wavelets start one, what the picker takes, how a task starts and ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"
#include "models/state/fwd.h"

namespace tessera::pe {

/// A number that the host writes to a variable of 2 or 4 bytes.
struct HostWrite {
  std::uint32_t address = 0;  ///< Sram::accepts() it
  std::uint32_t bytes = 0;
  std::uint32_t value = 0;
};

/// What the host does to a PE between two tasks (csl.md 11): it holds the main thread for `cycles`.
struct HostAccess {
  unsigned cycles = 0;
  /// Written in the cycle in which the PE takes the command.
  std::vector<HostWrite> writes;
  /// Called in that cycle, `now`. What it causes elsewhere may be seen from the next cycle on. A state
  /// cannot be saved before that.
  std::function<void(Sram& sram, Cycle now)> act;

  bool does_something() const { return act != nullptr || !writes.empty(); }
};

class TaskUnit {
 public:
  /// The function at `entry` waits for the main thread, from cycle `at` on. Its arguments go to
  /// d0, d2, ...
  void launch(std::uint32_t entry, const std::vector<std::uint32_t>& arguments, Cycle at) {
    wait_in_line({nullptr, at, entry, arguments, {}});
  }
  /// A command of the host waits for the main thread, from cycle `at` on, in one line with launches.
  void access(HostAccess access, Cycle at) {
    wait_in_line({nullptr, at, 0, {}, std::move(access)});
  }
  /// Launches and commands that have not come to their end.
  unsigned launches_open(const MainThread& main) const;
  bool launch_is_due(Cycle now) const { return launches_ && launches_->at <= now; }
  /// Cycle of the first launch or command that waits; kNever: none does.
  Cycle next_launch() const { return launches_ ? launches_->at : kNever; }

  /// Takes control wavelets that name no task from unblocked channels (wse.md 1.5). Adds the tasks
  /// that the oldest wavelets of the others start to `found`, unless it is nullptr. Returns whether
  /// wavelets were taken.
  static bool take_heads(EngineState& pe, const Operations& operations, Runnables* found,
                         Cycle now);
  /// The picker: takes the due launch or command, or else one of `by_wavelet` or of the active
  /// tasks. Requires a free main thread. `ended`: it became free in this cycle. Returns whether it
  /// took a command: the next pick is in the next cycle.
  bool pick(EngineState& pe, const Runnables& by_wavelet, bool ended, Cycle now);
  /// The task of the main thread has come to its end.
  static void end_task(EngineState& pe, Cycle now);
  /// Saves or restores what changes (models/state/archive.h).
  /// Throws state::Mismatch while a command of the host with `act` waits.
  void visit(state::Archive& archive);

 private:
  struct Launch {
    std::unique_ptr<Launch> next;  ///< not before this one
    Cycle at = 0;
    std::uint32_t entry = 0;
    std::vector<std::uint32_t> arguments;
    HostAccess access;  ///< if it does something: instead of a function
  };
  void wait_in_line(Launch launch);
  void start_launch(EngineState& pe, Cycle first_issue, Cycle now);

  std::unique_ptr<Launch> launches_;  // by cycle
};

}  // namespace tessera::pe
