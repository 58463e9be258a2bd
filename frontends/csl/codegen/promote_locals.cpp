#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// A scalar, or an element or field of an aggregate.
struct Piece {
  VariableId variable = 0;
  std::int32_t offset = 0;
  unsigned bytes = 0;
  bool operator<(const Piece& other) const {
    return std::tie(variable, offset, bytes) < std::tie(other.variable, other.offset, other.bytes);
  }
};
using Homes = std::map<Piece, RegisterId>;

/// Pieces of an aggregate that may live in registers of their own.
constexpr std::size_t kMostPieces = 16;

bool is_access(const Instruction& in) {
  return in.op == Op::kLoad || in.op == Op::kStore;
}
Piece piece_of(const Instruction& in) {
  const Value& address = in.operands[0];
  return {address.number, address.offset + in.offset, bytes_of(in.type)};
}

/// Whether pieces of one variable overlap, or are too many.
bool are_unfit(const std::vector<Piece>& pieces) {
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].offset < pieces[i - 1].offset + static_cast<std::int32_t>(pieces[i - 1].bytes))
      return true;
  }
  return pieces.size() > kMostPieces;
}

Homes candidates(const Module& module, FunctionId id, Function& function, Locals where) {
  Homes homes;
  std::set<VariableId> refused;
  for (const Descriptor& d : module.descriptors) {
    if (d.array) refused.insert(*d.array);
  }
  for (const Fifo& f : module.fifos) refused.insert(f.array);
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        if (!in.operands[i].is_address()) continue;
        const Variable& variable = module.variables[in.operands[i].number];
        if (variable.owner != id) continue;
        const Piece piece = i == 0 && is_access(in) ? piece_of(in) : Piece{};
        const bool is_inside =
            piece.bytes != 0 && piece.offset >= 0 && piece.offset + piece.bytes <= variable.bytes();
        if (!is_inside || (where == Locals::kMemory && variable.count != 1)) {
          refused.insert(in.operands[i].number);
        } else if (homes.count(piece) == 0) {
          const bool is_element = piece.bytes == bytes_of(variable.type);
          homes[piece] = function.new_register(is_element ? variable.type : in.type);
          if (variable.count == 1) function.set_local(homes[piece], variable.local);
        }
      }
    }
  }
  std::map<VariableId, std::vector<Piece>> pieces;
  for (const auto& [piece, home] : homes) pieces[piece.variable].push_back(piece);
  for (const auto& [v, of] : pieces) {
    if (are_unfit(of)) refused.insert(v);
  }
  for (auto home = homes.begin(); home != homes.end();)
    home = refused.count(home->first.variable) != 0 ? homes.erase(home) : std::next(home);
  return homes;
}

Function promoted(const Function& function, const Homes& homes) {
  Function result = function;
  for (Block& block : result.blocks) {
    for (Instruction& in : block.code) {
      if (!is_access(in) || !in.operands[0].is_address()) continue;
      const auto home = homes.find(piece_of(in));
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
  // With a list of its own instead of calls inside each other: a function may have thousands of blocks.
  void walk(BlockId first) {
    std::vector<std::pair<BlockId, unsigned>> path = {{first, 0}};
    state_[first] = State::kOpen;
    while (!path.empty()) {
      auto& [b, i] = path.back();
      const Instruction& last = function_.blocks[b].last();
      if (i == last.target_count()) {
        state_[b] = State::kDone;
        path.pop_back();
        continue;
      }
      const BlockId next = last.targets[i++];
      if (state_[next] == State::kOpen) found.push_back(next);
      if (state_[next] != State::kNew) continue;
      state_[next] = State::kOpen;
      path.emplace_back(next, 0);
    }
  }
  const Function& function_;
  std::vector<State> state_;
};

}  // namespace

void promote_locals(const Module& module, FunctionId id, Function& function, Locals where) {
  Homes homes = candidates(module, id, function, where);
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
