// Which instructions made the values of a function, for passes that go through its blocks and write them anew.
#pragma once

#include <utility>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// An instruction counts as the maker of its result where all that it reads still has the same value: everywhere if its operands
/// are assigned once, else in its block until one of them is assigned again.
class Makers {
 public:
  explicit Makers(const ir::Function& function);
  /// nullptr: not known.
  const ir::Instruction* of(const ir::Value& v) const;
  /// Whether the function as it was reads the register once.
  bool is_read_once(const ir::Value& v) const;
  /// The next instruction of the block.
  void note(const ir::Instruction& in);
  void end_block();

 private:
  void remember(const ir::Instruction& in, bool in_block);
  void forget_readers(const ir::Instruction& in);

  const std::vector<unsigned> counts_;
  std::vector<unsigned> reads_;        ///< by register
  std::vector<ir::RegisterId> local_;  ///< whose makers read what the block may assign again
  std::vector<ir::Instruction>
      makers_;  ///< room for one of each register, so that they stay where they are
  std::vector<const ir::Instruction*> made_by_;  ///< by register
  std::vector<ir::Instruction*> place_;          ///< by register: in makers_
};

/// Writes the blocks of a function anew: `each(in, out)` adds to `out` what takes the place of an instruction, and `makers` knows what
/// was added before.
template <class Each>
void rewrite_blocks(ir::Function& function, Makers& makers, const Each& each) {
  for (ir::Block& block : function.blocks) {
    std::vector<ir::Instruction> old = std::move(block.code);
    std::vector<ir::Instruction>& out = block.code;
    out.clear();
    out.reserve(old.size());
    for (ir::Instruction& in : old) {
      const std::size_t before = out.size();
      each(in, out);
      for (std::size_t i = before; i < out.size(); ++i) makers.note(out[i]);
    }
    makers.end_block();
  }
}

}  // namespace tessera::csl::codegen
