// The main thread of a compute engine (reference wse.md 3, 6.1, 6.5): its registers and the flag,
// the task that it runs, and which instruction it issues next and when.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/observe/event_fields.h"
#include "models/pe/isa.h"
#include "models/pe/scoreboard.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

class MainThread {
 public:
  /// Instead of a task id: a function that the host has launched.
  static constexpr unsigned kLaunchedTask = observe::kLaunchedTask;
  static_assert(kLaunchedTask == kTaskCount, "no task has this id");
  /// Value of r15 at the start of a task: `ret` to it ends the task.
  static constexpr std::uint16_t kReturnEndsTask = 0xFFFF;

  /// Whether it has a task; else it is free for the next one.
  bool runs() const { return task_ != kFree; }
  unsigned task() const { return task_; }
  /// The task with number `id` issues its first instruction, `entry`, in cycle `first_issue`.
  void start(unsigned id, std::uint32_t entry, Cycle first_issue) {
    task_ = static_cast<std::uint8_t>(id);
    pc_ = entry;
    ready_at_ = first_issue;
    pipeline_filled_ = false;
    write({kReg16, kReturnRegister, 0}, kReturnEndsTask, first_issue);
  }
  /// The next task issues its first instruction in cycle `next_issue` or later.
  void end(Cycle next_issue) {
    task_ = kFree;
    ready_at_ = next_issue;
  }

  /// The next instruction, and the last one that was issued in sequence.
  std::uint32_t pc() const { return pc_; }
  std::uint32_t issued_pc() const { return pc_ - 1; }
  /// Earliest cycle of the next issue.
  Cycle ready_at() const { return ready_at_; }
  /// Instruction pc() issues in cycle `now`.
  void issue(Cycle now) {
    ready_at_ = now + 1;
    ++pc_;
  }
  void jump(std::uint32_t pc) { pc_ = pc; }
  void wait_until(Cycle cycle) { ready_at_ = cycle; }
  /// Waits for the last writers of `items`, one bit each as in Scoreboard.
  void wait_for(std::uint32_t items) {
    constexpr std::uint32_t kDrain = Scoreboard::bit(Scoreboard::kDrain);
    constexpr std::uint32_t kRelease = Scoreboard::bit(Scoreboard::kRelease);
    Cycle ready = scoreboard_.ready_at(items & ~kRelease, ready_at_);
    if ((items & kRelease) != 0) {
      const Cycle drained = scoreboard_.ready_at(kDrain, ready_at_);
      if (drained > ready_at_) ready = std::max(ready, drained - release_);
    }
    ready_at_ = ready;
    if ((items & (kDrain | kRelease)) != 0) pipeline_filled_ = false;
  }
  /// A synchronous DSD operation is complete, and leaves the pipeline by cycle `drained`. Instructions that wait for
  /// Scoreboard::kRelease may issue `release` cycles before that.
  void drain_until(Cycle drained, std::uint8_t release) {
    scoreboard_.write(Scoreboard::bit(Scoreboard::kDrain), drained, ready_at_);
    release_ = release;
    pipeline_filled_ = true;
  }
  /// The next instruction waits for the drain of a synchronous DSD operation, whatever it is.
  void empty_pipeline() { pipeline_filled_ = false; }
  /// Whether no instruction has waited for the drain of the last synchronous DSD operation, so that
  /// the next one follows it without a gap (PeTiming::vector_overlap).
  bool pipeline_filled() const { return pipeline_filled_; }

  bool flag() const { return flag_; }
  std::uint16_t return_address() const { return registers_[kReturnRegister]; }
  /// Value of a register, a register pair or an immediate.
  std::uint32_t read(const Operand& operand) const {
    if (operand.kind == kReg16) return registers_[operand.reg];
    if (operand.kind != kReg32) return static_cast<std::uint32_t>(operand.value);
    return registers_[operand.reg] | std::uint32_t{registers_[operand.reg + 1U]} << 16;
  }
  /// Byte address of a memory operand, whose offset may be negative: [rN - 4].
  std::uint32_t address_of(const Operand& mem) const {
    const std::uint32_t base = mem.reg == kNoBase ? 0 : registers_[mem.reg];
    return base + static_cast<std::uint32_t>(mem.value);
  }
  /// Changes a register or a register pair; instructions may use the value from `ready_at` on.
  void write(const Operand& operand, std::uint32_t value, Cycle ready_at) {
    std::uint32_t items = Scoreboard::bit(operand.reg);
    registers_[operand.reg] = static_cast<std::uint16_t>(value);
    if (operand.kind == kReg32) {
      items |= Scoreboard::bit(operand.reg + 1U);
      registers_[operand.reg + 1U] = static_cast<std::uint16_t>(value >> 16);
    }
    scoreboard_.write(items, ready_at, ready_at_);
  }
  void write_flag(bool value, Cycle ready_at) {
    flag_ = value;
    scoreboard_.write(Scoreboard::bit(Scoreboard::kFlag), ready_at, ready_at_);
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(ready_at_, pc_, task_, flag_, pipeline_filled_, release_, registers_, scoreboard_);
  }

 private:
  static constexpr std::uint8_t kFree = 0xFF;

  Cycle ready_at_ = 0;
  std::uint32_t pc_ = 0;
  std::uint8_t task_ = kFree;
  bool flag_ = false;
  bool pipeline_filled_ = false;
  std::uint8_t release_ = 0;  // Scoreboard::kRelease comes so many cycles before kDrain
  std::array<std::uint16_t, kRegisterCount> registers_{};
  Scoreboard scoreboard_;
};

}  // namespace tessera::pe
