// Stores that are in the scalar cache of a core and not in GM (reference ascend.md 2.9), and who reads
// their bytes in GM all the same: he gets the value from before the store. Seen by bytes, whatever
// orders the two.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/accesses.h"
#include "models/cluster/scalar_cache.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class HeldLines {
 public:
  /// A read of GM that has missed a store. Of each instruction of the reader the first one.
  struct Missed {
    CoreId reader;
    std::uint32_t pc = 0;
    CoreId holder;
    std::uint32_t store_pc = 0;
    std::uint16_t array = 0;
    std::int64_t first = 0;  ///< the first byte
    std::uint64_t times = 0;
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

 private:
  struct Held {
    CoreId core;
    std::uint16_t array;
    std::int64_t first;
    std::uint64_t bits;   // stored to before the cycle `since`
    std::uint64_t fresh;  // .. in it
    Cycle since;
    Cycle until;
    std::uint32_t store_pc;
  };

  Held* find(std::uint16_t array, std::int64_t first, CoreId core);
  void note(const Held& held, std::int64_t first, CoreId reader, std::uint32_t pc);

  std::vector<Held> held_;
  std::vector<Missed> missed_;
};

}  // namespace tessera::cluster
