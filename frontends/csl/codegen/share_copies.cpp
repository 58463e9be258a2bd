// A copy of what stays as it is while the copy is needed takes no register of its own.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Registers that are assigned once, as a copy of another one, and that one. Those whose source is assigned while they live are left out.
class SharedCopies {
 public:
  explicit SharedCopies(Function& function) : f_(function) {
    const std::vector<unsigned> counts = definition_counts(f_);
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        if (!is_copy(in) || counts[in.results[0]] != 1) continue;
        source_of_[in.results[0]] = in.operands[0].number;
      }
    }
    // What is itself replaced is no source in this round.
    for (auto copy = source_of_.begin(); copy != source_of_.end();)
      copy = source_of_.count(copy->second) != 0 ? source_of_.erase(copy) : std::next(copy);
    for (const auto& [copy, source] : source_of_) copies_of_[source].push_back(copy);
  }

  /// Whether something was replaced.
  bool run() {
    if (source_of_.empty()) return false;
    leave_out_changed();
    if (source_of_.empty()) return false;
    for (Block& block : f_.blocks) {
      for (Instruction& in : block.code) {
        for (Value& v : in.operands) {
          const auto copy = v.is_register() ? source_of_.find(v.number) : source_of_.end();
          if (copy != source_of_.end()) v.number = copy->second;
        }
      }
    }
    return true;
  }

 private:
  bool is_copy(const Instruction& in) const {
    if (in.op != Op::kCopy || !in.operands[0].is_register()) return false;
    const Type from = f_.registers[in.operands[0].number], to = f_.registers[in.results[0]];
    return in.operands[0].number != in.results[0] && same_bits(from, to) && same_bits(in.type, to);
  }

  void leave_out_changed() {
    const Liveness live = liveness_of(f_);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      RegisterSet now = live.out[b];
      const std::vector<Instruction>& code = f_.blocks[b].code;
      for (auto in = code.rbegin(); in != code.rend(); ++in) {
        for (const RegisterId r : in->results) {
          const auto copies = copies_of_.find(r);
          if (copies == copies_of_.end()) continue;
          for (const RegisterId copy : copies->second)
            if (now[copy]) source_of_.erase(copy);
        }
        for (const RegisterId r : in->results) now.erase(r);
        for (const Value& v : in->operands)
          if (v.is_register()) now.insert(v.number);
      }
    }
    // A copy that nobody has made on some way to its readers keeps its register.
    for (auto copy = source_of_.begin(); copy != source_of_.end();)
      copy = live.in[0][copy->first] ? source_of_.erase(copy) : std::next(copy);
  }

  Function& f_;
  std::map<RegisterId, RegisterId> source_of_;
  std::map<RegisterId, std::vector<RegisterId>> copies_of_;
};

}  // namespace

void share_copies(Function& function) {
  while (SharedCopies(function).run()) remove_dead_code(function);
}

}  // namespace tessera::csl::codegen
