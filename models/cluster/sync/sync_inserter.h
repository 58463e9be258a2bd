// Automatic synchronisation of one core (docs/ascend-platform.md#order-inside-a-core): what an
// assembler would insert into a kernel that has no set_flag and wait_flag of its own.
//
// Every tile operation is compared with the earlier ones of other pipes when it leaves the scalar
// unit. For each pipe that it depends on (read after write, write after read, write after write) one
// set/wait pair is counted, unless earlier pairs order the two already. A pair costs what it would
// cost written out: two instructions of the scalar unit, the latency of the flag, and a cycle of the
// pipe that waits. The set takes no time of the pipe that it stands in, and neither takes room in a
// queue.
//
// Consecutive MADs on less than 10 fractals of one L0C tile get a barrier instead (ascend.md 2.3);
// other operations of one pipe are in order by themselves. M and FIX with the unit flag need no pair.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/hazards/accesses.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class SyncInserter {
 public:
  /// An operation of each pipe, by number; 0: none.
  using Numbers = std::array<std::uint32_t, sync::kPipeCount>;
  struct Record {
    Accesses accesses;
    Numbers after{};     ///< operations that it waits for, as inserted pairs would
    Numbers known{};     ///< what is known to be complete then
    unsigned pairs = 0;  ///< set/wait pairs, barriers
    bool is_complete_known = false;
    Cycle complete_at = kNever;

    template <class Archive>
    void visit(Archive& archive) {
      archive(accesses, after, known, pairs, is_complete_known, complete_at);
    }
  };

  explicit SyncInserter(const CoreConfig& config);

  /// An operation of `pipe` leaves the scalar unit; its number. `automatic`: it is to wait for what
  /// it depends on.
  std::uint32_t enter(Pipe pipe, const Instruction& i, const Accesses& accesses, bool small_mad,
                      bool automatic);
  const Record& record(Pipe pipe, std::uint32_t number) const { return log(pipe).at(number); }
  /// When the operation may start that could start at `earliest`, after its waits; kNever: that is
  /// not known yet.
  Cycle start_of(Pipe pipe, std::uint32_t number, Cycle earliest) const;
  /// Its result is there in cycle `at`.
  void complete(Pipe pipe, std::uint32_t number, Cycle at);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  struct PipeLog {
    std::vector<Record> ring;
    std::uint32_t last = 0;
    Numbers known{};

    template <class Archive>
    void visit(Archive& archive) {
      archive(ring, last, known);
    }
    Record& at(std::uint32_t number) { return ring[number % ring.size()]; }
    const Record& at(std::uint32_t number) const { return ring[number % ring.size()]; }
    bool remembers(std::uint32_t number) const { return number + ring.size() > last; }
  };
  PipeLog& log(Pipe pipe) { return logs_[sync::index(pipe)]; }
  const PipeLog& log(Pipe pipe) const { return logs_[sync::index(pipe)]; }
  void insert_pairs(PipeLog& own, const Numbers& needed, Record& record) const;

  const SyncConfig config_;
  std::array<PipeLog, sync::kPipeCount> logs_;
  AccessMap map_;
};

}  // namespace tessera::cluster
