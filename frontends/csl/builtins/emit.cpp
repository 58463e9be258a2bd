#include "frontends/csl/builtins/emit.h"

#include "frontends/csl/lower/operands.h"

namespace tessera::csl {

Unreachable::Unreachable(Evaluator& evaluator) : code_(evaluator.frame().code) {
  if (code_ == nullptr) return;
  before_ = code_->builder.current();
  code_->builder.enter(code_->builder.new_block());
}

Unreachable::~Unreachable() {
  if (code_ != nullptr) code_->builder.enter(before_);
}

ir::Builder& builder_of(const BuiltinCall& call) {
  return code_of(call.evaluator).builder;
}

std::vector<ir::Value> instruction(const BuiltinCall& call, pe::Opcode op,
                                   const std::vector<ir::Type>& results,
                                   const std::vector<ir::Value>& values) {
  ir::Machine m;
  m.op = op;
  for (std::size_t i = 0; i < results.size(); ++i)
    m.fields.push_back({ir::Machine::Slot::kResult, static_cast<std::uint8_t>(i), {}});
  for (std::size_t i = 0; i < values.size(); ++i)
    m.fields.push_back({ir::Machine::Slot::kValue, static_cast<std::uint8_t>(i), {}});
  return builder_of(call).machine(std::move(m), values, results);
}

Result number_as(const BuiltinCall& call, std::size_t i, const char* type) {
  const Type* to = call.types().word(type);
  const Result& value = call.operand(i);
  if (value.is_known()) return call.engine().convert(value, to, call.node, call.what(i));
  return cast_operand(call.evaluator, value, to, call.node);
}

ir::Value number_value(const BuiltinCall& call, std::size_t i, const char* type) {
  const Result& value = call.operand(i);
  const bool is_wide_enough = !value.is_known() && value.type->bits <= call.types().word(type)->bits;
  return scalar(call.evaluator, is_wide_enough ? value : number_as(call, i, type), call.node);
}

}  // namespace tessera::csl
