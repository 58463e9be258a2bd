// What orders the pipes of one core: flags, locks and the unit flag (reference ascend.md 2.2, 2.4, 2.5).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/cluster/program/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// A flag between two pipes of a core is named by source pipe, destination pipe and event id; all three
/// must match between set and wait (reference ascend.md 2.2).
struct Flag {
  Pipe from = Pipe::kS;
  Pipe to = Pipe::kS;
  std::uint8_t id = 0;
};

/// The flags of a core. They survive the end of a kernel: a set that nobody has waited for is seen by the
/// next one.
class FlagTable {
 public:
  static constexpr unsigned kMaxEvents = 16;  ///< for each pair of pipes
  static constexpr unsigned kFlags = sync::kPipeCount * sync::kPipeCount * kMaxEvents;

  /// The number of a flag, below kFlags.
  static unsigned index(Flag f) {
    return (sync::index(f.from) * sync::kPipeCount + sync::index(f.to)) * kMaxEvents + f.id;
  }
  /// Sets that no wait has taken.
  unsigned count(Flag flag) const { return sets_[index(flag)]; }
  void add(Flag flag) { ++sets_[index(flag)]; }
  /// False, and no effect, if it is not set.
  bool take(Flag flag) {
    if (count(flag) == 0) return false;
    --sets_[index(flag)];
    return true;
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(sets_);
  }

 private:
  std::array<std::uint32_t, kFlags> sets_{};
};

/// get_buf and rls_buf: locks shared by the pipes of a core (reference ascend.md 2.4).
///
/// A get waits for the gets before it in the order of the program, which is the order in which the
/// scalar unit puts them into queues: it draws a ticket there and is granted when as many releases
/// have fired. After its own pipe it does not wait at all: a lock is no barrier.
class BufferLocks {
 public:
  static constexpr unsigned kMaxLocks = 32;

  struct Ticket {
    std::uint32_t number = 0;  ///< releases that must have fired: as many as gets came before
    bool at_once = false;      ///< the get before it is of the same pipe, or it does not block

    template <class Archive>
    void visit(Archive& archive) {
      archive(number, at_once);
    }
  };

  /// A get passes the scalar unit. Nothing: the pipe holds the lock already.
  std::optional<Ticket> get(unsigned id, Pipe pipe, bool blocking) {
    Lock& lock = locks_[id];
    if (holds(id, pipe)) return {};
    const bool same_pipe = lock.tickets > 0 && lock.last == pipe;
    lock.held = static_cast<std::uint8_t>(lock.held | 1U << sync::index(pipe));
    lock.last = pipe;
    return Ticket{lock.tickets++, same_pipe || !blocking};
  }
  /// A release passes the scalar unit. False: the pipe does not hold the lock.
  bool give_back(unsigned id, Pipe pipe) {
    if (!holds(id, pipe)) return false;
    locks_[id].held = static_cast<std::uint8_t>(locks_[id].held & ~(1U << sync::index(pipe)));
    return true;
  }
  /// A release fires: the work before it is complete.
  void release(unsigned id) { ++locks_[id].releases; }
  /// Whether the get with this ticket may pass.
  bool is_granted(unsigned id, Ticket ticket) const {
    return ticket.at_once || locks_[id].releases >= ticket.number;
  }
  /// In the order of the program, as far as the scalar unit has come.
  bool holds(unsigned id, Pipe pipe) const {
    return (locks_[id].held >> sync::index(pipe) & 1U) != 0;
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(locks_);
  }

 private:
  struct Lock {
    std::uint32_t tickets = 0;
    std::uint32_t releases = 0;
    std::uint8_t held = 0;  // one bit a pipe
    Pipe last = Pipe::kS;   // pipe of the last ticket

    template <class Archive>
    void visit(Archive& archive) {
      archive(tickets, releases, held, last);
    }
  };
  std::array<Lock, kMaxLocks> locks_{};
};

/// The unit flag: one bit per 512-byte block of L0C, by which M and FIX hand blocks over without set
/// and wait (reference ascend.md 2.5). 0: M may write the block, 1: FIX may read it.
///
/// An operation over n blocks passes them evenly in its time, in order. So the bits are kept as
/// cycles: from when on a block may be written or read. The last MAD of a tile (field 3) makes its
/// blocks readable one after the other, a FIX (field 3) makes them writable, and either starts as
/// soon as it never overtakes the other.
class UnitFlags {
 public:
  /// Consecutive blocks of L0C.
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  explicit UnitFlags(unsigned blocks) : blocks_(blocks) {}

  bool contains(Span s) const { return s.first + s.count <= blocks_.size(); }
  /// First cycle in which a MAD that takes `cycles` may start; kNever: FIX has not started to read.
  Cycle mad_may_start(Span s, Cycle cycles) const { return may_start(s, cycles, &Block::writable); }
  /// The same for a FIX; kNever: the last MAD of the tile has not started.
  Cycle fix_may_start(Span s, Cycle cycles) const { return may_start(s, cycles, &Block::readable); }
  /// FIX reads as many blocks as the MAD in front of it has written (or: nothing has been written).
  bool matches(Span s) const {
    return blocks_[s.first].readable == kNever || blocks_[s.first].written == s.count;
  }
  /// A MAD with field 3 starts: the first result is there after `depth` cycles.
  void mad_starts(Span s, Cycle now, Cycle cycles, Cycle depth) {
    for (std::uint64_t j = 0; j < s.count; ++j)
      blocks_[s.first + j] = {kNever, now + depth + passed(s, cycles, j + 1), s.count};
  }
  /// A FIX with field 3 starts.
  void fix_starts(Span s, Cycle now, Cycle cycles) {
    for (std::uint64_t j = 0; j < s.count; ++j)
      blocks_[s.first + j] = {now + passed(s, cycles, j + 1), kNever, 0};
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(blocks_);
  }

 private:
  struct Block {
    Cycle writable = 0;
    Cycle readable = kNever;
    std::uint64_t written = 0;  // blocks of the tile

    template <class Archive>
    void visit(Archive& archive) {
      archive(writable, readable, written);
    }
  };
  static Cycle passed(Span s, Cycle cycles, std::uint64_t blocks) {
    return (cycles * blocks + s.count - 1) / s.count;
  }
  Cycle may_start(Span s, Cycle cycles, Cycle Block::*from) const {
    Cycle start = 0;
    for (std::uint64_t j = 0; j < s.count; ++j) {
      const Cycle ready = blocks_[s.first + j].*from;
      if (ready == kNever) return kNever;
      const Cycle before = passed(s, cycles, j);
      start = std::max(start, ready > before ? ready - before : 0);
    }
    return start;
  }
  std::vector<Block> blocks_;
};

}  // namespace tessera::cluster
