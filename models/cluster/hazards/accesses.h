// Which bytes of which memory a tile operation reads and writes: the basis of automatic
// synchronisation and of the search for hazards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// Bytes [first, first + bytes), of them `width` in every `pitch` if pitch is not 0.
struct Extent {
  std::int64_t first = 0, bytes = 0;
  std::int64_t pitch = 0, width = 0;
  bool dense = false;  ///< all of [first, first + bytes)

  template <class Archive>
  void visit(Archive& archive) {
    archive(first, bytes, pitch, width, dense);
  }

  friend bool operator==(const Extent& a, const Extent& b) {
    return a.first == b.first && a.bytes == b.bytes && a.pitch == b.pitch && a.width == b.width;
  }
};
Extent extent_of(const ResolvedOperand& operand);
/// Whether both can touch the same byte. Columns are told apart where both have the same pitch.
bool overlap(const Extent& a, const Extent& b);
/// Whether `a` touches every byte that `b` does; false if that is not certain.
bool covers(const Extent& a, const Extent& b);

/// A memory as one number: first the buffers of the cores of a cluster, then the arrays in GM.
using MemoryId = std::uint16_t;
MemoryId local_memory(unsigned unit, Location location);
MemoryId gm_memory(std::uint16_t array);
bool is_gm(MemoryId memory);
/// "UB of AIV0"; for an array "%a", its name in `program`.
std::string memory_name(MemoryId memory, const Program& program);

struct MemoryAccess {
  MemoryId memory = 0;
  bool reads = false, writes = false;
  bool adds = false;  ///< Access::kAdd
  Extent extent;

  template <class Archive>
  void visit(Archive& archive) {
    archive(memory, reads, writes, adds, extent);
  }
};

/// What one operation touches; a list of fixed size, for one is made for every operation.
struct Accesses {
  static constexpr unsigned kMost = kMostOperands + 2;  // operands that are divided count twice
  std::array<MemoryAccess, kMost> list;
  unsigned count = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(count);
    if (count > kMost) Archive::fail("an operation touches too much");
    for (unsigned i = 0; i < count; ++i) archive(list[i]);
  }
};
/// Puts the accesses of an operation of `core` into `accesses`. An operand that is divided among both
/// AIVs is an access of each.
void accesses_of(const ResolvedOperation& operation, CoreId core, Accesses& accesses);

struct Touch {
  std::uint32_t number = 0;  ///< number of the operation, counted by its agent
  std::uint32_t pc = 0;
  std::uint16_t agent = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(number, pc, agent);
  }
};

/// Who has touched which bytes last, memory by memory. Agents are pipes; each numbers its operations.
///
/// A write takes the place of everything that it covers: what conflicts with those conflicts with it,
/// and it has been compared with them. An addition takes the place of nothing, as others have not been compared with it. A memory remembers its last writes and reads, 64 of each unless
/// said otherwise; older ones are forgotten.
class AccessMap {
 public:
  static constexpr std::size_t kMostRecords = 64;
  /// Writes and reads that a buffer on chip and an array in GM remember.
  struct Depth {
    std::size_t local = kMostRecords, gm = kMostRecords;
  };
  AccessMap() = default;
  explicit AccessMap(Depth depth) : depth_(depth) {}

  /// Calls conflict(Touch, bool writes, const Extent&) for every earlier access that this one
  /// conflicts with, then remembers it.
  template <class Conflict>
  void touch(const MemoryAccess& access, const Touch& who, Conflict conflict) {
    if (access.memory >= memories_.size()) memories_.resize(access.memory + 1U);
    Memory& memory = memories_[access.memory];
    const std::size_t most = is_gm(access.memory) ? depth_.gm : depth_.local;
    for (const Record& r : memory.writes)
      if (!(r.adds && access.adds) && overlap(r.extent, access.extent))
        conflict(r.touch, true, r.extent);
    if (!access.writes) return remember(memory.reads, most, access, who);
    for (const Record& r : memory.reads)
      if (overlap(r.extent, access.extent)) conflict(r.touch, false, r.extent);
    if (!access.adds) {
      forget_covered(memory.writes, access.extent);
      forget_covered(memory.reads, access.extent);
    }
    remember(memory.writes, most, access, who);
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(age_, memories_);
  }

 private:
  static constexpr std::size_t kLookedUp = 16;

  struct Record {
    Extent extent;
    Touch touch;
    std::uint64_t age = 0;  // grows with every touch
    bool adds = false;

    template <class Archive>
    void visit(Archive& archive) {
      archive(extent, touch, age, adds);
    }
  };
  using Records = std::vector<Record>;
  struct Memory {
    Records writes, reads;

    template <class Archive>
    void visit(Archive& archive) {
      archive(writes, reads);
    }
  };

  static void forget_covered(Records& records, const Extent& extent) {
    for (std::size_t i = 0; i < records.size();) {
      if (!covers(extent, records[i].extent)) {
        ++i;
        continue;
      }
      records[i] = records.back();
      records.pop_back();
    }
  }
  // Buffers are touched again and again: an equal record is replaced. In long lists only the first
  // ones are searched for it.
  void remember(Records& records, std::size_t most, const MemoryAccess& access, const Touch& who) {
    const Record record{access.extent, who, ++age_, access.adds};
    const std::size_t searched = std::min(records.size(), kLookedUp);
    for (std::size_t i = 0; i < searched; ++i) {
      Record& r = records[i];
      if (r.touch.agent != who.agent || r.adds != access.adds || !(r.extent == access.extent))
        continue;
      r = record;
      return;
    }
    if (records.size() < most) return records.push_back(record);
    const auto older = [](const Record& a, const Record& b) { return a.age < b.age; };
    *std::min_element(records.begin(), records.end(), older) = record;
  }

  Depth depth_;
  std::uint64_t age_ = 0;
  std::vector<Memory> memories_;
};

}  // namespace tessera::cluster
