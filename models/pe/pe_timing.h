// Timing of the compute engine as a preset gives it (platforms/wse/presets). All in cycles.
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/banks.h"
#include "models/pe/isa.h"

namespace tessera::pe {

/// Rate of a DSD operation whose operands are all in memory: `width` elements every `interval`
/// cycles (wse.md 6.3, 6.4).
struct VectorRate {
  unsigned width = 1;
  unsigned interval = 1;
};

/// Which runnable task of the highest priority the picker takes, if no launched function waits. The
/// documents do not say (wse.md 3.3, 10 row 27), so the config names the rule.
enum class PickerRule : std::uint8_t {
  kLowestId,    ///< the lowest id
  kRoundRobin,  ///< the next id after the one that ran last at this priority (TaskTable::pick)
};

/// Which thread gets the issue slot among those of the highest priority that can use it (wse.md 4).
enum class IssueRule : std::uint8_t {
  kRotation,      ///< the next one after the thread that issued last
  kLowestThread,  ///< the lowest microthread
};

/// What follows an access outside SRAM or off a word boundary (wse.md 6.2): the run stops, or it is
/// reported and goes on, reads giving 0 and writes lost.
enum class MemoryErrors : std::uint8_t { kStop, kReport };

struct PeTiming {
  // Scalar instructions: cycles until the next instruction of the thread may issue.
  unsigned branch_taken = 6;      ///< wse.md 6.5
  unsigned branch_not_taken = 3;  ///< wse.md 6.5
  /// A taken jump to an instruction in front of it, as at the end of a loop, costs so much more than one
  /// ahead: the branch probes jump ahead (6.0 cycles), loops jump back (wse_timing_3.md C3, rule 6).
  unsigned branch_back = 0;
  // Instructions that stand for a sequence of the vendor's library or compiler: cycles from issue until
  // the next instruction of the thread may issue, and until the result may be used (wse_timing_3.md C3).
  unsigned multiply32_cycles = 1;          ///< imul32
  unsigned shift32_cycles = 1;             ///< sll32, slr32, sar32
  unsigned compare32_cycles = 1;           ///< eq32, lt32, lte32
  unsigned unsigned_compare32_cycles = 1;  ///< ltu32, lteu32
  unsigned timestamp_cycles = 1;           ///< tsc
  /// An access to a register of the router takes so much longer than one to another register of the
  /// configuration space (wse_timing_3.md C13).
  unsigned router_register_cycles = 0;
  // Cycles from issue until the result may be used by the next instruction.
  unsigned move_latency = 1;
  unsigned integer_latency = 1;
  unsigned float_latency = 2;            ///< dependent FP (wse.md 6.5)
  unsigned integer_divide_latency = 50;  ///< no instruction of its own is documented
  unsigned float_divide_latency = 50;    ///< wse.md 6.5
  unsigned load_latency = 1;             ///< load-to-use without stall (wse.md 6.5)
  unsigned dsr_latency = 4;              ///< DSR load-to-use (wse.md 6.5)
  unsigned dsr_change_latency = 4;  ///< setdsa and the like: change to use (wse_timing_2.md B4)
  // DSD operations.
  /// Bytes that memory moves in a cycle for the operands of an operation, reads and writes together; 0: as
  /// many as the rates need. Silicon of WSE-3 is slower than the simulator on copies (wse_timing.md A3).
  unsigned memory_bytes = 0;
  /// Issue -> first group executes (decode to execute, wse.md 6.5).
  unsigned vector_start = 3;
  /// Synchronous operation complete -> this many cycles lie before the next instruction issues
  /// (wse.md 6.5).
  unsigned vector_drain = 3;
  /// Moves, integer instructions and compares that do not read its result wait so much less for that
  /// (wse_timing_3.md C3, rule 8).
  unsigned vector_release = 0;
  static constexpr unsigned kMaxVectorRelease = 255;  ///< MainThread has a byte for it
  /// DSD operations, loads and branches do not wait for the drain of the operation before, unless
  /// they read what it wrote last; the start of the next operation is hidden too; and a `jmp` after
  /// an operation is followed while the operation runs (wse_timing_2.md B1).
  bool vector_overlap = true;
  /// Last group of an operation -> first group of the next one, if that reads what the last group wrote;
  /// at least 2, what one takes that reads something else (wse_timing_3.md C12).
  unsigned vector_forward = 2;
  std::array<VectorRate, kOpcodeCount> rate;
  /// Two accesses of a group in banks that collide (wse.md 6.2, wse_timing_2.md B4): the group takes
  /// `read_conflict_factor` times its cycles.
  bool bank_conflicts = true;
  unsigned read_conflict_factor = 2;
  BankRule bank_rule = BankRule::kModulo4;
  StrideRule stride_rule = StrideRule::kTable;
  /// A group of an operation in memory may begin in one row of a mem4d descriptor, its inner loop, and end in
  /// the next; else each row begins with a group of its own (wse_timing_3.md C9).
  bool groups_cross_rows = true;
  MemoryErrors memory_errors = MemoryErrors::kStop;
  /// The extent of a fabric descriptor counts wavelets, also where one carries two 16-bit elements;
  /// else elements (wse.md 5.5).
  bool extents_in_wavelets = false;
  /// WSE-2: an output queue takes wavelets of another color while it holds some, each of which keeps
  /// its own; else that is illegal (wse.md 2.3).
  bool queues_mix_colors = false;
  // Tasks.
  unsigned task_activation = 3;  ///< idle engine: event -> first instruction (wse.md 3.4)
  unsigned task_switch = 4;      ///< end of a task -> first instruction of the next (wse.md 3.4)
  PickerRule picker = PickerRule::kRoundRobin;
  bool control_task_31 = true;  ///< a program may bind control task 31 (wse.md 3.1)
  IssueRule issue = IssueRule::kRotation;
  // Priorities (wse.md 3.3, 4).
  unsigned priority_update = 4;  ///< run-time change of a priority -> it counts (wse.md 11)
  /// Priority of microthreads whose operation, queue and descriptor name none (wse.md 10 no. 17).
  Priority microthread_priority = Priority::kLow;
};

}  // namespace tessera::pe
