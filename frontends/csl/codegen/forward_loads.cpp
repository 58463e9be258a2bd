#include <algorithm>
#include <optional>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// What memory holds.
struct Known {
  Access access;
  Type type = Type::kI16;
  Value value;
};
using Memory = std::vector<Known>;

class Forwarding {
 public:
  Forwarding(const MemoryFacts& facts, Memory known) : facts_(facts), known_(std::move(known)) {}

  Memory run(Block& block) {
    for (Instruction& in : block.code) visit(in);
    return std::move(known_);
  }

 private:
  void visit(Instruction& in) {
    const bool is_load = in.op == Op::kLoad, is_store = in.op == Op::kStore;
    if (!is_load && !is_store) {
      if (in.has_effect())
        forget_if([&](const Known& k) { return facts_.may_change(in, k.access); });
      for (const RegisterId r : in.results) forget_register(r);
      return;
    }
    Known now{facts_.access_of(in), in.type, {}};
    if (is_load) replace(in, now);
    for (const RegisterId r : in.results) forget_register(r);
    if (is_store)
      forget_if([&](const Known& k) { return facts_.may_overlap(k.access, now.access); });
    if (in.op == Op::kCopy || !now.access.variable) return;
    if (is_load && reads(now.access, in.results[0])) return;
    now.value = is_load ? reg(in.type, in.results[0]) : in.operands[1];
    if (now.value.type == in.type) known_.push_back(std::move(now));
  }

  static bool reads(const Access& a, RegisterId r) {
    return a.base.is_register() && a.base.number == r;
  }

  void replace(Instruction& in, const Known& wanted) const {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
      return k.access.same_place(wanted.access) && k.type == wanted.type;
    });
    if (known == known_.end()) return;
    in.op = Op::kCopy;
    in.operands = {known->value};
    in.offset = 0;
  }
  template <class Condition>
  void forget_if(Condition condition) {
    known_.erase(std::remove_if(known_.begin(), known_.end(), condition), known_.end());
  }
  void forget_register(RegisterId r) {
    forget_if([r](const Known& k) {
      return reads(k.access, r) || (k.value.is_register() && k.value.number == r);
    });
  }

  const MemoryFacts& facts_;
  Memory known_;
};

/// What all the blocks know at their ends. Nothing if one comes later, as the latch of a loop does.
Memory known_by_all(const std::vector<BlockId>& blocks,
                    const std::vector<std::optional<Memory>>& after) {
  for (const BlockId b : blocks) {
    if (!after[b]) return {};
  }
  if (blocks.empty()) return {};
  Memory known = *after[blocks[0]];
  for (const BlockId b : blocks) {
    const auto is_unknown = [&](const Known& k) {
      return std::none_of(after[b]->begin(), after[b]->end(), [&](const Known& other) {
        return other.access.same_place(k.access) && other.type == k.type && other.value == k.value;
      });
    };
    known.erase(std::remove_if(known.begin(), known.end(), is_unknown), known.end());
  }
  return known;
}

}  // namespace

void forward_loads(const Module& module, const OpenVariables& open, FunctionId id,
                   Function& function) {
  const MemoryFacts facts(module, open, id, function);
  const auto predecessors = predecessors_of(function);
  std::vector<std::optional<Memory>> after(function.blocks.size());
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const Memory before = b == 0 ? Memory{} : known_by_all(predecessors[b], after);
    after[b] = Forwarding(facts, before).run(function.blocks[b]);
  }
}

}  // namespace tessera::csl::codegen
