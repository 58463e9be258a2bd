// Program of a core kernel: what a front-end lowers its text into and an AI core executes (reference
// ascend.md 1.2, 2, 4).
//
// A program is a list of instructions and ends with kEnd. The scalar unit takes them in order.
// Scalar instructions it executes itself. Instructions of other pipes it puts into the queue of
// their pipe, with the values that their operands have at that moment, and goes on.
//
// How to lower into it:
//   * Values live in 64-bit registers, as many as the program says; there is no spilling. Loops and
//     conditions become kJump and kBranch with the index of the target. Calls are inlined.
//   * A tile operation is one instruction that says what it costs in sizes, not in cycles: the
//     cost model of the profile knows those. Sizes may be registers (valid rows and columns).
//   * Sync operations are one instruction each, whatever the spelling in the text. SYNCALL is the
//     sequence of ascend.md 2.8, which sync_all() appends.
//   * Every instruction has the line of the text it comes from: diagnoses show it.
//
//   opcode          pipe       size[0..2]                remarks
//   kMad            M          m, n, k                   type of the inputs; unit_flag, l0c_block
//   kLoadA, kLoadB  MTE1       rows, bytes per row       L1 to L0A, L0B
//   kLoadTable      MTE1, FIX  rows, bytes per row       L1 to bias table; FIX: to the fixpipe buffer
//   kL1ToUb         MTE1       rows, bytes per row       A5
//   kUbToL1         MTE3       rows, bytes per row       A5
//   kCopyIn         MTE2       rows, bytes per row       GM/L2 to L1 (AIC) or UB (AIV); l2_hit
//   kCopyOut        MTE3       rows, bytes per row       UB to GM/L2; l2_hit
//   kFixOut         FIX        rows, columns             L0C to GM; type of the output; unit_flag,
//                                                        l0c_block, l2_hit
//   kFixLocal       FIX        rows, columns             L0C to L1 or (A5) UB; as kFixOut
//   kVector         V          elements, rows,           type, vector_class, bank_conflict; rows 0: they are
//                              elements from row to row  not known, or one after the other; fused
//   kBusy           any        cycles                    occupies the pipe
//   kVectorFunction V          cycles: a register        A5; its body is what stands in front of `target`. It
//                                                        writes the register, and for its operand k the
//                                                        registers rd + 2 k and rd + 2 k + 1: the first byte and
//                                                        the number of bytes that the body accesses
//
//   kSetFlag        pipe       id: event                 to: the pipe that waits (2.2)
//   kWaitFlag       to         id: event                 pipe: the source of the flag, as in kSetFlag
//   kBarrier        pipe       -                         ALL: the scalar unit waits for all (2.3)
//   kGetBuf         pipe       id: mutex                 mode 0: blocking, 1: not (2.4)
//   kRlsBuf         pipe       id: mutex
//   kSetCrossCore   pipe       id                        mode 0, 1, 2 (2.6)
//   kWaitFlagDev    S          id                        A5: pipe names the pipe that waits (2.6)
//   kSetIntraBlock  pipe       id                        A5 (2.7); S allowed
//   kWaitIntraCore  pipe       id                        A5 (2.7); S allowed
//   kSetFfts        S          -                         A2/A3: sets the FFTS base address (2.6)
//
//   kSet            S          -                         rd = a
//   kAdd .. kMulSize   S       -                         rd = a OP b; kMulSize does not wrap around;
//                                                        kToInteger, kToReal: convert a between an integer and a real
//   kCompare        S          -                         rd = a PREDICATE b, 0 or 1
//   kSelect         S          -                         rd = c != 0 ? a : b
//   kGetElement     S          -                         rd = register a + b, b below c
//   kSetElement     S          -                         register a + b, b below c = register rd
//   kGet            S          -                         rd = SpecialValue
//   kJump, kBranch  S          -                         to `target`; kBranch: if a != 0
//   kGmLoad         S          -                         rd = word of GM at address a
//   kGmStore        S          -                         word of GM at address a = b
//   kGmAdd          S          -                         rd = word at a, which grows by b; atomic. With an
//                                                        operand these three work on an element of an array
//                                                        that the word stands for, if there are arrays
//   kLoadScalar     S          -                         rd = its operand: GM through the scalar cache, or UB
//   kStoreScalar    S          -                         its operand = a, in the scalar cache, or UB
//   kPrint          S          -                         shows its operand, or a, after text `b` of texts
//   kCleanCache     S          -                         mode 0: the line of its operand, 1: all lines
//                                                        go to GM and leave the cache (dcci, 2.9)
//   kDataBarrier    S          -                         waits until all stores and lines are in GM
//                                                        (dsb, 2.9)
//   kRegister       -          -                         part of a body: executes register_operations[a]
//   kTrap           S          -                         illegal behaviour with the text `a` of texts
//   kEnd            S          -                         the program of the core is complete
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/cluster/program/register_operation.h"
#include "models/cluster/program/tile_operation.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

using sync::CoreId;
using sync::Mode;
using sync::Pipe;

/// The hardware generations (ascend.md 0).
enum class Profile : std::uint8_t { kA2A3, kA5 };
constexpr const char* to_string(Profile profile) {
  return profile == Profile::kA5 ? "A5" : "A2/A3";
}

/// Bytes that tiles may lie in (ascend.md 1.3). Those in `scaling`: all parts of the fixpipe buffer, and
/// on A5 the scales of L0A and L0B, one byte for each 32 elements of 4 bits, which have buffers of their own too.
constexpr Capacities capacities_of(Profile profile) {
  const bool a5 = profile == Profile::kA5;
  const std::uint32_t scales = a5 ? 4096 : 0;
  return {0,
          a5 ? 256U << 10 : 192U << 10,
          512 << 10,
          64 << 10,
          64 << 10,
          a5 ? 256U << 10 : 128U << 10,
          a5 ? 4096U : 1024,
          a5 ? 3 * 4096U : 7 * 1024,
          scales,
          scales};
}

/// What a core is: AIC (cube) or AIV (vector).
enum class CoreKind : std::uint8_t { kAic, kAiv };
constexpr const char* to_string(CoreKind kind) {
  return kind == CoreKind::kAic ? "AIC" : "AIV";
}
constexpr CoreKind kind_of(CoreId core) {
  return core.is_aic() ? CoreKind::kAic : CoreKind::kAiv;
}

/// Element types that costs depend on.
enum class DataType : std::uint8_t { kInt4, kMxFp4, kInt8, kFp8, kF16, kBf16, kF32, kHf32, kInt32 };
inline constexpr unsigned kDataTypeCount = 9;
constexpr unsigned bits_of(DataType type) {
  constexpr std::array<unsigned, kDataTypeCount> kBits = {4, 4, 8, 8, 16, 16, 32, 32, 32};
  return kBits[static_cast<unsigned>(type)];
}

enum class Opcode : std::uint8_t {
  // Tile operations.
  kMad,
  kLoadA,
  kLoadB,
  kLoadTable,
  kL1ToUb,
  kUbToL1,
  kCopyIn,
  kCopyOut,
  kFixOut,
  kFixLocal,
  kVector,
  kBusy,
  kVectorFunction,
  // Sync operations.
  kSetFlag,
  kWaitFlag,
  kBarrier,
  kGetBuf,
  kRlsBuf,
  kSetCrossCore,
  kWaitFlagDev,
  kSetIntraBlock,
  kWaitIntraCore,
  kSetFfts,
  // Scalar instructions.
  kSet,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kAnd,
  kOr,
  kXor,
  kMin,
  kMax,
  kShiftLeft,
  kShiftRight,
  kCeilDiv,
  kFloorDiv,
  kToInteger,
  kToReal,
  kMulSize,
  kCompare,
  kSelect,
  kGetElement,
  kSetElement,
  kGet,
  kJump,
  kBranch,
  kGmLoad,
  kGmStore,
  kGmAdd,
  kLoadScalar,
  kStoreScalar,
  kCleanCache,
  kDataBarrier,
  kPrint,
  kRegister,
  kTrap,
  kEnd
};
inline constexpr unsigned kOpcodeCount = static_cast<unsigned>(Opcode::kEnd) + 1;

/// "set_flag", "mad": the name in diagnoses, traces and reports.
const char* to_string(Opcode op);
inline constexpr unsigned kTileOpcodeCount = static_cast<unsigned>(Opcode::kVectorFunction) + 1;
constexpr bool is_tile_operation(Opcode op) {
  return op <= Opcode::kVectorFunction;
}
/// Works on the data cache of the scalar unit (scalar_cache.h). Floats are in registers as the bits of
/// a double (tile_operation.h).
constexpr bool uses_scalar_cache(Opcode op) {
  return op == Opcode::kLoadScalar || op == Opcode::kStoreScalar || op == Opcode::kCleanCache;
}

enum class Predicate : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};

enum class SpecialValue : std::uint8_t {
  kBlockIndex,  ///< AIC: its cluster; AIV: 2 * cluster + subblock, in 1:1 launches its cluster
  kCluster,  ///< the block, for AICs and AIVs alike (Launch::block_of); get_block_idx of PTO text
  kBlockCount,     ///< blocks of the launch
  kSubblockIndex,  ///< 0 or 1; 0 for an AIC and for an AIV that is alone in its block
  kSubblockCount,  ///< AIVs a block
};

/// Rate classes of vector operations (ascend.md 4.1, 4.3), by the algorithm that the instruction set has for them.
/// CostModel and the keys `vector.*` depend on their order.
enum class VectorClass : std::uint8_t {
  // Rates that differ for rows that do not lie one after the other.
  kSimple,     ///< add, sub, mul, max, min, logic of two tiles
  kSingle,     ///< the same operations on one tile, or on a tile and a scalar
  kConvert,    ///< conversion between types
  kFromBytes,  ///< A5: elements of 8 bits to 32
  kToBytes,    ///< A5: the inverse; each store waits for the one before
  // Rates that differ for elements of 16 bits.
  kTranscendental,  ///< ln, sqrt, power
  kExp,
  kDivide,        ///< division by a tile
  kDivideScalar,  ///< a tile and a scalar: the scalar becomes a tile, then one division
  kRsqrt,         ///< reciprocal square root
  // Rates with a part for each row.
  kColumn,         ///< sum of columns: row after row, each waits for the one in front
  kColumnExtreme,  ///< the same, maximum and minimum
  kExpand,         ///< one value of each row to all of its columns, through the scalar unit
  kSelect,         ///< the mask of each row is loaded in front of it
  kRowMap,         ///< a value for each row: the values are spread to blocks, then as kSimple
  kMove,           ///< UB to UB, by blocks of 32 bytes; a burst for each row that lies apart
  kColumnExpand,   ///< the same, a burst for each row of the result
  kTranspose,      ///< by strips of 16 rows of the source
  // Others.
  kAbs,
  kReduce,         ///< sum of rows: repeats of a row are combined, and one of them is reduced
  kReduceExtreme,  ///< the same, maximum and minimum
  kCopy,           ///< duplicate, fill
  kGather,         ///< gather by index; elements of 32 bits, whatever their type is
  kSort,           ///< sort and merge; elements as kGather
};
inline constexpr unsigned kVectorClassCount = static_cast<unsigned>(VectorClass::kSort) + 1;

/// How the operands of a vector operation lie in UB (ascend.md 4.3, bank conflicts).
///
/// Banks of the UB of A2/A3 (1.3): blocks of 32 bytes go round 16 groups; a group has three banks, one for
/// each 64 KB. A vector operation reads and writes eight blocks, one after the other, for each repeat. A
/// group has one read and one write port.
///
/// kReadRead: two sources want one group for other blocks; sources at one address are read once.
/// kNeighbour: the same, and the second one begins inside the repeat of the first. kReadWrite: a source
/// and the destination want one bank, not aligned to each other.
enum class BankConflict : std::uint8_t { kNone, kReadRead, kReadWrite, kNeighbour };
/// The worst conflict among the operands of an operation that goes through all of them block by block: bytes
/// from the begin of UB, where each begins.
BankConflict bank_conflict(const std::vector<std::int64_t>& sources, std::int64_t destination);

/// How a scalar instruction reads an integer, or what it leaves: the low `bits` of the register, extended by their
/// sign or, where `is_unsigned`, by zeros. An i1 is unsigned.
struct IntegerType {
  std::uint8_t bits = 64;
  bool is_unsigned = false;

  constexpr std::int64_t of(std::int64_t value) const {
    const unsigned above = 64U - bits;
    const std::uint64_t high = static_cast<std::uint64_t>(value) << above;
    return is_unsigned ? static_cast<std::int64_t>(high >> above)
                       : static_cast<std::int64_t>(high) >> above;
  }
  constexpr bool is_register() const { return bits == 64 && !is_unsigned; }
};

struct Instruction {
  Opcode op = Opcode::kEnd;
  Pipe pipe = Pipe::kS;
  Pipe to = Pipe::kS;  ///< kSetFlag, kWaitFlag: the pipe that waits
  DataType type = DataType::kF32;
  VectorClass vector_class = VectorClass::kSimple;
  VectorForm form = VectorForm::kOne;  ///< kVector: the sequence of instructions that it is
  BankConflict bank_conflict = BankConflict::kNone;
  Predicate predicate = Predicate::kEqual;
  SpecialValue special = SpecialValue::kBlockIndex;
  std::uint8_t mode =
      0;  ///< kSetCrossCore: 0, 1, 2; kGetBuf, kCleanCache: 0, 1; kPrint: 1: a is a real
  std::uint8_t unit_flag = 0;  ///< 0: off; 2: keep the flag; 3: toggle it (2.5)
  bool both = false;           ///< kFixLocal: one half goes into the UB of each AIV
  bool fused = false;          ///< kVector: continues the vector function in front of it (4.3)
  /// Rows of a GM copy are aligned, if its place is not known (tile_operands.h).
  bool aligned = true;
  IntegerType operands, result;  ///< kSet .. kCompare
  std::uint16_t l2_hit = 0;      ///< bytes of a GM copy that hit L2, in 1/1000; 0: as GmPath says
  std::uint16_t rd = 0;          ///< destination register
  std::uint32_t target = 0;      ///< kJump, kBranch
  std::uint32_t l0c_block = 0;   ///< first 512 B block of the tile in L0C, for the unit flag
  std::uint32_t line = 0;        ///< in Program::file; 0: unknown
  /// The entry of Program::operations that has its operands, counted from 1; 0: it has none.
  std::uint32_t operation = 0;
  Operand id;                   ///< event, lock or flag of a sync operation
  std::array<Operand, 3> size;  ///< sizes of a tile operation, as the table above says
  Operand a, b, c;              ///< operands of a scalar instruction
};

/// What the text calls a value, for a debugger.
struct NamedValue {
  enum class Kind : std::uint8_t { kInteger, kReal, kTile, kArray };
  std::string name;  ///< without %
  Kind kind = Kind::kInteger;
  std::uint32_t from = 0, end = 0;  ///< the instructions among which the name has this meaning
  Operand scalar;                   ///< kInteger, kReal
  double number = 0;                ///< kReal whose `scalar` is no register
  TileOperand place;                ///< kTile with its valid rows and columns, kArray
};

struct Program {
  std::string name;  ///< name of the kernel, for diagnoses
  std::string file;  ///< the file whose lines Instruction::line counts
  unsigned registers = 0;
  /// It has no synchronisation of its own inside the core: sync_inserter.h orders its pipes.
  bool automatic_sync = false;
  std::vector<Instruction> code;                       ///< the last one is kEnd
  std::vector<std::string> texts;                      ///< texts that kTrap and kPrint show
  std::vector<TileOperation> operations;               ///< what tile operations read and write
  std::vector<GmArray> arrays;                         ///< arrays that operands in GM name
  std::vector<RegisterOperation> register_operations;  ///< bodies of vector functions
  unsigned vector_registers = 0;
  std::vector<NamedValue> names;  ///< in the order in which they are defined

  /// Files of instructions that do not stand in `file`: a header of a kernel in C++.
  std::map<std::uint32_t, std::string> other_files;

  /// "f.pto:12", or "kernel, instruction 7" where there is no line.
  std::string where(std::uint32_t pc) const;
};

/// Instructions from elsewhere than a program that is known before the launch: native code, which each core
/// executes up to the next instruction that the model has to know. Instructions are kept in a program of the core,
/// which grows: those of one place in the code with the same constants are one instruction, like those of a loop.
class InstructionSource {
 public:
  /// Numbers of instructions that the scalar unit takes one after the other; jumps stay among them.
  struct Range {
    std::uint32_t begin = 0, end = 0;
    Cycle scalar_cycles = 0;  ///< least time of the first one: native code before it
    bool has_grown = false;   ///< the program has more instructions than it had
  };
  virtual ~InstructionSource() = default;
  /// The core begins its kernel. The program has kEnd as its first instruction.
  virtual std::shared_ptr<const Program> begin(CoreId core) = 0;
  /// What the core executes next, from cycle `now` on. `registers` are those of the core: the source may
  /// read what the instructions before wrote, and sets the operands of the next ones. Throws IllegalBehaviour.
  virtual Range next(CoreId core, std::vector<std::int64_t>& registers, Cycle now) = 0;
};

/// "set_flag(MTE2, V, 3)", "wait_intra_core(FIX, id 16)": an instruction as diagnoses name it.
std::string to_string(const Instruction& instruction);

/// `a OP b` as the scalar unit computes it: 64-bit integers that wrap around; shifts by 64 and more
/// leave nothing but the sign. `op` is one of kSet .. kMulSize, `b` is not 0 if is_division(op).
constexpr bool is_division(Opcode op) {
  return op == Opcode::kDiv || op == Opcode::kRem || op == Opcode::kCeilDiv ||
         op == Opcode::kFloorDiv;
}
std::int64_t calculate(Opcode op, std::int64_t a, std::int64_t b);
bool holds(Predicate predicate, std::int64_t a, std::int64_t b);
/// The same for operands of a type: unsigned ones are divided, ordered, shifted and converted as such.
std::int64_t calculate(Opcode op, std::int64_t a, std::int64_t b, IntegerType operands,
                       IntegerType result);
bool holds(Predicate predicate, std::int64_t a, std::int64_t b, IntegerType operands);

/// SYNCALL (ascend.md 2.8): all AIC, all AIV, or all cores wait for each other.
enum class SyncScope : std::uint8_t { kAivOnly, kAicOnly, kMix };

/// Appends the hardware variant for cores of `kind`. A5 kernels are launched 1:2 for kMix.
void append_sync_all(Program& program, Profile profile, CoreKind kind, SyncScope scope,
                     std::uint32_t line);
/// Appends the software variant: an atomic counter, the word of GM at `address` (0 at first), and
/// a loop that polls it until all `participants` have come; after `max_polls` a trap. Takes four
/// registers of the program.
void append_soft_sync_all(Program& program, Operand address, Operand participants,
                          std::uint32_t line, std::int64_t max_polls = 1'000'000);

}  // namespace tessera::cluster
