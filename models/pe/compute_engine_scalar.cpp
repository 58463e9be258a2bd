// Scalar instructions of the main thread (reference wse.md 6.1, 6.5).
#include <algorithm>
#include <cassert>

#include "models/pe/arithmetic.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

void ComputeEngineCore::issue_main(Cycle now) {
  const std::uint32_t pc = main_.pc;
  const Instruction& in = image().code[pc];
  const DecodedInstruction& decoded = program_->decoded(pc);
  probe_.emit(now, EventKind::kIssue, static_cast<unsigned>(in.op) | kMainThread << 8, pc);
  main_.ready_at = now + 1;
  main_.pc = pc + 1;
  if (decoded.vector) {
    dispatch(decoded, now);
    return;
  }
  switch (decoded.op_class) {
  case OpClass::kMove:
  case OpClass::kInteger:
  case OpClass::kIntegerDivide:
  case OpClass::kFloat:
  case OpClass::kFloatDivide:
  case OpClass::kFilter:
    execute_arithmetic(in, now + decoded.latency);
    break;
  case OpClass::kCompare:
    execute_compare(in, now);
    break;
  case OpClass::kLoad:
    execute_load(in, now);
    break;
  case OpClass::kStore:
    execute_store(in, now);
    break;
  case OpClass::kDsr:
    execute_dsr(in, now);
    break;
  case OpClass::kBranch:
    execute_branch(in, now);
    break;
  case OpClass::kTaskEnd:
    if (in.op == Opcode::kBrk) fail(Illegal::kBreak, pc, "brk: an assertion of the program failed");
    end_task(now);
    break;
  case OpClass::kTaskControl:
    execute_task_control(in, now);
    break;
  case OpClass::kTile:
    execute_tile(in, now);
    break;
  }
}

void ComputeEngineCore::execute_arithmetic(const Instruction& in, Cycle ready) {
  const std::uint32_t a = read_operand(in.operands[1]);
  const std::uint32_t b = read_operand(in.operands[2]);
  if (in.op == Opcode::kAddc16) {
    const CarrySum sum = add_with_carry(a, b, flag_);
    write_register(in.operands[0], sum.sum, ready);
    write_flag(sum.carry, ready);
    return;
  }
  if (b == 0 && info(in.op).op_class == OpClass::kIntegerDivide) {
    fail(Illegal::kDivideByZero, main_.pc - 1, "division by zero");
  }
  const std::uint32_t result = evaluate(in.op, a, b, read_operand(in.operands[3]), image().half);
  write_register(in.operands[0], result, ready);
}

void ComputeEngineCore::execute_compare(const Instruction& in, Cycle now) {
  write_flag(
      compare(in.op, read_operand(in.operands[0]), read_operand(in.operands[1]), image().half),
      now + timing().integer_latency);
}

void ComputeEngineCore::execute_load(const Instruction& in, Cycle now) {
  const std::uint32_t address = address_of(in.operands[1]);
  write_register(in.operands[0], load(in, address, info(in.op).bytes(0), now),
                 now + timing().load_latency);
}

void ComputeEngineCore::execute_store(const Instruction& in, Cycle now) {
  const std::uint32_t address = address_of(in.operands[0]);
  store(in, address, info(in.op).bytes(1), read_operand(in.operands[1]), now);
}

void ComputeEngineCore::execute_branch(const Instruction& in, Cycle now) {
  const std::uint32_t next = main_.pc;
  const bool taken = in.op == Opcode::kJmpt ? flag_ : in.op == Opcode::kJmpf ? !flag_ : true;
  if (!taken) {
    main_.ready_at = now + timing().branch_not_taken;
    return;
  }
  main_.ready_at = now + timing().branch_taken;
  if (in.op == Opcode::kRet) {
    execute_return(next - 1, now);
    return;
  }
  if (in.op == Opcode::kCall) {
    registers_[kReturnRegister] = static_cast<std::uint16_t>(next);
    scoreboard_.write(Scoreboard::bit(kReturnRegister), now + 1, main_.ready_at);
  }
  main_.pc = static_cast<std::uint32_t>(in.operands[0].value);
}

void ComputeEngineCore::execute_return(std::uint32_t pc, Cycle now) {
  const std::uint16_t target = registers_[kReturnRegister];
  if (target == kReturnEndsTask) {
    end_task(now);
  } else if (target < image().code.size()) {
    main_.pc = target;
  } else {
    fail(Illegal::kReturnAddress, pc,
         "ret to instruction " + std::to_string(target) +
             ", which does not exist: r15 was overwritten");
  }
}

void ComputeEngineCore::execute_task_control(const Instruction& in, Cycle now) {
  const Operand& target = in.operands[0];
  switch (in.op) {
  case Opcode::kActvt: {
    const std::uint32_t id =
        target.kind == kTask ? static_cast<std::uint32_t>(target.value) : read_operand(target);
    if (id >= kTaskCount || program_->tasks().local_task(TaskId(id)) == nullptr) {
      fail(Illegal::kTaskId, main_.pc - 1,
           "actvt of task id " + std::to_string(id) + ", which no local task has");
    }
    tasks_.activate(TaskId(id));
    break;
  }
  case Opcode::kSettp: {
    const std::uint32_t level = read_operand(in.operands[1]);
    if (level > 1) {
      fail(Illegal::kPriorityLevel, main_.pc - 1,
           "task priority " + std::to_string(level) + "; there are 0 (low) and 1 (high)");
    }
    tasks_.set_priority(TaskId(static_cast<unsigned>(target.value)),
                        static_cast<TaskPriority>(level), now, now + timing().priority_update);
    break;
  }
  case Opcode::kSetmtp:
    set_main_priority(read_operand(target), now);
    break;
  default:
    block(target, in.op == Opcode::kBlk);
  }
}

void ComputeEngineCore::block(const Operand& target, bool blocked) {
  if (target.kind == kMicrothread) {
    const auto bit = static_cast<std::uint8_t>(1U << target.reg);
    blocked_microthreads_ = static_cast<std::uint8_t>(blocked ? blocked_microthreads_ | bit
                                                              : blocked_microthreads_ & ~bit);
    return;
  }
  const TaskId id(static_cast<unsigned>(target.value));
  if (blocked) {
    tasks_.block(id);
  } else {
    tasks_.unblock(id);
  }
}

void ComputeEngineCore::set_main_priority(std::uint32_t level, Cycle now) {
  if (level > static_cast<std::uint32_t>(MainPriority::kHigh)) {
    fail(Illegal::kPriorityLevel, main_.pc - 1,
         "main thread priority " + std::to_string(level) +
             "; there are 0 (medium-low) to 3 (high)");
  }
  std::optional<Delayed<MainPriority>>& priority = extras().main_priority;
  if (!priority) priority.emplace(image().main_priority);
  priority->change(static_cast<MainPriority>(level), now + timing().priority_update, now);
}

void ComputeEngineCore::execute_tile(const Instruction& in, Cycle now) {
  const Cycle ready = now + timing().integer_latency;
  const Operand& first = in.operands[0];
  switch (in.op) {
  case Opcode::kCoord:
    write_register(first, static_cast<std::uint32_t>(at_.x), ready);
    write_register(in.operands[1], static_cast<std::uint32_t>(at_.y), ready);
    break;
  case Opcode::kTsc:
    write_register(first, static_cast<std::uint32_t>(now), ready);
    write_register(in.operands[1], static_cast<std::uint32_t>(now >> 32), ready);
    break;
  case Opcode::kRand16:
    write_register(first, extras().prng.draw16(), ready);
    break;
  case Opcode::kSetprng:
    extras().prng.select(read_operand(first));
    break;
  case Opcode::kSeedprng:
    extras().prng.seed(read_operand(first));
    break;
  case Opcode::kLdcfg:
    write_register(first, read_config(read_operand(in.operands[1]), now), ready);
    break;
  case Opcode::kStcfg:
    write_config(read_operand(first), read_operand(in.operands[1]), now);
    break;
  case Opcode::kSetctm:
    control_mask_ = static_cast<std::uint8_t>(read_operand(first) & 0x3FU);
    break;
  default:
    assert(false && "not an instruction of the tile");
  }
}

std::uint32_t ComputeEngineCore::read_operand(const Operand& operand) const {
  switch (operand.kind) {
  case kReg16:
    return registers_[operand.reg];
  case kReg32:
    return registers_[operand.reg] | static_cast<std::uint32_t>(registers_[operand.reg + 1U]) << 16;
  default:
    return static_cast<std::uint32_t>(operand.value);
  }
}

// [rN - 4] has a negative offset.
std::uint32_t ComputeEngineCore::address_of(const Operand& mem) const {
  const std::uint32_t base = mem.reg == kNoBase ? 0 : registers_[mem.reg];
  return base + static_cast<std::uint32_t>(mem.value);
}

void ComputeEngineCore::write_register(const Operand& operand, std::uint32_t value,
                                       Cycle ready_at) {
  std::uint32_t items = Scoreboard::bit(operand.reg);
  registers_[operand.reg] = static_cast<std::uint16_t>(value);
  if (operand.kind == kReg32) {
    items |= Scoreboard::bit(operand.reg + 1U);
    registers_[operand.reg + 1U] = static_cast<std::uint16_t>(value >> 16);
  }
  scoreboard_.write(items, ready_at, main_.ready_at);
}

void ComputeEngineCore::write_flag(bool value, Cycle ready_at) {
  flag_ = value;
  scoreboard_.write(Scoreboard::bit(Scoreboard::kFlag), ready_at, main_.ready_at);
}

}  // namespace tessera::pe
