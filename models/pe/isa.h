// The tile instruction set: a virtual ISA close to what is documented of the hardware (reference
// wse.md 5.11, 6.1, 6.7, 9.4): in-order, single issue, sixteen 16-bit registers r0..r15 aliased by
// 32-bit pairs d0, d2 .. d14 (the even register is the low half), one carry and condition flag,
// three files of sixteen data structure registers (DSRs), extended DSRs and stride registers.
//
// One mnemonic serves scalars and vectors: an arithmetic instruction with a DSR among its operands
// is one DSD operation over many elements, without one it is a scalar instruction. Everything that
// is said about an opcode (operands, their types, class, forms, words for the manual) stands in one
// table row, `info(opcode)`; assembler, disassembler, compute engine and docs/tile-isa.md read it
// there. Opcode numbers enter the event digest: append new ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

// clang-format off
enum class Opcode : std::uint8_t {
  // moves
  kMovri, kMov16, kMov32, kFmovh, kFmovs,
  // 16-bit integers
  kAdd16, kAddc16, kSub16, kAnd16, kOr16, kXor16, kSll16, kSlr16, kSar16, kClz16, kCtz16, kPopcnt16,
  kImul16, kDiv16, kDivu16, kRem16, kRemu16,
  // 32-bit integers
  kAdd32, kSub32, kAnd32, kOr32, kXor32, kSll32, kSlr32, kSar32, kImul32, kDiv32, kDivu32, kRem32,
  kRemu32,
  // compares, into the condition flag
  kEq16, kLt16, kLtu16, kLte16, kLteu16, kEq32, kLt32, kLtu32, kLte32, kLteu32, kFeqh, kFlth,
  kFlteqh, kFunh, kFeqs, kFlts, kFlteqs, kFuns,
  // 16-bit floating point
  kFaddh, kFsubh, kFmulh, kFmaxh, kFminh, kFmach, kFabsh, kFnegh, kFdivh, kFnormh, kFscaleh,
  // 32-bit floating point
  kFadds, kFsubs, kFmuls, kFmaxs, kFmins, kFmacs, kFabss, kFnegs, kFdivs, kFnorms, kFscales,
  // both widths, conversions
  kFaddhs, kFmachs, kFh2s, kFs2h, kXp162fh, kXp162fs, kFh2xp16, kFs2xp16, kXp322fs, kFs2xp32,
  // fabric
  kDfilt,
  // memory
  kLd16, kLd32, kSt16, kSt32,
  // data structure registers
  kLddsr, kSetdsa, kIncdsa, kSetdsl, kSetdss, kGetdsa, kGetdsl,
  // control flow
  kJmp, kJmpt, kJmpf, kCall, kRet, kEnd, kBrk,
  // tasks, threads
  kActvt, kBlk, kUblk, kSettp, kSetmtp,
  // tile
  kCoord, kTsc, kRand16, kSetprng, kSeedprng,
  // fabric
  kSetctm,
  // configuration space
  kLdcfg, kStcfg,
  // choice and end of the task by the flag
  kSel16, kSel32, kEndt, kEndf,
};
// clang-format on
inline constexpr unsigned kOpcodeCount = static_cast<unsigned>(Opcode::kEndf) + 1;

/// What an operand is; in OpcodeInfo several are or-ed together.
enum OperandKind : std::uint16_t {
  kNoOperand = 0,
  kReg16 = 1 << 0,  ///< r0..r15                          reg
  kReg32 = 1 << 1,  ///< d0, d2 .. d14                    reg (even)
  kImm = 1 << 2,    ///< number; floats as their bits      value
  kDest = 1 << 3,   ///< dds0..dds15, destination DSR     reg
  kSrc0 = 1 << 4,   ///< s0ds0..s0ds15                    reg
  kSrc1 = 1 << 5,   ///< s1ds0..s1ds15                    reg
  kMem = 1 << 6,  ///< [rN + bytes] or [symbol + bytes] reg (kNoBase: absolute), value = byte offset
  kCode = 1 << 7,         ///< label or function         value = index of the instruction
  kTask = 1 << 8,         ///< task, or the input queue of a channel: value = task id
  kDsd = 1 << 9,          ///< descriptor                value = index into Image::dsds
  kMicrothread = 1 << 10  ///< ut0..ut7                  reg
};
inline constexpr std::uint16_t kAnyDsr = kDest | kSrc0 | kSrc1;
inline constexpr std::uint8_t kNoBase = 0xFF;

struct Operand {
  OperandKind kind = kNoOperand;
  std::uint8_t reg = 0;
  std::int32_t value = 0;
  bool is_dsr() const { return (kind & kAnyDsr) != 0; }
  friend bool operator==(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.reg == b.reg && a.value == b.value;
  }
};

/// Type of the elements (or of the scalar) in one operand slot.
enum class ValueType : std::uint8_t {
  kNone,
  k16,      ///< 16-bit integer or raw bits
  k32,      ///< 32-bit integer or raw bits
  kHalf,    ///< 16-bit float in the format of the program (Image::half)
  kSingle,  ///< f32
};
constexpr unsigned bytes_of(ValueType type) {
  return type == ValueType::kNone ? 0 : type == ValueType::k16 || type == ValueType::kHalf ? 2 : 4;
}
constexpr bool is_float(ValueType type) {
  return type == ValueType::kHalf || type == ValueType::kSingle;
}

/// How the compute engine treats an opcode; also the key of its scalar timing.
enum class OpClass : std::uint8_t {
  kMove,
  kInteger,
  kIntegerDivide,  // arithmetic: scalar or vector, up to kFloatDivide
  kFloat,
  kFloatDivide,
  kCompare,
  kFilter,
  kLoad,
  kStore,
  kDsr,
  kBranch,
  kTaskEnd,
  kTaskControl,
  kTile,
  kConfig,
};

/// Which operands a DSD operation may have (wse.md 6.7). D: destination DSR, p: destination register
/// or memory operand, which keeps the last result, S: source DSR, v: register or immediate.
enum class VectorForm : std::uint8_t {
  kNone,         ///< scalar only
  kMove,         ///< D,S; p,S; D,v
  kUnary,        ///< D,S; D,v
  kBinary,       ///< D,S,S; D,v,S; D,S,v
  kSubtract16,   ///< D,S,S; D,S,v
  kFloatBinary,  ///< D,S,S; D,v,S; D,S,v; p,v,S
  kMultiplyAdd,  ///< D,S,S,v
  kFilter,       ///< S
};

/// Priority of a microthread (wse.md 4).
enum class Priority : std::uint8_t { kLow, kMedium, kHigh };
/// Priority of the main thread among the microthreads (wse.md 4): between low and medium, as
/// medium, between medium and high, as high.
enum class MainPriority : std::uint8_t { kMediumLow, kMedium, kMediumHigh, kHigh };

/// What a control wavelet does to an operation that reads it (wse.md 5.7). All but kNone end it.
enum class OnControl : std::uint8_t { kNone, kTerminate, kActivate, kUnblock };

inline constexpr unsigned kRegisterCount = 16;
inline constexpr unsigned kDsrsPerFile = 16;  // wse.md 5.11
// wse.md 5.11, 11: the numbers of these are not documented.
inline constexpr unsigned kXdsrCount = 8;
inline constexpr unsigned kStrideRegisterCount = 8;
inline constexpr unsigned kReturnRegister = 15;   // wse.md 6.1: r15 holds the return address
inline constexpr unsigned kInstructionBytes = 4;  // wse.md 6.1: fixed 32-bit instructions
/// `lddsr` from memory reads a record of four 16-bit words: the index of a descriptor in Image::dsds,
/// byte address, extent, stride.
inline constexpr unsigned kRecordBytes = 8;
inline constexpr unsigned kPrngCount = 4;  // wse.md 12 no. 14: not documented, assumed

/// Options of a DSD operation or DSR load (wse.md 5.7, 5.11). Written after the operands in
/// assembly. Those of a fabric DSR's load hold for every operation on it unless the operation has
/// its own.
struct OpConfig {
  bool async = false;               ///< run on a microthread
  std::optional<MicrothreadId> ut;  ///< microthread to use (WSE-3)
  std::optional<TaskId> activate;   ///< on completion
  std::optional<TaskId> unblock;    ///< on completion
  OnControl on_control = OnControl::kNone;
  TaskId on_control_target;          ///< task of kActivate and kUnblock
  bool leaves_control = false;       ///< the control wavelet stays at the head of its queue
  std::optional<Operand> index;      ///< r0..r15 or an immediate, for wavelet_index_offset
  std::optional<Priority> priority;  ///< priority of the microthread (WSE-2)

  // lddsr and initial loads only
  bool save_address = false;  ///< the address points past the last element after an operation
  bool single_step = false;   ///< an operation takes one element and moves on (`@map`)
  std::optional<std::uint8_t> xdsr;  ///< extended DSR of a mem4d or circbuf
  /// Stride registers of a mem4d, inner loop first; unused ones are absent.
  std::array<std::optional<std::uint8_t>, 3> sr;

  friend bool operator==(const OpConfig& a, const OpConfig& b) {
    return a.async == b.async && a.ut == b.ut && a.activate == b.activate &&
           a.unblock == b.unblock && a.on_control == b.on_control &&
           a.on_control_target == b.on_control_target && a.leaves_control == b.leaves_control &&
           a.index == b.index && a.priority == b.priority && a.save_address == b.save_address &&
           a.single_step == b.single_step && a.xdsr == b.xdsr && a.sr == b.sr;
  }
};

inline constexpr unsigned kMaxOperands = 4;

struct Instruction {
  Opcode op = Opcode::kEnd;
  std::array<Operand, kMaxOperands> operands;
  OpConfig config;
  std::uint32_t line = 0;  ///< in the file of this number
  std::uint32_t file = 0;  ///< index into Image::files
  /// A DSD operation: some operand of a vector-capable instruction is a DSR.
  bool is_vector() const;
};

struct OpcodeInfo {
  Opcode op;
  std::string_view mnemonic;
  OpClass op_class;
  VectorForm form;
  std::uint8_t operand_count;
  std::array<std::uint16_t, kMaxOperands> operands;  ///< allowed OperandKinds a slot
  std::array<ValueType, kMaxOperands> types;         ///< types of the slots that hold values
  std::string_view effect;                           ///< one line for the manual
  std::string_view csl;                              ///< CSL counterpart, may be empty

  bool vector() const { return form != VectorForm::kNone; }
  unsigned bytes(unsigned slot) const { return bytes_of(types[slot]); }
};

const OpcodeInfo& info(Opcode op);
/// nullptr when there is no such mnemonic.
const OpcodeInfo* find_opcode(std::string_view mnemonic);
/// "D,S; p,S; D,v": the forms of VectorForm as words.
std::string_view to_string(VectorForm form);

}  // namespace tessera::pe
