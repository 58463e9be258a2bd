// The scalar unit of an AI core (reference ascend.md 1.2): takes the program in order, executes scalar
// instructions itself and puts the others into the queues of their pipes.
#pragma once

#include <cstdint>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/core_sync.h"
#include "models/cluster/core/operation_order.h"
#include "models/cluster/core/scalar_memory.h"
#include "models/cluster/core/tile_operands.h"
#include "models/cluster/core/tile_pipes.h"
#include "models/cluster/core/vector_function.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

/// The pipe whose queue takes the instruction; S: the scalar unit executes it itself.
Pipe queue_of(const Instruction& i, const SyncConfig& config);

class ScalarUnit {
 public:
  /// All references outlive the object.
  ScalarUnit(CoreContext& context, CoreSync& sync, OperationOrder& order, TileOperands& operands,
             TilePipes& tile_pipes)
      : context_(context), sync_(sync), order_(order), operands_(operands), tile_pipes_(tile_pipes),
        memory_(context, order) {}

  /// The kernel of the context starts in cycle `at`.
  void launch(Cycle at);
  /// Takes an instruction in cycle `now`, if it can. Throws IllegalBehaviour.
  void serve(Cycle now);
  /// GM has completed an access to a word.
  void take_word(std::int64_t value) {
    word_under_way_ = false;
    word_ = value;
  }

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// The program has come to kEnd.
  bool ended() const { return ended_; }
  /// The program has ended, and no access to a word of GM is under way.
  bool idle() const { return ended_ && !word_under_way_; }
  /// The instruction that is next.
  std::uint32_t pc() const { return pc_; }
  /// Nothing stands at pc(): native code has yet to say what comes.
  bool is_between() const { return context_.source != nullptr && pc_ >= source_end_; }
  const ScalarMemory& memory() const { return memory_; }

 private:
  WaitReason issue(Cycle now);
  WaitReason enqueue(const Instruction& i, Pipe pipe, Cycle now);
  WaitReason issue_sync(const Instruction& i, Cycle now);
  WaitReason issue_scalar(const Instruction& i, Cycle now);
  void access_element(const Instruction& i);
  /// Executes the body of a vector function, and writes the registers that say what it takes.
  WaitReason enqueue_function(const Instruction& i, Cycle now);
  void execute_body(const Instruction& function);
  void execute_in_body(const Instruction& i, RegisterSchedule& schedule);
  void take_step(const RegisterStep& step, RegisterSchedule& schedule);
  WaitReason access_word(const Instruction& i, Cycle now);
  WaitReason wait_for_all(Cycle now);
  std::int64_t compute(const Instruction& i) const;
  std::int64_t special(SpecialValue which) const;
  void jump_to(std::uint32_t target) { pc_ = target - 1; }  // pc_ moves on after every instruction

  CoreContext& context_;
  CoreSync& sync_;
  OperationOrder& order_;
  TileOperands& operands_;
  TilePipes& tile_pipes_;
  ScalarMemory memory_;
  RegisterTrace trace_;  // body of the function that is being issued
  void take_next(Cycle now);
  void tell_next(Cycle now) const;
  void check_new();  // checks the instructions that the source has added

  std::uint32_t pc_ = 0;
  std::uint32_t source_end_ = 0;  // end of the instructions that the source gave last
  std::uint32_t checked_ = 0;     // instructions of the source that have been checked
  bool ended_ = true;
  Cycle takes_ = 0;  // cycles of the instruction that is being issued; at least scalar_cycles
  bool word_under_way_ = false;  // an access to a word of GM
  bool word_asked_ = false;      // the instruction at pc_ has asked and waits for the value
  std::int64_t word_ = 0;
};

}  // namespace tessera::cluster
