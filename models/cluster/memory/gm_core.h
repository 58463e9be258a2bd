// GM and L2 (reference ascend.md 1.4, 4.4): transfers of all cores share the bandwidth of GM and of
// L2. Plain C++; modular_cluster.h has its module.
//
// All transfers under way advance together, each as fast as its own path allows, as long as neither
// L2 (all bytes; reads and writes have a way each) nor GM (those that miss L2, and what rows cost) is
// full; where one is full, those that use it get equal rates (max-min fairness). Rates change when a
// transfer starts or ends. Which bytes miss: if the place of the transfer is known, what L2Directory
// holds decides, else Transfer::gm_bytes. What a read misses is late by the latency of GM; its path is
// free before, so that copies one after the other pay for it once. An access to a word takes no
// bandwidth.
//
// Written lines that have to leave L2 go back to GM behind the transfers that push them out, which do not
// wait: a store is complete when L2 has it (4.4: the 134 MB that a matrix sum stores take 57 us, less than GM needs). GM
// gives what goes back half of its bandwidth, and what nobody else takes. At most
// CostConfig::gm_write_back_bytes wait for GM; a transfer pays itself for what is more.
//
// Order inside a cycle `now`:
//   1. transfers advance to now; those that are complete are answered, due now + 1;
//   2. transfers and accesses to words due by now start, by core and pipe, and rates are set. An access
//      is over at once: the next one sees its word. Its answer is due Transfer::latency later.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/due_list.h"
#include "models/cluster/memory/l2_directory.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class GmCore {
 public:
  using Step = UnitStep<transfer::Done>;

  explicit GmCore(const CostConfig& config);

  /// `transfer` arrives in cycle `due`: GM wants to be stepped then.
  void start(const transfer::Transfer& transfer, Cycle due) { arriving_.add(transfer, due); }
  /// Does the work of cycle `now`; the result holds until the next call.
  const Step& step(Cycle now);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// For the host, between two cycles. Words are apart from the arrays of the launch (ClusterData); one
  /// that was never written is 0.
  std::int64_t word(std::uint64_t address) const;
  /// Bytes that have been read and written so far, transfers under way not counted.
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  bool idle() const { return active_.empty() && arriving_.empty(); }

 private:
  struct Active {
    transfer::Transfer transfer;
    std::uint64_t left = 0;      // in 1/1024 byte
    std::uint64_t rate = 0;      // in 1/1024 byte per cycle
    std::uint64_t gm_share = 0;  // bytes of GM for 1024 bytes
    bool writes = false;
    std::optional<std::uint64_t> hit_bytes;
    bool misses = false;
    Cycle here_at = 0;  // what others have asked GM for

    template <class Archive>
    void visit(Archive& archive) {
      archive(transfer, left, rate, gm_share, writes, hit_bytes, misses, here_at);
    }
  };

  /// The order of transfers that arrive in one cycle.
  static bool by_place(const transfer::Transfer& a, const transfer::Transfer& b) {
    return a.core != b.core ? a.core.index() < b.core.index() : a.pipe < b.pipe;
  }
  void access_word(const transfer::Transfer& t, Cycle now);
  void advance(Cycle now);
  void finish(Cycle now);
  /// Lets L2 give back so many bytes; returns those for which there is no room.
  std::uint64_t give_back(std::uint64_t bytes);
  void look_up(Active& a, Cycle now);
  void begin(const transfer::Transfer& t, Cycle now);
  void set_rates();
  /// Bandwidth that is shared, in the order of Left.
  enum Resource : std::uint8_t { kL2Read, kL2Write, kGm };
  static constexpr std::size_t kResources = 3;
  using Left = std::array<std::uint64_t, kResources>;  ///< bandwidth that nobody has yet
  static std::uint64_t share(const Active& a, std::size_t resource);
  template <class Stays>
  bool fix_rates(Left& left, std::uint64_t fair, Stays stays);

  const std::uint64_t gm_rate_, l2_rate_;  // in 1/1024 byte per cycle
  DueList<transfer::Transfer> arriving_;
  std::vector<Active> active_;
  std::vector<Active*> open_;  // transfers whose rate is not fixed yet
  std::unordered_map<std::uint64_t, std::int64_t> words_;
  const Cycle miss_latency_;
  L2Directory l2_;
  const std::uint64_t most_behind_;  // in 1/1024 byte, as the next two
  std::uint64_t behind_ = 0;         // what L2 has let go, and GM does not have
  std::uint64_t behind_rate_ = 0;    // per cycle
  Step step_;
  Cycle now_ = 0;
  bool changed_ = false;
  std::uint64_t bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace tessera::cluster
