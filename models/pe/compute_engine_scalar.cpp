// Scalar instructions of the main thread (reference wse.md 6.1, 6.5).
#include <algorithm>
#include <cassert>

#include "models/pe/arithmetic.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

unsigned latency_of(OpClass op_class, const PeTiming& timing) {
  switch (op_class) {
  case OpClass::kMove:
    return timing.move_latency;
  case OpClass::kFloat:
    return timing.float_latency;
  case OpClass::kLoad:
    return timing.load_latency;
  default:
    return timing.integer_latency;
  }
}

}  // namespace

void ComputeEngineCore::issue_main(Cycle now) {
  const std::uint32_t pc = main_.pc;
  const Instruction& in = image_->code[pc];
  const OpcodeInfo& row = info(in.op);
  probe_.emit(now, EventKind::kIssue, static_cast<unsigned>(in.op) | kMainThread << 8, pc);
  main_.ready_at = now + 1;
  main_.pc = pc + 1;
  if (in.is_vector() && row.vector) {
    dispatch(in, now);
    return;
  }
  switch (row.op_class) {
  case OpClass::kMove:
  case OpClass::kInteger:
  case OpClass::kFloat:
    execute_arithmetic(in, now);
    break;
  case OpClass::kCompare:
    flag_ = compare(in.op, read_operand(in.operands[0]), read_operand(in.operands[1]));
    flag_ready_at_ = now + latency_of(row.op_class, timing_);
    break;
  case OpClass::kLoad: {
    const std::uint32_t address = effective_address(in.operands[1], row.element_bytes);
    write_register(in.operands[0], sram_.read(address, row.element_bytes),
                   now + timing_.load_latency);
    break;
  }
  case OpClass::kStore:
    execute_memory(in);
    break;
  case OpClass::kDsr:
    execute_dsr(in, now);
    break;
  case OpClass::kBranch:
    execute_branch(in, now);
    break;
  case OpClass::kTaskEnd:
    end_task(now);
    break;
  case OpClass::kTaskControl:
    execute_task_control(in);
    break;
  case OpClass::kTile:
    write_register(in.operands[0], static_cast<std::uint32_t>(at_.x),
                   now + timing_.integer_latency);
    write_register(in.operands[1], static_cast<std::uint32_t>(at_.y),
                   now + timing_.integer_latency);
    break;
  }
}

void ComputeEngineCore::execute_arithmetic(const Instruction& in, Cycle now) {
  const std::uint32_t result = evaluate(in.op, read_operand(in.operands[1]),
                                        read_operand(in.operands[2]), read_operand(in.operands[3]));
  write_register(in.operands[0], result, now + latency_of(info(in.op).op_class, timing_));
}

void ComputeEngineCore::execute_memory(const Instruction& in) {
  const unsigned bytes = info(in.op).element_bytes;
  const std::uint32_t address = effective_address(in.operands[0], bytes);
  check_store(main_.pc - 1, address);
  sram_.write(address, bytes, read_operand(in.operands[1]));
}

void ComputeEngineCore::execute_branch(const Instruction& in, Cycle now) {
  const std::uint32_t next = main_.pc;
  bool taken = true;
  switch (in.op) {
  case Opcode::kJmpt:
    taken = flag_;
    break;
  case Opcode::kJmpf:
    taken = !flag_;
    break;
  default:
    break;
  }
  if (!taken) {
    main_.ready_at = now + timing_.branch_not_taken;
    return;
  }
  main_.ready_at = now + timing_.branch_taken;
  if (in.op == Opcode::kRet) {
    const std::uint16_t target = registers_[kReturnRegister];
    if (target == kReturnEndsTask) {
      end_task(now);
    } else if (target < image_->code.size()) {
      main_.pc = target;
    } else {
      fail(next - 1, "ret to instruction " + std::to_string(target) +
                         ", which does not exist: r15 was overwritten");
    }
    return;
  }
  if (in.op == Opcode::kCall) {
    registers_[kReturnRegister] = static_cast<std::uint16_t>(next);
    register_ready_at_[kReturnRegister] = now + 1;
  }
  main_.pc = static_cast<std::uint32_t>(in.operands[0].value);
}

// wse.md 5.2, 5.8: 15 bits; 0x7FFF is endless, which only wavelets can be.
std::uint16_t ComputeEngineCore::checked_extent(const Dsd& dsd, std::uint32_t length) const {
  const auto extent = static_cast<std::uint16_t>(length);
  if (extent < kEndless || (extent == kEndless && dsd.kind != DsdKind::kMem1d)) return extent;
  fail(main_.pc - 1, "setdsl with length " + std::to_string(extent) +
                         "; lengths are 0..32766, and 32767 (endless) for fabin and fabout");
}

void ComputeEngineCore::execute_dsr(const Instruction& in, Cycle now) {
  Dsr& dsr = dsrs_[in.operands[0]];
  switch (in.op) {
  case Opcode::kLddsr:
    dsr.dsd = image_->dsds[static_cast<std::size_t>(in.operands[1].value)];
    dsr.save_address = in.config.save_address;
    break;
  case Opcode::kSetdsa:
    if (dsr.load == 0 || dsr.dsd.kind != DsdKind::kMem1d) {
      fail(main_.pc - 1, "setdsa on a DSR that does not hold a mem1d descriptor");
    }
    dsr.dsd.base = static_cast<std::uint16_t>(read_operand(in.operands[1]));
    break;
  case Opcode::kSetdsl:
    if (dsr.load == 0) fail(main_.pc - 1, "setdsl on a DSR that was never loaded");
    dsr.dsd.extent = checked_extent(dsr.dsd, read_operand(in.operands[1]));
    break;
  default:
    assert(false && "not a DSR instruction");
  }
  ++dsr.load;
  dsr.ready_at = now + timing_.dsr_latency;
}

void ComputeEngineCore::execute_task_control(const Instruction& in) {
  const TaskId id(static_cast<unsigned>(in.operands[0].value));
  switch (in.op) {
  case Opcode::kActvt:
    tasks_.activate(id);
    break;
  case Opcode::kBlk:
    tasks_.block(id);
    break;
  default:
    tasks_.unblock(id);
    break;
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

void ComputeEngineCore::write_register(const Operand& operand, std::uint32_t value,
                                       Cycle ready_at) {
  registers_[operand.reg] = static_cast<std::uint16_t>(value);
  register_ready_at_[operand.reg] = ready_at;
  if (operand.kind != kReg32) return;
  registers_[operand.reg + 1U] = static_cast<std::uint16_t>(value >> 16);
  register_ready_at_[operand.reg + 1U] = ready_at;
}

// Registers and DSRs interlock: an instruction that names one issues when its last writer is done.
Cycle ComputeEngineCore::operand_ready_at(const Operand& operand) const {
  switch (operand.kind) {
  case kReg16:
    return register_ready_at_[operand.reg];
  case kReg32:
    return std::max(register_ready_at_[operand.reg], register_ready_at_[operand.reg + 1U]);
  case kMem:
    return operand.reg == kNoBase ? 0 : register_ready_at_[operand.reg];
  case kDest:
  case kSrc0:
  case kSrc1:
    return dsrs_[operand].ready_at;
  default:
    return 0;
  }
}

// The image is shared by all tiles that run it, so code cannot be changed by a store.
void ComputeEngineCore::check_store(std::uint32_t pc, std::uint32_t address) const {
  const auto code_bytes = static_cast<std::uint32_t>(image_->code.size()) * kInstructionBytes;
  const std::uint32_t first = kTaskTableBytes + code_bytes;
  if (address >= first) return;
  fail(pc, "store to address " + std::to_string(address) +
               ", where task table and code are; data begin at " + std::to_string(first));
}

std::uint32_t ComputeEngineCore::effective_address(const Operand& mem, unsigned bytes) const {
  const std::uint32_t base = mem.reg == kNoBase ? 0 : registers_[mem.reg];
  const std::uint32_t address = base + static_cast<std::uint32_t>(mem.value);
  if (Sram::accepts(address, bytes)) return address;
  fail(main_.pc - 1, "access of " + std::to_string(bytes) + " bytes at address " +
                         std::to_string(address) + "; SRAM has addresses 0.." +
                         std::to_string(kSramBytes - 1) + " and words of 2 bytes");
}

}  // namespace tessera::pe
