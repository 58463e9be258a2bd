// Who has touched which bytes last, memory by memory. Agents are pipes; each numbers its operations.
//
// A write takes the place of everything that it covers: what conflicts with those conflicts with it,
// and it has been compared with them. A memory remembers its last 128 writes and reads with extents
// of their own; older ones are forgotten.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/cluster/accesses.h"

namespace tessera::cluster {

struct Touch {
  std::uint32_t number = 0;  ///< of the operation, counted by its agent
  std::uint32_t pc = 0;
  std::uint16_t agent = 0;
};

class AccessMap {
 public:
  /// Calls conflict(Touch, bool writes, const Extent&) for every earlier access that this one
  /// conflicts with, then remembers it.
  template <class Conflict>
  void touch(const MemoryAccess& access, const Touch& who, Conflict conflict) {
    if (access.memory >= memories_.size()) memories_.resize(access.memory + 1U);
    Memory& memory = memories_[access.memory];
    for (const Record& r : memory.writes)
      if (overlap(r.extent, access.extent)) conflict(r.touch, true, r.extent);
    if (!access.writes) return remember(memory.reads, access.extent, who);
    for (const Record& r : memory.reads)
      if (overlap(r.extent, access.extent)) conflict(r.touch, false, r.extent);
    forget_covered(memory.writes, access.extent);
    forget_covered(memory.reads, access.extent);
    remember(memory.writes, access.extent, who);
  }

 private:
  static constexpr std::size_t kMostRecords = 128;

  struct Record {
    Extent extent;
    Touch touch;
  };
  struct Memory {
    std::vector<Record> writes, reads;
  };

  static void forget_covered(std::vector<Record>& records, const Extent& extent) {
    records.erase(std::remove_if(records.begin(), records.end(),
                                 [&extent](const Record& r) { return covers(extent, r.extent); }),
                  records.end());
  }
  static void remember(std::vector<Record>& records, const Extent& extent, const Touch& who) {
    for (Record& r : records) {
      if (r.touch.agent != who.agent || !(r.extent == extent)) continue;
      r.touch = who;
      return;
    }
    if (records.size() == kMostRecords) records.erase(records.begin());
    records.push_back({extent, who});
  }

  std::vector<Memory> memories_;
};

}  // namespace tessera::cluster
