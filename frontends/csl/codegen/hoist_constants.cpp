#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Registers of 16 bits that a loop may give to constants.
constexpr unsigned kMostConstants = 4;

class ConstantHoisting {
 public:
  explicit ConstantHoisting(Function& function)
      : f_(function), counts_(definition_counts(function)) {
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        for (std::size_t i = 0; i < in.operands.size(); ++i) {
          const Value& v = in.operands[i];
          if (v.is_register()) ++(in.op == Op::kStore && i == 1 ? stores_ : others_)[v.number];
        }
      }
    }
  }

  void run(const Loop& loop) {
    if (has_call(loop)) return;
    std::map<std::pair<bool, std::uint32_t>, RegisterId> known;
    std::map<RegisterId, RegisterId> same;
    std::vector<Instruction> moved;
    unsigned registers = 0;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      std::vector<Instruction>& code = f_.blocks[b].code;
      for (auto in = code.begin(); in != code.end();) {
        const unsigned words = bytes_of(in->type) / 2;
        if (!is_stored_constant(*in)) {
          ++in;
          continue;
        }
        const std::pair<bool, std::uint32_t> key{words == 2, in->operands[0].number};
        const auto other = known.find(key);
        if (other != known.end()) {
          same[in->results[0]] = other->second;
        } else if (registers + words <= kMostConstants) {
          registers += words;
          known[key] = in->results[0];
          moved.push_back(*in);
        } else {
          ++in;
          continue;
        }
        in = code.erase(in);
      }
    }
    if (moved.empty()) return;
    for (Block& block : f_.blocks) {
      for (Instruction& in : block.code) {
        for (Value& v : in.operands) {
          const auto other = v.is_register() ? same.find(v.number) : same.end();
          if (other != same.end()) v.number = other->second;
        }
      }
    }
    std::vector<Instruction>& front = f_.blocks[preheader_of(f_, loop)].code;
    front.insert(front.end() - 1, std::make_move_iterator(moved.begin()),
                 std::make_move_iterator(moved.end()));
  }

 private:
  bool has_call(const Loop& loop) const {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      const std::vector<Instruction>& code = f_.blocks[b].code;
      if (loop.inside[b] && std::any_of(code.begin(), code.end(),
                                        [](const Instruction& in) { return in.op == Op::kCall; }))
        return true;
    }
    return false;
  }
  bool is_stored_constant(const Instruction& in) const {
    if (in.op != Op::kCopy || !in.operands[0].is_constant()) return false;
    const RegisterId r = in.results[0];
    return r < counts_.size() && counts_[r] == 1 && stores_.count(r) != 0 && others_.count(r) == 0;
  }

  Function& f_;
  const std::vector<unsigned> counts_;
  std::map<RegisterId, unsigned> stores_, others_;  ///< operands of stores, and all others
};

}  // namespace

void hoist_constants(Function& function) {
  // A loop that gets a block in front of it renumbers the others.
  for (std::size_t n = 0;; ++n) {
    const std::vector<Loop> loops = loops_of(function, Dominators(function));
    if (n >= loops.size()) return;
    if (loops[n].header != 0) ConstantHoisting(function).run(loops[n]);
  }
}

}  // namespace tessera::csl::codegen
