#include <algorithm>
#include <map>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

using Homes = std::map<VariableId, RegisterId>;

/// Whether operand `i` only says where a load or store of the whole variable goes.
bool is_plain_access(const Instruction& in, std::size_t i, const Variable& variable) {
  const bool is_access = in.op == Op::kLoad || in.op == Op::kStore;
  return is_access && i == 0 && in.operands[0].offset + in.offset == 0 &&
         bytes_of(in.type) == bytes_of(variable.type);
}

Homes candidates(const Module& module, FunctionId id, Function& function) {
  Homes homes;
  std::vector<VariableId> refused;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        if (!in.operands[i].is_address()) continue;
        const VariableId v = in.operands[i].number;
        const Variable& variable = module.variables[v];
        if (variable.owner != id) continue;
        if (variable.count != 1 || !is_plain_access(in, i, variable)) {
          refused.push_back(v);
        } else if (homes.count(v) == 0) {
          homes[v] = function.new_register(variable.type);
        }
      }
    }
  }
  for (const VariableId v : refused) homes.erase(v);
  return homes;
}

Function promoted(const Function& function, const Homes& homes) {
  Function result = function;
  for (Block& block : result.blocks) {
    for (Instruction& in : block.code) {
      if ((in.op != Op::kLoad && in.op != Op::kStore) || !in.operands[0].is_address()) continue;
      const auto home = homes.find(in.operands[0].number);
      if (home == homes.end()) continue;
      const Type type = result.registers[home->second];
      if (in.op == Op::kLoad) {
        in.operands = {reg(type, home->second)};
      } else {
        in.operands.erase(in.operands.begin());
        in.results = {home->second};
        in.type = type;
      }
      in.op = Op::kCopy;
      in.offset = 0;
    }
  }
  return result;
}

/// Targets of edges that close a loop, found by a walk in depth.
class LoopHeaders {
 public:
  explicit LoopHeaders(const Function& function)
      : function_(function), state_(function.blocks.size()) {
    walk(0);
  }
  std::vector<BlockId> found;

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  void walk(BlockId b) {
    state_[b] = State::kOpen;
    const Instruction& last = function_.blocks[b].last();
    for (unsigned i = 0; i < last.target_count(); ++i) {
      const BlockId next = last.targets[i];
      if (state_[next] == State::kOpen) found.push_back(next);
      if (state_[next] == State::kNew) walk(next);
    }
    state_[b] = State::kDone;
  }
  const Function& function_;
  std::vector<State> state_;
};

}  // namespace

void promote_locals(const Module& module, FunctionId id, Function& function, Locals where) {
  Homes homes = candidates(module, id, function);
  if (homes.empty()) return;
  const Function all = promoted(function, homes);
  const Liveness live = liveness_of(all);
  std::vector<BlockId> stops = {0};
  if (where == Locals::kMemory) {
    const LoopHeaders headers(all);
    stops.insert(stops.end(), headers.found.begin(), headers.found.end());
  }
  for (auto home = homes.begin(); home != homes.end();) {
    const bool stays = std::any_of(stops.begin(), stops.end(),
                                   [&](BlockId b) { return live.in[b][home->second]; });
    home = stays ? homes.erase(home) : std::next(home);
  }
  function = promoted(function, homes);
}

}  // namespace tessera::csl::codegen
