// Who waits for what in an AI core, and why those that could help do not: for deadlock reports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/core_sync.h"
#include "models/cluster/core/scalar_unit.h"
#include "models/observe/wait.h"

namespace tessera::cluster {

/// A look at the core as it is now.
class CoreWaits {
 public:
  /// Why a signal has not come; `never`: nobody will give it any more.
  struct Reason {
    std::string text;
    bool never = false;
  };
  /// What a pipe waits for, and why it has not come.
  struct Wanted {
    std::string what;
    Reason why;
    unsigned distance = 1;  ///< as in BlockedPipe; not used if `never`
  };
  /// A pipe that is held back. `distance` 0: it waits for what will never come; larger: it waits for
  /// others that wait themselves. `cause`, for distance 0: "the flag V to MTE2, event 0 never comes: ..".
  struct BlockedPipe {
    observe::Wait wait;
    unsigned distance = 0;
    std::string cause;
  };
  /// Who could release a wait for another core, and why it does not (machine_view.cpp).
  using Explain = std::function<Wanted(const sync::Request&)>;

  /// All references outlive the object.
  CoreWaits(const CoreContext& context, const ScalarUnit& scalar, const CoreSync& sync)
      : context_(context), scalar_(scalar), sync_(sync) {}

  /// The pipes that are held back, by Pipe.
  std::vector<BlockedPipe> blocked_pipes(const Explain& explain) const;
  /// Whether the program has a set of `id` in `mode`, and why none of them has fired.
  bool has_signal(Mode mode, unsigned id) const;
  Reason why_no_signal(Mode mode, unsigned id) const;

 private:
  /// Knows the instruction that is missing, and its id if that is known.
  using IsMissing = std::function<bool(const Instruction&, const std::int64_t* id)>;

  Wanted wanted(const PipeState& p, std::uint32_t pc, const Explain& explain) const;
  Reason why_not_done(const IsMissing& is) const;
  bool has(const IsMissing& is) const;

  const CoreContext& context_;
  const ScalarUnit& scalar_;
  const CoreSync& sync_;
};

}  // namespace tessera::cluster
