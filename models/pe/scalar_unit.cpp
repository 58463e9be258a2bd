#include "models/pe/scalar_unit.h"

#include <algorithm>
#include <cassert>

#include "models/pe/arithmetic.h"

namespace tessera::pe {

namespace {

// Those that read the flag.
[[gnu::noinline]] void execute_with_flag(EngineState& pe, const Instruction& in, std::uint32_t a,
                                         std::uint32_t b, Cycle ready) {
  MainThread& main = pe.main;
  if (in.op != Opcode::kAddc16) return main.write(in.operands[0], main.flag() ? a : b, ready);
  const CarrySum sum = add_with_carry(a, b, main.flag());
  main.write(in.operands[0], sum.sum, ready);
  main.write_flag(sum.carry, ready);
}

[[gnu::always_inline]] inline void
execute_arithmetic(EngineState& pe, const DecodedInstruction& decoded, Cycle ready) {
  MainThread& main = pe.main;
  const Instruction& in = *decoded.instruction;
  const std::uint32_t a = main.read(in.operands[1]);
  const std::uint32_t b = main.read(in.operands[2]);
  if (decoded.reads_flag) return execute_with_flag(pe, in, a, b, ready);
  if (b == 0 && decoded.op_class == OpClass::kIntegerDivide)
    pe.fail(Illegal::kDivideByZero, main.issued_pc(), "division by zero");
  const auto c = [&] { return main.read(in.operands[3]); };
  main.write(in.operands[0], evaluate_with(in.op, a, b, c, pe.image().half), ready);
}

bool execute_return(EngineState& pe) {
  const std::uint16_t target = pe.main.return_address();
  if (target == MainThread::kReturnEndsTask) return true;
  if (target >= pe.program->code_size()) {
    pe.fail(Illegal::kReturnAddress, pe.main.issued_pc(), "ret to instruction ", target,
            ", which does not exist: r15 was overwritten");
  }
  pe.main.jump(target);
  return false;
}

bool execute_branch(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  MainThread& main = pe.main;
  const bool taken = in.op == Opcode::kJmpt   ? main.flag()
                     : in.op == Opcode::kJmpf ? !main.flag()
                                              : true;
  main.wait_until(now + (taken ? decoded.cycles : pe.timing().branch_not_taken));
  if (!taken) return false;
  if (in.op == Opcode::kRet) return execute_return(pe);
  if (in.op == Opcode::kCall) main.write({kReg16, kReturnRegister, 0}, main.pc(), now + 1);
  main.jump(static_cast<std::uint32_t>(in.operands[0].value));
  return false;
}

// The rare and long ones are not inlined into ScalarUnit::execute(): every instruction would save their
// registers.
[[gnu::noinline]] void execute_task_control(EngineState& pe, const Instruction& in, Cycle now) {
  const Operand& target = in.operands[0];
  const std::uint32_t pc = pe.main.issued_pc();
  const Cycle from = now + pe.timing().priority_update;
  switch (in.op) {
  case Opcode::kActvt: {
    const std::uint32_t id = pe.main.read(target);
    if (id >= kTaskCount || pe.program->tasks().local_task(TaskId(id)) == nullptr)
      pe.fail(Illegal::kTaskId, pc, "actvt of task id ", id, ", which no local task has");
    pe.tasks.activate(TaskId(id));
    break;
  }
  case Opcode::kSettp: {
    const std::uint32_t level = pe.main.read(in.operands[1]);
    if (level > static_cast<std::uint32_t>(TaskPriority::kHigh)) {
      pe.fail(Illegal::kPriorityLevel, pc, "task priority ", level,
              "; there are 0 (low) and 1 (high)");
    }
    pe.tasks.set_priority(TaskId(static_cast<unsigned>(target.value)),
                          static_cast<TaskPriority>(level), now, from);
    break;
  }
  case Opcode::kSetmtp: {
    const std::uint32_t level = pe.main.read(target);
    if (level > static_cast<std::uint32_t>(MainPriority::kHigh)) {
      pe.fail(Illegal::kPriorityLevel, pc, "main thread priority ", level,
              "; there are 0 (medium-low) to 3 (high)");
    }
    pe.tasks.set_main_priority(static_cast<MainPriority>(level), now, from);
    break;
  }
  default:
    if (target.kind == kMicrothread)
      pe.tasks.block_microthread(target.reg, in.op == Opcode::kBlk);
    else
      pe.tasks.set_blocked(TaskId(static_cast<unsigned>(target.value)), in.op == Opcode::kBlk);
  }
}

// DSRs (wse.md 5.11, 8.6 @set_dsd_.., @increment_dsd_offset)

// wse.md 5.2, 5.8: 16 bits; 0x7FFF is endless for wavelets, except in a FIFO, and a number of elements in
// memory. Not for mem4d.
void set_length(EngineState& pe, Opcode op, Dsr& dsr, std::uint32_t length) {
  const std::uint32_t pc = pe.main.issued_pc();
  if (dsr.kind() == DsdKind::kMem4d)
    pe.fail(Illegal::kDsrLength, pc, "setdsl of ", dsr.name(), ", which is a mem4d");
  const std::uint32_t extent = length & 0xFFFFU;
  if (extent == kEndless && dsr.kind() == DsdKind::kFifo)
    pe.fail(Illegal::kDsrLength, pc, info(op).mnemonic, " with length ", extent,
            ", which is endless, of a FIFO");
  dsr.extent = extent;
  if (dsr.extension) dsr.extension->remaining = extent;
  dsr.left = 0;
}

void set_stride(EngineState& pe, Opcode op, Dsr& dsr, std::uint32_t stride) {
  const std::uint32_t pc = pe.main.issued_pc();
  const auto elements = static_cast<std::int16_t>(stride);
  if (dsr.kind() != DsdKind::kMem1d)
    pe.fail(Illegal::kDsrKind, pc, "setdss of ", dsr.name(), ", which is not a mem1d");
  if (elements < -128 || elements > 127) {
    pe.fail(Illegal::kDsrLength, pc, info(op).mnemonic, " with stride ", elements,
            "; strides are -128..127");
  }
  dsr.stride = elements;
  dsr.restart_walk(dsr.address());
}

void change_dsr(EngineState& pe, const Instruction& in, Dsr& dsr) {
  const std::uint32_t value = pe.main.read(in.operands[1]);
  switch (in.op) {
  case Opcode::kSetdsa:
    dsr.set_address(value);
    break;
  case Opcode::kIncdsa:
    if (dsr.dsd->element_bytes == 0) {
      pe.fail(Illegal::kElementSize, pe.main.issued_pc(), "incdsa of ", dsr.name(),
              ", whose elements have the size of the operation; setdsa counts bytes");
    }
    dsr.set_address(dsr.address() + static_cast<std::uint32_t>(static_cast<std::int16_t>(value) *
                                                               dsr.dsd->element_bytes));
    break;
  case Opcode::kSetdsl:
    set_length(pe, in.op, dsr, value);
    break;
  default:
    assert(in.op == Opcode::kSetdss);
    set_stride(pe, in.op, dsr, value);
  }
}

// What the assembler checks of a static load (wse.md 5.11).
void require_fit(const EngineState& pe, const Instruction& in, const Dsd& dsd) {
  const bool to_dest = in.operands[0].kind == kDest;
  const bool extended = dsd.kind == DsdKind::kMem4d || dsd.kind == DsdKind::kCircbuf;
  const auto strides = std::count_if(in.config.sr.begin(), in.config.sr.end(),
                                     [](const auto& sr) { return sr.has_value(); });
  const char* problem = nullptr;
  if (dsd.kind == DsdKind::kFabin && to_dest) problem = ", which a destination DSR cannot hold";
  if (dsd.kind == DsdKind::kFabout && !to_dest) problem = ", which a source DSR cannot hold";
  if (strides < dsd.stride_registers()) problem = "; the load needs more sr=";
  if (extended && !in.config.xdsr) problem = "; the load needs xdsr=";
  if (problem == nullptr) return;
  pe.fail(Illegal::kDsrRecord, pe.main.issued_pc(), "lddsr of a record of descriptor '", dsd.name,
          "', a ", to_string(dsd.kind), problem);
}

/// Loads the record at the address. Returns how many registers that loads.
unsigned load_record(EngineState& pe, const Instruction& in, Cycle now) {
  const std::uint32_t pc = pe.main.issued_pc();
  const std::uint32_t address = pe.main.address_of(in.operands[1]);
  const std::uint8_t* const row = pe.sram.find_row(address, address + kRecordBytes - 2, 2);
  const auto word = [&](unsigned i) {
    return row != nullptr ? Sram::value_at(row + 2 * std::ptrdiff_t{i}, 2)
                          : pe.load(pc, address + 2 * i, 2, now);
  };
  const std::vector<Dsd>& dsds = pe.image().dsds;
  const std::uint32_t number = word(0);
  if (number >= dsds.size()) {
    pe.fail(Illegal::kDsrRecord, pc, "lddsr of a record of descriptor ", number,
            "; the program has ", dsds.size());
  }
  const Dsd& dsd = dsds[number];
  Dsr& dsr = pe.dsrs.own(in.operands[0]);
  if (dsr.dsd != &dsd || dsr.config != &in.config) require_fit(pe, in, dsd);
  const unsigned registers = pe.dsrs.load(in.operands[0], dsd, in.config);
  const bool one_loop = dsd.kind == DsdKind::kMem1d;
  if (one_loop || dsd.kind == DsdKind::kMem4d) dsr.set_address(word(1));
  if (dsd.kind != DsdKind::kMem4d) set_length(pe, in.op, dsr, word(2));
  // A record has 16 bits for the stride, where an instruction has 8 (wse.md 5.2).
  if (one_loop) {
    dsr.stride = static_cast<std::int16_t>(word(3));
    dsr.restart_walk(dsr.address());
  }
  return registers;
}

// Each DSR, XDSR and stride register that is loaded takes an issue slot (wse.md 6.5: DSR load 1
// cycle).
[[gnu::noinline]] void execute_dsr(EngineState& pe, const Instruction& in, Cycle now) {
  if (in.op == Opcode::kLddsr) {
    const Operand& from = in.operands[1];
    const unsigned registers =
        from.kind == kMem
            ? load_record(pe, in, now)
            : pe.dsrs.load(in.operands[0], pe.image().dsds[static_cast<std::size_t>(from.value)],
                           in.config);
    pe.main.wait_until(now + registers);
    pe.dsrs.own(in.operands[0]).ready_at = now + registers - 1 + pe.timing().dsr_latency;
    return;
  }
  const std::uint32_t pc = pe.main.issued_pc();
  const bool reads = in.op == Opcode::kGetdsa || in.op == Opcode::kGetdsl;
  const Dsr& dsr = pe.dsrs[in.operands[reads ? 1 : 0]];
  if (!dsr.loaded()) {
    pe.fail(Illegal::kDsrEmpty, pc, info(in.op).mnemonic, " of a DSR that nothing was loaded into");
  }
  const Cycle ready = now + pe.timing().integer_latency;
  if (in.op == Opcode::kGetdsl) {
    const std::uint32_t left = dsr.single_step() ? dsr.extension->remaining : dsr.length();
    return pe.main.write(in.operands[0], left, ready);
  }
  const bool has_address = dsr.kind() == DsdKind::kMem1d || dsr.kind() == DsdKind::kMem4d ||
                           (in.op == Opcode::kGetdsa && dsr.kind() == DsdKind::kCircbuf);
  if (in.op != Opcode::kSetdsl && !has_address) {
    pe.fail(Illegal::kDsrKind, pc, info(in.op).mnemonic, " of ", dsr.name(), ", which is a ",
            to_string(dsr.kind()));
  }
  if (in.op == Opcode::kGetdsa) return pe.main.write(in.operands[0], dsr.address(), ready);
  Dsr& changed = pe.dsrs.own(in.operands[0]);
  change_dsr(pe, in, changed);
  changed.ready_at = now + pe.timing().dsr_change_latency;
}

}  // namespace

bool ScalarUnit::execute(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  const Operand& first = in.operands[0];
  const Operand& second = in.operands[1];
  MainThread& main = pe.main;
  switch (decoded.op_class) {
  case OpClass::kMove:
  case OpClass::kInteger:
  case OpClass::kIntegerDivide:
  case OpClass::kFloat:
  case OpClass::kFloatDivide:
    execute_arithmetic(pe, decoded, now + decoded.latency);
    if (decoded.cycles != 1) main.wait_until(now + decoded.cycles);
    return false;
  case OpClass::kCompare:
    main.write_flag(compare(in.op, main.read(first), main.read(second), pe.image().half),
                    now + decoded.latency);
    if (decoded.cycles != 1) main.wait_until(now + decoded.cycles);
    return false;
  case OpClass::kLoad:
    main.write(first, pe.load(decoded.pc, main.address_of(second), decoded.bytes[0], now),
               now + decoded.latency);
    return false;
  case OpClass::kStore:
    pe.store(decoded.pc, main.address_of(first), decoded.bytes[1], main.read(second), now);
    return false;
  case OpClass::kDsr:
    execute_dsr(pe, in, now);
    return false;
  case OpClass::kBranch:
    return execute_branch(pe, decoded, now);
  case OpClass::kTaskEnd:
    if (in.op == Opcode::kBrk)
      pe.fail(Illegal::kBreak, decoded.pc, "brk: an assertion of the program failed");
    return in.op == Opcode::kEnd || main.flag() == (in.op == Opcode::kEndt);
  case OpClass::kTaskControl:
    execute_task_control(pe, in, now);
    return false;
  case OpClass::kTile:
    execute_tile(pe, in, now);
    return false;
  default:
    assert(false && "not a scalar instruction");
    return false;
  }
}

void ScalarUnit::execute_tile(EngineState& pe, const Instruction& in, Cycle now) {
  MainThread& main = pe.main;
  const Cycle ready = now + pe.timing().integer_latency;
  const Operand& first = in.operands[0];
  switch (in.op) {
  case Opcode::kCoord:
    main.write(first, static_cast<std::uint32_t>(pe.at.x), ready);
    main.write(in.operands[1], static_cast<std::uint32_t>(pe.at.y), ready);
    break;
  case Opcode::kRand16:
    main.write(first, prng().draw16(), ready);
    break;
  case Opcode::kSetprng:
    prng().select(static_cast<std::uint16_t>(main.read(first)));
    break;
  case Opcode::kSeedprng:
    prng().seed(main.read(first));
    break;
  default:
    assert(false && "not an instruction of the tile");
  }
}

Prng& ScalarUnit::prng() {
  if (!prng_) prng_ = std::make_unique<Prng>();
  return *prng_;
}

}  // namespace tessera::pe
