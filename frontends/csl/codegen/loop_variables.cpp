#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Variables that a loop may keep in registers.
constexpr std::size_t kMostVariables = 3;

/// All accesses of a loop to a variable go to one place in it.
struct Use {
  std::int32_t offset = 0;
  Type type = Type::kI16;
  bool is_stored = false;
  bool is_one_place = true;
};

Instruction access(Op op, const Use& use, VariableId v, RegisterId r, Place place) {
  Instruction in;
  in.op = op;
  in.type = use.type;
  in.operands = {address_of(v, use.offset)};
  if (op == Op::kLoad) in.results = {r};
  if (op == Op::kStore) in.operands.push_back(reg(use.type, r));
  in.place = place;
  return in;
}

class LoopVariables {
 public:
  LoopVariables(const Module& module, const MemoryFacts& facts, Function& function)
      : module_(module), facts_(facts), f_(function) {}

  /// Variables of `loop` live in registers while it runs. Whether there were some.
  bool run(const Loop& loop) {
    if (loop.header == 0) return false;
    find_uses(loop);
    std::map<VariableId, RegisterId> homes;
    for (const auto& [v, use] : uses_) {
      if (!use.is_one_place || !use.is_stored || homes.size() == kMostVariables) continue;
      homes[v] = f_.new_register(use.type);
      f_.set_local(homes[v], name_of(v, use));
    }
    if (homes.empty()) return false;
    rewrite(loop, homes);
    add_stores(loop, homes);
    add_loads(loop, homes);
    return true;
  }

 private:
  /// What debuggers call the register.
  SourceLocalRef name_of(VariableId v, const Use& use) const {
    const Variable& variable = module_.variables[v];
    if (variable.owner) return variable.count == 1 ? variable.local : nullptr;
    const auto offset = static_cast<std::uint32_t>(use.offset);
    for (const SourceLocalRef& known : f_.locals) {  // of another loop
      if (known != nullptr && known->global == v && known->offset == offset) return known;
    }
    auto kept = std::make_shared<SourceLocal>();
    kept->name = variable.name;
    kept->place = variable.place;
    kept->global = v;
    kept->offset = offset;
    return kept;
  }

  void find_uses(const Loop& loop) {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (const Instruction& in : f_.blocks[b].code) {
        if (in.op == Op::kCall) calls_ = true;
        for (std::size_t i = 0; i < in.operands.size(); ++i) look_at(in, i);
      }
    }
    if (calls_) uses_.clear();  // the callee may read them
  }

  void look_at(const Instruction& in, std::size_t i) {
    const Value& v = in.operands[i];
    const bool is_access = (in.op == Op::kLoad || in.op == Op::kStore) && i == 0;
    if (is_access && !v.is_address()) {
      // An element of an array may be the place.
      if (const auto variable = facts_.access_of(in).variable)
        uses_[*variable].is_one_place = false;
      return;
    }
    if (!v.is_address()) return;
    const auto [use, is_new] = uses_.try_emplace(v.number);
    const Use now{v.offset + in.offset, in.type, false, true};
    if (is_new && is_access) use->second = now;
    Use& found = use->second;
    found.is_stored = found.is_stored || in.op == Op::kStore;
    found.is_one_place = found.is_one_place && is_access && found.offset == now.offset &&
                         found.type == now.type && !facts_.is_open(v.number) &&
                         is_inside(v.number, now);
  }
  bool is_inside(VariableId v, const Use& use) const {
    return use.offset >= 0 && static_cast<std::uint32_t>(use.offset) + bytes_of(use.type) <=
                                  module_.variables[v].bytes();
  }

  void rewrite(const Loop& loop, const std::map<VariableId, RegisterId>& homes) {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (Instruction& in : f_.blocks[b].code) {
        if ((in.op != Op::kLoad && in.op != Op::kStore) || !in.operands[0].is_address()) continue;
        const auto home = homes.find(in.operands[0].number);
        if (home == homes.end()) continue;
        if (in.op == Op::kLoad) {
          in.operands = {reg(in.type, home->second)};
        } else {
          in.operands.erase(in.operands.begin());
          in.results = {home->second};
        }
        in.op = Op::kCopy;
        in.offset = 0;
      }
    }
  }

  /// A block with the stores on every way out.
  void add_stores(const Loop& loop, const std::map<VariableId, RegisterId>& homes) {
    BlockId end = 0;  // after the loop, so that it falls into the first of the blocks
    for (BlockId b = 0; b < loop.inside.size(); ++b) end = loop.inside[b] ? b + 1 : end;
    const auto is_inside = [&](BlockId b) { return b < loop.inside.size() && loop.inside[b]; };
    std::map<BlockId, BlockId> made;
    for (BlockId b = 0; b < loop.inside.size(); ++b) {
      if (!is_inside(b)) continue;
      for (unsigned t = 0; t < f_.blocks[b].last().target_count(); ++t) {
        BlockId target = f_.blocks[b].last().targets[t];
        if (is_inside(target)) continue;
        if (made.count(target) == 0) {
          insert_blocks(f_, end, 1);
          std::map<BlockId, BlockId> moved;
          for (const auto& [old, store] : made) moved[old >= end ? old + 1 : old] = store + 1;
          made = std::move(moved);
          target = f_.blocks[b].last().targets[t];
          made[target] = end;
          Block block;
          const Place place = f_.blocks[b].last().place;
          for (const auto& [v, r] : homes)
            block.code.push_back(access(Op::kStore, uses_.at(v), v, r, place));
          Instruction jump;
          jump.op = Op::kJump;
          jump.targets[0] = target;
          jump.place = place;
          block.code.push_back(jump);
          f_.blocks[end] = std::move(block);
        }
        f_.blocks[b].last().targets[t] = made[target];
      }
    }
  }

  void add_loads(const Loop& loop, const std::map<VariableId, RegisterId>& homes) {
    Loop grown = loop;  // the new blocks stand after all of its own
    grown.inside.resize(f_.blocks.size());
    std::vector<Instruction>& code = f_.blocks[preheader_of(f_, grown)].code;
    for (const auto& [v, r] : homes)
      code.insert(code.end() - 1, access(Op::kLoad, uses_.at(v), v, r, code.back().place));
  }

  const Module& module_;
  const MemoryFacts& facts_;
  Function& f_;
  std::map<VariableId, Use> uses_;
  bool calls_ = false;
};

}  // namespace

void keep_loop_variables(const Module& module, const OpenVariables& open, FunctionId id,
                         Function& function) {
  for (bool again = true; again;) {
    again = false;
    const MemoryFacts facts(module, open, id, function);
    std::vector<Loop> loops = loops_of(function, Dominators(function));
    // The outermost first: what it keeps, the loops inside find in a register.
    for (auto loop = loops.rbegin(); loop != loops.rend() && !again; ++loop)
      again = LoopVariables(module, facts, function).run(*loop);
  }
}

}  // namespace tessera::csl::codegen
