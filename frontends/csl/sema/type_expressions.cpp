// The part of the evaluator for expressions whose value is a type, and for literals.
#include <algorithm>
#include <set>

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 32;

}  // namespace

Result Evaluator::on(const ArrayType& e) {
  std::vector<std::int64_t> extents;
  std::int64_t count = 1;
  for (const Expr* extent : e.extents) {
    extents.push_back(integer(*extent, 0, kMostElements, "the extent of an array"));
    count *= std::max<std::int64_t>(extents.back(), 1);
    if (count > kMostElements) engine_.fail(e, "the array has too many elements");
  }
  const Type* element = type(*e.element);
  if (element->is(TypeKind::kArray))
    engine_.fail(e, "the elements of an array cannot be arrays; write [a, b]T");
  return type_result(engine_.types.array(element, std::move(extents)));
}

Result Evaluator::on(const PointerType& e) {
  return type_result(engine_.types.pointer(type(*e.pointee), e.to_many, e.is_const));
}

Result Evaluator::on(const FunctionType& e) {
  std::vector<const Type*> parameters;
  for (const Expr* parameter : e.parameters) parameters.push_back(type(*parameter));
  const Type* result = type(*e.result);
  return type_result(engine_.types.function(std::move(parameters), result, e.is_task));
}

Result Evaluator::on(const Container& e) {
  if (e.is_union) engine_.fail(e, "unions are not supported");
  std::vector<Field> fields;
  std::string name = "struct {";
  for (const ContainerField& member : e.members) {
    fields.push_back({std::string(member.name.text), type(*member.type)});
    name += (fields.size() == 1 ? " " : ", ") + fields.back().name;
  }
  return type_result(engine_.types.named_structure(name + " }", std::move(fields)));
}

Result Evaluator::on(const Enum& e) {
  std::vector<EnumMemberValue> members;
  std::set<std::int64_t> used;
  for (const EnumMember& member : e.members) {
    members.push_back({std::string(member.name.text), -1});
    if (member.value == nullptr) continue;
    members.back().value = integer(*member.value, 0, 65535, "the value of a member");
    if (!used.insert(members.back().value).second)
      engine_.fail(*member.value, "two members of the enum have the value ", members.back().value);
  }
  std::int64_t next = 0;
  std::string name = "enum {";
  for (EnumMemberValue& member : members) {
    name += (name.back() == '{' ? " " : ", ") + member.name;
    if (member.value >= 0) continue;
    while (used.count(next) != 0) ++next;
    member.value = next++;
  }
  const Type* tag = e.tag == nullptr ? engine_.types.word("u16") : type(*e.tag);
  return type_result(engine_.types.enumeration(name + " }", tag, std::move(members)));
}

Result Evaluator::on(const Literal& e) {
  std::vector<Field> fields;
  std::vector<Value> values;
  const bool is_tuple = !e.values.empty() && e.values[0].name.text.empty();
  for (const LiteralField& field : e.values) {
    const Result element = value(*field.value);
    const std::string name =
        is_tuple ? std::to_string(fields.size()) : std::string(field.name.text);
    const bool is_new =
        std::none_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    if (!is_new) engine_.fail(*field.value, "two fields are called ", in_quotes(name));
    fields.push_back({name, element.type});
    values.push_back(element.value());
  }
  const Type* made = engine_.types.structure(std::move(fields), is_tuple);
  Result literal{made, make_aggregate(std::move(values))};
  if (e.type == nullptr) return literal;
  return engine_.convert(literal, type(*e.type), e, "the literal");
}

}  // namespace tessera::csl
