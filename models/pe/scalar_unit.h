// Scalar instructions of the main thread (reference wse.md 6.1, 6.5): arithmetic on registers, loads
// and stores, DSRs, branches, and what a program does to tasks and threads.
#pragma once

#include <cstdint>
#include <memory>

#include "models/pe/engine_state.h"
#include "models/pe/prng.h"

namespace tessera::pe {

class ScalarUnit {
 public:
  /// Executes an instruction that main.issue() has just counted: any but DSD operations and
  /// accesses of the configuration space. Returns whether it ends the task.
  bool execute(EngineState& pe, const DecodedInstruction& decoded, Cycle now);

 private:
  static void execute_arithmetic(EngineState& pe, const Instruction& in, Cycle ready);
  static bool execute_branch(EngineState& pe, const Instruction& in, Cycle now);
  static bool execute_return(EngineState& pe);
  static void execute_task_control(EngineState& pe, const Instruction& in, Cycle now);
  static void block(TaskTable& tasks, const Operand& target, bool blocked);
  void execute_tile(EngineState& pe, const Instruction& in, Cycle now);
  Prng& prng();
  // DSRs (wse.md 5.11, 8.6 @set_dsd_.., @increment_dsd_offset)
  static void execute_dsr(EngineState& pe, const Instruction& in, Cycle now);
  static void change_dsr(EngineState& pe, const Instruction& in, Dsr& dsr);
  static void set_length(EngineState& pe, Dsr& dsr, std::uint32_t length);
  static void set_stride(EngineState& pe, Dsr& dsr, std::uint32_t stride);

  std::unique_ptr<Prng> prng_;  // few programs draw numbers: made at the first use
};

}  // namespace tessera::pe
