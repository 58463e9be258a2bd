// Builtins that make arrays and ask types for their extents (csl.md 7.5).
#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {
namespace {

/// The type of an argument that is a type, or of which there is a value or variable.
const Type* type_behind(const BuiltinCall& call, std::size_t i) {
  const Result& result = call.operand(i);
  if (!result.type->is(TypeKind::kType)) return result.type;
  return call.engine().known(result, call.expr(i)).get<const Type*>();
}

const Type* array_behind(const BuiltinCall& call, std::size_t i) {
  const Type* type = type_behind(call, i);
  if (type->is_single_pointer()) type = type->element;
  if (!type->is(TypeKind::kArray))
    call.fail(Id::kOperandType, text::in_quotes(type->name), " is not an array");
  return type;
}

Result filled(const Type* array, Value value) {
  const auto count = static_cast<std::size_t>(array->count());
  return {array, Value{AggregateRef(std::make_shared<Aggregate>(count, std::move(value)))}};
}

Result zeros(const BuiltinCall& call) {
  const Type* array = array_behind(call, 0);
  const Type* element = array->element;
  if (element->is_any_integer()) return filled(array, Value{BigInt(0)});
  if (element->is_any_float()) return filled(array, Value{0.0});
  if (element->is(TypeKind::kBool)) return filled(array, Value{false});
  call.fail(Id::kNoMemory, "there is no zero of type ", text::in_quotes(element->name));
}

Result constants(const BuiltinCall& call) {
  constexpr std::int64_t kMostStores = 64;
  const Type* array = array_behind(call, 0);
  if (!call.operand(1).is_known()) {
    if (array->count() > kMostStores)
      call.fail_operand(Id::kOperandType, 1,
                        " is known to the running program only; such an array has up to ",
                        kMostStores, " elements, others are filled by a loop or an operation");
    const Result element =
        call.evaluator.converted(call.operand(1), array->element, call.expr(1), call.what(1));
    return {array,
            RunTimeOperand{"the array", std::make_shared<const std::vector<Result>>(
                                            static_cast<std::size_t>(array->count()), element)}};
  }
  return filled(
      array,
      call.engine().convert(call.operand(1), array->element, call.expr(1), call.what(1)).value());
}

Result element_type(const BuiltinCall& call) {
  const Type* type = type_behind(call, 0);
  if (type->element == nullptr)
    call.fail(Id::kOperandType, text::in_quotes(type->name), " has no elements");
  return call.evaluator.type_result(type->element);
}

Result element_count(const BuiltinCall& call) {
  return {call.types().comptime_int, Value{BigInt(array_behind(call, 0)->count())}};
}

Result rank(const BuiltinCall& call) {
  const Type* type = type_behind(call, 0);
  const std::size_t rank_of = type->is(TypeKind::kArray) ? type->extents.size() : 0;
  return {call.types().comptime_int, Value{BigInt(rank_of)}};
}

Result dimensions(const BuiltinCall& call) {
  std::vector<Value> extents;
  for (const std::int64_t extent : array_behind(call, 0)->extents)
    extents.push_back(Value{BigInt(extent)});
  const Type* type =
      call.types().array(call.types().word("u32"), {static_cast<std::int64_t>(extents.size())});
  return {type, make_aggregate(std::move(extents))};
}

Result get_array(const BuiltinCall& call) {
  std::vector<Value> bytes;
  for (const char c : call.text(0)) bytes.push_back(Value{BigInt(static_cast<unsigned char>(c))});
  const Type* type =
      call.types().array(call.types().word("u8"), {static_cast<std::int64_t>(bytes.size())});
  return {type, make_aggregate(std::move(bytes))};
}

Result get_string_from_byte(const BuiltinCall& call) {
  return {call.types().string, Value{std::string(1, static_cast<char>(call.number(0)))}};
}

}  // namespace

const std::vector<BuiltinRow>& array_builtins() {
  const OperandRow array = takes(Takes::kUnread, "type or value"),
                   text = takes(Takes::kText, "text");
  static const std::vector<BuiltinRow> kRows = {
      {"zeros", kOfOperands, {array}, zeros, "an array of zeros"},
      {"constants",
       kOfOperands,
       {array, live(takes(Takes::kAny, "element"))},
       constants,
       "an array of equal elements"},
      {"element_type", kOfOperands, {array}, element_type, "the type of the elements"},
      {"element_count", kOfOperands, {array}, element_count, "their number"},
      {"rank", kOfOperands, {array}, rank, "the number of dimensions"},
      {"dimensions", kOfOperands, {array}, dimensions, "the extents as an array"},
      {"get_array", kOfOperands, {text}, get_array, "the bytes of a text"},
      {"get_string_from_byte",
       kOfOperands,
       {integer("byte", 0, 255)},
       get_string_from_byte,
       "a text of one byte"}};
  return kRows;
}

}  // namespace tessera::csl
