#include <algorithm>
#include <map>

#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/builder.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Instructions of a function that takes less memory in place of a call than the call with its
/// arguments, link register and return would take time.
constexpr std::size_t kSmall = 8;
/// The same for the vendor's code: the middle end of its tool chain takes calls of up to some 45 simple
/// instructions into their callers.
constexpr std::size_t kVendorSmall = 45;

std::size_t size_of(const Function& function) {
  std::size_t size = 0;
  for (const Block& block : function.blocks) size += block.code.size();
  return size;
}

class Inliner {
 public:
  Inliner(Module& module, Style style) : module_(module), style_(style) {}

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
    for (const FunctionId f : functions) is_recursive_[f] = reaches_itself(f);
    for (auto f = functions.rbegin(); f != functions.rend(); ++f) {
      expand_calls(*f);
      if (style_ != Style::kPlain) shrink(*f);
    }
  }

 private:
  /// The names of locals in a copy of their function.
  using SourceLocals = std::map<const SourceLocal*, SourceLocalRef>;
  /// The call that a copy of a function takes the place of, and whether there may be other copies.
  struct Inlined {
    std::uint32_t number = 0;
    bool is_copy = false;
  };

  bool reaches_itself(FunctionId f) const {
    std::vector<FunctionId> open = callees_of(module_.functions[f]);
    std::vector<bool> is_seen(module_.functions.size());
    while (!open.empty()) {
      const FunctionId next = open.back();
      open.pop_back();
      if (next == f) return true;
      if (is_seen[next]) continue;
      is_seen[next] = true;
      for (const FunctionId callee : callees_of(module_.functions[next])) open.push_back(callee);
    }
    return false;
  }

  bool is_called_once(FunctionId f) const {
    return !module_.functions[f].exported && calls_.at(f) == 1;
  }
  bool is_expanded(FunctionId callee) const {
    const Function& f = module_.functions[callee];
    if (f.never_inlined || is_recursive_.at(callee)) return false;
    if (is_called_once(callee)) return true;
    if (style_ == Style::kPlain)
      return size_of(f) <= kSmall && !has_call(f) && locals_.count(callee) == 0;
    return size_of(f) <= kVendorSmall;
  }

  /// What the function is without its locals in memory, so that its size says what a copy costs.
  void shrink(FunctionId id) {
    Function& f = module_.functions[id];
    thread_jumps(f);
    promote_locals(module_, id, f, Locals::kRegisters);
    coalesce_copies(f);
    propagate_copies(f);
    fuse_compares(f);
    remove_dead_code(f);
  }

  void expand_calls(FunctionId f) {
    for (BlockId b = 0; b < module_.functions[f].blocks.size(); ++b) {
      const std::vector<Instruction>& code = module_.functions[f].blocks[b].code;
      const auto call = std::find_if(code.begin(), code.end(), [this, f](const Instruction& in) {
        return in.op == Op::kCall && in.number != f && is_expanded(in.number);
      });
      if (call != code.end()) expand(f, b, static_cast<std::size_t>(call - code.begin()));
    }
  }

  /// The rest of the block becomes a block of its own, which the copied body goes on to.
  void expand(FunctionId caller, BlockId b, std::size_t position) {
    Function callee = module_.functions[module_.functions[caller].blocks[b].code[position].number];
    Function& f = module_.functions[caller];
    const Instruction call = f.blocks[b].code[position];
    const Inlined inlined = {add_inlined(f, callee, call), !is_called_once(call.number)};
    SourceLocals named;
    if (is_called_once(call.number))
      adopt_locals(call.number, caller, named, inlined);
    else
      copy_locals(callee, call.number, caller, named, inlined);
    const auto first = static_cast<RegisterId>(f.registers.size());
    f.registers.insert(f.registers.end(), callee.registers.begin(), callee.registers.end());
    for (RegisterId r = 0; r < callee.locals.size(); ++r)
      f.set_local(first + r, copied(named, callee.locals[r], inlined));
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
      f.blocks[body + n] = moved(callee.blocks[n], first, body, rest, call, inlined);
  }

  /// The call that is expanded, and after it those that were expanded in the callee. Its number, as places have it.
  static std::uint32_t add_inlined(Function& caller, const Function& callee,
                                   const Instruction& call) {
    caller.inlined.push_back({callee.name, call.place});
    const auto number = static_cast<std::uint32_t>(caller.inlined.size());
    for (InlinedCall inside : callee.inlined) {
      inside.call = placed(inside.call, number);
      caller.inlined.push_back(std::move(inside));
    }
    return number;
  }
  static Place placed(Place place, std::uint32_t number) {
    place.inlined += number;
    return place;
  }

  void adopt_locals(FunctionId from, FunctionId to, SourceLocals& named, const Inlined& inlined) {
    for (Variable& v : module_.variables) {
      if (v.owner != from) continue;
      v.owner = to;
      v.local = copied(named, v.local, inlined);
    }
    locals_[to] += locals_[from];
    if (locals_[to] == 0) locals_.erase(to);
  }

  /// `callee`, a copy of `from`, gets locals of its own, which belong to the caller, and descriptors of
  /// them.
  void copy_locals(Function& callee, FunctionId from, FunctionId to, SourceLocals& named,
                   const Inlined& inlined) {
    std::map<VariableId, VariableId> copies;
    std::map<std::int32_t, std::int32_t> descriptors;
    for (Block& block : callee.blocks) {
      for (Instruction& in : block.code) {
        for (Value& v : in.operands) {
          if (v.is_address()) v.number = copied_local(copies, v.number, from, to, named, inlined);
        }
        if (in.machine == nullptr) continue;
        Machine machine = *in.machine;
        for (Machine::Field& field : machine.fields) {
          if (field.slot != Machine::Slot::kFixed || field.fixed.kind != pe::kDsd) continue;
          std::int32_t& id = field.fixed.value;
          const std::optional<VariableId> array =
              module_.descriptors[static_cast<std::size_t>(id)].array;
          if (!array || module_.variables[*array].owner != from) continue;
          const auto [copy, is_new] = descriptors.try_emplace(id, module_.descriptors.size());
          if (is_new) {
            Descriptor descriptor = module_.descriptors[static_cast<std::size_t>(id)];
            descriptor.array = copied_local(copies, *array, from, to, named, inlined);
            module_.descriptors.push_back(std::move(descriptor));
          }
          id = copy->second;
          in.machine = std::make_shared<const Machine>(machine);
        }
      }
    }
  }

  /// The name of a local in a copy of its function.
  static SourceLocalRef copied(SourceLocals& named, const SourceLocalRef& local,
                               const Inlined& inlined) {
    if (local == nullptr) return nullptr;
    SourceLocalRef& copy = named[local.get()];
    if (copy == nullptr) {
      auto made = std::make_shared<SourceLocal>(*local);
      made->is_copied = local->is_copied || inlined.is_copy;
      made->place = placed(local->place, inlined.number);
      copy = std::move(made);
    }
    return copy;
  }

  VariableId copied_local(std::map<VariableId, VariableId>& copies, VariableId v, FunctionId from,
                          FunctionId to, SourceLocals& named, const Inlined& inlined) {
    if (module_.variables[v].owner != from) return v;
    const auto [copy, is_new] = copies.try_emplace(v, 0);
    if (is_new) {
      Variable variable = module_.variables[v];
      variable.owner = to;
      variable.local = copied(named, variable.local, inlined);
      copy->second = add_variable(module_, std::move(variable));
      ++locals_[to];
    }
    return copy->second;
  }

  /// Blocks are inserted after `b`.
  static void renumber_targets(Function& f, BlockId b, BlockId count) {
    for (Block& block : f.blocks) {
      for (unsigned i = 0; i < block.last().target_count(); ++i) {
        BlockId& target = block.last().targets[i];
        if (target > b) target += count;
      }
    }
  }

  static Block moved(const Block& block, RegisterId first, BlockId body, BlockId rest,
                     const Instruction& call, const Inlined& inlined) {
    Block result;
    for (Instruction in : block.code) {
      in.place = placed(in.place, inlined.number);
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
  const Style style_;
  std::map<FunctionId, unsigned> calls_;
  std::map<FunctionId, unsigned> locals_;
  std::map<FunctionId, bool> is_recursive_;  ///< a copy of its body would have the call again
};

}  // namespace

void inline_calls(Module& module, Style style) {
  Inliner(module, style).run();
}

}  // namespace tessera::csl::codegen
