#include "frontends/csl/builtins/operation_operands.h"

#include <string>

#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

using Kind = ir::DsdOperand::Kind;

/// The type of numbers in a slot of an instruction.
const Type* slot_type(const BuiltinCall& call, pe::ValueType type, const Type& given) {
  switch (type) {
  case pe::ValueType::kHalf:
    return call.types().word(call.engine().options.half);
  case pe::ValueType::kSingle:
    return call.types().word("f32");
  case pe::ValueType::k32:
    if (given.is_any_float()) return call.types().word("f32");
    return call.types().word(given.is_signed ? "i32" : "u32");
  default:
    if (given.is_any_float()) return call.types().word(call.engine().options.half);
    return call.types().word(given.is_signed ? "i16" : "u16");
  }
}

}  // namespace

ir::Value scalar_operand(const BuiltinCall& call, const Result& value, pe::ValueType type,
                         std::size_t i) {
  Evaluator& evaluator = call.evaluator;
  if (value.is_known()) {
    const bool is_bits = !pe::is_float(type) && value.type->is_number();
    const Type* to = slot_type(call, type, *value.type);
    if (is_bits && value.type->is_any_integer()) {
      // Numbers of either sign that fit into the bits.
      const BigInt& number = value.value().integer();
      const BigInt limit = BigInt(1) << (8 * pe::bytes_of(type));
      if (number < limit && number >= -(limit >> 1)) {
        const Type* typed = number < 0 ? call.types().word(pe::bytes_of(type) == 2 ? "i16" : "i32")
                                       : call.types().word(pe::bytes_of(type) == 2 ? "u16" : "u32");
        return scalar(evaluator, {typed, value.value()}, call.node);
      }
    }
    if (value.type->is_number())
      return scalar(evaluator, call.engine().convert(value, to, call.expr(i), call.what(i)),
                    call.node);
  }
  const ir::Value made = scalar(evaluator, value, call.expr(i));
  if (ir::bytes_of(made.type) != pe::bytes_of(type)) {
    const Type* to = slot_type(call, type, *value.type);
    return scalar(evaluator, convert_operand(evaluator, value, to, call.expr(i), call.what(i)),
                  call.node);
  }
  if (pe::is_float(type) && !ir::is_float(made.type))
    call.engine().fail(Id::kOperandType, call.expr(i), call.what(i), " is of type ",
                       text::in_quotes(value.type->name), " instead of a floating-point type");
  return made;
}

void check_direction(const BuiltinCall& call, const Result& value, std::size_t i,
                     bool is_destination) {
  const std::string_view wrong = is_destination ? "fabin_dsd" : "fabout_dsd";
  if (value.type->name == wrong)
    call.engine().fail(Id::kOperandDirection, call.expr(i), "a ", wrong, " is no ",
                       is_destination ? "destination" : "source");
}

void check_form(const BuiltinCall& call, const pe::OpcodeInfo& info,
                const std::vector<ir::DsdOperand>& operands) {
  std::string form;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_destination = i == 0 && operands.size() > 1;
    form += i == 0 ? "" : ",";
    form += operands[i].kind == Kind::kPointer  ? "p"
            : operands[i].kind == Kind::kScalar ? "v"
            : is_destination                    ? "D"
                                                : "S";
  }
  const std::string forms(pe::to_string(info.form));
  if (forms.empty())
    call.fail(Id::kOperandForms,
              "works on numbers only: its first argument is a pointer to a number, the others are "
              "numbers");
  if (("; " + forms + "; ").find("; " + form + "; ") == std::string::npos)
    call.fail(Id::kOperandForms, "takes the operands ", forms, " instead of ", form,
              " (D: destination, S: source, v: number, p: pointer to a number)");
}

void check_pointee(const BuiltinCall& call, const Result& value, pe::ValueType type) {
  const Type& element = *value.type->element;
  if (value.type->is_const)
    call.fail_operand(Id::kOperandType, 0, " is a pointer to a constant, ",
                      text::in_quotes(value.type->name));
  const bool is_wrong_size = element.bits != 8 * pe::bytes_of(type);
  if (is_wrong_size || (pe::is_float(type) && !element.is_any_float()))
    call.engine().fail(Id::kOperandType, call.expr(0), call.what(0), " is of type ",
                       text::in_quotes(value.type->name), " instead of ",
                       text::in_quotes("*" + slot_type(call, type, element)->name),
                       descriptor_hint(*value.type));
}

}  // namespace tessera::csl
