#include "frontends/csl/lower/local_names.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

std::shared_ptr<ir::SourceLocal> made(Evaluator& evaluator, std::string_view name, const Type& type,
                                      const Node& at) {
  auto local = std::make_shared<ir::SourceLocal>();
  local->name = name;
  local->type = type.name;
  local->place = code_of(evaluator).tile.place_of(at);
  local->last_line = std::max(evaluator.frame().last_line, local->place.line);
  return local;
}

void describe(ir::Variable& variable, ir::SourceLocalRef local, const Type& type) {
  variable.local = std::move(local);
  const bool is_array = type.is(TypeKind::kArray);
  const Type& element = is_array ? *type.element : type;
  if (!is_byte(element) && register_type(element)) return;
  variable.packed = packed_type(element);
  if (variable.packed != pe::PackedType::kNone)
    variable.packed_count = is_array ? static_cast<std::uint32_t>(type.count()) : 1;
}

}  // namespace

void name_variable(Evaluator& evaluator, ir::VariableId variable, std::string_view name,
                   const Type& type, const Node& at) {
  if (name.empty() || name == "_") return;
  FunctionCode& code = code_of(evaluator);
  const std::shared_ptr<ir::SourceLocal> local = made(evaluator, name, type, at);
  code.locals.emplace_back(local, variable);
  describe(code.tile.module().variables[variable], local, type);
}

void name_constant(Evaluator& evaluator, const Result& value, std::string_view name,
                   const Node& at) {
  const auto* operand = std::get_if<RunTimeOperand>(&value.operand);
  if (operand == nullptr || name.empty() || name == "_") return;
  FunctionCode& code = code_of(evaluator);
  ir::Module& module = code.tile.module();
  ir::Function& function = module.functions[code.id];
  if (const auto* in_register = std::get_if<ir::Value>(&operand->place)) {
    if (in_register->is_register() && function.local_of(in_register->number) == nullptr)
      function.set_local(in_register->number, made(evaluator, name, *value.type, at));
    return;
  }
  const auto* storage = std::get_if<Storage>(&operand->place);
  if (storage == nullptr || !storage->address.is_address() || storage->offset != 0) return;
  ir::Variable& variable = module.variables[storage->address.number];
  if (variable.owner == code.id && variable.local == nullptr)
    describe(variable, made(evaluator, name, *value.type, at), *value.type);
}

void find_assignments(ir::Module& module, const FunctionCode& code) {
  if (code.locals.empty()) return;
  std::map<ir::VariableId, ir::SourceLocal*> locals;
  std::map<ir::VariableId, std::vector<const ir::Instruction*>> stores;
  for (const auto& [local, variable] : code.locals) locals[variable] = local.get();
  for (const ir::Block& block : module.functions[code.id].blocks) {
    for (const ir::Instruction& in : block.code) {
      if (in.op != ir::Op::kStore || !in.operands[0].is_address()) continue;
      if (locals.count(in.operands[0].number) != 0) stores[in.operands[0].number].push_back(&in);
    }
  }
  for (const auto& [variable, all] : stores) {
    ir::SourceLocal& local = *locals[variable];
    for (const ir::Instruction* store : all) local.assigned.push_back(store->place.line);
    std::sort(local.assigned.begin(), local.assigned.end());
    local.assigned.erase(std::unique(local.assigned.begin(), local.assigned.end()),
                         local.assigned.end());
    const ir::Instruction& only = *all.front();
    const bool is_declared = all.size() == 1 && only.place.line == local.place.line;
    if (is_declared && only.operands[1].is_constant() && module.variables[variable].count == 1)
      local.known = only.operands[1].number;
  }
}

}  // namespace tessera::csl
