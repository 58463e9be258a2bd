#include <algorithm>
#include <map>
#include <set>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Instructions of both arms that are cheaper than a jump over them (3 cycles, 6 if taken).
constexpr unsigned kMostInArm = 8;
constexpr unsigned kMostInArms = 10;
/// Of an arm that others reach too, and which is copied.
constexpr std::size_t kMostCopied = 2;

/// What an arm does, in registers of its own.
struct Arm {
  std::vector<Instruction> code;
  std::map<RegisterId, Value> values;  ///< of the registers that it assigns
  std::optional<Instruction> store;
  unsigned cost = 0;
};

class IfConversion {
 public:
  IfConversion(const Module& module, const OpenVariables& open, FunctionId id, Function& function)
      : module_(module), f_(function), facts_(module, open, id, function) {}

  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      const auto predecessors = predecessors_of(f_);
      // From the end: what is inside comes first.
      for (BlockId b = static_cast<BlockId>(f_.blocks.size()); b-- > 0 && !changed;)
        changed = convert(b, predecessors);
      if (changed) thread_jumps(f_);
    }
  }

 private:
  bool convert(BlockId b, const Predecessors& predecessors) {
    const Instruction branch = f_.blocks[b].last();
    if (branch.op != Op::kBranch || branch.targets[0] == branch.targets[1]) return false;
    const std::optional<BlockId> join = join_of(branch, b);
    if (!join) return false;
    std::optional<Arm> yes = arm(branch.targets[0], *join, predecessors);
    std::optional<Arm> no = arm(branch.targets[1], *join, predecessors);
    if (!yes || !no || yes->cost + no->cost > kMostInArms) return false;
    if (!stores_agree(*yes, *no, f_.blocks[b])) return false;
    replace(b, branch, *join, std::move(*yes), std::move(*no));
    return true;
  }

  /// Where both ways from the branch in `b` meet.
  std::optional<BlockId> join_of(const Instruction& branch, BlockId b) const {
    const BlockId yes = branch.targets[0], no = branch.targets[1];
    const auto after = [this](BlockId x) -> std::optional<BlockId> {
      const Instruction& last = f_.blocks[x].last();
      if (last.op != Op::kJump) return std::nullopt;
      return last.targets[0];
    };
    if (yes == b || no == b) return std::nullopt;
    if (after(yes) == no) return no;
    if (after(no) == yes) return yes;
    if (after(yes) && after(yes) == after(no) && after(yes) != b) return after(yes);
    return std::nullopt;
  }

  /// The arm that begins at `begin`; without code if that is `join`. None if it may not run always.
  std::optional<Arm> arm(BlockId begin, BlockId join, const Predecessors& predecessors) {
    Arm made;
    if (begin == join) return made;
    const std::vector<Instruction>& code = f_.blocks[begin].code;
    if (predecessors[begin].size() != 1 && code.size() > kMostCopied + 1) return std::nullopt;
    std::map<RegisterId, RegisterId> names;
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
      // Copies behind the store, as those of merge_loads, read no memory.
      if ((made.store && code[i].op != Op::kCopy) || !may_run_always(code[i])) return std::nullopt;
      Instruction in = code[i];
      for (Value& v : in.operands) {
        const auto name = names.find(v.number);
        if (v.is_register() && name != names.end()) v.number = name->second;
      }
      if (in.op == Op::kStore) {
        made.store = in;
        ++made.cost;
        continue;
      }
      for (RegisterId& r : in.results) {
        const RegisterId own = f_.new_register(f_.registers[r]);
        names[r] = own;
        made.values[r] = reg(f_.registers[own], own);
        r = own;
      }
      made.cost += cost_of(in);
      made.code.push_back(std::move(in));
    }
    if (made.cost > kMostInArm) return std::nullopt;
    return made;
  }

  /// Choices that were made of jumps count nothing: they are fewer than the jumps were.
  static unsigned cost_of(const Instruction& in) {
    if (in.op == Op::kCompare || in.op == Op::kSelect) return 0;
    if (in.op == Op::kCopy && in.operands[0].is_constant()) return 0;
    return is_wide(in.type) ? 2 : 1;
  }

  bool may_run_always(const Instruction& in) const {
    switch (in.op) {
    case Op::kStore:
      return true;
    case Op::kLoad:
      return is_inside(in);
    case Op::kDiv:
    case Op::kRem:
      return false;  // slow, and a division by zero stops the run
    default:
      return !in.has_effect();
    }
  }

  /// Whether the memory exists, whatever the values are.
  bool is_inside(const Instruction& access) const {
    const Access a = facts_.access_of(access);
    if (!a.is_plain() || a.offset < 0) return false;
    return static_cast<std::uint32_t>(a.offset) + a.bytes <= module_.variables[*a.variable].bytes();
  }

  /// Whether the stores of the arms can become one that is made always.
  bool stores_agree(const Arm& yes, const Arm& no, const Block& in_front) const {
    if (!yes.store && !no.store) return true;
    if (yes.store && no.store) {
      const Instruction &a = *yes.store, &b = *no.store;
      if (a.type != b.type || !facts_.access_of(a).same_place(facts_.access_of(b))) return false;
      const auto is_own = [](const Arm& arm, const Value& v) {
        return v.is_register() && std::any_of(arm.values.begin(), arm.values.end(),
                                              [&](auto& x) { return x.second.number == v.number; });
      };
      return !is_own(yes, a.operands[0]) && !is_own(no, b.operands[0]);
    }
    // The other way stores what is there. LLVM does that where the block has stored there just before; that a count is one too is assumed.
    // Nobody else may write it at the same time.
    const Arm& arm = yes.store ? yes : no;
    const Access to = facts_.access_of(*arm.store);
    if (!to.variable || facts_.is_open(*to.variable)) return false;
    return stores_last(in_front, to) || (is_inside(*arm.store) && reads(arm, to));
  }

  /// Whether the arm loads what it stores, as `count += 1` does.
  bool reads(const Arm& arm, const Access& place) const {
    return std::any_of(arm.code.begin(), arm.code.end(), [&](const Instruction& in) {
      return in.op == Op::kLoad && facts_.access_of(in).same_place(place);
    });
  }

  /// Whether the last store of the block, not far from its end, is to `place`.
  bool stores_last(const Block& block, const Access& place) const {
    constexpr unsigned kMostSteps = 9;  // as LLVM looks back
    unsigned steps = 0;
    for (auto in = block.code.rbegin() + 1; in != block.code.rend() && ++steps <= kMostSteps;
         ++in) {
      const auto is_base = [&](RegisterId r) {
        return place.base.is_register() && place.base.number == r;
      };
      if (std::any_of(in->results.begin(), in->results.end(), is_base)) return false;
      if (in->op == Op::kStore) return facts_.access_of(*in).same_place(place);
      if (in->has_effect()) return false;
    }
    return false;
  }

  /// 1 where the branch goes to its first target.
  Value condition_of(const Instruction& branch, std::vector<Instruction>& code) {
    const RegisterId r = f_.new_register(Type::kBool);
    Instruction compare = branch;
    compare.op = Op::kCompare;
    compare.results = {r};
    compare.targets = {};
    code.push_back(std::move(compare));
    return reg(Type::kBool, r);
  }

  Value stored(const Arm& arm, const Instruction& like, std::vector<Instruction>& code) {
    if (arm.store) return arm.store->operands[1];
    Instruction load = like;
    load.op = Op::kLoad;
    load.operands = {like.operands[0]};
    load.results = {f_.new_register(like.type)};
    code.push_back(load);
    return reg(like.type, load.results[0]);
  }

  static Instruction select(RegisterId to, Type type, const Value& condition, const Value& yes,
                            const Value& no, Place place) {
    Instruction in;
    in.op = yes == no ? Op::kCopy : Op::kSelect;
    in.type = type;
    in.results = {to};
    in.operands = yes == no ? std::vector<Value>{yes} : std::vector<Value>{condition, yes, no};
    in.place = place;
    return in;
  }

  /// Registers that an arm assigns and that are read after it.
  std::set<RegisterId> assigned_by(const Arm& yes, const Arm& no, BlockId join) const {
    std::set<RegisterId> assigned;
    for (const Arm* arm : {&yes, &no}) {
      for (const auto& [r, value] : arm->values) {
        if (is_live_in(f_, join, r)) assigned.insert(r);
      }
    }
    return assigned;
  }

  void replace(BlockId b, const Instruction& branch, BlockId join, Arm yes, Arm no) {
    const std::set<RegisterId> assigned = assigned_by(yes, no, join);
    std::vector<Instruction>& code = f_.blocks[b].code;
    code.pop_back();
    const Value condition = condition_of(branch, code);
    for (Arm* arm : {&yes, &no}) code.insert(code.end(), arm->code.begin(), arm->code.end());
    std::optional<Instruction> store = yes.store ? yes.store : no.store;
    if (store) {
      const Value a = stored(yes, *store, code), c = stored(no, *store, code);
      const RegisterId r = f_.new_register(store->type);
      code.push_back(select(r, store->type, condition, a, c, branch.place));
      store->operands[1] = reg(store->type, r);
      code.push_back(*store);
    }
    // All selects read what was there before the first of them assigns.
    std::vector<std::pair<RegisterId, RegisterId>> moves;
    const auto value_in = [this](const Arm& arm, RegisterId r) {
      const auto v = arm.values.find(r);
      return v == arm.values.end() ? reg(f_.registers[r], r) : v->second;
    };
    for (const RegisterId r : assigned) {
      const Type type = f_.registers[r];
      const RegisterId made = assigned.size() == 1 ? r : f_.new_register_like(r);
      code.push_back(
          select(made, type, condition, value_in(yes, r), value_in(no, r), branch.place));
      if (made != r) moves.emplace_back(r, made);
    }
    for (const auto& [to, from] : moves) {
      Instruction copy = select(to, f_.registers[to], condition, reg(f_.registers[to], from),
                                reg(f_.registers[to], from), branch.place);
      code.push_back(std::move(copy));
    }
    Instruction jump;
    jump.op = Op::kJump;
    jump.targets[0] = join;
    jump.place = branch.place;
    code.push_back(std::move(jump));
  }

  const Module& module_;
  Function& f_;
  MemoryFacts facts_;
};

}  // namespace

void convert_ifs(const Module& module, const OpenVariables& open, FunctionId id,
                 Function& function) {
  IfConversion(module, open, id, function).run();
}

}  // namespace tessera::csl::codegen
