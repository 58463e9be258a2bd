// Dominators and natural loops of a function, all of whose blocks can be reached.
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

class Dominators {
 public:
  explicit Dominators(const Function& function);
  /// Whether every way to `b` goes through `a`. A block dominates itself.
  bool dominates(BlockId a, BlockId b) const;
  /// The last block in front of `b` that dominates it; the entry is its own.
  BlockId parent(BlockId b) const { return parents_[b]; }

 private:
  static constexpr BlockId kNone = ~BlockId{0};
  std::vector<BlockId> parents_;
  std::vector<unsigned> order_;  ///< number in reverse postorder
};

/// All ways back to one header.
struct Loop {
  BlockId header = 0;
  std::vector<BlockId> latches;
  std::vector<bool> inside;  ///< by block
  unsigned blocks = 0;
};

/// Those inside others first.
std::vector<Loop> loops_of(const Function& function, const Dominators& dominators);

/// The block that goes to the header of `loop` and nowhere else, and is the only one outside that
/// goes there; it is made if there is none, and has then the number of the header, which moves on with
/// the blocks after it. The header is not the entry. Loops that were found before are then out of date.
BlockId preheader_of(Function& function, const Loop& loop);

/// Makes room for `count` blocks at `at`: those from there on move on, and targets with them. The new
/// blocks are empty.
void insert_blocks(Function& function, BlockId at, unsigned count);

}  // namespace tessera::csl::ir
