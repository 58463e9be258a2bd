#include "frontends/csl/lower/function_pointers.h"

#include <algorithm>

#include "frontends/csl/lower/operands.h"
#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

std::uint32_t FunctionPointers::number_of(const Result& function, const Node& at) {
  const FunctionValue& value = function.value().get<FunctionValue>();
  if (function.type->is_generic)
    tile_.engine().fail(
        Id::kFunctionPointer, at, "the function ", in_quotes(value.function->name.text),
        " has comptime or anytype parameters, so it is no value of the running program");
  const auto found = std::find_if(targets_.begin(), targets_.end(), [&](const Target& target) {
    return target.function.function == value.function && target.function.instance == value.instance;
  });
  if (found != targets_.end()) return static_cast<std::uint32_t>(found - targets_.begin()) + 1;
  targets_.push_back({value, function.type, &at, std::nullopt});
  return static_cast<std::uint32_t>(targets_.size());
}

const FunctionPointers::Caller& FunctionPointers::caller(const Type& type, const Node& at) {
  const auto found = callers_.find(&type);
  if (found != callers_.end()) return found->second;
  ir::Function made;
  made.name = "call_of_pointer_" + std::to_string(callers_.size());
  made.place = tile_.place_of(at);
  made.parameters.push_back(made.new_register(ir::Type::kU16));
  PassedInMemory passed;
  for (const Type* parameter : type.parameters) {
    const std::optional<ir::Type> in_register = register_type(*parameter);
    if (in_register) made.parameters.push_back(made.new_register(*in_register));
    passed.arguments.push_back(in_register ? std::nullopt
                                           : std::optional(memory_of(*parameter, "argument", at)));
  }
  if (!type.element->is(TypeKind::kVoid)) {
    made.result = register_type(*type.element);
    if (!made.result) passed.result = memory_of(*type.element, "result", at);
  }
  const ir::FunctionId id = ir::add_function(tile_.module(), std::move(made));
  return callers_.emplace(&type, Caller{id, &at, std::move(passed)}).first->second;
}

/// Memory of the PE through which a value passes that no register holds. Who takes it copies it at once, so that the
/// next call may use the place.
Storage FunctionPointers::memory_of(const Type& type, const char* what, const Node& at) {
  const Type* const part = part_for_compiler(type);
  if (part != nullptr || size_of(type) == 0)
    tile_.engine().fail(Id::kFunctionPointer, at, "a function that is called through a pointer ",
                        "takes and returns no values of type ", in_quotes(type.name),
                        ", which exist at compile time only");
  ir::Variable made;
  made.name = "pointer_" + std::string(what);
  made.type = ir::Type::kU16;
  made.count = static_cast<std::uint32_t>((size_of(type) + 1) / 2);
  made.align = static_cast<std::uint32_t>(alignment_of(type));
  made.place = tile_.place_of(at);
  made.order = ~std::uint64_t{0};
  return {ir::address_of(ir::add_variable(tile_.module(), std::move(made))), 0};
}

bool FunctionPointers::require_functions() {
  bool is_new = false;
  for (std::size_t i = 0; i < targets_.size(); ++i) {  // the list may grow
    Target& target = targets_[i];
    const auto caller = callers_.find(target.type);
    if (target.id || caller == callers_.end()) continue;
    target.id =
        tile_.function_of_pointer(target.function, *target.type, caller->second.passed, *target.at);
    is_new = true;
  }
  return is_new;
}

void FunctionPointers::make_callers() {
  for (const auto& [type, caller] : callers_) make(*type, caller);
}

void FunctionPointers::make(const Type& type, const Caller& caller) {
  ir::Module& module = tile_.module();
  ir::Builder builder(module, caller.id);
  builder.set_place(tile_.place_of(*caller.at));
  const std::vector<ir::RegisterId> registers = module.functions[caller.id].parameters;
  std::vector<ir::Value> arguments;
  for (const Type* parameter : type.parameters) {
    if (const auto in_register = register_type(*parameter))
      arguments.push_back(ir::reg(*in_register, registers[arguments.size() + 1]));
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].type != &type) continue;
    const ir::BlockId yes = builder.new_block(), no = builder.new_block();
    builder.branch(ir::Condition::kEq, ir::reg(ir::Type::kU16, registers[0]),
                   ir::constant(ir::Type::kU16, static_cast<std::uint32_t>(i) + 1), yes, no);
    builder.enter(yes);
    const ir::Value result = builder.call(*targets_[i].id, arguments);
    if (type.element->is(TypeKind::kVoid) || caller.passed.result) {
      builder.ret();
    } else {
      builder.ret(result);
    }
    builder.enter(no);
  }
  builder.trap();  // none of them: the pointer has no value
}

}  // namespace tessera::csl
