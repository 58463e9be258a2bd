// Builtins on values and types (csl.md 7.5).
#include "frontends/csl/sema/arithmetic.h"
#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kLongestText = 1 << 20;

Result cast_with(const BuiltinCall& call,
                 std::optional<Value> (Converter::*cast)(const Result&, const Type*, std::string&)
                     const) {
  const Type* to = call.type(0);
  const Result from = call.value(1);
  std::string problem;
  std::optional<Value> value = (call.engine().converter.*cast)(from, to, problem);
  if (!value)
    call.fail("a value of type ", text::in_quotes(from.type->name), " does not become a ",
              text::in_quotes(to->name), problem);
  const bool keeps_type = to->is(TypeKind::kAnyStruct) || to->is(TypeKind::kAnytype);
  return {keeps_type ? from.type : to, std::move(*value)};
}

Result as_builtin(const BuiltinCall& call) {
  return cast_with(call, &Converter::as_type);
}
Result bitcast_builtin(const BuiltinCall& call) {
  return cast_with(call, &Converter::bitcast);
}

Result type_of(const BuiltinCall& call) {
  return call.evaluator.type_result(call.evaluator.operand(call.expr(0)).type);
}

Result is_same_type(const BuiltinCall& call) {
  return call.boolean(call.type(0) == call.type(1));
}

Result is_comptime(const BuiltinCall& call) {
  return call.boolean(call.evaluator.operand(call.expr(0)).is_known());
}

Result range(const BuiltinCall& call) {
  const Type* type = call.type(0);
  if (!type->is_any_integer()) call.fail("the type is not one of integers");
  if (call.size() == 3) call.fail("takes 2 or 4 arguments instead of 3");
  const auto part = [&](std::size_t i) {
    Value value = call.evaluator.value_as(call.expr(i), type, call.what(i)).value();
    if (value.is_undefined()) call.engine().fail(call.expr(i), call.what(i), " is undefined");
    return value;
  };
  std::vector<Value> parts = call.size() == 2
                                 ? std::vector<Value>{Value{BigInt(0)}, part(1), Value{BigInt(1)}}
                                 : std::vector<Value>{part(1), part(2), part(3)};
  if (parts[2].integer() == 0) call.fail("the step is 0");
  return {call.types().range(type), make_aggregate(std::move(parts))};
}

Result part_of_range(const BuiltinCall& call, std::size_t part) {
  const Result value = call.value(0);
  if (!value.type->is(TypeKind::kRange)) call.fail("the argument is no range");
  return {value.type->element, value.value().elements()[part]};
}
Result range_start(const BuiltinCall& call) {
  return part_of_range(call, 0);
}
Result range_stop(const BuiltinCall& call) {
  return part_of_range(call, 1);
}
Result range_step(const BuiltinCall& call) {
  return part_of_range(call, 2);
}

Result concat_structs(const BuiltinCall& call) {
  call.engine().saw(Version::k1_4, call.node);
  const Result first = call.structure(0), second = call.structure(1);
  const bool are_mixed = first.type->is_tuple != second.type->is_tuple &&
                         !first.type->fields.empty() && !second.type->fields.empty();
  if (are_mixed) call.fail("one argument has names for its fields, the other one has none");
  const bool is_tuple = first.type->is_tuple || second.type->is_tuple;
  std::vector<Field> fields;
  std::vector<Value> values;
  for (const Result* part : {&first, &second}) {
    for (auto& [name, value] : fields_of(*part)) {
      if (!is_tuple && part == &second && first.type->find_field(name) >= 0)
        call.fail("both structs have a field ", text::in_quotes(name));
      fields.push_back({is_tuple ? std::to_string(fields.size()) : name, value.type});
      values.push_back(value.value());
    }
  }
  return {call.types().structure(std::move(fields), is_tuple), make_aggregate(std::move(values))};
}

Result field(const BuiltinCall& call) {
  const Result object = call.structure(0);
  const std::string name = call.text(1);
  const std::optional<Result> found = field_of(object, name);
  if (!found)
    call.fail(text::in_quotes(object.type->name), " has no field ", text::in_quotes(name));
  return *found;
}

Result has_field(const BuiltinCall& call) {
  const Result object = call.value(0);
  const Type* type =
      object.value().holds<const Type*>() ? object.value().get<const Type*>() : object.type;
  return call.boolean(type->find_field(call.text(1)) >= 0);
}

Result fp16(const BuiltinCall& call) {
  return call.evaluator.type_result(call.types().word(call.engine().options.half));
}

Result strcat(const BuiltinCall& call) {
  std::string text;
  for (std::size_t i = 0; i < call.size(); ++i) text += call.text(i);
  if (text.size() > kLongestText) call.fail("the text has more than ", kLongestText, " characters");
  return {call.types().string, Value{std::move(text)}};
}

Result strlen(const BuiltinCall& call) {
  return {call.types().comptime_int, Value{BigInt(call.text(0).size())}};
}

Result get_int(const BuiltinCall& call) {
  const Result value = call.value(0);
  const Type& type = *value.type;
  if (!value.value().holds<BigInt>())
    call.fail("a value of type ", text::in_quotes(type.name), " has no number");
  const Type* result = type.is(TypeKind::kEnum) ? type.element
                       : type.is_any_integer()  ? value.type
                                                : call.types().word("u16");
  return {result, value.value()};
}

Result is_arch(const BuiltinCall& call) {
  const std::string name = call.text(0);
  if (name != "wse1" && name != "wse2" && name != "wse3")
    call.engine().warn(call.node, "no architecture is called " + text::in_quotes(name));
  return call.boolean(name == call.engine().options.arch);
}

Result comptime_assert(const BuiltinCall& call) {
  if (call.evaluator.condition(call.expr(0), call.what(0))) return call.nothing();
  call.engine().fail(call.node, "the assertion is false",
                     call.size() > 1 ? ": " + call.text(1) : std::string());
}

Result assertion(const BuiltinCall& call) {
  if (call.evaluator.condition(call.expr(0), call.what(0))) return call.nothing();
  call.engine().fail(call.node, "the assertion is false");
}

Result comptime_print(const BuiltinCall& call) {
  std::string line;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Result result = call.value(i);
    line += (i == 0 ? "" : " ") + (result.value().holds<std::string>()
                                       ? result.value().text()
                                       : text_of(*result.type, result.value(), true));
  }
  call.engine().messages() << call.engine().where(call.node) << ": " << line << '\n';
  return call.nothing();
}

}  // namespace

const std::vector<BuiltinRow>& value_builtins() {
  static const std::vector<BuiltinRow> kRows = {
      {"as", Where::kAnywhere, 2, 2, as_builtin},
      {"bitcast", Where::kAnywhere, 2, 2, bitcast_builtin},
      {"type_of", Where::kAnywhere, 1, 1, type_of},
      {"is_same_type", Where::kAnywhere, 2, 2, is_same_type},
      {"is_comptime", Where::kAnywhere, 1, 1, is_comptime},
      {"range", Where::kAnywhere, 2, 4, range},
      {"range_start", Where::kAnywhere, 1, 1, range_start},
      {"range_stop", Where::kAnywhere, 1, 1, range_stop},
      {"range_step", Where::kAnywhere, 1, 1, range_step},
      {"concat_structs", Where::kAnywhere, 2, 2, concat_structs},
      {"field", Where::kAnywhere, 2, 2, field},
      {"has_field", Where::kAnywhere, 2, 2, has_field},
      {"fp16", Where::kAnywhere, 0, 0, fp16},
      {"strcat", Where::kAnywhere, 1, 64, strcat},
      {"strlen", Where::kAnywhere, 1, 1, strlen},
      {"get_int", Where::kAnywhere, 1, 1, get_int},
      {"is_arch", Where::kAnywhere, 1, 1, is_arch},
      {"comptime_assert", Where::kAnywhere, 1, 2, comptime_assert},
      {"assert", Where::kAnywhere, 1, 1, assertion},
      {"comptime_print", Where::kAnywhere, 0, 64, comptime_print}};
  return kRows;
}

}  // namespace tessera::csl
