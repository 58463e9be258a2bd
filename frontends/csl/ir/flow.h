// Control flow and liveness of a function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// A set of registers of a function, in words of 64 bits: liveness is most of the work of a compilation.
class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers) : size_(registers) {
    words_.resize((registers + 63) / 64);
  }
  std::size_t size() const { return size_; }
  bool operator[](RegisterId r) const { return (words_[r / 64] >> r % 64 & 1) != 0; }
  void insert(RegisterId r) { words_[r / 64] |= std::uint64_t{1} << r % 64; }
  void erase(RegisterId r) { words_[r / 64] &= ~(std::uint64_t{1} << r % 64); }
  void insert(const RegisterSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  /// Becomes `read` and what `behind` has and `written` has not; whether that is new.
  bool assign(const RegisterSet& read, const RegisterSet& behind, const RegisterSet& written) {
    bool is_new = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t word = read.words_[i] | (behind.words_[i] & ~written.words_[i]);
      is_new = is_new || word != words_[i];
      words_[i] = word;
    }
    return is_new;
  }

 private:
  std::size_t size_;
  ShortList<std::uint64_t, 8> words_;
};

/// By block.
using Predecessors = std::vector<ShortList<BlockId, 2>>;
Predecessors predecessors_of(const Function& function);

/// Blocks that control may reach after `from` on ways that do not go through `without`.
std::vector<bool> blocks_behind(const Function& function, BlockId from,
                                std::optional<BlockId> without = std::nullopt);

/// Blocks that close a loop at `header`: they go to it, and all ways to them go through it.
std::vector<BlockId> latches_of(const Function& function, BlockId header);

/// Removes the blocks that cannot be reached and renumbers the others in their order.
void remove_unreachable(Function& function);

struct Liveness {
  std::vector<RegisterSet> in;   ///< by block: live at its start
  std::vector<RegisterSet> out;  ///< by block: live at its end
};
Liveness liveness_of(const Function& function);
/// Whether a register is live at the start of a block: for a pass that asks for few registers between changes.
bool is_live_in(const Function& function, BlockId block, RegisterId r);

/// How many instructions (and parameter lists) assign each register.
std::vector<unsigned> definition_counts(const Function& function);

}  // namespace tessera::csl::ir
