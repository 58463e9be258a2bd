#include "frontends/csl/codegen/frames.h"

#include <algorithm>
#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::uint32_t kLinkBytes = 2;

std::vector<FunctionId> callees_of(const Function& function) {
  std::vector<FunctionId> found;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (in.op == Op::kCall) found.push_back(in.number);
    }
  }
  return found;
}

class CallGraph {
 public:
  explicit CallGraph(const Module& module)
      : module_(module), state_(module.functions.size(), State::kNew) {}

  /// The functions, callees in front of callers.
  std::vector<FunctionId> order;

  void visit(FunctionId f) {
    if (state_[f] == State::kDone) return;
    if (state_[f] == State::kOpen) fail(f);
    state_[f] = State::kOpen;
    path_.push_back(f);
    const std::vector<FunctionId> callees = callees_of(module_.functions[f]);
    // Backwards, so that the functions stand in the order of their first calls in the end.
    for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) visit(*callee);
    path_.pop_back();
    state_[f] = State::kDone;
    order.push_back(f);
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };

  [[noreturn]] void fail(FunctionId f) const {
    std::string circle;
    for (auto p = std::find(path_.begin(), path_.end(), f); p != path_.end(); ++p)
      circle += module_.functions[*p].name + ", which calls ";
    const Place place = module_.functions[f].place;
    const std::string file = place.file < module_.files.size() ? module_.files[place.file] : "";
    throw UserError(file, std::to_string(place.line),
                    "expected functions without recursion, because their locals have fixed "
                    "addresses; found " +
                        circle + module_.functions[f].name);
  }

  const Module& module_;
  std::vector<State> state_;
  std::vector<FunctionId> path_;
};

std::vector<bool> named_variables(const Module& module, const std::vector<FunctionId>& functions) {
  std::vector<bool> named(module.variables.size());
  for (const FunctionId f : functions) {
    for (const Block& block : module.functions[f].blocks) {
      for (const Instruction& in : block.code) {
        for (const Value& v : in.operands) {
          if (v.is_address()) named[v.number] = true;
        }
      }
    }
  }
  for (const Descriptor& d : module.descriptors) {
    if (d.array) named[*d.array] = true;
  }
  return named;
}

std::uint32_t aligned(std::uint32_t offset, std::uint32_t bytes) {
  return (offset + bytes - 1) / bytes * bytes;
}

}  // namespace

bool has_call(const Function& function) {
  return !callees_of(function).empty();
}

std::vector<FunctionId> reachable_functions(const Module& module) {
  CallGraph graph(module);
  std::vector<FunctionId> roots;
  for (const Task& task : module.tasks) roots.push_back(task.function);
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].exported) roots.push_back(f);
  }
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) graph.visit(*root);
  std::reverse(graph.order.begin(), graph.order.end());
  return graph.order;
}

Frames lay_out_frames(const Module& module, const std::vector<FunctionId>& functions) {
  Frames frames;
  frames.variables.resize(module.variables.size());
  frames.links.resize(module.functions.size());
  const std::vector<bool> named = named_variables(module, functions);
  std::vector<std::uint32_t> base(module.functions.size());
  for (const FunctionId f : functions) {
    std::uint32_t end = base[f];
    for (VariableId v = 0; v < module.variables.size(); ++v) {
      const Variable& variable = module.variables[v];
      if (variable.owner != f || !named[v]) continue;
      end = aligned(end, variable.align == 0 ? bytes_of(variable.type) : variable.align);
      frames.variables[v] = end;
      end += variable.bytes();
    }
    const std::vector<FunctionId> callees = callees_of(module.functions[f]);
    if (!callees.empty() && !module.functions[f].is_task) {
      frames.links[f] = end;
      end += kLinkBytes;
    }
    for (const FunctionId callee : callees) base[callee] = std::max(base[callee], end);
    frames.bytes = std::max(frames.bytes, end);
  }
  return frames;
}

}  // namespace tessera::csl::codegen
