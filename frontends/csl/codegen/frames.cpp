#include "frontends/csl/codegen/frames.h"

#include <algorithm>

#include "frontends/text/stack.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::uint32_t kLinkBytes = 2;
constexpr std::uint32_t kFrameAlignment = 4;

class CallGraph {
 public:
  explicit CallGraph(const Module& module)
      : module_(module), is_seen_(module.functions.size(), false) {}

  /// The functions, callees in front of callers.
  std::vector<FunctionId> order;

  void visit(FunctionId f) {
    if (is_seen_[f]) return;
    text::require_stack("the calls of functions inside each other");
    is_seen_[f] = true;
    const std::vector<FunctionId> callees = callees_of(module_.functions[f]);
    // Backwards, so that the functions stand in the order of their first calls in the end.
    for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) visit(*callee);
    order.push_back(f);
  }

 private:
  const Module& module_;
  std::vector<bool> is_seen_;
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

std::vector<FunctionId> callees_of(const Function& function) {
  std::vector<FunctionId> found;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (in.op == Op::kCall) found.push_back(in.number);
    }
  }
  return found;
}

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

OwnFrame own_frame(const Module& module, FunctionId f, const Cycles& cycles) {
  OwnFrame frame;
  const std::vector<bool> named = named_variables(module, {f});
  for (VariableId v = 0; v < module.variables.size(); ++v) {
    const Variable& variable = module.variables[v];
    if (variable.owner != f || !named[v]) continue;
    frame.variables.push_back(v);
    frame.bytes = aligned(frame.bytes, kFrameAlignment) + variable.bytes();
  }
  const Function& function = module.functions[f];
  frame.has_link = !function.is_task && has_plain_call(module, cycles, f, function);
  if (frame.has_link) frame.bytes += kLinkBytes;
  frame.bytes = aligned(frame.bytes, kFrameAlignment);
  return frame;
}

namespace {

/// The frame of one function from `end` on; gives where it ends. The return address comes first:
/// what leaves a local array upwards meets frames of functions that are not active.
std::uint32_t lay_out(const Module& module, FunctionId f, const Cycles& cycles,
                      const std::vector<bool>& named, std::uint32_t end, Frames& frames) {
  const Function& function = module.functions[f];
  if (!function.is_task && has_plain_call(module, cycles, f, function)) {
    end = aligned(end, kLinkBytes);
    frames.links[f] = end;
    end += kLinkBytes;
  }
  for (VariableId v = 0; v < module.variables.size(); ++v) {
    const Variable& variable = module.variables[v];
    if (variable.owner != f || !named[v]) continue;
    end = aligned(end, variable.align == 0 ? bytes_of(variable.type) : variable.align);
    frames.variables[v] = end;
    end += variable.bytes();
  }
  return end;
}

}  // namespace

Frames lay_out_frames(const Module& module, const std::vector<FunctionId>& functions,
                      const Cycles& cycles) {
  Frames frames;
  frames.variables.resize(module.variables.size());
  frames.links.resize(module.functions.size());
  const std::vector<bool> named = named_variables(module, functions);
  std::vector<std::uint32_t> base(module.functions.size());
  std::vector<bool> is_done(cycles.members.size(), false);
  for (const FunctionId f : functions) {
    const unsigned cycle = f < cycles.of.size() ? cycles.of[f] : Cycles::kNone;
    if (cycle != Cycles::kNone && is_done[cycle]) continue;
    std::vector<FunctionId> group = {f};
    if (cycle != Cycles::kNone) {
      is_done[cycle] = true;
      group = cycles.members[cycle];
    }
    std::uint32_t end = 0;
    for (const FunctionId member : group) end = std::max(end, base[member]);
    for (const FunctionId member : group) end = lay_out(module, member, cycles, named, end, frames);
    for (const FunctionId member : group) {
      for (const FunctionId callee : callees_of(module.functions[member]))
        base[callee] = std::max(base[callee], end);
    }
    frames.bytes = std::max(frames.bytes, end);
  }
  return frames;
}

}  // namespace tessera::csl::codegen
