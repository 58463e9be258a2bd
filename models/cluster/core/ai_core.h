// AI core (reference ascend.md 1.2, 2): an AIC or an AIV. Its scalar unit takes the program in order
// and puts instructions into the queues of the pipes; every pipe takes its queue in order; flags and
// locks order the pipes. Plain C++; `ai_core_module.h` is its module.
//
// Order inside a cycle `now`:
//   1. answers of the sync unit and of GM that are due by now are taken;
//   2. what earlier cycles have set in motion happens: flags, then releases of locks, then signals to
//      other cores. Results of tile operations have been given to ClusterData with their cycle;
//   3. every pipe, in the order of sync::Pipe, starts the instruction at the head of its queue if the
//      one before it no longer occupies the pipe and nothing holds it back. What the scalar unit
//      queues is seen from the next cycle on;
//   4. the scalar unit takes an instruction.
// A set is complete when all that was started before on its pipe is: the flag is up flag_latency
// cycles later, the signal leaves in the next cycle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/core/attachments.h"
#include "models/cluster/core/cost_model.h"
#include "models/cluster/core/pipe_stats.h"
#include "models/cluster/hazards/hazards.h"
#include "models/cluster/memory/cluster_data.h"
#include "models/cluster/memory/scalar_cache.h"
#include "models/cluster/program/legality.h"
#include "models/cluster/program/program.h"
#include "models/cluster/sync/buffer_locks.h"
#include "models/cluster/sync/flag_table.h"
#include "models/cluster/sync/sync_inserter.h"
#include "models/cluster/sync/unit_flags.h"
#include "models/observe/event.h"
#include "models/observe/wait.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::cluster {

class AiCore {
 public:
  /// For the sync unit, where it arrives in cycle `due`.
  struct Ask {
    sync::Request request;
    Cycle due;
  };
  /// For GM, likewise.
  struct Move {
    transfer::Transfer transfer;
    Cycle due;
  };
  /// What one cycle did. The caller hands the requests to the sync unit and to GM, and steps the core
  /// again in cycle `next`, or earlier when an answer is due.
  struct Step {
    std::vector<Ask> asks;
    std::vector<Move> moves;
    Cycle next = kNever;
  };
  /// Why a signal has not come; `never`: nobody will give it any more.
  struct Reason {
    std::string text;
    bool never = false;
  };
  /// What a pipe waits for, and why it has not come.
  struct Wanted {
    std::string what;
    Reason why;
    unsigned distance = 1;  ///< as of BlockedPipe, if it is not `never`
  };
  /// A pipe that is held back. `distance`: 0 waits for what will never come, larger ones for others that
  /// wait themselves; `cause`: "the flag V to MTE2, event 0 never comes: ..", of those with distance 0.
  struct BlockedPipe {
    observe::Wait wait;
    unsigned distance = 0;
    std::string cause;
  };
  /// Who could release a wait for another core, and why it does not (deadlock.h).
  using Explain = std::function<Wanted(const sync::Request&)>;

  /// `config` and `launch` outlive the core. Throws UserError for a configuration that check_config
  /// refuses.
  AiCore(const ClusterConfig& config, const Launch& launch, CoreId core,
         const Attachments& attached);

  /// Starts a kernel in cycle `at`: the core wants to be stepped then. The kernel before it must be
  /// finished; its flags stay (ascend.md 2.2). Throws UserError for a program that check_program
  /// refuses, std::logic_error when the core is busy.
  void launch(std::shared_ptr<const Program> program, Cycle at);
  /// An answer that may be seen from cycle `due` on: the core wants to be stepped then.
  void answer(const sync::Answer& answer, Cycle due);
  void done(const transfer::Done& done, Cycle due);
  /// Does the work of cycle `now`; the result holds until the next call. Throws IllegalBehaviour.
  const Step& step(Cycle now);

  // --- looking in ---

  CoreId id() const { return core_; }
  /// The kernel has ended and all pipes have completed what they had. True before the first launch.
  bool finished() const { return finished_; }
  /// The cycle in which it did.
  Cycle finished_at() const { return finished_at_; }
  const PipeStats& stats(Pipe pipe) const { return pipes_[sync::index(pipe)].stats; }
  /// Of a tile operation.
  const PathStats& path(Opcode op) const { return paths_[static_cast<unsigned>(op)]; }
  /// Of flags and locks; those of cross-core flags the sync unit knows.
  const Latencies& latencies() const { return latencies_; }
  std::int64_t reg(unsigned number) const { return registers_[number]; }
  /// The kernel that runs or ran last; nullptr before the first launch.
  const Program* program() const { return program_.get(); }
  /// Loads of an instruction that got a value from the scalar cache where GM has another one.
  struct StaleLoads {
    std::uint16_t array = 0;
    std::int64_t first = 0, bytes = 0;  ///< of the first one
    std::uint64_t times = 0;
  };
  /// By instruction, of the kernel that runs or ran last.
  const std::map<std::uint32_t, StaleLoads>& stale_loads() const { return stale_loads_; }
  /// Lines of the scalar cache with stores that have not been cleaned. The next kernel does not find
  /// them: its cache is empty.
  std::vector<ScalarCache::Line> lines_left() const { return scalar_cache_.changed_lines(); }
  bool is_set(Flag flag) const { return flags_.is_set(flag); }
  /// Flags that are set: at the end of a kernel, sets without a wait. "MTE2 to V, event 3".
  std::vector<std::string> flags_set() const;
  /// For a deadlock report: a line for every pipe that is held back.
  void describe_waits(observe::Waits& waits, const Explain& explain) const;
  std::vector<BlockedPipe> blocked_pipes(const Explain& explain) const;
  /// Whether the program has a set of `id` in `mode`, and why none of them has fired.
  bool has_signal(Mode mode, unsigned id) const;
  Reason why_no_signal(Mode mode, unsigned id) const;

 private:
  /// An instruction in a queue.
  struct Entry {
    std::uint32_t pc = 0;
    std::array<std::int64_t, 3> sizes{};
    std::int64_t id = 0;
    BufferLocks::Ticket ticket;
    transfer::Place place;       // of a copy from or to GM
    std::uint32_t resolved = 0;  // its operands, in resolved_; 0: none
    Cycle visible_at = 0;
    std::uint32_t number = 0;  // of a tile operation, in the SyncInserter; 0: nobody asks for it
    std::uint32_t epoch = 0;   // for HazardTracker
  };
  struct PipeState {
    Ring<Entry> queue;
    std::size_t sets = 0;                 // in the queue that take no room of it
    Cycle free_at = 0;                    // the next instruction may start
    Cycle complete_at = 0;                // results of all that has started are there
    bool moving = false;                  // a transfer is under way
    bool asked = false, granted = false;  // of a wait for another core
    Entry current;                        // of the transfer
    Cost cost;                            // .. and its cost, start and result
    Cycle started_at = 0;
    TileValues result;
    Cycle reads_before = 0;  // l1_reads_ when it started
    Cycle wake = kNever;     // when it is worth trying the head again
    WaitReason blocked = WaitReason::kNone;
    Cycle blocked_since = 0;
    Cycle busy_until = 0;
    PipeStats stats;
  };
  /// What a sync operation sets in motion for a later cycle.
  struct Effect {
    enum Kind : std::uint8_t { kFlag, kRelease, kSignal };
    Kind kind;
    Cycle at;
    std::uint32_t pc;
    std::int64_t id;  // of the flag or lock
  };
  /// An answer that is not due yet: of GM (is_done) or of the sync unit.
  struct Received {
    bool is_done;
    sync::Answer answer;
    transfer::Done done;
    Cycle due;
  };

  PipeState& state(Pipe pipe) { return pipes_[sync::index(pipe)]; }
  const PipeState& state(Pipe pipe) const { return pipes_[sync::index(pipe)]; }
  const Instruction& code(std::uint32_t pc) const { return program_->code[pc]; }
  const SyncConfig& sync_config() const { return config_.core.sync; }
  std::int64_t value(Operand o) const {
    return o.is_register ? registers_[static_cast<std::size_t>(o.value)] : o.value;
  }

  // Cycle steps 1 and 2.
  void receive(Cycle now);
  void take_answer(const sync::Answer& answer);
  void take_done(const transfer::Done& done, Cycle now);
  void apply_effects(Cycle now);
  void apply(const Effect& effect, Cycle now);
  void raise_flag(const Effect& effect, Cycle now);
  void signal(std::uint32_t pc, std::int64_t id, Cycle now);

  // Order of tile operations (ai_core_order.cpp).
  unsigned note_dispatch(const Instruction& i, Pipe pipe, Entry& entry,
                         const ResolvedOperation* operands);
  void note_sync(Pipe pipe, const Entry& head);
  void note_arrival(Pipe pipe, const Entry& head);
  void note_word(const Instruction& i);

  // Pipes.
  void serve(Pipe pipe, Cycle now);
  WaitReason try_head(Pipe pipe, const Entry& head, Cycle now);
  WaitReason start_tile(Pipe pipe, const Entry& head, Cycle now);
  WaitReason try_unit_flag(PipeState& p, const Entry& head, const Cost& cost, Cycle now);
  void start_transfer(Pipe pipe, const Entry& head, const Cost& cost, Cycle now);
  /// From ten 16x16 fractals on the cube resolves the accumulation of consecutive MADs itself
  /// (ascend.md 2.3); below, a MAD that starts before the one in front is complete adds to a stale
  /// value.
  static bool resolves_sums(const std::array<std::int64_t, 3>& sizes) {
    return (sizes[0] + 15) / 16 * ((sizes[1] + 15) / 16) >= 10;
  }
  // Values (ai_core_data.cpp).
  /// Of the instruction that is being issued, with the registers of now; nullptr: it has none, or
  /// nobody asks. With ClusterData they stay in resolved_ and are checked.
  const ResolvedOperation* resolve_operands(const Instruction& i, Entry& entry);
  TileValues compute(const Entry& entry, Cycle now);
  void write_result(Pipe pipe, const Entry& entry, TileValues result, Cycle now, Cycle due);

  void complete(Pipe pipe, const Entry& entry, const Cost& cost, Cycle start, Cycle at);
  /// L1 has one port: what MTE2 writes and what MTE1 reads slow each other down.
  void slow_read(const Instruction& i, Cost& cost);
  Cycle lost_write_cycles(const PipeState& p, Cycle now) const;
  /// Whether L2 has to know what the instruction copies.
  bool follows_l2(const Instruction& i) const;
  transfer::Place place_of(const ResolvedOperation& operation) const;
  LatencyStats& latency(Mechanism m) { return latencies_[static_cast<unsigned>(m)]; }
  WaitReason try_sync(Pipe pipe, const Entry& head, Cycle now);
  WaitReason try_lock(const Entry& head, Cycle now);
  WaitReason try_wait_flag(Pipe pipe, const Entry& head, Cycle now);
  WaitReason try_cross_core_wait(Pipe pipe, std::uint32_t pc, std::int64_t id, Cycle now);

  // Scalar unit.
  void serve_scalar(Cycle now);
  WaitReason issue(Cycle now);
  WaitReason enqueue(const Instruction& i, Pipe pipe, Cycle now);
  bool takes_no_room(const Instruction& i) const;
  bool has_room(const Instruction& i, Pipe pipe) const;
  Pipe queue_of(const Instruction& i) const;
  void check_dispatch(const Instruction& i, Entry& entry);
  WaitReason issue_sync(const Instruction& i, Cycle now);
  WaitReason do_scalar_sync(const Instruction& i, const Entry& entry, Cycle now);
  WaitReason issue_scalar(const Instruction& i, Cycle now);
  void jump_to(std::uint32_t target) { pc_ = target - 1; }  // pc_ moves on behind every instruction
  WaitReason access_word(const Instruction& i, Cycle now);
  // .. its cache (ai_core_memory.cpp).
  WaitReason access_scalar_cache(const Instruction& i, Cycle now);
  void check_scalar_access(const Instruction& i, const ResolvedOperand& o);
  [[noreturn]] void refuse_address(const Instruction& i, std::int64_t address) const;
  WaitReason order_scalar_access(const Instruction& i, Cycle now);
  void note_scalar_access(const Instruction& i, Cycle now);
  ScalarCache::Line& line_of(const ResolvedOperand& o, Cycle now);
  void note_stale(const ScalarCache::Line& line, const ResolvedOperand& o, Cycle now);
  void clean(const std::vector<ScalarCache::Line>& lines, Cycle now);
  void send(const ScalarCache::Line& line, Cycle now, Cycle due);
  std::int64_t compute(const Instruction& i) const;
  std::int64_t special(SpecialValue which) const;
  WaitReason wait_for_all(Cycle now);
  std::int64_t cross_core_id(std::int64_t id) const;

  void note_blocked(PipeState& p, WaitReason reason, Cycle now) const;
  void note_unblocked(PipeState& p, Cycle busy_until, Cycle now) const;
  void note_finished(Cycle now);
  Cycle next_wake(Cycle now) const;
  [[noreturn]] void illegal(std::uint32_t pc, const std::string& text, const char* id) const;
  std::string at(std::uint32_t pc) const;
  Wanted what_it_waits_for(Pipe pipe, const Explain& explain) const;
  /// `is` knows the instruction that is missing, and its id if that is known.
  using IsMissing = std::function<bool(const Instruction&, const std::int64_t* id)>;
  Reason why_not_done(const IsMissing& is) const;
  bool has(const IsMissing& is) const;
  static IsMissing signal_matcher(Mode mode, unsigned id);
  sync::Request request(sync::Operation operation, std::uint32_t pc, Pipe pipe,
                        std::int64_t id) const;

  const ClusterConfig& config_;
  const Launch& launch_;
  const CoreId core_;
  const CostModel costs_;
  observe::Probe probe_;
  std::shared_ptr<const Program> program_;
  std::vector<std::int64_t> registers_;
  std::array<PipeState, sync::kPipeCount> pipes_;  // S: the scalar unit, its queue stays empty
  FlagTable flags_;
  std::array<PathStats, kTileOpcodeCount> paths_{};
  Latencies latencies_{};
  Cycle l1_reads_ = 0;  // cycles for which loads of MTE1 have asked for the port of L1
  std::vector<std::uint64_t> array_bases_;                  // of Program::arrays
  std::vector<Cycle> flag_fired_;                           // by FlagTable::index()
  std::array<Cycle, BufferLocks::kMaxLocks> lock_fired_{};  // of the last release
  BufferLocks locks_;
  UnitFlags unit_flags_;
  std::unique_ptr<SyncInserter> sync_inserter_;  // nullptr: nobody asks for the order of operations
  HazardTracker* const hazards_;                 // nullptr: nobody looks for hazards
  ResolvedOperation touched_;                    // by the instruction that is being issued
  Accesses touches_;                             // .. of it
  ClusterData* const data_;                      // nullptr: timing only
  LaunchWatch* const watch_;                     // nullptr: nobody asks when the launch has ended
  std::vector<ResolvedOperation> resolved_{1};   // of instructions in queues and under way
  std::vector<std::uint32_t> free_resolved_;
  std::vector<Effect> effects_;
  std::vector<Effect> due_effects_;
  std::vector<Received> received_;
  std::uint32_t pc_ = 0;
  bool ended_ = true;  // the scalar unit has come to kEnd
  bool finished_ = true;
  Cycle finished_at_ = 0;
  bool word_under_way_ = false;  // a scalar access to GM
  bool word_asked_ = false;      // .. by the instruction at pc_, which waits for the value
  std::int64_t word_ = 0;
  ScalarCache scalar_cache_;
  Cycle scalar_takes_ = 0;  // cycles of the instruction that is being issued, if not scalar_cycles
  std::uint32_t scalar_number_ = 0;  // .. in the SyncInserter while it waits
  Cycle scalar_since_ = 0;           // .. from this cycle on
  std::map<std::uint32_t, StaleLoads> stale_loads_;
  bool ffts_set_ = false;
  bool progressed_ = false;
  Step step_;
};

}  // namespace tessera::cluster
