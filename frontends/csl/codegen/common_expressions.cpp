#include <algorithm>
#include <map>
#include <tuple>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// What an instruction computes.
struct Key {
  Op op = Op::kTrap;
  Type type = Type::kI16;
  Condition condition = Condition::kEq;
  std::uint32_t number = 0;
  std::int32_t offset = 0;
  ShortList<Value, 3> operands;

  friend bool operator<(const Key& a, const Key& b) {
    const auto head = [](const Key& k) {
      return std::make_tuple(k.op, k.type, k.condition, k.number, k.offset);
    };
    if (head(a) != head(b)) return head(a) < head(b);
    return std::lexicographical_compare(a.operands.begin(), a.operands.end(), b.operands.begin(),
                                        b.operands.end(), [](const Value& x, const Value& y) {
                                          return std::tie(x.number, x.offset, x.kind, x.type) <
                                                 std::tie(y.number, y.offset, y.kind, y.type);
                                        });
  }
};

Key key_of(const Instruction& in) {
  return {in.op, in.type, in.condition, in.number, in.offset, in.operands};
}

/// What is worth a register to be computed once. A copy of a constant is not, and the quotient by a
/// register may stop the run.
bool is_shared(const Instruction& in) {
  if (in.has_effect() || in.results.size() != 1) return false;
  return in.op != Op::kCopy && in.op != Op::kLoad;
}

/// A walk over the tree of dominators: what a block has computed, the blocks under it have too.
class Sharing {
 public:
  explicit Sharing(Function& function)
      : f_(function), counts_(definition_counts(function)), dominators_(function),
        children_(function.blocks.size()), predecessors_(predecessors_of(function)) {
    for (BlockId b = 1; b < function.blocks.size(); ++b)
      children_[dominators_.parent(b)].push_back(b);
  }

  /// The tree may be as deep as the function has blocks, so the way down to a block is not on the stack.
  void run() {
    std::vector<OnTheWay> way;
    way.push_back(entered(0, {}));
    while (!way.empty()) {
      OnTheWay& last = way.back();
      if (last.next == children_[last.block].size()) {
        for (const Key& key : last.added) known_.erase(key);
        way.pop_back();
        continue;
      }
      const BlockId child = children_[last.block][last.next++];
      way.push_back(entered(child, left_for(child, last)));
    }
  }

 private:
  using Table = std::map<Key, RegisterId>;

  struct OnTheWay {
    BlockId block = 0;
    Table here;  ///< what holds at the end of the block, of operands that have several values
    std::vector<Key> added;  ///< what the block has put into known_
    std::size_t next = 0;    ///< of its children
  };

  bool is_single(const Value& v) const { return !v.is_register() || counts_[v.number] == 1; }

  /// `here`: what holds at the start of the block.
  OnTheWay entered(BlockId b, Table here) {
    OnTheWay on_the_way{b, std::move(here), {}, 0};
    for (Instruction& in : f_.blocks[b].code) {
      visit(in, on_the_way.here, on_the_way.added);
      forget(in, on_the_way.here);
    }
    return on_the_way;
  }

  Table left_for(BlockId child, const OnTheWay& from) const {
    Table there;
    for (const auto& [key, r] : from.here) {
      if (key.op != Op::kCompare) there.emplace(key, r);
    }
    for (const BlockId between : blocks_between(from.block, child)) {
      for (const Instruction& in : f_.blocks[between].code) forget(in, there);
    }
    return there;
  }

  /// Blocks on ways from `b`, which dominates `child`, to the start of `child`.
  std::vector<BlockId> blocks_between(BlockId b, BlockId child) const {
    std::vector<bool> is_seen(f_.blocks.size());
    std::vector<BlockId> found, open = {child};
    while (!open.empty()) {
      const BlockId next = open.back();
      open.pop_back();
      for (const BlockId p : predecessors_[next]) {
        if (p == b || is_seen[p]) continue;
        is_seen[p] = true;
        found.push_back(p);
        open.push_back(p);
      }
    }
    return found;
  }

  void visit(Instruction& in, std::map<Key, RegisterId>& here, std::vector<Key>& added) {
    if (!is_shared(in) || counts_[in.results[0]] != 1) return;
    bool lasts = in.op != Op::kCompare;  // which stays beside what reads the flag
    for (const Value& v : in.operands) lasts = lasts && is_single(v);
    const Key key = key_of(in);
    const std::map<Key, RegisterId>& table = lasts ? known_ : here;
    const auto same = table.find(key);
    if (same != table.end()) {
      const Type type = f_.registers[in.results[0]];
      if (f_.registers[same->second] != type) return;
      Instruction copy;
      copy.op = Op::kCopy;
      copy.type = type;
      copy.results = in.results;
      copy.operands = {reg(type, same->second)};
      copy.place = in.place;
      in = std::move(copy);
      return;
    }
    if (lasts) {
      known_[key] = in.results[0];
      added.push_back(key);
    } else {
      here[key] = in.results[0];
    }
  }

  static void forget(const Instruction& in, std::map<Key, RegisterId>& here) {
    for (const RegisterId r : in.results) {
      for (auto k = here.begin(); k != here.end();) {
        const auto& operands = k->first.operands;
        const bool reads = std::any_of(operands.begin(), operands.end(), [r](const Value& v) {
          return v.is_register() && v.number == r;
        });
        k = reads ? here.erase(k) : std::next(k);
      }
    }
  }

  Function& f_;
  const std::vector<unsigned> counts_;
  const Dominators dominators_;
  std::vector<std::vector<BlockId>> children_;
  const Predecessors predecessors_;
  std::map<Key, RegisterId> known_;
};

}  // namespace

void share_expressions(Function& function) {
  remove_unreachable(function);
  Sharing(function).run();
}

}  // namespace tessera::csl::codegen
