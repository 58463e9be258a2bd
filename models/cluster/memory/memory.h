// The bytes of one memory, and what operations under way are going to write into it (reference ascend.md
// 2.9). A write has a cycle from which on it can be read; writes of one cycle take place in the order of
// their cores and pipes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/memory/scalar_cache.h"
#include "models/cluster/program/tile_operation.h"
#include "models/cluster/values/tile_values.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// Pieces of a memory: `run` elements from each of the bytes `starts` on; of the half bytes, if elements have 4 bits.
struct Runs {
  std::vector<std::int64_t> starts;
  std::size_t run = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(starts, run);
  }
};
/// The pieces that the first rows and columns of an operand lie in, row by row.
Runs runs_of(const ResolvedOperand& operand, std::size_t rows, std::size_t columns);

class Memory {
 public:
  /// What is not written is 0. `behind`: with the writes that are still to come.
  TileValues read(const ResolvedOperand& operand, Cycle now, bool behind);
  /// When a write takes place. `order` ranks the writes of one cycle.
  struct When {
    Cycle now, due;
    std::uint32_t order;
  };
  /// `adds`: adds the values to what is there then.
  void write(const ResolvedOperand& operand, TileValues values, const When& when, bool adds);
  /// Element i of `values` to element places[i] of `operand`, counted from its address on. Of equal places the last one counts.
  void write_at(const ResolvedOperand& operand, const std::vector<std::int64_t>& places,
                TileValues values, const When& when, bool adds);
  /// A line of a scalar cache as it is at the end of cycle `now`.
  ScalarCache::Bytes read_line(std::int64_t first, Cycle now);
  /// The whole line goes back, what the core has changed and what it has not.
  void write_line(const ScalarCache::Line& line, const When& when, std::uint32_t pc);
  /// What lines that went back took from others: bytes that somebody had written since the line was
  /// read. One for each instruction `pc` of the writer `order`, whose line it was; `first` and `count`
  /// are those of the first time.
  struct Lost {
    std::uint32_t order = 0, pc = 0;
    std::int64_t first = 0, count = 0;
    std::uint64_t times = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(order, pc, first, count, times);
    }
  };
  const std::vector<Lost>& lost() const { return lost_; }
  /// For checkpoints, between two cycles of which `next` is the second: what is written by then is.
  void visit(state::Archive& archive, Cycle next);
  /// Makes all writes take place.
  void settle() { settle(kNever); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  void set_bytes(std::vector<std::byte> bytes) { bytes_ = std::move(bytes); }
  /// For a debugger: element `index` of `operand`, counted row by row, is `value` at the end of cycle `now`. What is still to
  /// come is written over it.
  void set_element(const ResolvedOperand& operand, std::size_t index, TileValues value, Cycle now);
  /// The first `size` bytes as they are at the end of cycle `now`, until the next operation.
  std::byte* bytes_at(Cycle now, std::size_t size);

 private:
  struct Write {
    Cycle due;
    std::uint32_t order;
    bool adds;
    Runs runs;
    TileValues values;
    std::uint64_t kept = 0;  // for a line, bit i: the core has not changed byte i
    std::uint32_t pc = 0;    // the instruction that sent the line

    template <class Archive>
    void visit(Archive& archive) {
      archive(due, order, adds, runs, values, kept, pc);
    }
  };

  void insert(Write write);
  void note_lost(const Write& line);
  void settle(Cycle now);
  static void apply(const Write& write, std::vector<std::byte>& bytes);
  static void apply_packed(const Write& write, std::vector<std::byte>& bytes);

  std::vector<std::byte> bytes_;
  std::vector<Write> writes_;  // by due, then order
  std::vector<Lost> lost_;
};

}  // namespace tessera::cluster
