// Stores that are in the scalar cache of a core and not in GM (reference ascend.md 2.9), and who reads
// their bytes in GM all the same: he gets the value from before the store. Seen by bytes, whatever
// orders the two.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/cluster/hazards/accesses.h"
#include "models/cluster/memory/scalar_cache.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class HeldLines {
 public:
  /// A read of GM that has missed a store. Each instruction of a reader has one entry, for its first
  /// such read.
  struct Missed {
    CoreId reader;
    std::uint32_t pc = 0;
    CoreId holder;
    std::uint32_t store_pc = 0;
    std::uint16_t array = 0;
    std::int64_t first = 0;  ///< the first byte
    bool is_sent = false;    ///< the line has left the cache and is on its way to GM
    std::uint64_t times = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(reader, pc, holder, store_pc, array, first, is_sent, times);
    }
  };

  /// `core` stores to the bytes `bits` of the line in cycle `now`; readers see that from the next cycle
  /// on.
  void hold(const ScalarCache::Line& line, std::uint64_t bits, CoreId core, Cycle now);
  /// The line has left the cache of `core`, and is in GM in cycle `due`.
  void release(const ScalarCache::Line& line, CoreId core, Cycle due);
  /// All lines of `core` are gone.
  void forget(CoreId core, Cycle now);
  /// `reader` reads bytes of an array in cycle `now`.
  void read(std::uint16_t array, const Extent& extent, CoreId reader, std::uint32_t pc, Cycle now);

  const std::vector<Missed>& missed() const { return missed_; }
  /// For checkpoints: what is known at the end of the cycle before `next`, whoever was stepped first in it.
  void settle(Cycle next);
  template <class Archive>
  void visit(Archive& archive) {
    archive(lines_, missed_);
  }

 private:
  /// What one core has stored in one line.
  struct Held {
    CoreId core;
    std::uint64_t bits;   // stored to before the cycle `since`
    std::uint64_t fresh;  // stored to in the cycle `since`
    Cycle since;
    Cycle until;
    std::uint32_t store_pc;

    template <class Archive>
    void visit(Archive& archive) {
      archive(core, bits, fresh, since, until, store_pc);
    }
  };
  using Holders = std::vector<Held>;

  static std::int64_t first_of(std::uint64_t key) {
    return static_cast<std::int64_t>(key & ((std::uint64_t{1} << 48U) - 1)) *
           ScalarCache::kLineBytes;
  }
  Held* find(const ScalarCache::Line& line, CoreId core);
  /// Forgets what has been in GM before `now`.
  static void drop_old(Holders& holders, Cycle now);
  /// The first byte of the line that the extent reads and somebody holds, and who; nullptr: nobody.
  static const Held* find_missed(const Holders& holders, std::int64_t first, const Extent& extent,
                                 Cycle now, std::int64_t& byte);

  std::unordered_map<std::uint64_t, Holders> lines_;  // by ScalarCache::key_of()
  std::vector<Missed> missed_;
};

}  // namespace tessera::cluster
