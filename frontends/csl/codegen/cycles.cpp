#include "frontends/csl/codegen/cycles.h"

#include <algorithm>
#include <set>
#include <string>

#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/messages/messages.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Strongly connected components by Tarjan's algorithm; those of one function count if it calls itself.
class Components {
 public:
  explicit Components(const Module& module)
      : module_(module), number_(module.functions.size(), 0), lowest_(number_.size(), 0),
        is_open_(number_.size(), false) {
    cycles.of.assign(number_.size(), Cycles::kNone);
  }

  Cycles cycles;

  void visit(FunctionId f) {
    if (number_[f] != 0) return;
    number_[f] = lowest_[f] = ++count_;
    open_.push_back(f);
    is_open_[f] = true;
    bool calls_itself = false;
    for (const FunctionId callee : callees_of(module_.functions[f])) {
      calls_itself = calls_itself || callee == f;
      visit(callee);
      if (is_open_[callee]) lowest_[f] = std::min(lowest_[f], lowest_[callee]);
    }
    if (lowest_[f] == number_[f]) close(f, calls_itself);
  }

 private:
  void close(FunctionId f, bool calls_itself) {
    const auto first = std::find(open_.begin(), open_.end(), f);
    std::vector<FunctionId> members(first, open_.end());
    open_.erase(first, open_.end());
    for (const FunctionId m : members) is_open_[m] = false;
    if (members.size() == 1 && !calls_itself) return;
    for (const FunctionId m : members) cycles.of[m] = static_cast<unsigned>(cycles.members.size());
    cycles.members.push_back(std::move(members));
  }

  const Module& module_;
  std::vector<unsigned> number_, lowest_;
  std::vector<bool> is_open_;
  std::vector<FunctionId> open_;
  unsigned count_ = 0;
};

/// What a call may be followed by: copies of its result and jumps, up to the return.
std::optional<Instruction> return_behind(const Function& f, const Block& block,
                                         std::size_t position) {
  const Instruction& call = block.code[position];
  std::optional<RegisterId> result;
  if (!call.results.empty()) result = call.results[0];
  const Block* at = &block;
  std::size_t next = position + 1;
  for (std::size_t jumps = 0; jumps <= f.blocks.size();) {
    const Instruction& in = at->code[next];
    if (in.op == Op::kJump) {
      at = &f.blocks[in.targets[0]];
      next = 0;
      ++jumps;
    } else if (in.op == Op::kCopy && result && in.operands[0].is_register() &&
               in.operands[0].number == *result &&
               f.registers[in.results[0]] == f.registers[*result]) {
      result = in.results[0];
      ++next;
    } else if (in.op == Op::kReturn) {
      const bool fits = in.operands.empty() || (result && in.operands[0].is_register() &&
                                                in.operands[0].number == *result);
      if (!fits) return std::nullopt;
      Instruction made = in;
      if (!made.operands.empty()) made.operands[0].number = call.results[0];
      return made;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Registers that may hold an address in a local of the function.
class LocalPointers {
 public:
  LocalPointers(const Module& module, FunctionId id)
      : module_(module), id_(id), f_(module.functions[id]) {
    for (std::size_t before = ~std::size_t{0}; before != pointers_.size();) {
      before = pointers_.size();
      for (const Block& block : f_.blocks) {
        for (const Instruction& in : block.code) follow(in);
      }
    }
  }

  bool is_pointer(const Value& v) const {
    if (v.is_address()) return module_.variables[v.number].owner == id_;
    return v.is_register() && pointers_.count(v.number) != 0;
  }
  /// A pointer that another call of the function may see.
  const Instruction* escape() const {
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        const bool passes_all = in.op == Op::kCall || in.op == Op::kReturn;
        const bool stores = in.op == Op::kStore && is_pointer(in.operands[1]);
        if (stores || (passes_all && std::any_of(in.operands.begin(), in.operands.end(),
                                                 [this](const Value& v) { return is_pointer(v); })))
          return &in;
      }
    }
    return nullptr;
  }

 private:
  void follow(const Instruction& in) {
    const bool moves_on = in.op == Op::kCopy || in.op == Op::kElement || in.op == Op::kAdd ||
                          in.op == Op::kSub || in.op == Op::kSelect;
    if (!moves_on || in.results.empty()) return;
    for (const Value& v : in.operands) {
      if (is_pointer(v)) pointers_.insert(in.results[0]);
    }
  }

  const Module& module_;
  const FunctionId id_;
  const Function& f_;
  std::set<RegisterId> pointers_;
};

std::string names_of(const Module& module, const std::vector<FunctionId>& members,
                     const std::string& separator) {
  std::string text;
  for (const FunctionId m : members)
    text += (text.empty() ? "" : separator) + module.functions[m].name;
  return text;
}

class AddStack {
 public:
  AddStack(Module& module, Cycles& cycles) : module_(module), cycles_(cycles) {}

  void run() {
    for (unsigned c = 0; c < cycles_.members.size(); ++c) {
      const bool keeps = std::any_of(cycles_.members[c].begin(), cycles_.members[c].end(),
                                     [this](FunctionId f) { return keeps_frame(f); });
      cycles_.overflow.push_back(keeps ? add_overflow(c) : 0);
      if (keeps && !cycles_.stack) add_memory();
    }
  }

 private:
  /// Whether a call of its cycle comes back to the function.
  bool keeps_frame(FunctionId f) const {
    const Function& function = module_.functions[f];
    bool keeps = false;
    for (const Block& block : function.blocks) {
      for (std::size_t i = 0; i < block.code.size(); ++i) {
        const Instruction& in = block.code[i];
        keeps = keeps || (in.op == Op::kCall && cycles_.is_inside(f, in.number) &&
                          !is_tail_call(module_, cycles_, f, block, i));
      }
    }
    if (!keeps) return false;
    if (const Instruction* in = LocalPointers(module_, f).escape()) {
      const std::string file =
          in->place.file < module_.files.size() ? module_.files[in->place.file] : "";
      throw UserError(
          file, std::to_string(in->place.line),
          "the function '" + function.name + "' calls itself (through " +
              names_of(module_, cycles_.members[cycles_.of[f]], ", ") +
              ") and passes on the address of one of its variables, which has another value "
              "in each call; use a variable of the file" +
              tag(Id::kFrames));
    }
    return true;
  }

  FunctionId add_overflow(unsigned cycle) {
    Function made;
    made.name = "too_many_calls_of_" + names_of(module_, cycles_.members[cycle], "_");
    made.place = module_.functions[cycles_.members[cycle].front()].place;
    Instruction trap;
    trap.op = Op::kTrap;
    trap.place = made.place;
    made.blocks.push_back({{trap}});
    module_.functions.push_back(std::move(made));
    cycles_.of.push_back(Cycles::kNone);
    return static_cast<FunctionId>(module_.functions.size() - 1);
  }

  void add_memory() {
    Variable stack;
    stack.name = "stack";
    stack.type = Type::kU16;
    stack.count = kStackBytes / 2;
    stack.align = 4;
    stack.order = ~std::uint64_t{0};
    cycles_.stack = static_cast<VariableId>(module_.variables.size());
    module_.variables.push_back(std::move(stack));
    Variable top;
    top.name = "stack_top";
    top.type = Type::kAddress;
    top.order = ~std::uint64_t{0};
    top.init = {0};
    top.addresses = {{0, *cycles_.stack}};
    cycles_.top = static_cast<VariableId>(module_.variables.size());
    module_.variables.push_back(std::move(top));
  }

  Module& module_;
  Cycles& cycles_;
};

}  // namespace

Cycles find_cycles(Module& module) {
  Components components(module);
  for (const FunctionId f : reachable_functions(module)) components.visit(f);
  Cycles cycles = std::move(components.cycles);
  for (const auto& members : cycles.members) {
    for (const FunctionId f : members) {
      Function& function = module.functions[f];
      for (Block& block : function.blocks) {
        for (std::size_t i = 0; i < block.code.size(); ++i) {
          const Instruction& in = block.code[i];
          if (in.op != Op::kCall || !cycles.is_inside(f, in.number)) continue;
          std::optional<Instruction> end = return_behind(function, block, i);
          if (!end) continue;
          block.code.resize(i + 1);
          block.code.push_back(*std::move(end));
        }
      }
    }
  }
  AddStack(module, cycles).run();
  return cycles;
}

bool is_tail_call(const Module& module, const Cycles& cycles, FunctionId caller, const Block& block,
                  std::size_t position) {
  const Instruction& call = block.code[position];
  if (call.op != Op::kCall || !cycles.is_inside(caller, call.number)) return false;
  if (position + 1 >= block.code.size() || block.code[position + 1].op != Op::kReturn) return false;
  const Instruction& end = block.code[position + 1];
  const bool passes_result =
      end.operands.empty() || (!call.results.empty() && end.operands[0].is_register() &&
                               end.operands[0].number == call.results[0]);
  return passes_result && LocalPointers(module, caller).escape() == nullptr;
}

bool has_plain_call(const Module& module, const Cycles& cycles, FunctionId f,
                    const Function& function) {
  for (const Block& block : function.blocks) {
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      if (block.code[i].op == Op::kCall && !is_tail_call(module, cycles, f, block, i)) return true;
    }
  }
  return false;
}

}  // namespace tessera::csl::codegen
