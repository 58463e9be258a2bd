#include <algorithm>
#include <optional>
#include <vector>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Whether the instruction does nothing with a variable but load it.
bool loads_only(const Instruction& in, std::size_t operand) {
  return in.op == Op::kLoad && operand == 0;
}

class ConstantGlobals {
 public:
  explicit ConstantGlobals(const Module& module)
      : module_(module), holds_(module.variables.size()) {
    const OpenVariables open(module);
    for (VariableId v = 0; v < module.variables.size(); ++v) {
      const Variable& variable = module.variables[v];
      holds_[v] = variable.is_internal && !variable.owner && variable.count == 1 && !open[v] &&
                  !variable.init.empty();
    }
    // Hosts write through pointers that they can name.
    for (const Variable& variable : module.variables) {
      for (const Variable::Address& a : variable.addresses) {
        if (!variable.is_internal) holds_[a.variable] = false;
      }
    }
    for (const Function& function : module.functions) {
      for (const Block& block : function.blocks) {
        for (const Instruction& in : block.code) drop_what_changes(in);
      }
    }
  }

  /// What a load of a variable that nobody changes gives.
  std::optional<Value> value_of(const Instruction& load) const {
    const Value& from = load.operands[0];
    if (!from.is_address() || !holds_[from.number]) return std::nullopt;
    const Variable& variable = module_.variables[from.number];
    const std::int32_t offset = from.offset + load.offset;
    const unsigned bytes = bytes_of(load.type);
    const bool is_inside = offset >= 0 && offset % 2 == 0 &&
                           static_cast<unsigned>(offset) + bytes <= bytes_of(variable.type);
    if (!is_inside) return std::nullopt;
    if (!variable.addresses.empty())
      return address_of(variable.addresses[0].variable,
                        static_cast<std::int16_t>(variable.init[0]));
    constexpr unsigned kBits = 8;
    return constant(load.type, variable.init[0] >> (kBits * static_cast<unsigned>(offset)));
  }

 private:
  void drop_what_changes(const Instruction& in) {
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const Value& v = in.operands[i];
      if (v.is_address() && !loads_only(in, i)) holds_[v.number] = false;
    }
  }

  const Module& module_;
  std::vector<bool> holds_;
};

}  // namespace

namespace {

/// Whether something was folded.
bool fold_loads(const ConstantGlobals& constants, Function& function) {
  bool changed = false;
  for (Block& block : function.blocks) {
    for (Instruction& in : block.code) {
      const std::optional<Value> known = in.op == Op::kLoad ? constants.value_of(in) : std::nullopt;
      if (!known) continue;
      in.op = Op::kCopy;
      in.operands = {*known};
      in.offset = 0;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

void fold_constant_globals(Module& module) {
  // A pointer that is known may show that nobody changes what it points to, once for each pointer on the way.
  for (bool changed = true; changed;) {
    changed = false;
    const ConstantGlobals constants(module);
    for (Function& function : module.functions) {
      if (!fold_loads(constants, function)) continue;
      propagate_copies(function);
      remove_dead_code(function);
      changed = true;
    }
  }
}

}  // namespace tessera::csl::codegen
