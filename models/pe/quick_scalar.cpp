#include "models/pe/quick_scalar.h"

#include <array>

#include "models/pe/arithmetic.h"
#include "models/pe/engine_state.h"

namespace tessera::pe {

namespace {

template <OperandKind kind>
[[gnu::always_inline]] inline std::uint32_t read(const MainThread& main, const Operand& from) {
  return main.read({kind, from.reg, from.value});
}

template <OperandKind kind>
[[gnu::always_inline]] inline void write(MainThread& main, const Operand& to, std::uint32_t value,
                                         Cycle ready) {
  main.write({kind, to.reg, 0}, value, ready);
}

template <Opcode op, OperandKind to, OperandKind a, OperandKind b>
struct Compute {
  static bool run(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
    const Instruction& in = *decoded.instruction;
    const std::uint32_t first = read<a>(pe.main, in.operands[1]);
    const std::uint32_t second = read<b>(pe.main, in.operands[2]);
    const auto none = [] { return 0U; };
    write<to>(pe.main, in.operands[0], evaluate_with(op, first, second, none, HalfFormat::kF16),
              now + decoded.latency);
    return true;
  }
};

template <OperandKind to, OperandKind a, OperandKind b>
struct Select {
  static bool run(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
    const Instruction& in = *decoded.instruction;
    const std::uint32_t value =
        pe.main.flag() ? read<a>(pe.main, in.operands[1]) : read<b>(pe.main, in.operands[2]);
    write<to>(pe.main, in.operands[0], value, now + decoded.latency);
    return true;
  }
};

template <Opcode op, OperandKind a, OperandKind b>
struct Compare {
  static bool run(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
    const Instruction& in = *decoded.instruction;
    const bool holds =
        compare_integers(op, read<a>(pe.main, in.operands[0]), read<b>(pe.main, in.operands[1]));
    pe.main.write_flag(holds, now + decoded.latency);
    return true;
  }
};

// Addresses of registers lie beyond the memory.
template <unsigned bytes, OperandKind to>
bool load(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  std::uint32_t value = 0;
  if (!pe.sram.read_own(pe.main.address_of(in.operands[1]), bytes, value)) return false;
  write<to>(pe.main, in.operands[0], value, now + decoded.latency);
  return true;
}

template <unsigned bytes, OperandKind from>
bool store(EngineState& pe, const DecodedInstruction& decoded, Cycle) {
  const Instruction& in = *decoded.instruction;
  const std::uint32_t address = pe.main.address_of(in.operands[0]);
  return address >= pe.program->data_begin() &&
         (pe.sram.write_near(address, bytes, read<from>(pe.main, in.operands[1])) ||
          pe.sram.write_own(address, bytes, read<from>(pe.main, in.operands[1])));
}

// DSRs that have no more state than this.

bool load_descriptor(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  Dsr& dsr = pe.dsrs.own(in.operands[0]);
  if (dsr.extension != nullptr) return false;
  dsr.load_from(pe.image().dsds[static_cast<std::size_t>(in.operands[1].value)], in.config);
  dsr.ready_at = now + pe.timing().dsr_latency;
  return true;
}

// A record in one page, of a vector with one loop or of the fabric, that fits the register.
bool load_record(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  const std::uint32_t address = pe.main.address_of(in.operands[1]);
  const std::uint8_t* const row = pe.sram.find_row(address, address + kRecordBytes - 2, 2);
  if (row == nullptr) return false;
  const auto word = [row](unsigned i) {
    return static_cast<std::uint16_t>(Sram::value_at(row + 2 * std::ptrdiff_t{i}, 2));
  };
  const std::vector<Dsd>& dsds = pe.image().dsds;
  if (word(0) >= dsds.size()) return false;
  const Dsd& dsd = dsds[word(0)];
  Dsr& dsr = pe.dsrs.own(in.operands[0]);
  if (dsr.extension != nullptr) return false;
  const auto stride = static_cast<std::int16_t>(word(3));
  if (dsd.kind == DsdKind::kMem1d) {
    dsr.load_from(dsd, in.config);
    dsr.set_address(word(1));
    dsr.stride = stride;
  } else {
    const bool to_dest = in.operands[0].kind == kDest;
    if (dsd.kind != (to_dest ? DsdKind::kFabout : DsdKind::kFabin)) return false;
    dsr.load_from(dsd, in.config);
  }
  dsr.extent = word(2);
  dsr.left = 0;
  dsr.ready_at = now + pe.timing().dsr_latency;
  return true;
}

template <Opcode op>
bool move_address(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const Instruction& in = *decoded.instruction;
  Dsr& dsr = pe.dsrs.own(in.operands[0]);
  if (!dsr.loaded() || dsr.extension != nullptr || dsr.kind() != DsdKind::kMem1d) return false;
  std::uint32_t to = pe.main.read(in.operands[1]);
  if (op == Opcode::kIncdsa) {
    const unsigned bytes = dsr.dsd->element_bytes;
    if (bytes == 0) return false;
    to = dsr.base + static_cast<std::uint32_t>(static_cast<std::int16_t>(to)) * bytes;
  }
  dsr.set_address(to);
  dsr.ready_at = now + pe.timing().dsr_change_latency;
  return true;
}

template <Opcode op>
bool jump(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  MainThread& main = pe.main;
  const bool taken = op == Opcode::kJmpt ? main.flag() : op == Opcode::kJmpf ? !main.flag() : true;
  main.wait_until(now + (taken ? decoded.cycles : pe.timing().branch_not_taken));
  if (!taken) return true;
  if (op == Opcode::kCall) write<kReg16>(main, {kReg16, kReturnRegister, 0}, main.pc(), now + 1);
  main.jump(static_cast<std::uint32_t>(decoded.instruction->operands[0].value));
  return true;
}

// Not of the one that ends the task, or that fails.
bool come_back(EngineState& pe, const DecodedInstruction& decoded, Cycle now) {
  const std::uint16_t target = pe.main.return_address();
  if (target >= pe.program->code_size()) return false;
  pe.main.wait_until(now + decoded.cycles);
  pe.main.jump(target);
  return true;
}

/// Of the sources in the slots from `first` on, by their kinds: of 16 or of 32 bits, or immediates.
template <template <OperandKind, OperandKind> class Of, OperandKind reg>
QuickScalar of_sources(OperandKind a, OperandKind b) {
  if (a != reg && a != kImm) return nullptr;
  if (b == kNoOperand) return a == reg ? Of<reg, kNoOperand>::run : Of<kImm, kNoOperand>::run;
  if (b != reg && b != kImm) return nullptr;
  if (a == reg) return b == reg ? Of<reg, reg>::run : Of<reg, kImm>::run;
  return b == reg ? Of<kImm, reg>::run : Of<kImm, kImm>::run;
}

template <Opcode op, OperandKind reg>
struct ComputeOf {
  template <OperandKind a, OperandKind b>
  using Of = Compute<op, reg, a, b>;
};
template <OperandKind reg>
struct SelectOf {
  template <OperandKind a, OperandKind b>
  using Of = Select<reg, a, b>;
};
template <Opcode op>
struct CompareOf {
  template <OperandKind a, OperandKind b>
  using Of = Compare<op, a, b>;
};

/// Arithmetic and moves, whose registers all have one width.
template <Opcode op, OperandKind reg>
QuickScalar arithmetic(const Instruction& in) {
  if (in.operands[0].kind != reg) return nullptr;
  return of_sources<ComputeOf<op, reg>::template Of, reg>(in.operands[1].kind, in.operands[2].kind);
}

template <OperandKind reg>
QuickScalar select(const Instruction& in) {
  if (in.operands[0].kind != reg || in.operands[2].kind == kNoOperand) return nullptr;
  return of_sources<SelectOf<reg>::template Of, reg>(in.operands[1].kind, in.operands[2].kind);
}

template <Opcode op, OperandKind reg>
QuickScalar comparison(const Instruction& in) {
  if (in.operands[1].kind == kNoOperand) return nullptr;
  return of_sources<CompareOf<op>::template Of, reg>(in.operands[0].kind, in.operands[1].kind);
}

/// What makes the one of an opcode.
struct Maker {
  Opcode op;
  QuickScalar (*make)(const Instruction& in);
};

QuickScalar move_of_immediate(const Instruction& in) {
  if (in.operands[0].kind == kReg16) return arithmetic<Opcode::kMov16, kReg16>(in);
  return arithmetic<Opcode::kMov32, kReg32>(in);
}

template <unsigned bytes, OperandKind reg>
QuickScalar load_of(const Instruction& in) {
  return in.operands[0].kind == reg ? load<bytes, reg> : nullptr;
}

template <unsigned bytes, OperandKind reg>
QuickScalar store_of(const Instruction& in) {
  const OperandKind from = in.operands[1].kind;
  if (from == kImm) return store<bytes, kImm>;
  return from == reg ? store<bytes, reg> : nullptr;
}

QuickScalar load_of_dsr(const Instruction& in) {
  const OpConfig& config = in.config;
  if (config.single_step || config.xdsr || config.sr[0] || config.sr[1] || config.sr[2])
    return nullptr;
  return in.operands[1].kind == kMem ? load_record : load_descriptor;
}

template <Opcode op>
constexpr Maker narrow() {
  return {op, arithmetic<op, kReg16>};
}
template <Opcode op>
constexpr Maker wide() {
  return {op, arithmetic<op, kReg32>};
}
template <Opcode op, OperandKind reg>
constexpr Maker compares() {
  return {op, comparison<op, reg>};
}
template <Opcode op>
constexpr Maker jumps() {
  return {op, [](const Instruction&) -> QuickScalar { return jump<op>; }};
}

using Op = Opcode;
constexpr std::array kMakers = {
    Maker{Op::kMovri, move_of_immediate},
    narrow<Op::kMov16>(),
    narrow<Op::kFmovh>(),
    wide<Op::kMov32>(),
    wide<Op::kFmovs>(),
    narrow<Op::kAdd16>(),
    narrow<Op::kSub16>(),
    narrow<Op::kAnd16>(),
    narrow<Op::kOr16>(),
    narrow<Op::kXor16>(),
    narrow<Op::kSll16>(),
    narrow<Op::kSlr16>(),
    narrow<Op::kImul16>(),
    wide<Op::kAdd32>(),
    wide<Op::kSub32>(),
    wide<Op::kAnd32>(),
    wide<Op::kOr32>(),
    wide<Op::kXor32>(),
    wide<Op::kFadds>(),
    wide<Op::kFsubs>(),
    wide<Op::kFmuls>(),
    Maker{Op::kSel16, select<kReg16>},
    Maker{Op::kSel32, select<kReg32>},
    compares<Op::kEq16, kReg16>(),
    compares<Op::kLt16, kReg16>(),
    compares<Op::kLtu16, kReg16>(),
    compares<Op::kLte16, kReg16>(),
    compares<Op::kLteu16, kReg16>(),
    compares<Op::kEq32, kReg32>(),
    compares<Op::kLt32, kReg32>(),
    compares<Op::kLte32, kReg32>(),
    Maker{Op::kLd16, load_of<2, kReg16>},
    Maker{Op::kLd32, load_of<4, kReg32>},
    Maker{Op::kSt16, store_of<2, kReg16>},
    Maker{Op::kSt32, store_of<4, kReg32>},
    Maker{Op::kLddsr, load_of_dsr},
    Maker{Op::kSetdsa, [](const Instruction&) -> QuickScalar { return move_address<Op::kSetdsa>; }},
    Maker{Op::kIncdsa, [](const Instruction&) -> QuickScalar { return move_address<Op::kIncdsa>; }},
    jumps<Op::kJmp>(),
    jumps<Op::kJmpt>(),
    jumps<Op::kJmpf>(),
    jumps<Op::kCall>(),
    Maker{Op::kRet, [](const Instruction&) -> QuickScalar { return come_back; }},
};

}  // namespace

QuickScalar quick_scalar_of(const DecodedInstruction& in) {
  // One that takes several cycles holds up the next one in its own way.
  if (in.vector || (in.op_class != OpClass::kBranch && in.cycles != 1)) return nullptr;
  for (const Maker& maker : kMakers) {
    if (maker.op == in.instruction->op) return maker.make(*in.instruction);
  }
  return nullptr;
}

}  // namespace tessera::pe
