// Hazards: two operations on the same bytes, one of which writes, with nothing that orders them
// (reference ascend.md 2, 7). Vector clocks: every pipe of the three cores of a cluster numbers its
// tile operations, and knows of each other pipe up to which one all are complete. Flags, barriers,
// locks, the unit flag, signals between the cores and words of GM hand that knowledge on; so does the
// scalar unit to what it puts into a queue, except what it has stored to its buffers: such a store
// reaches other pipes by a flag, a data barrier or a barrier of all pipes only (ascend_2.md 2.4).
// Two operations of one pipe are in order, except for two MADs on less than 10 fractals of L0C, which
// need a barrier of M or a chain of flags between them (ascend_2.md 2.1).
//
// What the cores of a cluster touch in one cycle is compared when the cycle is over, core by core, so that nothing
// depends on which of them was stepped first.
//
// Not seen: cores of different clusters, and what AccessMap forgets. Watching changes no cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/hazards/accesses.h"
#include "models/cluster/sync/pipe_sync.h"
#include "models/cluster/sync/sync_inserter.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class HazardTracker {
 public:
  /// One side of a hazard.
  struct Side {
    CoreId core;
    std::uint32_t pc = 0;
    bool writes = false;
    Extent extent;

    template <class Archive>
    void visit(Archive& archive) {
      archive(core, pc, writes, extent);
    }
  };
  struct Hazard {
    Side first, second;  ///< `first` has the smaller line
    MemoryId memory = 0;
    std::uint64_t count = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(first, second, memory, count);
    }
  };

  explicit HazardTracker(const Launch& launch);

  /// A kernel starts: all that was before is complete.
  void launch(CoreId core, std::shared_ptr<const Program> program);
  /// The scalar unit puts an instruction into a queue. Answers the epoch of what it knows then, which
  /// goes with the instruction.
  std::uint32_t dispatch(CoreId core, Pipe pipe);
  /// An instruction of that epoch leaves its queue: a tile operation starts, or a synchronisation is
  /// done.
  void arrive(CoreId core, Pipe pipe, std::uint32_t epoch);
  /// A tile operation starts, or an access of the scalar unit to GM: a load, a line that goes back.
  /// `record` says what it touches and what it has waited for. `small_mad`: M does not order it after earlier MADs.
  struct Start {
    CoreId core;
    Pipe pipe = Pipe::kS;
    std::uint32_t number = 0, pc = 0;
    bool small_mad = false;
  };
  void start(const Start& operation, const SyncInserter::Record& record, Cycle now);

  /// `pipe` has done the synchronisation `i`, whose flag, lock or event is `id`.
  void synchronise(CoreId core, Pipe pipe, const Instruction& i, std::int64_t id);
  /// The flag of the oldest set that was not raised is up. `taken`: the set counts.
  void raise_flag(CoreId core, Flag flag, bool taken);
  void write_word(CoreId core, std::uint64_t address, Cycle now);
  /// It learns from the writes of earlier cycles.
  void read_word(CoreId core, std::uint64_t address, Cycle now);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// One for each pair of lines, in their order. Between two cycles.
  std::vector<Hazard> hazards();
  /// The pair of lines under which the hazard counts, comparable between trackers of one launch.
  std::pair<std::uint64_t, std::uint64_t> lines(const Hazard& hazard) const {
    return {line_of(hazard.first), line_of(hazard.second)};
  }
  /// "k.pto:9 (copy_in on MTE2 of AIV0 of cluster 0) writes and k.pto:12 (..) reads bytes 0..511 of UB
  /// of AIV0, and nothing orders them".
  std::string describe(const Hazard& hazard) const;

 private:
  static constexpr unsigned kUnits = 3;
  static constexpr unsigned kPipes = kUnits * sync::kPipeCount;
  // Pipes, and what the scalar units have stored to buffers.
  static constexpr unsigned kAgents = kPipes + kUnits;
  static constexpr unsigned kCounters = sync::kFlagIds + sync::kIntraBlockIds;
  static constexpr unsigned kHistory = 64;
  using Clocks = std::array<std::uint32_t, kAgents>;

  struct Agent {
    Clocks known{};
    std::uint32_t own_complete = 0;  // its operations up to this one are complete, as it knows
    std::vector<Clocks> history;     // what it knew at the start of its last operations, by number
    std::uint32_t queued = 0;        // instructions that have not arrived
    std::uint32_t seen = 0;          // epoch of the scalar unit

    template <class Archive>
    void visit(Archive& archive) {
      archive(known, own_complete, history, queued, seen);
    }
  };
  struct Unit {
    std::shared_ptr<const Program> program;
    std::uint32_t published = 0;  // stores of the scalar unit that reach what it puts into queues
    std::deque<Clocks> epochs;    // what the scalar unit knew, from first_epoch on
    std::uint32_t first_epoch = 0;
    // By FlagTable::index().
    std::map<std::uint32_t, std::deque<Clocks>> flags;    // flags that are up, one for each set
    std::map<std::uint32_t, std::deque<Clocks>> raising;  // sets whose flags are not up yet
    std::array<Clocks, 32> locks{};
    std::array<std::deque<Clocks>, kCounters> counters;
    std::array<std::array<std::deque<Clocks>, sync::kFlagIds>, 3> arrivals;  // by mode

    template <class Archive>
    void visit(Archive& archive) {
      archive(published, epochs, first_epoch, flags, raising, locks, counters, arrivals);
    }
  };

  /// What an operation touches that has started in cycle now_.
  struct Touching {
    Start operation;
    bool stores_scalar = false;
    std::uint32_t own_complete = 0;
    std::size_t first = 0, count = 0;  // in touched_
    Clocks known{};
  };

  static unsigned agent_of(CoreId core, Pipe pipe) {
    return core.unit * sync::kPipeCount + sync::index(pipe);
  }
  static unsigned stores_of(unsigned unit) { return kPipes + unit; }
  static unsigned unit_of(unsigned agent) {
    return agent < kPipes ? agent / sync::kPipeCount : agent - kPipes;
  }
  static void join(Clocks& into, const Clocks& from);
  /// Cycle `now` goes on, or begins; or the present one is over.
  void come_to(Cycle now) {
    if (now == now_) return;
    settle();
    now_ = now;
  }
  void settle();
  void compare(const Touching& touching);
  /// The pipe `agent` learns what `clocks` say, about its own operations too.
  void absorb(unsigned agent, const Clocks& clocks);
  void learn(CoreId core, Pipe pipe, const Clocks& clocks);
  void open_epoch(CoreId core);
  /// The stores of the scalar unit are where other pipes see them.
  void publish_stores(CoreId core);
  /// The order that automatic synchronisation has given to the operation of `pipe`.
  void follow_inserted(CoreId core, Pipe pipe, const SyncInserter::Record& record);
  void signal(CoreId core, Pipe pipe, Mode mode, unsigned id);
  void wait(CoreId core, Pipe pipe, unsigned counter);
  void gather(CoreId core, Mode mode, unsigned id, const Clocks& clocks);
  void give(unsigned unit, unsigned counter, const Clocks& clocks);
  std::uint64_t line_of(const Side& side) const;
  std::string describe(const Side& side) const;
  void note(const Side& now, const Touch& earlier, bool earlier_writes, const Extent& extent,
            MemoryId memory);

  const Launch launch_;
  std::uint16_t cluster_ = 0;
  std::array<Agent, kAgents> agents_;
  std::array<Unit, kUnits> units_;
  std::unordered_map<std::uint64_t, Clocks> words_;
  AccessMap map_;
  Cycle now_ = 0;
  std::vector<Touching> touching_;
  std::vector<MemoryAccess> touched_;                                // by touching_
  std::vector<std::pair<std::uint64_t, Clocks>> words_written_;      // in cycle now_
  std::map<std::pair<std::uint64_t, std::uint64_t>, Hazard> found_;  // by the lines of both sides
};

/// The trackers of all clusters of a launch.
class HazardWatch {
 public:
  explicit HazardWatch(const Launch& launch);
  HazardTracker& of(CoreId core) { return *trackers_[core.cluster]; }
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// One for each pair of lines, cluster by cluster; the same lines once. Between two cycles.
  std::vector<std::string> sentences();

 private:
  std::vector<std::unique_ptr<HazardTracker>> trackers_;  // by cluster
};

}  // namespace tessera::cluster
