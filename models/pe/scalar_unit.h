// Scalar instructions of the main thread (reference wse.md 6.1, 6.5): arithmetic on registers,
// loads and stores, DSRs, branches, and what a program does to tasks and threads.
#pragma once

#include <memory>

#include "models/pe/engine_state.h"
#include "models/pe/prng.h"

namespace tessera::pe {

class ScalarUnit {
 public:
  /// Executes an instruction that main.issue() has just counted: any but DSD operations and
  /// accesses of the configuration space. Returns whether it ends the task.
  bool execute(EngineState& pe, const DecodedInstruction& decoded, Cycle now);
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(prng_);
  }

 private:
  void execute_tile(EngineState& pe, const Instruction& in, Cycle now);
  Prng& prng();

  std::unique_ptr<Prng> prng_;  // few programs draw numbers: made at the first use
};

}  // namespace tessera::pe
