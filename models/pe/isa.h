// The tile instruction set: a virtual ISA close to what is documented of the hardware (reference
// wse.md 5.11, 6.1, 6.7, 9.4): in-order, single issue, sixteen 16-bit registers r0..r15 aliased by
// 32-bit pairs d0, d2 .. d14 (the even register is the low half), a condition flag, three files of
// sixteen data structure registers (DSRs).
//
// One mnemonic serves scalars and vectors: an arithmetic instruction with a DSR among its operands
// is one DSD operation over many elements, without one it is a scalar instruction. Everything that
// is said about an opcode (operands, class, element type, words for the manual) stands in one table
// row, `info(opcode)`; assembler, disassembler, compute engine and docs/tile-isa.md read it there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

enum class Opcode : std::uint8_t {
  // moves
  kMovri,
  kMov16,
  kMov32,
  kFmovs,
  // 16-bit integers
  kAdd16,
  kSub16,
  kAnd16,
  kOr16,
  kXor16,
  kSll16,
  kSlr16,
  kSar16,
  kImul16,
  // 32-bit integers
  kAdd32,
  kSub32,
  // compares, into the condition flag
  kEq16,
  kLt16,
  kLtu16,
  kEq32,
  kLt32,
  kFeqs,
  kFlts,
  // 32-bit floating point
  kFadds,
  kFsubs,
  kFmuls,
  kFmaxs,
  kFmacs,
  kFabss,
  kFnegs,
  // memory
  kLd16,
  kLd32,
  kSt16,
  kSt32,
  // data structure registers
  kLddsr,
  kSetdsa,
  kSetdsl,
  // control flow
  kJmp,
  kJmpt,
  kJmpf,
  kCall,
  kRet,
  kEnd,
  // tasks
  kActvt,
  kBlk,
  kUblk,
  // tile
  kCoord,
};
inline constexpr unsigned kOpcodeCount = static_cast<unsigned>(Opcode::kCoord) + 1;

/// What an operand is; in OpcodeInfo several are or-ed together.
enum OperandKind : std::uint16_t {
  kNoOperand = 0,
  kReg16 = 1 << 0,  ///< r0..r15                          reg
  kReg32 = 1 << 1,  ///< d0, d2 .. d14                    reg (even)
  kImm = 1 << 2,    ///< number; f32 as its bits          value
  kDest = 1 << 3,   ///< dds0..dds15, destination DSR     reg
  kSrc0 = 1 << 4,   ///< s0ds0..s0ds15                    reg
  kSrc1 = 1 << 5,   ///< s1ds0..s1ds15                    reg
  kMem = 1 << 6,  ///< [rN + bytes] or [symbol + bytes] reg (kNoBase: absolute), value = byte offset
  kCode = 1 << 7,  ///< label or function                value = index of the instruction
  kTask = 1 << 8,  ///< task, or the input queue of a channel: value = task id
  kDsd = 1 << 9,   ///< descriptor                       value = index into Image::dsds
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

/// How the compute engine treats an opcode; also the key of its scalar timing.
enum class OpClass : std::uint8_t {
  kMove,
  kInteger,
  kCompare,
  kFloat,  // arithmetic: scalar or vector
  kLoad,
  kStore,
  kDsr,
  kBranch,
  kTaskEnd,
  kTaskControl,
  kTile,
};

/// Options of a DSD operation or DSR load (wse.md 5.7, 5.11). Written behind the operands in
/// assembly.
struct OpConfig {
  bool async = false;  ///< run on a microthread
  bool save_address =
      false;  ///< lddsr: after an operation the address points behind the last element used
  std::optional<MicrothreadId> ut;  ///< microthread to use (WSE-3)
  std::optional<TaskId> activate;   ///< on completion
  std::optional<TaskId> unblock;    ///< on completion
  friend bool operator==(const OpConfig& a, const OpConfig& b) {
    return a.async == b.async && a.save_address == b.save_address && a.ut == b.ut &&
           a.activate == b.activate && a.unblock == b.unblock;
  }
};

inline constexpr unsigned kMaxOperands = 4;

struct Instruction {
  Opcode op = Opcode::kEnd;
  std::array<Operand, kMaxOperands> operands;
  OpConfig config;
  std::uint32_t line = 0;  ///< in Image::file
  /// A DSD operation: some operand of an arithmetic instruction is a DSR.
  bool is_vector() const;
};

struct OpcodeInfo {
  Opcode op;
  std::string_view mnemonic;
  OpClass op_class;
  std::uint8_t element_bytes;  ///< of arithmetic and memory operands; 0 where there is none
  bool is_float;               ///< immediates may be written as f32
  std::uint8_t operand_count;
  std::array<std::uint16_t, kMaxOperands> operands;  ///< allowed OperandKinds a slot
  bool vector;                                       ///< may take DSRs
  std::string_view effect;                           ///< one line for the manual
  std::string_view csl;                              ///< CSL counterpart, may be empty
};

const OpcodeInfo& info(Opcode op);
/// nullptr when there is no such mnemonic.
const OpcodeInfo* find_opcode(std::string_view mnemonic);

inline constexpr unsigned kRegisterCount = 16;
inline constexpr unsigned kDsrsPerFile = 16;      // wse.md 5.11
inline constexpr unsigned kReturnRegister = 15;   // wse.md 6.1: r15 holds the return address
inline constexpr unsigned kInstructionBytes = 4;  // wse.md 6.1: fixed 32-bit instructions

}  // namespace tessera::pe
