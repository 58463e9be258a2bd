#include "models/pe/isa.h"

#include <algorithm>

namespace tessera::pe {
namespace {

// Slots of the vector-capable arithmetic (wse.md 5.11: a source 0 DSR may also be a destination).
constexpr std::uint16_t kDest16 = kReg16 | kDest | kSrc0;
constexpr std::uint16_t kDest32 = kReg32 | kDest | kSrc0;
constexpr std::uint16_t kSource16 = kReg16 | kImm | kSrc0 | kSrc1;
constexpr std::uint16_t kSource32 = kReg32 | kImm | kSrc0 | kSrc1;
// Slots that are always scalar.
constexpr std::uint16_t kScalar16 = kReg16 | kImm;
constexpr std::uint16_t kScalar32 = kReg32 | kImm;

using Slots = std::array<std::uint16_t, kMaxOperands>;

constexpr Slots kNone{};
constexpr Slots kUnary16{kDest16, kSource16};
constexpr Slots kUnary32{kDest32, kSource32};
constexpr Slots kBinary16{kDest16, kSource16, kSource16};
constexpr Slots kBinary32{kDest32, kSource32, kSource32};
constexpr Slots kScalarBinary16{kReg16, kScalar16, kScalar16};
constexpr Slots kScalarBinary32{kReg32, kScalar32, kScalar32};
constexpr Slots kCompare16{kReg16, kScalar16};
constexpr Slots kCompare32{kReg32, kScalar32};

constexpr OpcodeInfo row(Opcode op, std::string_view mnemonic, OpClass op_class, unsigned bytes,
                         Slots slots, bool vector, std::string_view effect, std::string_view csl) {
  std::uint8_t count = 0;
  while (count < kMaxOperands && slots[count] != kNoOperand) ++count;
  return {op,     mnemonic, op_class, static_cast<std::uint8_t>(bytes), false, count, slots,
          vector, effect,   csl};
}

constexpr OpcodeInfo float_row(Opcode op, std::string_view mnemonic, OpClass op_class, Slots slots,
                               bool vector, std::string_view effect, std::string_view csl) {
  OpcodeInfo r = row(op, mnemonic, op_class, 4, slots, vector, effect, csl);
  r.is_float = true;
  return r;
}

// clang-format off
// element_bytes of movri is 4: the destination register decides how many of the 32 bits it takes.
constexpr std::array<OpcodeInfo, kOpcodeCount> kTable = {{
    row(Opcode::kMovri, "movri", OpClass::kMove, 4, {kReg16 | kReg32, kImm}, false, "dest = constant", "constant"),
    row(Opcode::kMov16, "mov16", OpClass::kMove, 2, kUnary16, true, "dest = src", "@mov16"),
    row(Opcode::kMov32, "mov32", OpClass::kMove, 4, kUnary32, true, "dest = src", "@mov32"),
    float_row(Opcode::kFmovs, "fmovs", OpClass::kMove, kUnary32, true, "dest = src (f32)", "@fmovs"),

    row(Opcode::kAdd16, "add16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 + src2", "@add16, +"),
    row(Opcode::kSub16, "sub16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 - src2", "@sub16, -"),
    row(Opcode::kAnd16, "and16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 & src2", "@and16, &"),
    row(Opcode::kOr16, "or16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 | src2", "@or16, |"),
    row(Opcode::kXor16, "xor16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 ^ src2", "@xor16, ^"),
    row(Opcode::kSll16, "sll16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 << src2", "@sll16, <<"),
    row(Opcode::kSlr16, "slr16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 >> src2, zeros shifted in", "@slr16, >> of u16"),
    row(Opcode::kSar16, "sar16", OpClass::kInteger, 2, kBinary16, true, "dest = src1 >> src2, sign shifted in", "@sar16, >> of i16"),
    row(Opcode::kImul16, "imul16", OpClass::kInteger, 2, kScalarBinary16, false, "dest = low 16 bits of src1 * src2", "*"),

    row(Opcode::kAdd32, "add32", OpClass::kInteger, 4, kScalarBinary32, false, "dest = src1 + src2", "+ of i32, u32"),
    row(Opcode::kSub32, "sub32", OpClass::kInteger, 4, kScalarBinary32, false, "dest = src1 - src2", "- of i32, u32"),

    row(Opcode::kEq16, "eq16", OpClass::kCompare, 2, kCompare16, false, "flag = (src1 == src2)", "== of i16, u16"),
    row(Opcode::kLt16, "lt16", OpClass::kCompare, 2, kCompare16, false, "flag = (src1 < src2), signed", "< of i16"),
    row(Opcode::kLtu16, "ltu16", OpClass::kCompare, 2, kCompare16, false, "flag = (src1 < src2), unsigned", "< of u16"),
    row(Opcode::kEq32, "eq32", OpClass::kCompare, 4, kCompare32, false, "flag = (src1 == src2)", "== of i32, u32"),
    row(Opcode::kLt32, "lt32", OpClass::kCompare, 4, kCompare32, false, "flag = (src1 < src2), signed", "< of i32"),
    float_row(Opcode::kFeqs, "feqs", OpClass::kCompare, kCompare32, false, "flag = (src1 == src2), f32", "== of f32"),
    float_row(Opcode::kFlts, "flts", OpClass::kCompare, kCompare32, false, "flag = (src1 < src2), f32", "< of f32"),

    float_row(Opcode::kFadds, "fadds", OpClass::kFloat, kBinary32, true, "dest = src1 + src2 (f32)", "@fadds, +"),
    float_row(Opcode::kFsubs, "fsubs", OpClass::kFloat, kBinary32, true, "dest = src1 - src2 (f32)", "@fsubs, -"),
    float_row(Opcode::kFmuls, "fmuls", OpClass::kFloat, kBinary32, true, "dest = src1 * src2 (f32)", "@fmuls, *"),
    float_row(Opcode::kFmaxs, "fmaxs", OpClass::kFloat, kBinary32, true, "dest = larger of src1, src2 (f32)", "@fmaxs"),
    float_row(Opcode::kFmacs, "fmacs", OpClass::kFloat, {kDest32, kSource32, kSource32, kScalar32}, true,
              "dest = src1 + src2 * scalar (f32)", "@fmacs"),
    float_row(Opcode::kFabss, "fabss", OpClass::kFloat, kUnary32, true, "dest = |src| (f32)", "@fabss"),
    float_row(Opcode::kFnegs, "fnegs", OpClass::kFloat, kUnary32, true, "dest = -src (f32)", "@fnegs, -"),

    row(Opcode::kLd16, "ld16", OpClass::kLoad, 2, {kReg16, kMem}, false, "dest = 16 bits at the address", "read of a 16-bit variable"),
    row(Opcode::kLd32, "ld32", OpClass::kLoad, 4, {kReg32, kMem}, false, "dest = 32 bits at the address", "read of a 32-bit variable"),
    row(Opcode::kSt16, "st16", OpClass::kStore, 2, {kMem, kReg16}, false, "16 bits at the address = src", "write of a 16-bit variable"),
    row(Opcode::kSt32, "st32", OpClass::kStore, 4, {kMem, kReg32}, false, "32 bits at the address = src", "write of a 32-bit variable"),

    row(Opcode::kLddsr, "lddsr", OpClass::kDsr, 0, {kAnyDsr, kDsd}, false, "DSR = descriptor", "@load_to_dsr"),
    row(Opcode::kSetdsa, "setdsa", OpClass::kDsr, 2, {kAnyDsr, kScalar16}, false, "byte address of a mem1d DSR = src", "@set_dsd_base_addr"),
    row(Opcode::kSetdsl, "setdsl", OpClass::kDsr, 2, {kAnyDsr, kScalar16}, false, "length of a DSR = src, in elements", "@set_dsd_length"),

    row(Opcode::kJmp, "jmp", OpClass::kBranch, 0, {kCode}, false, "go to target", ""),
    row(Opcode::kJmpt, "jmpt", OpClass::kBranch, 0, {kCode}, false, "go to target if the flag is set", "if, while"),
    row(Opcode::kJmpf, "jmpf", OpClass::kBranch, 0, {kCode}, false, "go to target if the flag is clear", "if, while"),
    row(Opcode::kCall, "call", OpClass::kBranch, 0, {kCode}, false, "r15 = return address; go to target", "function call"),
    row(Opcode::kRet, "ret", OpClass::kBranch, 0, kNone, false, "go to the address in r15; it ends the task when nothing was called", "return"),
    row(Opcode::kEnd, "end", OpClass::kTaskEnd, 0, kNone, false, "end the task", "return of a task"),

    row(Opcode::kActvt, "actvt", OpClass::kTaskControl, 0, {kTask}, false, "activate a local task", "@activate"),
    row(Opcode::kBlk, "blk", OpClass::kTaskControl, 0, {kTask}, false, "block a task or channel", "@block"),
    row(Opcode::kUblk, "ublk", OpClass::kTaskControl, 0, {kTask}, false, "unblock a task or channel", "@unblock"),

    row(Opcode::kCoord, "coord", OpClass::kTile, 2, {kReg16, kReg16}, false, "first = x, second = y of the tile", "get_x_coord, get_y_coord of <layout>"),
}};
// clang-format on

constexpr bool rows_stand_in_opcode_order() {
  for (unsigned i = 0; i < kOpcodeCount; ++i) {
    if (kTable[i].op != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(rows_stand_in_opcode_order());

}  // namespace

bool Instruction::is_vector() const {
  if (!info(op).vector) return false;
  return std::any_of(operands.begin(), operands.end(), [](const Operand& o) { return o.is_dsr(); });
}

const OpcodeInfo& info(Opcode op) {
  return kTable[static_cast<unsigned>(op)];
}

const OpcodeInfo* find_opcode(std::string_view mnemonic) {
  for (const OpcodeInfo& r : kTable) {
    if (r.mnemonic == mnemonic) return &r;
  }
  return nullptr;
}

}  // namespace tessera::pe
