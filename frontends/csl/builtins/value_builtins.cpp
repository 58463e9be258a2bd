// Builtins on values and types (csl.md 7.5).
#include <algorithm>

#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/arithmetic.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kLongestText = 1 << 20;

using Cast = std::optional<Value> (Converter::*)(const Result&, const Type*, std::string&) const;

Result folded_cast(const BuiltinCall& call, Cast cast) {
  const Type* to = call.type(0);
  const Result& from = call.operand(1);
  std::string problem;
  std::optional<Value> value = (call.engine().converter.*cast)(from, to, problem);
  if (!value)
    call.fail(Id::kConversion, "a value of type ", text::in_quotes(from.type->name),
              " does not become a ", text::in_quotes(to->name), problem);
  const bool keeps_type = to->is(TypeKind::kAnyStruct) || to->is(TypeKind::kAnytype);
  return {keeps_type ? from.type : to, std::move(*value)};
}

bool are_pointers(const BuiltinCall& call) {
  return call.type(0)->is(TypeKind::kPointer) && call.operand(1).type->is(TypeKind::kPointer);
}

/// Whether the value is known before the program runs. The address of a variable is not.
bool folds(const BuiltinCall& call) {
  const Result& from = call.operand(1);
  if (!from.is_known()) return false;
  const bool is_address =
      from.type->is(TypeKind::kPointer) && !are_pointers(call) && from.value().pointer().cell;
  return !(is_address && call.makes_code());
}

Result as_builtin(const BuiltinCall& call) {
  if (folds(call)) return folded_cast(call, &Converter::as_type);
  if (are_pointers(call)) return {call.type(0), call.operand(1).operand};
  return cast_operand(call.evaluator, call.operand(1), call.type(0), call.node);
}
Result bitcast_builtin(const BuiltinCall& call) {
  if (folds(call)) return folded_cast(call, &Converter::bitcast);
  if (are_pointers(call)) return {call.type(0), call.operand(1).operand};
  return bitcast_operand(call.evaluator, call.operand(1), call.type(0), call.node);
}

Result ptrcast(const BuiltinCall& call) {
  if (!are_pointers(call)) call.fail(Id::kOperandType, "casts pointers to pointers");
  return {call.type(0), call.operand(1).operand};
}

/// The type of what a name with members, elements and pointers behind it leads to, by the types alone: a result type may ask
/// so of a parameter, which has no value yet. nullptr: the expression is another one, or wrong.
const Type* type_of_path(Evaluator& evaluator, const Expr& e) {
  if (if_is<NameExpr>(e) != nullptr) return evaluator.operand(e).type;
  if (const Dereference* star = if_is<Dereference>(e)) {
    const Type* pointer = type_of_path(evaluator, *star->pointer);
    const bool is_one = pointer != nullptr && pointer->is(TypeKind::kPointer) && !pointer->to_many;
    return is_one ? pointer->element : nullptr;
  }
  if (const Index* index = if_is<Index>(e)) {
    const Type* of = type_of_path(evaluator, *index->object);
    if (of != nullptr && of->is(TypeKind::kPointer) && !of->to_many) of = of->element;
    const bool has_elements =
        of != nullptr && (of->is(TypeKind::kArray) || of->is(TypeKind::kPointer));
    const bool fits =
        has_elements && (of->is(TypeKind::kPointer) || of->extents.size() == index->indices.size());
    return fits ? of->element : nullptr;
  }
  const Member* member = if_is<Member>(e);
  if (member == nullptr) return nullptr;
  const Type* object = type_of_path(evaluator, *member->object);
  if (object == nullptr || !object->is(TypeKind::kStruct)) return nullptr;
  const int field = object->find_field(member->name.text);
  return field < 0 ? nullptr : object->fields[static_cast<std::size_t>(field)].type;
}

Result type_of(const BuiltinCall& call) {
  const Expr& e = call.expr(0);
  const Type* const of_path =
      if_is<NameExpr>(e) == nullptr ? type_of_path(call.evaluator, e) : nullptr;
  return call.evaluator.type_result(of_path != nullptr ? of_path : call.operand(0).type);
}

Result is_same_type(const BuiltinCall& call) {
  return call.bool_result(call.type(0) == call.type(1));
}

/// Of the whole function without an argument: what only might be evaluated at compile time is code then.
Result is_comptime(const BuiltinCall& call) {
  if (call.size() != 0) return call.bool_result(call.operand(0).is_known());
  if (call.engine().is_trying())
    call.fail(Id::kNotKnown, "this call belongs to the running program");
  return call.bool_result(!call.makes_code());
}

Result range(const BuiltinCall& call) {
  const Type* type = call.type(0);
  if (!type->is_any_integer()) call.fail(Id::kOperandType, "the type is not one of integers");
  if (call.size() == 3) call.fail(Id::kBuiltinCount, "takes 2 or 4 arguments instead of 3");
  const auto part = [&](std::size_t i) {
    const Result& value = call.operand(i);
    if (!value.is_known() && !register_type(*type)) call.engine().known(value, call.expr(i));
    return value.is_known() ? call.engine().convert(value, type, call.expr(i), call.what(i))
                            : cast_operand(call.evaluator, value, type, call.expr(i));
  };
  // One after the other: where an element of a list in braces throws, GCC destroys others that do not exist yet.
  std::vector<Result> parts;
  if (call.size() == 2) parts.push_back({type, Value{BigInt(0)}});
  for (std::size_t i = 1; i < call.size(); ++i) parts.push_back(part(i));
  if (call.size() == 2) parts.push_back({type, Value{BigInt(1)}});
  if (parts[2].is_known() && parts[2].value().integer() == 0)
    call.fail(Id::kRange, "the step is 0");
  const bool are_known =
      std::all_of(parts.begin(), parts.end(), [](const Result& r) { return r.is_known(); });
  if (!are_known)
    return {call.types().range(type),
            RunTimeOperand{"the range", std::make_shared<const std::vector<Result>>(parts)}};
  std::vector<Value> values;
  for (const Result& one : parts) values.push_back(one.value());
  return {call.types().range(type), make_aggregate(std::move(values))};
}

Result part_of_range(const BuiltinCall& call, std::size_t part) {
  const Result& value = call.operand(0);
  if (!value.type->is(TypeKind::kRange)) call.fail(Id::kOperandType, "the argument is no range");
  return part_of(call.evaluator, value, part, call.node);
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
  if (are_mixed)
    call.fail(Id::kOperandType, "one argument has names for its fields, the other one has none");
  const bool is_tuple = first.type->is_tuple || second.type->is_tuple;
  std::vector<Field> fields;
  std::vector<Value> values;
  for (const Result* part : {&first, &second}) {
    for (auto& [name, value] : fields_of(*part)) {
      if (!is_tuple && part == &second && first.type->find_field(name) >= 0)
        call.fail(Id::kMemberTwice, "both structs have a field ", text::in_quotes(name));
      fields.push_back({is_tuple ? std::to_string(fields.size()) : name, value.type});
      values.push_back(value.value());
    }
  }
  call.engine().check_size(fields, call.node);
  return {call.types().structure(std::move(fields), is_tuple), make_aggregate(std::move(values))};
}

Result field(const BuiltinCall& call) {
  const Result& object = call.operand(0);
  const std::string& name = call.text(1);
  const int index = object.type->find_field(name);
  if (index < 0)
    call.fail(Id::kNoMember, text::in_quotes(object.type->name), " has no field ",
              text::in_quotes(name));
  return part_of(call.evaluator, object, static_cast<std::size_t>(index), call.node);
}

Result has_field(const BuiltinCall& call) {
  const Result& object = call.operand(0);
  const bool is_type = object.is_known() && object.value().holds<const Type*>();
  const Type* type = is_type ? object.value().get<const Type*>() : object.type;
  return call.bool_result(type->find_field(call.text(1)) >= 0);
}

/// What the library asks of a type: its bytes, their alignment, whether it is a signed integer ..
Result type_fact(const BuiltinCall& call) {
  const Type& type = *call.type(0);
  const std::string& fact = call.text(1);
  const bool is_integer = type.is(TypeKind::kInteger);
  if (fact == "is_integer") return call.bool_result(is_integer);
  if (fact == "is_signed") return call.bool_result(type.is_signed);
  if (fact == "is_packed") return call.bool_result(type.is_packed());
  const std::int64_t bytes = size_of(type);
  if (bytes == 0)
    call.fail(Id::kNoMemory, "a value of type ", text::in_quotes(type.name),
              " takes no memory of a PE");
  if (fact == "bytes") return call.number_result("u16", bytes);
  if (fact == "alignment") return call.number_result("u16", alignment_of(type));
  constexpr std::int64_t kBits = 8;
  return call.number_result("u32", packed_bits(type).value_or(bytes * kBits));
}

Result warn(const BuiltinCall& call) {
  call.engine().warn(Id::kWarningOfProgram, call.node, call.text(0));
  return call.nothing();
}

Result fp16(const BuiltinCall& call) {
  return call.evaluator.type_result(call.types().word(call.engine().options.half));
}

Result strcat(const BuiltinCall& call) {
  std::string text;
  for (std::size_t i = 0; i < call.size(); ++i) text += call.text(i);
  if (text.size() > kLongestText)
    call.fail(Id::kLimit, "the text has more than ", kLongestText, " characters");
  return {call.types().string, Value{std::move(text)}};
}

Result strlen(const BuiltinCall& call) {
  return {call.types().comptime_int, Value{BigInt(call.text(0).size())}};
}

Result get_int(const BuiltinCall& call) {
  const Result& value = call.operand(0);
  const Type& type = *value.type;
  if (value.is_known() && !value.value().holds<BigInt>())
    call.fail(Id::kOperandType, "a value of type ", text::in_quotes(type.name), " has no number");
  const Type* result = type.is(TypeKind::kEnum) ? type.element
                       : type.is_any_integer()  ? value.type
                                                : call.types().word("u16");
  return {result, value.operand};
}

Result is_arch(const BuiltinCall& call) {
  const std::string& name = call.text(0);
  if (name != "wse1" && name != "wse2" && name != "wse3")
    call.engine().warn(Id::kUnknownArchitecture, call.node,
                       "no architecture is called " + text::in_quotes(name));
  return call.bool_result(name == call.engine().options.arch);
}

Result comptime_assert(const BuiltinCall& call) {
  if (call.boolean(0)) return call.nothing();
  call.engine().fail(Id::kAssertion, call.node, "the assertion is false",
                     call.size() > 1 ? ": " + call.text(1) : std::string());
}

Result assertion(const BuiltinCall& call) {
  const Result& condition = call.operand(0);
  if (condition.is_known() && condition.value().get<bool>()) return call.nothing();
  if (!call.makes_code()) call.engine().fail(Id::kAssertion, call.node, "the assertion is false");
  const ir::Value value = scalar(call.evaluator, condition, call.node);
  builder_of(call).assert_that(ir::Condition::kNe, value, ir::constant(ir::Type::kBool, 0));
  return call.nothing();
}

Result comptime_print(const BuiltinCall& call) {
  std::string line;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Result& result = call.operand(i);
    line += (i == 0 ? "" : " ") + (result.value().holds<std::string>()
                                       ? result.value().text()
                                       : text_of(*result.type, result.value(), true));
  }
  call.engine().messages() << call.engine().where(call.node) << ": " << line << '\n';
  return call.nothing();
}

}  // namespace

const std::vector<BuiltinRow>& value_builtins() {
  const OperandRow type = takes(Takes::kType, "type"), value = live(takes(Takes::kValue, "value")),
                   unread = takes(Takes::kUnread, "expression"), text = takes(Takes::kText, "text"),
                   range_value = live(takes(Takes::kValue, "range"));
  const OperandRow bound = live(takes(Takes::kInteger, "number"));
  static const std::vector<BuiltinRow> kRows = {
      {"as", kOfOperands, {type, value}, as_builtin, "the value as another type"},
      {"bitcast", kOfOperands, {type, value}, bitcast_builtin, "the bits as another type"},
      {"ptrcast", kAnywhere, {type, value}, ptrcast, "a pointer to another type"},
      {"type_of",
       kOfOperands,
       {unread},
       type_of,
       "the type of an expression, which is not evaluated"},
      {"is_same_type", kOfOperands, {type, type}, is_same_type, "whether two types are one"},
      {"is_comptime",
       kAnywhere,
       {optional(unread)},
       is_comptime,
       "whether the value is known; without one, whether this is evaluated at compile time"},
      {"range",
       kOfOperands,
       {type, bound, optional(bound), optional(bound)},
       range,
       "(stop) or (start, stop, step): numbers for a loop"},
      {"range_start", kOfOperands, {range_value}, range_start, "where a range starts"},
      {"range_stop", kOfOperands, {range_value}, range_stop, "where it stops"},
      {"range_step", kOfOperands, {range_value}, range_step, "its step"},
      {"concat_structs",
       kOfOperands,
       {takes(Takes::kStruct, "first"), takes(Takes::kStruct, "second")},
       concat_structs,
       "the fields of both; SDK 1.4"},
      {"field",
       kOfOperands,
       {live(takes(Takes::kStruct, "struct")), text},
       field,
       "the field of a name"},
      {"has_field",
       kOfOperands,
       {takes(Takes::kUnread, "struct or type"), text},
       has_field,
       "whether a struct has the field"},
      {"tessera_type_fact",
       kOfOperands,
       {type, text},
       type_fact,
       "what the library asks of a type"},
      {"tessera_warn", kAnywhere, {text}, warn, "a warning of the library"},
      {"fp16", kOfOperands, {}, fp16, "the type of 16-bit floats of the program"},
      {"strcat", kOfOperands, {repeated(text)}, strcat, "the texts after each other"},
      {"strlen", kOfOperands, {text}, strlen, "the number of bytes"},
      {"get_int", kOfOperands, {value}, get_int, "the number of a handle or an enum"},
      {"get_color_id", kOfOperands, {value}, get_int, "the same, until SDK 1.1"},
      {"is_arch", kOfOperands, {text}, is_arch, "whether the program is for \"wse2\", \"wse3\""},
      {"comptime_assert",
       kOfOperands,
       {takes(Takes::kBool, "condition"), optional(text)},
       comptime_assert,
       "ends the compilation if it is false"},
      {"assert",
       kOfOperands,
       {live(takes(Takes::kBool, "condition"))},
       assertion,
       "the same; in code of the running program it stops the PE"},
      {"comptime_print",
       kAnywhere,
       {repeated(takes(Takes::kAny, "value"))},
       comptime_print,
       "prints while the program is compiled"},
      {"export",
       kAnywhere,
       {},
       nullptr,
       "there are no object files; 'export var' gives a variable a name for the host"}};
  return kRows;
}

}  // namespace tessera::csl
