#include "models/pe/isa.h"

#include <algorithm>

namespace tessera::pe {
namespace {

using Slots = std::array<std::uint16_t, kMaxOperands>;
using Types = std::array<ValueType, kMaxOperands>;

constexpr std::uint16_t kScalar16 = kReg16 | kImm;
constexpr std::uint16_t kScalar32 = kReg32 | kImm;

constexpr std::uint16_t reg_of(ValueType type) {
  return bytes_of(type) == 2 ? kReg16 : kReg32;
}

constexpr unsigned operand_count(const Slots& slots) {
  unsigned count = 0;
  while (count < kMaxOperands && slots[count] != kNoOperand) ++count;
  return count;
}

constexpr OpcodeInfo row(Opcode op, std::string_view mnemonic, OpClass op_class, VectorForm form,
                         Slots slots, Types types, std::string_view effect, std::string_view csl) {
  return {op,    mnemonic, op_class, form, static_cast<std::uint8_t>(operand_count(slots)),
          slots, types,    effect,   csl};
}

/// Arithmetic on registers and immediates.
constexpr OpcodeInfo scalar_row(Opcode op, std::string_view mnemonic, OpClass op_class, Types types,
                                std::string_view effect, std::string_view csl) {
  Slots slots{};
  for (unsigned i = 0; i < kMaxOperands && types[i] != ValueType::kNone; ++i) {
    slots[i] = static_cast<std::uint16_t>(reg_of(types[i]) | (i == 0 ? 0 : kImm));
  }
  return row(op, mnemonic, op_class, VectorForm::kNone, slots, types, effect, csl);
}

/// Arithmetic that takes DSRs too (wse.md 5.11: a source 0 DSR may also be a destination). The
/// scalar of a multiply-add is never a DSR. Only a DSD operation writes straight to memory.
constexpr OpcodeInfo vector_row(Opcode op, std::string_view mnemonic, OpClass op_class,
                                VectorForm form, Types types, std::string_view effect,
                                std::string_view csl) {
  OpcodeInfo r = scalar_row(op, mnemonic, op_class, types, effect, csl);
  r.form = form;
  const bool pointer = form == VectorForm::kMove || form == VectorForm::kFloatBinary;
  r.operands[0] |= kDest | kSrc0 | (pointer ? kMem : 0);
  for (unsigned i = 1; i < r.operand_count && i < 3; ++i) r.operands[i] |= kSrc0 | kSrc1;
  return r;
}

constexpr OpcodeInfo compare_row(Opcode op, std::string_view mnemonic, ValueType type,
                                 std::string_view effect, std::string_view csl) {
  const auto any = static_cast<std::uint16_t>(reg_of(type) | kImm);
  return row(op, mnemonic, OpClass::kCompare, VectorForm::kNone, {reg_of(type), any}, {type, type},
             effect, csl);
}

// clang-format off
// The types of movri are 32 bits wide: the destination register decides how many of them it takes.
constexpr std::array<OpcodeInfo, kOpcodeCount> kTable = {{
    row(Opcode::kMovri, "movri", OpClass::kMove, VectorForm::kNone, {kReg16 | kReg32, kImm}, {ValueType::k32, ValueType::k32}, "dest = constant", "constant"),
    vector_row(Opcode::kMov16, "mov16", OpClass::kMove, VectorForm::kMove, {ValueType::k16, ValueType::k16}, "dest = src", "@mov16"),
    vector_row(Opcode::kMov32, "mov32", OpClass::kMove, VectorForm::kMove, {ValueType::k32, ValueType::k32}, "dest = src", "@mov32"),
    vector_row(Opcode::kFmovh, "fmovh", OpClass::kMove, VectorForm::kMove, {ValueType::kHalf, ValueType::kHalf}, "dest = src (fp16)", "@fmovh"),
    vector_row(Opcode::kFmovs, "fmovs", OpClass::kMove, VectorForm::kMove, {ValueType::kSingle, ValueType::kSingle}, "dest = src (f32)", "@fmovs"),

    vector_row(Opcode::kAdd16, "add16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 + src2", "@add16, +"),
    vector_row(Opcode::kAddc16, "addc16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 + src2 + flag; flag = carry, from element to element", "@addc16"),
    vector_row(Opcode::kSub16, "sub16", OpClass::kInteger, VectorForm::kSubtract16, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 - src2", "@sub16, -"),
    vector_row(Opcode::kAnd16, "and16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 & src2", "@and16, &"),
    vector_row(Opcode::kOr16, "or16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 | src2", "@or16, |"),
    vector_row(Opcode::kXor16, "xor16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 ^ src2", "@xor16, ^"),
    vector_row(Opcode::kSll16, "sll16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 << src2", "@sll16, <<"),
    vector_row(Opcode::kSlr16, "slr16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 >> src2, zeros shifted in", "@slr16, >> of u16"),
    vector_row(Opcode::kSar16, "sar16", OpClass::kInteger, VectorForm::kBinary, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 >> src2, sign shifted in", "@sar16, >> of i16"),
    vector_row(Opcode::kClz16, "clz16", OpClass::kInteger, VectorForm::kUnary, {ValueType::k16, ValueType::k16}, "dest = leading zeros of src, 16 for 0", "@clz"),
    vector_row(Opcode::kCtz16, "ctz16", OpClass::kInteger, VectorForm::kUnary, {ValueType::k16, ValueType::k16}, "dest = trailing zeros of src, 16 for 0", "@ctz"),
    vector_row(Opcode::kPopcnt16, "popcnt16", OpClass::kInteger, VectorForm::kUnary, {ValueType::k16, ValueType::k16}, "dest = ones in src", "@popcnt"),
    scalar_row(Opcode::kImul16, "imul16", OpClass::kInteger, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = low 16 bits of src1 * src2", "*"),
    scalar_row(Opcode::kDiv16, "div16", OpClass::kIntegerDivide, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 / src2 toward zero, signed", "/ of i16"),
    scalar_row(Opcode::kDivu16, "divu16", OpClass::kIntegerDivide, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 / src2, unsigned", "/ of u16"),
    scalar_row(Opcode::kRem16, "rem16", OpClass::kIntegerDivide, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 - (src1 / src2) * src2, signed", "% of i16"),
    scalar_row(Opcode::kRemu16, "remu16", OpClass::kIntegerDivide, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 mod src2, unsigned", "% of u16"),

    scalar_row(Opcode::kAdd32, "add32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 + src2", "+ of i32, u32"),
    scalar_row(Opcode::kSub32, "sub32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 - src2", "- of i32, u32"),
    scalar_row(Opcode::kAnd32, "and32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 & src2", "& of i32, u32"),
    scalar_row(Opcode::kOr32, "or32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 | src2", "| of i32, u32"),
    scalar_row(Opcode::kXor32, "xor32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 ^ src2", "^ of i32, u32"),
    scalar_row(Opcode::kSll32, "sll32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 << src2", "<< of i32, u32"),
    scalar_row(Opcode::kSlr32, "slr32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 >> src2, zeros shifted in", ">> of u32"),
    scalar_row(Opcode::kSar32, "sar32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 >> src2, sign shifted in", ">> of i32"),
    scalar_row(Opcode::kImul32, "imul32", OpClass::kInteger, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = low 32 bits of src1 * src2", "* of i32, u32"),
    scalar_row(Opcode::kDiv32, "div32", OpClass::kIntegerDivide, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 / src2 toward zero, signed", "/ of i32"),
    scalar_row(Opcode::kDivu32, "divu32", OpClass::kIntegerDivide, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 / src2, unsigned", "/ of u32"),
    scalar_row(Opcode::kRem32, "rem32", OpClass::kIntegerDivide, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 - (src1 / src2) * src2, signed", "% of i32"),
    scalar_row(Opcode::kRemu32, "remu32", OpClass::kIntegerDivide, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 mod src2, unsigned", "% of u32"),

    compare_row(Opcode::kEq16, "eq16", ValueType::k16, "flag = (src1 == src2)", "== of i16, u16"),
    compare_row(Opcode::kLt16, "lt16", ValueType::k16, "flag = (src1 < src2), signed", "< of i16"),
    compare_row(Opcode::kLtu16, "ltu16", ValueType::k16, "flag = (src1 < src2), unsigned", "< of u16"),
    compare_row(Opcode::kLte16, "lte16", ValueType::k16, "flag = (src1 <= src2), signed", "<= of i16"),
    compare_row(Opcode::kLteu16, "lteu16", ValueType::k16, "flag = (src1 <= src2), unsigned", "<= of u16"),
    compare_row(Opcode::kEq32, "eq32", ValueType::k32, "flag = (src1 == src2)", "== of i32, u32"),
    compare_row(Opcode::kLt32, "lt32", ValueType::k32, "flag = (src1 < src2), signed", "< of i32"),
    compare_row(Opcode::kLtu32, "ltu32", ValueType::k32, "flag = (src1 < src2), unsigned", "< of u32"),
    compare_row(Opcode::kLte32, "lte32", ValueType::k32, "flag = (src1 <= src2), signed", "<= of i32"),
    compare_row(Opcode::kLteu32, "lteu32", ValueType::k32, "flag = (src1 <= src2), unsigned", "<= of u32"),
    compare_row(Opcode::kFeqh, "feqh", ValueType::kHalf, "flag = (src1 == src2), fp16", "== of fp16"),
    compare_row(Opcode::kFlth, "flth", ValueType::kHalf, "flag = (src1 < src2), fp16", "< of fp16"),
    compare_row(Opcode::kFlteqh, "flteqh", ValueType::kHalf, "flag = (src1 <= src2), fp16", "<= of fp16"),
    compare_row(Opcode::kFunh, "funh", ValueType::kHalf, "flag = src1 or src2 is a NaN, fp16", "isNaN of fp16"),
    compare_row(Opcode::kFeqs, "feqs", ValueType::kSingle, "flag = (src1 == src2), f32", "== of f32"),
    compare_row(Opcode::kFlts, "flts", ValueType::kSingle, "flag = (src1 < src2), f32", "< of f32"),
    compare_row(Opcode::kFlteqs, "flteqs", ValueType::kSingle, "flag = (src1 <= src2), f32", "<= of f32"),
    compare_row(Opcode::kFuns, "funs", ValueType::kSingle, "flag = src1 or src2 is a NaN, f32", "isNaN of f32"),

    vector_row(Opcode::kFaddh, "faddh", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = src1 + src2 (fp16)", "@faddh, +"),
    vector_row(Opcode::kFsubh, "fsubh", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = src1 - src2 (fp16)", "@fsubh, -"),
    vector_row(Opcode::kFmulh, "fmulh", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = src1 * src2 (fp16)", "@fmulh, *"),
    vector_row(Opcode::kFmaxh, "fmaxh", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = larger of src1, src2 (fp16)", "@fmaxh"),
    scalar_row(Opcode::kFminh, "fminh", OpClass::kFloat, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = smaller of src1, src2 (fp16)", "min of <math>"),
    vector_row(Opcode::kFmach, "fmach", OpClass::kFloat, VectorForm::kMultiplyAdd, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = src1 + src2 * scalar, rounded once (fp16)", "@fmach"),
    vector_row(Opcode::kFabsh, "fabsh", OpClass::kFloat, VectorForm::kUnary, {ValueType::kHalf, ValueType::kHalf}, "dest = |src| (fp16)", "@fabsh"),
    vector_row(Opcode::kFnegh, "fnegh", OpClass::kFloat, VectorForm::kUnary, {ValueType::kHalf, ValueType::kHalf}, "dest = -src (fp16)", "@fnegh, -"),
    scalar_row(Opcode::kFdivh, "fdivh", OpClass::kFloatDivide, {ValueType::kHalf, ValueType::kHalf, ValueType::kHalf}, "dest = src1 / src2 (fp16)", "/"),
    scalar_row(Opcode::kFnormh, "fnormh", OpClass::kFloat, {ValueType::kHalf, ValueType::kHalf}, "dest = src scaled by a power of two into [1, 2) (fp16)", "@fnormh"),
    scalar_row(Opcode::kFscaleh, "fscaleh", OpClass::kFloat, {ValueType::kHalf, ValueType::kHalf, ValueType::k16}, "dest = src1 * 2^src2, src2 i16 (fp16)", "@fscaleh"),

    vector_row(Opcode::kFadds, "fadds", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = src1 + src2 (f32)", "@fadds, +"),
    vector_row(Opcode::kFsubs, "fsubs", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = src1 - src2 (f32)", "@fsubs, -"),
    vector_row(Opcode::kFmuls, "fmuls", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = src1 * src2 (f32)", "@fmuls, *"),
    vector_row(Opcode::kFmaxs, "fmaxs", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = larger of src1, src2 (f32)", "@fmaxs"),
    scalar_row(Opcode::kFmins, "fmins", OpClass::kFloat, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = smaller of src1, src2 (f32)", "min of <math>"),
    vector_row(Opcode::kFmacs, "fmacs", OpClass::kFloat, VectorForm::kMultiplyAdd, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = src1 + src2 * scalar (f32)", "@fmacs"),
    vector_row(Opcode::kFabss, "fabss", OpClass::kFloat, VectorForm::kUnary, {ValueType::kSingle, ValueType::kSingle}, "dest = |src| (f32)", "@fabss"),
    vector_row(Opcode::kFnegs, "fnegs", OpClass::kFloat, VectorForm::kUnary, {ValueType::kSingle, ValueType::kSingle}, "dest = -src (f32)", "@fnegs, -"),
    scalar_row(Opcode::kFdivs, "fdivs", OpClass::kFloatDivide, {ValueType::kSingle, ValueType::kSingle, ValueType::kSingle}, "dest = src1 / src2 (f32)", "/"),
    scalar_row(Opcode::kFnorms, "fnorms", OpClass::kFloat, {ValueType::kSingle, ValueType::kSingle}, "dest = src scaled by a power of two into [1, 2) (f32)", "@fnorms"),
    scalar_row(Opcode::kFscales, "fscales", OpClass::kFloat, {ValueType::kSingle, ValueType::kSingle, ValueType::k16}, "dest = src1 * 2^src2, src2 i16 (f32)", "@fscales"),

    vector_row(Opcode::kFaddhs, "faddhs", OpClass::kFloat, VectorForm::kFloatBinary, {ValueType::kSingle, ValueType::kHalf, ValueType::kSingle}, "dest = src1 (fp16) + src2 (f32), f32", "@faddhs"),
    vector_row(Opcode::kFmachs, "fmachs", OpClass::kFloat, VectorForm::kMultiplyAdd, {ValueType::kSingle, ValueType::kSingle, ValueType::kHalf, ValueType::kHalf}, "dest = src1 (f32) + src2 * scalar (fp16, product rounded to fp16), f32", "@fmachs"),
    vector_row(Opcode::kFh2s, "fh2s", OpClass::kFloat, VectorForm::kUnary, {ValueType::kSingle, ValueType::kHalf}, "dest (f32) = src (fp16)", "@fh2s"),
    vector_row(Opcode::kFs2h, "fs2h", OpClass::kFloat, VectorForm::kUnary, {ValueType::kHalf, ValueType::kSingle}, "dest (fp16) = src (f32)", "@fs2h"),
    vector_row(Opcode::kXp162fh, "xp162fh", OpClass::kFloat, VectorForm::kUnary, {ValueType::kHalf, ValueType::k16}, "dest (fp16) = src (i16)", "@xp162fh"),
    vector_row(Opcode::kXp162fs, "xp162fs", OpClass::kFloat, VectorForm::kUnary, {ValueType::kSingle, ValueType::k16}, "dest (f32) = src (i16)", "@xp162fs"),
    vector_row(Opcode::kFh2xp16, "fh2xp16", OpClass::kFloat, VectorForm::kUnary, {ValueType::k16, ValueType::kHalf}, "dest (i16) = src (fp16) toward zero, saturated", "@fh2xp16"),
    vector_row(Opcode::kFs2xp16, "fs2xp16", OpClass::kFloat, VectorForm::kUnary, {ValueType::k16, ValueType::kSingle}, "dest (i16) = src (f32) toward zero, saturated", "@fs2xp16"),
    scalar_row(Opcode::kXp322fs, "xp322fs", OpClass::kFloat, {ValueType::kSingle, ValueType::k32}, "dest (f32) = src (i32)", "@as(f32, i32)"),
    scalar_row(Opcode::kFs2xp32, "fs2xp32", OpClass::kFloat, {ValueType::k32, ValueType::kSingle}, "dest (i32) = src (f32) toward zero, saturated", "@as(i32, f32)"),

    row(Opcode::kDfilt, "dfilt", OpClass::kFilter, VectorForm::kFilter, {kSrc1}, {ValueType::k32}, "drop data wavelets until as many control wavelets as the extent says have come", "@dfilt"),

    row(Opcode::kLd16, "ld16", OpClass::kLoad, VectorForm::kNone, {kReg16, kMem}, {ValueType::k16, ValueType::k16}, "dest = 16 bits at the address", "read of a 16-bit variable"),
    row(Opcode::kLd32, "ld32", OpClass::kLoad, VectorForm::kNone, {kReg32, kMem}, {ValueType::k32, ValueType::k32}, "dest = 32 bits at the address", "read of a 32-bit variable"),
    row(Opcode::kSt16, "st16", OpClass::kStore, VectorForm::kNone, {kMem, kReg16}, {ValueType::k16, ValueType::k16}, "16 bits at the address = src", "write of a 16-bit variable"),
    row(Opcode::kSt32, "st32", OpClass::kStore, VectorForm::kNone, {kMem, kReg32}, {ValueType::k32, ValueType::k32}, "32 bits at the address = src", "write of a 32-bit variable"),

    row(Opcode::kLddsr, "lddsr", OpClass::kDsr, VectorForm::kNone, {kAnyDsr, kDsd | kMem}, {}, "DSR = descriptor, or the record at the address", "@load_to_dsr, _xdsr, _xdsr_sr"),
    row(Opcode::kSetdsa, "setdsa", OpClass::kDsr, VectorForm::kNone, {kAnyDsr, kScalar16}, {ValueType::kNone, ValueType::k16}, "byte address of a mem1d or mem4d DSR = src", "@set_dsd_base_addr"),
    row(Opcode::kIncdsa, "incdsa", OpClass::kDsr, VectorForm::kNone, {kAnyDsr, kScalar16}, {ValueType::kNone, ValueType::k16}, "address of a mem1d or mem4d DSR += src elements, signed", "@increment_dsd_offset"),
    row(Opcode::kSetdsl, "setdsl", OpClass::kDsr, VectorForm::kNone, {kAnyDsr, kScalar16}, {ValueType::kNone, ValueType::k16}, "length of a DSR, not of a mem4d, = src elements", "@set_dsd_length, @set_fifo_read_length, @set_fifo_write_length"),
    row(Opcode::kSetdss, "setdss", OpClass::kDsr, VectorForm::kNone, {kAnyDsr, kScalar16}, {ValueType::kNone, ValueType::k16}, "stride of a mem1d DSR = src elements, -128..127", "@set_dsd_stride"),
    row(Opcode::kGetdsa, "getdsa", OpClass::kDsr, VectorForm::kNone, {kReg16, kAnyDsr}, {ValueType::k16, ValueType::kNone}, "dest = byte address of a memory DSR", ""),
    row(Opcode::kGetdsl, "getdsl", OpClass::kDsr, VectorForm::kNone, {kReg16, kAnyDsr}, {ValueType::k16, ValueType::kNone}, "dest = length of a DSR; for a FIFO also what a stopped operation left", ""),

    row(Opcode::kJmp, "jmp", OpClass::kBranch, VectorForm::kNone, {kCode}, {}, "go to target", ""),
    row(Opcode::kJmpt, "jmpt", OpClass::kBranch, VectorForm::kNone, {kCode}, {}, "go to target if the flag is set", "if, while"),
    row(Opcode::kJmpf, "jmpf", OpClass::kBranch, VectorForm::kNone, {kCode}, {}, "go to target if the flag is clear", "if, while"),
    row(Opcode::kCall, "call", OpClass::kBranch, VectorForm::kNone, {kCode}, {}, "r15 = return address; go to target", "function call"),
    row(Opcode::kRet, "ret", OpClass::kBranch, VectorForm::kNone, {}, {}, "go to the address in r15; it ends the task when nothing was called", "return"),
    row(Opcode::kEnd, "end", OpClass::kTaskEnd, VectorForm::kNone, {}, {}, "end the task", "return of a task"),
    row(Opcode::kBrk, "brk", OpClass::kTaskEnd, VectorForm::kNone, {}, {}, "stop the run: an assertion failed", "@assert"),

    row(Opcode::kActvt, "actvt", OpClass::kTaskControl, VectorForm::kNone, {kTask | kReg16}, {ValueType::k16}, "activate a local task", "@activate"),
    row(Opcode::kBlk, "blk", OpClass::kTaskControl, VectorForm::kNone, {kTask | kMicrothread}, {}, "block a task, channel or microthread", "@block"),
    row(Opcode::kUblk, "ublk", OpClass::kTaskControl, VectorForm::kNone, {kTask | kMicrothread}, {}, "unblock a task, channel or microthread", "@unblock"),
    row(Opcode::kSettp, "settp", OpClass::kTaskControl, VectorForm::kNone, {kTask, kScalar16}, {ValueType::kNone, ValueType::k16}, "priority of a task or channel = 0 low, 1 high", "task_priority of <tile_config>"),
    row(Opcode::kSetmtp, "setmtp", OpClass::kTaskControl, VectorForm::kNone, {kScalar16}, {ValueType::k16}, "priority of the main thread = 0 medium-low .. 3 high", "main_thread_priority of <tile_config>"),

    row(Opcode::kCoord, "coord", OpClass::kTile, VectorForm::kNone, {kReg16, kReg16}, {ValueType::k16, ValueType::k16}, "first = x, second = y of the tile", "get_x_coord, get_y_coord of <layout>"),
    row(Opcode::kTsc, "tsc", OpClass::kConfig, VectorForm::kNone, {kReg32, kReg16}, {ValueType::k32, ValueType::k16}, "first = low 32 bits, second = next 16 bits of the cycle counter", "get_timestamp of <time>"),
    row(Opcode::kRand16, "rand16", OpClass::kTile, VectorForm::kNone, {kReg16}, {ValueType::k16}, "dest = next number of the active PRNG", "@random16"),
    row(Opcode::kSetprng, "setprng", OpClass::kTile, VectorForm::kNone, {kScalar16}, {ValueType::k16}, "active PRNG = src mod 4", "@set_active_prng"),
    row(Opcode::kSeedprng, "seedprng", OpClass::kTile, VectorForm::kNone, {kScalar32}, {ValueType::k32}, "state of the active PRNG = src", "set_global_prng_seed of <random>"),

    row(Opcode::kSetctm, "setctm", OpClass::kConfig, VectorForm::kNone, {kScalar16}, {ValueType::k16}, "mask of control transforms = src, 6 bits", "control_transform of <tile_config>"),

    row(Opcode::kLdcfg, "ldcfg", OpClass::kConfig, VectorForm::kNone, {kReg16, kScalar16}, {ValueType::k16, ValueType::k16}, "dest = configuration register at word address src", "@get_config"),
    row(Opcode::kStcfg, "stcfg", OpClass::kConfig, VectorForm::kNone, {kScalar16, kScalar16}, {ValueType::k16, ValueType::k16}, "configuration register at word address first = second", "@set_config"),

    scalar_row(Opcode::kSel16, "sel16", OpClass::kMove, {ValueType::k16, ValueType::k16, ValueType::k16}, "dest = src1 if the flag is set, else src2", "if expression, bool"),
    scalar_row(Opcode::kSel32, "sel32", OpClass::kMove, {ValueType::k32, ValueType::k32, ValueType::k32}, "dest = src1 if the flag is set, else src2", "if expression"),
    row(Opcode::kEndt, "endt", OpClass::kTaskEnd, VectorForm::kNone, {}, {}, "end the task if the flag is set", "if that returns"),
    row(Opcode::kEndf, "endf", OpClass::kTaskEnd, VectorForm::kNone, {}, {}, "end the task if the flag is clear", "if that returns"),
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
  if (!info(op).vector()) return false;
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

std::string_view to_string(VectorForm form) {
  constexpr std::array<std::string_view, 8> kForms = {"",
                                                      "D,S; p,S; D,v",
                                                      "D,S; D,v",
                                                      "D,S,S; D,v,S; D,S,v",
                                                      "D,S,S; D,S,v",
                                                      "D,S,S; D,v,S; D,S,v; p,v,S",
                                                      "D,S,S,v",
                                                      "S"};
  return kForms[static_cast<unsigned>(form)];
}

}  // namespace tessera::pe
