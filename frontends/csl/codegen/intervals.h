// The live intervals of registers, over instructions in the order of the blocks.
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// Instruction k reads at point 2k and assigns at 2k + 1; parameters are assigned at point 1.
struct Interval {
  ir::RegisterId reg = 0;
  unsigned start = 0;
  unsigned end = 0;
  bool is_wide = false;
  bool crosses_call = false;
  double weight = 0;        ///< reads and assignments, those in a loop counted kLoopWeight times
  int hint = -1;            ///< register number that would save a move
  int copied_from = -1;     ///< virtual register with which it would like to share
  bool is_widened = false;  ///< of 16 bits; it would like to be the low half of a pair
};

/// About how often a loop runs for each time that its surroundings do.
constexpr double kLoopWeight = 8;

/// The intervals of all registers that have a value, in the order of their starts.
std::vector<Interval> intervals_of(const ir::Function& function);

}  // namespace tessera::csl::codegen
