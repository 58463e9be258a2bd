// Who has touched which bytes last, memory by memory. Agents are pipes; each numbers its operations.
//
// A write takes the place of everything that it covers: what conflicts with those conflicts with it,
// and it has been compared with them. A memory remembers its last 64 writes and reads, more or less;
// older ones are forgotten.
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
    for (const Record& r : memory.writes.list)
      if (overlap(r.extent, access.extent)) conflict(r.touch, true, r.extent);
    if (!access.writes) return remember(memory.reads, access.extent, who);
    for (const Record& r : memory.reads.list)
      if (overlap(r.extent, access.extent)) conflict(r.touch, false, r.extent);
    forget_covered(memory.writes, access.extent);
    forget_covered(memory.reads, access.extent);
    remember(memory.writes, access.extent, who);
  }

 private:
  static constexpr std::size_t kMostRecords = 64;
  static constexpr std::size_t kLookedUp = 16;

  struct Record {
    Extent extent;
    Touch touch;
  };
  struct Records {
    std::vector<Record> list;
    std::size_t next = 0;  // to be replaced when the list is full
  };
  struct Memory {
    Records writes, reads;
  };

  static void forget_covered(Records& records, const Extent& extent) {
    for (std::size_t i = 0; i < records.list.size();) {
      if (!covers(extent, records.list[i].extent)) {
        ++i;
        continue;
      }
      records.list[i] = records.list.back();
      records.list.pop_back();
    }
  }
  // Buffers are touched again and again; of long lists only the first are searched for that.
  static void remember(Records& records, const Extent& extent, const Touch& who) {
    const std::size_t searched = std::min(records.list.size(), kLookedUp);
    for (std::size_t i = 0; i < searched; ++i) {
      Record& r = records.list[i];
      if (r.touch.agent != who.agent || !(r.extent == extent)) continue;
      r.touch = who;
      return;
    }
    if (records.list.size() < kMostRecords) {
      records.list.push_back({extent, who});
      return;
    }
    records.next = (records.next + 1) % kMostRecords;
    records.list[records.next] = {extent, who};
  }

  std::vector<Memory> memories_;
};

}  // namespace tessera::cluster
