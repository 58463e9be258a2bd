// Cluster sync unit (reference ascend.md 2.6, 2.7): the scheduling module that counts cross-core
// flags, modes 0, 1 and 2, and the intra-block semaphores of A5, mode 4. Plain C++; modular_cluster.h has
// its module.
//
// Every core has 16 counters for modes 0 to 2, and for mode 4 the AIC 32 and each AIV 16. A set adds
// one to the counters of those it is for, a wait takes one away or waits until there is one:
//
//   mode 0  all AIC, or all AIV: when each has set the id, the counters of all grow
//   mode 1  the AIVs of a cluster: when each has set, the counters of both grow
//   mode 2  AIC sets: the counters of its AIVs grow. AIVs set: that of the AIC, when each has set
//   mode 4  AIVn sets id k: id k + 16n of the AIC. AIC sets id k + 16n: id k of AIVn
//
// Order inside a cycle `now`:
//   1. sets due by now are counted, by core, pipe and id; those that complete a group count in its
//      counters from now + latency - 2 on, so that a waiter goes on `latency` cycles after the set
//      has fired;
//   2. counters due by now grow; beyond counter_max a set is illegal or lost;
//   3. waits due by now are granted or begin to wait; older waits are looked at again.
// Answers are due in the next cycle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/core/pipe_state.h"
#include "models/cluster/due_list.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class SyncUnitCore {
 public:
  using Step = UnitStep<sync::Answer>;
  /// A set that a wait lacks: `core` has to set `id`, as it numbers it.
  struct Missing {
    CoreId core;
    Mode mode;
    std::uint8_t id = 0;
  };

  /// Of one device of the launch.
  SyncUnitCore(const SyncConfig& config, const Launch& launch, unsigned device = 0);

  /// `request` arrives in cycle `due`: the unit wants to be stepped then.
  void ask(const sync::Request& request, Cycle due) { asked_.add(request, due); }
  /// Does the work of cycle `now`; the result holds until the next call.
  const Step& step(Cycle now);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

  // --- looking in ---

  /// Latencies of cross-core flags: from the set that completed a group until the waiter goes on.
  const Latencies& latencies() const { return latencies_; }
  /// Value of a counter; `intra_block`: a counter of mode 4, as its owner numbers it.
  unsigned counter(CoreId core, unsigned id, bool intra_block) const {
    return at(core).counters[intra_block ? sync::kFlagIds + id : id];
  }
  /// Sets of `id` in `mode` by `core` that wait for others of their group.
  unsigned arrived(CoreId core, Mode mode, unsigned id) const {
    return at(core).arrivals[static_cast<unsigned>(mode)][id];
  }
  /// Who could release `wait`, in which way: the cores whose set is missing. For modes 0 to 2 a wait
  /// does not say which mode it means: those of a group that some have set come alone.
  std::vector<Missing> missing(const sync::Request& wait) const;
  /// The cycle in which a set that `wait` lacks takes effect here; no value: none is under way.
  std::optional<Cycle> comes(const sync::Request& wait) const;
  /// The same for a set that has not arrived.
  std::optional<Cycle> arrives(const Missing& set) const;
  /// Whether it has come, or is on its way, and no answer has let it go on.
  bool holds(const sync::Request& wait) const;
  /// Cores that take part in mode 0 but are not resident (Launch::blocks), of each kind.
  unsigned blocks_not_resident() const { return launch_.block_count() - launch_.resident_blocks(); }
  const Launch& launch() const { return launch_; }

 private:
  static constexpr unsigned kCounters = sync::kFlagIds + sync::kIntraBlockIds;
  static constexpr unsigned kModes = 3;  // those that gather arrivals

  struct Fired {
    Cycle at;
    Mechanism mechanism;

    template <class Archive>
    void visit(Archive& archive) {
      archive(at, mechanism);
    }
  };
  struct Core {
    bool present = false;
    std::array<std::uint8_t, kCounters> counters{};  // 0..15: modes 0 to 2; 16..47: mode 4
    std::array<std::array<std::uint32_t, sync::kFlagIds>, kModes> arrivals{};
    std::array<std::vector<Fired>, kCounters>
        fired;  // the sets that a counter counts, oldest first

    template <class Archive>
    void visit(Archive& archive) {
      archive(counters, arrivals, fired);
    }
  };
  struct Growth {
    CoreId core;
    unsigned counter;
    sync::Request cause;
    Cycle fired;

    template <class Archive>
    void visit(Archive& archive) {
      archive(core, counter, cause, fired);
    }
  };

  /// The order of requests that arrive in one cycle.
  static bool by_place(const sync::Request& a, const sync::Request& b);
  static unsigned counter_of(const sync::Request& wait) {
    return wait.mode == Mode::kIntraBlock ? sync::kFlagIds + wait.id : wait.id;
  }
  Core& at(CoreId core) { return cores_[core.index()]; }
  const Core& at(CoreId core) const { return cores_[core.index()]; }
  const std::vector<CoreId>& group_of(CoreId core, Mode mode) const;
  void count(const sync::Request& set, Cycle now);
  void gather(const sync::Request& set, Cycle now);
  void count_intra_block(const sync::Request& set, Cycle now);
  void grow_later(CoreId core, unsigned counter, const sync::Request& cause, Cycle now);
  void grow(Cycle now);
  void serve_waits(const std::vector<sync::Request>& due, Cycle now);
  void answer(const sync::Request& request, sync::Verdict verdict, sync::Reason reason, Cycle now);
  void add_missing(std::vector<Missing>& list, CoreId waiter, Mode mode, std::uint8_t id) const;

  const SyncConfig config_;
  const Launch launch_;
  std::vector<Core> cores_;
  std::vector<CoreId> all_aics_, all_aivs_;       // who sets in mode 0
  std::vector<std::vector<CoreId>> aics_, aivs_;  // those who set in modes 1 and 2, by cluster
  DueList<sync::Request> asked_;
  DueList<Growth> growths_;
  struct Waiting {
    sync::Request request;
    bool told = false;  // whether its core has been told that it waits
    bool granted = false;

    template <class Archive>
    void visit(Archive& archive) {
      archive(request, told, granted);
    }
  };
  std::vector<Waiting> waiting_;
  Latencies latencies_{};
  Step step_;
};

}  // namespace tessera::cluster
