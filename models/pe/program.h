// What a tile runs: an immutable code image, shared by all tiles that run the same program with the
// same parameters. Written by frontends/tasm, read by the compute engine. Addresses are bytes
// (wse.md 6.1), extents and strides elements.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/pe/isa.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

enum class ElementType : std::uint8_t { kI16, kU16, kI32, kU32, kF16, kF32 };

unsigned bytes_of(ElementType type);
std::string_view to_string(ElementType type);

/// The 16-bit float format of a program (wse.md 6.1, 8.2): one at run time. kCb16 has 6 exponent
/// and 9 fraction bits, bias 42 (6.0 is 0x5900).
enum class HalfFormat : std::uint8_t { kF16, kBf16, kCb16 };
std::string_view to_string(HalfFormat format);

/// Integers that no instruction takes, and that lie packed in the words of a symbol.
enum class PackedType : std::uint8_t { kNone, kI8, kU8, kI64, kU64 };

unsigned bytes_of(PackedType type);
std::string_view to_string(PackedType type);

/// A named array in SRAM. Contents start as `init` (raw bits, one entry an element), then zeros.
struct Symbol {
  /// As debuggers and hosts see it: its elements, of the packed type if it has one.
  std::uint32_t elements() const { return packed == PackedType::kNone ? count : packed_count; }
  unsigned element_bytes() const {
    return packed == PackedType::kNone ? bytes_of(type) : bytes_of(packed);
  }
  std::uint32_t bytes() const { return elements() * element_bytes(); }
  std::string_view element_type() const {
    return packed == PackedType::kNone ? to_string(type) : to_string(packed);
  }

  std::string name;
  ElementType type = ElementType::kF32;
  std::uint32_t address = 0;
  std::uint32_t count = 0;
  std::uint32_t align = 0;  ///< bytes; 0: the size of an element
  PackedType packed = PackedType::kNone;
  std::uint32_t packed_count = 0;  ///< elements of the packed type, which `count` words hold
  std::vector<std::uint32_t> init;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

/// A text that the program prints (docs/configuration-space.md).
struct PrintedString {
  std::string name;
  std::string text;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

enum class DsdKind : std::uint8_t { kMem1d, kMem4d, kCircbuf, kFabin, kFabout, kFifo };
std::string_view to_string(DsdKind kind);
constexpr bool is_memory(DsdKind kind) {
  return kind == DsdKind::kMem1d || kind == DsdKind::kMem4d || kind == DsdKind::kCircbuf;
}

/// How many 16-bit elements a fabric (on WSE-2 also a FIFO) operand moves at once (wse.md 5.10).
/// kOff: one a wavelet. WSE-2: k32 one wavelet of two (the default), k64 two wavelets or wait,
/// k32Or64 one, or two if they are there. WSE-3: kOff, kMax (the default; as k32Or64).
enum class SimdMode : std::uint8_t { kOff, k32, k64, k32Or64, kMax };
std::string_view to_string(SimdMode mode);
constexpr SimdMode default_simd(Generation generation) {
  return generation == Generation::kWse2 ? SimdMode::k32 : SimdMode::kMax;
}

/// Which source of an operation that sends is cleared when it has ended (wse.md 5.5 `zero`).
enum class ZeroSource : std::uint8_t { kNone, kFirst, kSecond };

inline constexpr unsigned kMaxDimensions = 4;

/// A descriptor as `lddsr` loads it (wse.md 5.2 to 5.5). FIFOs have no descriptor: see Fifo.
struct Dsd {
  std::string name;
  DsdKind kind = DsdKind::kMem1d;
  /// Elements; 0x7FFF: endless (wse.md 5.8). mem4d: product of `extents`.
  std::uint32_t extent = 0;
  // mem1d, mem4d, circbuf
  std::uint16_t base = 0;  ///< byte address of element 0, offset included; circbuf: of the head
  std::uint8_t element_bytes = 4;  ///< 0: those of the operation; not for circbuf
  /// With `element_bytes` 0: what the program says the elements are. Operations have to agree (wse.md 5.2).
  std::optional<ElementType> stated;
  bool wavelet_index_offset = false;  ///< memory: address += `index` words; fabout: index half
  /// Loops, inner first: trips, and elements from one element to the next when this loop moves
  /// on, counted from the last element of the inner loops (wse.md 5.3). mem1d, circbuf: one loop.
  std::array<std::uint16_t, kMaxDimensions> extents{};
  std::array<std::int16_t, kMaxDimensions> strides{1, 0, 0, 0};
  std::uint8_t dimensions = 1;
  std::uint16_t wrap_base = 0;   ///< circbuf: byte address of its first element
  std::uint16_t wrap_count = 0;  ///< circbuf: elements from there to the wrap-around
  // fabin, fabout
  QueueId queue;
  Color color;  ///< fabout: color of the wavelets sent
  SimdMode simd = SimdMode::kMax;
  std::optional<Priority> priority;  ///< priority of the microthread (WSE-3)
  bool control_transform = false;    ///< wse.md 5.9
  // fabout
  bool control = false;         ///< all wavelets are control wavelets
  bool advance_switch = false;  ///< the local switch moves on after the last wavelet
  ZeroSource zero = ZeroSource::kNone;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file

  /// Whether an XDSR holds the same for both: their loops, or the buffer around which they run.
  bool has_loops_of(const Dsd& other) const {
    return kind == other.kind && dimensions == other.dimensions && extents == other.extents &&
           strides == other.strides && wrap_base == other.wrap_base &&
           wrap_count == other.wrap_count;
  }
  /// The stride that stride register number `i` of those it takes holds.
  std::int16_t stride_in_register(unsigned i) const {
    return strides[dimensions - stride_registers() + i];
  }
  /// Stride registers it takes (wse.md 5.3): none for the inner loop, none for the second if the
  /// inner stride is 1.
  unsigned stride_registers() const {
    if (kind != DsdKind::kMem4d || dimensions < 2) return 0;
    return dimensions - 1U - (strides[0] == 1 ? 1U : 0U);
  }
};
inline constexpr std::uint16_t kEndless = 0x7FFF;

/// What an operation does that finds a FIFO empty or full (wse.md 5.6).
enum class FifoAction : std::uint8_t { kTestOrSuspend, kTerminate, kSuspend, kFault };
std::string_view to_string(FifoAction action);

/// wse.md 12 no. 6: FIFO_MIN_ALIGNMENT has no published value; 16 bytes, one pass over the banks.
inline constexpr std::uint32_t kFifoAlignment = 16;

/// A memory-backed queue (wse.md 5.6): destination DSR and source 1 DSR `dsr` and an XDSR for the
/// life of the program. Write length and read length (0: taken from another operand) are those of
/// its two DSRs.
struct Fifo {
  std::string name;
  std::uint16_t base = 0;
  std::uint16_t bytes = 0;
  std::uint8_t dsr = 0;
  std::uint8_t xdsr = 0;
  FifoAction empty_action = FifoAction::kTestOrSuspend;
  FifoAction full_action = FifoAction::kTestOrSuspend;
  std::optional<TaskId> activate_push;  ///< local task
  std::optional<TaskId> activate_pop;   ///< local task
  std::optional<Priority> priority;     ///< WSE-3
  SimdMode simd = SimdMode::kMax;       ///< WSE-2; kMax: whatever the operation takes
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

/// `lddsr` before the program starts: `@load_to_dsr` in a comptime block (wse.md 5.11).
struct InitialLoad {
  Operand dsr;
  std::uint32_t dsd = 0;  ///< index into Image::dsds
  OpConfig config;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

/// Input queues have the ids 0..7. Those above are **receivers**: each holds the wavelets of a color that
/// shares one of the eight with others, one after the other. So a PE receives up to 15 colors.
inline constexpr unsigned kMaxReceivers = 15;

/// An input queue and the color it receives, or an output queue; on WSE-2 an output queue may have
/// no color of its own (wse.md 2.2).
struct QueueBinding {
  std::string name;
  bool input = true;
  QueueId id;
  /// Of a receiver: the queue whose length and microthread it has.
  std::optional<QueueId> shares;
  std::optional<Color> color;
  std::optional<Priority> priority;  ///< input, WSE-2: of the microthreads that read it
  /// Input without a data task: initially unblocked, so that control tasks run (wse.md 3.2).
  bool unblocked = false;
  std::uint8_t control_table = 0;  ///< input, WSE-3: sub-table of the control tasks (wse.md 3.1)
  bool dense = false;              ///< WSE-3: 16-bit elements travel as half wavelets
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file

  /// The queue of the machine that it is, or shares.
  QueueId of_machine() const { return shares.value_or(id); }
};

enum class TaskKind : std::uint8_t { kData, kLocal, kControl };

/// Two levels of tasks (wse.md 3.3).
enum class TaskPriority : std::uint8_t { kLow, kHigh };

/// wse.md 3.1: the id of a data task is its color on WSE-2 and its input queue on WSE-3.
struct TaskBinding {
  std::string name;
  TaskKind kind = TaskKind::kLocal;
  TaskId id;
  QueueId queue;            ///< data tasks: where their wavelets arrive
  std::uint32_t entry = 0;  ///< index of the first instruction
  bool active = false;      ///< initially
  bool blocked = false;     ///< initially
  TaskPriority priority = TaskPriority::kLow;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};
/// wse.md 3.1: the id that stands for no task unless a control task has it, and those that events
/// of the machine activate.
inline constexpr unsigned kNoTask = 31;
inline constexpr unsigned kTeardownTask = 29;
inline constexpr unsigned kTimerTask = 30;

/// `@bind_rotating_tasks` (wse.md 3.3, WSE-3): instead of the `limit`-th start of data task `main`
/// counted from `init`, the control task `alternative` runs.
struct Rotation {
  std::uint32_t main = 0;         ///< index into Image::tasks
  std::uint32_t alternative = 0;  ///< index into Image::tasks
  std::uint16_t init = 0;
  std::uint16_t limit = 0;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};
inline constexpr unsigned kMaxRotations = 2;

/// `@set_control_task_table` (wse.md 3.1, WSE-3): control tasks have a table of their own.
struct ControlTable {
  std::uint8_t instructions = 4;  ///< 2, 4 or 8 an entry
  std::uint8_t stride = 1;        ///< 1..7, entries from a queue's sub-table to the next
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

/// A host-callable or local function. It ends with `ret`.
struct Function {
  std::string name;
  std::uint32_t entry = 0;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  ///< as Instruction::file
};

/// A label inside a task or function, kept for the disassembler and for diagnoses.
struct Label {
  std::string name;
  std::uint32_t target = 0;
};

/// A file in which lines of a program stand: its own, an included one, or one in another language
/// that it was compiled from.
struct SourceFile {
  std::string name;
  /// What a place in it ends with: "; included at t.tasm:1:1", or "". An included file and the lines of
  /// a macro count as one file for each use.
  std::string use;
};

struct Image {
  std::string file;
  Generation generation = Generation::kWse3;
  HalfFormat half = HalfFormat::kF16;
  std::vector<Instruction> code;
  std::vector<Symbol> symbols;
  std::vector<PrintedString> strings;
  std::vector<Dsd> dsds;
  std::vector<Fifo> fifos;
  std::vector<InitialLoad> initial_loads;
  std::vector<QueueBinding> queues;
  std::vector<TaskBinding> tasks;
  std::vector<Rotation> rotations;
  std::optional<ControlTable> control_table;
  MainPriority main_priority = MainPriority::kMediumLow;
  /// The program declares that its loads and stores access no register that decides where wavelets go
  /// (config_space::is_routing). Not with a routing_access().
  bool routing_unused = false;
  std::uint8_t control_mask = 0;          ///< 6 bits, of control transforms (wse.md 5.9), initially
  std::uint8_t blocked_microthreads = 0;  ///< initially, one bit a microthread
  std::vector<Function> functions;
  std::vector<Label> labels;
  std::uint32_t data_end = 0;  ///< first byte after code, task table and data
  /// The files that Instruction::file and its like count. Number 0 is the program's own, `file`; the
  /// list is empty if there is no other.
  std::vector<SourceFile> files;
  std::vector<std::string> warnings;  ///< warnings of the assembler, each with its place

  const Symbol* find_symbol(std::string_view name) const;
  /// Whether an instruction of the program has this opcode.
  bool uses(Opcode op) const;
  /// The first instruction that accesses a register that decides where wavelets go, at an address that
  /// stands in it, or that may do so because `ldcfg` and `stcfg` take the address from a register.
  std::optional<std::uint32_t> routing_access() const;
  /// Whether the program may access such a register, through an address in a register too.
  bool may_reach_routing() const;
  /// Whether it accesses memory through a pointer that may lead to any of those registers.
  bool has_open_pointer() const;
  const Function* find_function(std::string_view name) const;
  const QueueBinding* find_queue(bool input, QueueId id) const;
  /// Bit i: the program declares input queue i, or output queue i.
  std::uint32_t queues_of(bool input) const;
  /// Its number in events: the id; of a control task with a table of its own kOwnTable more.
  unsigned number_of(const TaskBinding& task) const {
    return task.id.value() + (task.kind == TaskKind::kControl && control_table ? kOwnTable : 0U);
  }
  static constexpr unsigned kOwnTable = 128;
  /// What blocks an input queue's wavelets, and the id of its data task: its color on WSE-2, the
  /// queue on WSE-3 (wse.md 3.1, 3.2).
  TaskId channel_of(const QueueBinding& queue) const;
  /// On WSE-3 a queue has the channel, not its color, so a receiver has none.
  bool has_channel(const QueueBinding& queue) const {
    return !queue.shares || generation == Generation::kWse2;
  }
  /// Id of entry 0 of the control tasks of an input queue: in a table of their own, its sub-table
  /// begins `control_table` strides in (wse.md 3.1).
  unsigned first_control_task(const QueueBinding& queue) const {
    return control_table ? queue.control_table * control_table->stride : 0U;
  }
  /// Bytes at the start of SRAM that the task tables take.
  std::uint32_t task_table_bytes() const;
  /// "gemv.tasm:31 (task reduce)": where instruction `pc` stands, for messages.
  std::string place_of(std::uint32_t pc) const;
};

/// Bytes of the default task table: 64 entries of four instructions (wse.md 3.1).
inline constexpr std::uint32_t kTaskTableBytes = kTaskCount * 4 * kInstructionBytes;
inline constexpr std::uint32_t kSramBytes = 48 * 1024;  // wse.md 6.2

}  // namespace tessera::pe
