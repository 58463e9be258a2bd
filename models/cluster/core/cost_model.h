// What a tile operation costs (reference ascend.md 4.2 to 4.4).
//
// An operation occupies its pipe for `occupied` cycles: the next one starts after it. Its result is
// there, and flags after it fire, `ready` cycles after the start. So each MAD of a burst
// costs its ideal time and a gap, and a MAD whose result is waited for costs the depth of the pipeline too.
//
// Copies from and to GM (`is_transfer`) share bandwidth with other cores: the core asks GM/L2 to move
// `bytes`, and they last until it answers. For them `occupied` is the least that the pipe takes, and
// `ready` the cycles after the last byte.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/cluster_config.h"
#include "models/cluster/core/tile_function.h"
#include "models/cluster/program/program.h"
#include "models/cluster/program/vector_sequence.h"

namespace tessera::cluster {

/// Instruction::size, with the values of its registers.
using Sizes = std::array<std::int64_t, 3>;

struct Cost {
  std::uint64_t occupied = 0;
  std::uint64_t ready = 0;
  std::uint64_t bytes = 0;  ///< bytes that the operation moves
  bool is_transfer = false;
  // For a transfer; all but the first and the last as in transfer::Transfer.
  std::uint64_t hit_bytes = 0;  ///< bytes that L2 has
  std::uint64_t gm_bytes = 0;
  std::uint64_t gm_bytes_cold = 0;
  std::uint64_t rate_limit = 0;
  std::uint64_t gap = 0;  ///< cycles of the pipe after the last byte
  // For a MAD.
  std::uint64_t multiply_adds = 0;  ///< m * n * k, without what pads them

  template <class Archive>
  void visit(Archive& archive) {
    archive(occupied, ready, bytes, is_transfer, hit_bytes, gm_bytes, gm_bytes_cold, rate_limit,
            gap, multiply_adds);
  }
};

class CostModel {
 public:
  explicit CostModel(const CostConfig& config) : config_(config) {}

  /// Cost of tile operation `i` with these sizes on a core of `kind`; sizes are at least 0. `aligned`:
  /// the rows in GM are (tile_operands.h).
  Cost cost(const Instruction& i, const Sizes& sizes, CoreKind kind, bool aligned = true) const;
  /// 512-byte blocks of L0C that a MAD or FIX with these sizes covers; results are 32 bits.
  static std::uint64_t l0c_blocks(const Sizes& sizes);
  /// From ten 16x16 fractals on the cube resolves the accumulation of consecutive MADs itself
  /// (ascend.md 2.3); below, a MAD that starts before the one in front is complete adds to a stale value.
  static bool resolves_sums(const Sizes& sizes) {
    return (sizes[0] + 15) / 16 * ((sizes[1] + 15) / 16) >= 10;
  }

 private:
  Cost mad(const Instruction& i, const Sizes& sizes) const;
  Cost vector(const Instruction& i, const Sizes& sizes) const;
  /// Shape of a vector operation: rows of `columns` elements, `width` from row to row.
  struct Shape {
    std::uint64_t elements, rows, columns, width;
    std::uint64_t bits;               ///< bits of an element
    std::uint64_t in_repeat, in_row;  ///< elements in 256 bytes; repeats in a row
    bool is_apart;                    ///< rows do not lie one after the other
    bool has_tail;                    ///< the last repeat of a row is not full
    bool has_count;  ///< the instruction says its rows; of kSort: its merges, and a sort has none
  };
  static Shape shape_of(const Instruction& i, const Sizes& sizes);
  StepRate rate_of(VectorUnit unit, unsigned bits) const;
  const VectorRate& rate_of(VectorClass kind) const {
    return config_.vector[static_cast<unsigned>(kind)];
  }
  // 1/100 cycles beyond the fixed part, by the algorithms of the instruction set (4.1).
  std::uint64_t reduction(const Shape& shape, std::uint64_t percent) const;
  std::uint64_t by_rows(VectorClass kind, const Shape& shape, const VectorRate& rate) const;
  std::uint64_t by_loops(const Instruction& i, Shape shape, std::uint64_t percent,
                         std::uint64_t apart) const;
  std::uint64_t by_repeats(const Instruction& i, const Shape& shape, std::uint64_t percent) const;
  /// Cycles of the instructions that the operation is made of; 0: its rate class says its time.
  std::uint64_t by_steps(const Instruction& i, const Shape& shape) const;
  Cost fix(const Instruction& i, const Sizes& sizes) const;
  struct Rows {
    std::uint64_t count, bytes;
    bool aligned;
  };
  Cost gm_copy(const Rows& rows, PathRate path, unsigned l2_hit, const GmPath& gm) const;

  CostConfig config_;
  mutable TileFunctions functions_;  // what it has worked out
};

}  // namespace tessera::cluster
