#include <algorithm>
#include <map>

#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Instructions of a function that takes less memory in place of a call than the call with its
/// arguments, link register and return would take time.
constexpr std::size_t kSmall = 8;

std::size_t size_of(const Function& function) {
  std::size_t size = 0;
  for (const Block& block : function.blocks) size += block.code.size();
  return size;
}

class Inliner {
 public:
  explicit Inliner(Module& module) : module_(module) {}

  void run() {
    const std::vector<FunctionId> functions = reachable_functions(module_);
    for (const FunctionId f : functions) {
      for (const Block& block : module_.functions[f].blocks) {
        for (const Instruction& in : block.code) {
          if (in.op == Op::kCall) ++calls_[in.number];
        }
      }
    }
    for (const Variable& v : module_.variables) {
      if (v.owner) ++locals_[*v.owner];
    }
    for (auto f = functions.rbegin(); f != functions.rend(); ++f) expand_calls(*f);
  }

 private:
  bool is_called_once(FunctionId f) const {
    return !module_.functions[f].exported && calls_.at(f) == 1;
  }
  bool is_expanded(FunctionId callee) const {
    const Function& f = module_.functions[callee];
    if (f.never_inlined) return false;
    return is_called_once(callee) ||
           (size_of(f) <= kSmall && !has_call(f) && locals_.count(callee) == 0);
  }

  void expand_calls(FunctionId f) {
    for (BlockId b = 0; b < module_.functions[f].blocks.size(); ++b) {
      const std::vector<Instruction>& code = module_.functions[f].blocks[b].code;
      const auto call = std::find_if(code.begin(), code.end(), [this](const Instruction& in) {
        return in.op == Op::kCall && is_expanded(in.number);
      });
      if (call != code.end()) expand(f, b, static_cast<std::size_t>(call - code.begin()));
    }
  }

  /// The rest of the block becomes a block of its own, which the copied body goes on to.
  void expand(FunctionId caller, BlockId b, std::size_t position) {
    const Function callee =
        module_.functions[module_.functions[caller].blocks[b].code[position].number];
    Function& f = module_.functions[caller];
    const Instruction call = f.blocks[b].code[position];
    if (is_called_once(call.number)) adopt_locals(call.number, caller);
    const auto first = static_cast<RegisterId>(f.registers.size());
    f.registers.insert(f.registers.end(), callee.registers.begin(), callee.registers.end());
    const auto body = static_cast<BlockId>(b + 1);
    const auto count = static_cast<BlockId>(callee.blocks.size());
    const BlockId rest = body + count;
    renumber_targets(f, b, count + 1);
    f.blocks.insert(f.blocks.begin() + body, count + 1, Block{});
    std::vector<Instruction>& code = f.blocks[b].code;
    f.blocks[rest].code.assign(code.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                               code.end());
    code.resize(position);
    for (std::size_t i = 0; i < call.operands.size(); ++i)
      code.push_back(copy(callee.registers[callee.parameters[i]], first + callee.parameters[i],
                          call.operands[i], call.place));
    code.push_back(jump(body, call.place));
    for (BlockId n = 0; n < count; ++n)
      f.blocks[body + n] = moved(callee.blocks[n], first, body, rest, call);
  }

  void adopt_locals(FunctionId from, FunctionId to) {
    for (Variable& v : module_.variables) {
      if (v.owner == from) v.owner = to;
    }
    locals_[to] += locals_[from];
    if (locals_[to] == 0) locals_.erase(to);
  }

  /// Blocks are inserted behind `b`.
  static void renumber_targets(Function& f, BlockId b, BlockId count) {
    for (Block& block : f.blocks) {
      for (unsigned i = 0; i < block.last().target_count(); ++i) {
        BlockId& target = block.last().targets[i];
        if (target > b) target += count;
      }
    }
  }

  static Block moved(const Block& block, RegisterId first, BlockId body, BlockId rest,
                     const Instruction& call) {
    Block result;
    for (Instruction in : block.code) {
      for (RegisterId& r : in.results) r += first;
      for (Value& v : in.operands) {
        if (v.is_register()) v.number += first;
      }
      for (unsigned i = 0; i < in.target_count(); ++i) in.targets[i] += body;
      if (in.op != Op::kReturn) {
        result.code.push_back(std::move(in));
        continue;
      }
      if (!call.results.empty())
        result.code.push_back(copy(call.type, call.results[0], in.operands[0], in.place));
      result.code.push_back(jump(rest, in.place));
    }
    return result;
  }

  static Instruction copy(Type type, RegisterId to, const Value& from, Place place) {
    Instruction in;
    in.op = Op::kCopy;
    in.type = type;
    in.results = {to};
    in.operands = {from};
    in.place = place;
    return in;
  }
  static Instruction jump(BlockId target, Place place) {
    Instruction in;
    in.op = Op::kJump;
    in.targets[0] = target;
    in.place = place;
    return in;
  }

  Module& module_;
  std::map<FunctionId, unsigned> calls_;
  std::map<FunctionId, unsigned> locals_;
};

}  // namespace

void inline_calls(Module& module) {
  Inliner(module).run();
}

}  // namespace tessera::csl::codegen
