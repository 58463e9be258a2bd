// The part of the evaluator for expressions whose value is a type, and for literals.
#include <algorithm>
#include <limits>
#include <set>

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostElements = std::int64_t{1} << 32;

/// The name of the constant that a new type is the value of, or a description.
std::string own_name(const Evaluator& evaluator, const std::string& description) {
  const std::string_view name = evaluator.frame().type_name;
  return name.empty() ? description : std::string(name);
}

/// The last one of `fields`.
void check_field(Evaluator& evaluator, const Container& e, const std::vector<Field>& fields,
                 const Node& at) {
  Engine& engine = evaluator.engine();
  const Field& field = fields.back();
  const std::string_view what = e.is_union ? "union" : "struct";
  if (e.layout == Container::Layout::kExtern &&
      !is_exportable(*field.type, *engine.types.word(engine.options.half)))
    engine.fail(Id::kFieldType, at, "a field of an extern ", what,
                " has a type that other object files know: ",
                "integers of 16 or 32 bits, floats, bools, colors, pointers and arrays of these, "
                "extern and packed types; not ",
                in_quotes(field.type->name));
  if (e.layout != Container::Layout::kPacked) return;
  const std::optional<std::int64_t> bits = packed_bits(*field.type);
  if (!bits)
    engine.fail(Id::kFieldType, at, "a field of a packed ", what,
                " is an integer, a float, a bool, an enum, a ",
                "pointer or another packed type, not ", in_quotes(field.type->name));
  if (e.is_union && *bits != *packed_bits(*fields[0].type))
    engine.fail(Id::kFieldType, at, "the fields of a packed union have the same number of bits; ",
                in_quotes(field.name), " has ", *bits, " and ", in_quotes(fields[0].name), " has ",
                *packed_bits(*fields[0].type));
}

/// Fails if one of `members`, or fields, has the name.
template <class Member>
void require_new(Evaluator& evaluator, const std::vector<Member>& members, std::string_view name,
                 const Node& at) {
  const bool is_new = std::none_of(members.begin(), members.end(),
                                   [&](const Member& member) { return member.name == name; });
  if (!is_new)
    evaluator.engine().fail(Id::kMemberTwice, at, "two members of the type are called ",
                            in_quotes(name));
}

}  // namespace

Result evaluate(Evaluator& evaluator, const ArrayType& e) {
  std::vector<std::int64_t> extents;
  std::int64_t count = 1;
  for (const Expr* extent : e.extents) {
    extents.push_back(evaluator.integer(*extent, 0, kMostElements, "the extent of an array"));
    count *= std::max<std::int64_t>(extents.back(), 1);
    if (count > kMostElements)
      evaluator.engine().fail(Id::kTypeForm, e, "the array has too many elements");
  }
  const Type* element = evaluator.type(*e.element);
  if (element->is(TypeKind::kArray))
    evaluator.engine().fail(Id::kTypeForm, e,
                            "the elements of an array cannot be arrays; write [a, b]T");
  return evaluator.type_result(evaluator.engine().types.array(element, std::move(extents)));
}

Result evaluate(Evaluator& evaluator, const PointerType& e) {
  const Type* pointee = evaluator.type(*e.pointee);
  // A function and a pointer to it are the same value.
  if (pointee->is(TypeKind::kFunction) && !pointee->is_task && !e.to_many)
    return evaluator.type_result(pointee);
  return evaluator.type_result(evaluator.engine().types.pointer(pointee, e.to_many, e.is_const));
}

Result evaluate(Evaluator& evaluator, const FunctionType& e) {
  std::vector<const Type*> parameters;
  for (const Expr* parameter : e.parameters) parameters.push_back(evaluator.type(*parameter));
  const Type* result = evaluator.type(*e.result);
  return evaluator.type_result(
      evaluator.engine().types.function(std::move(parameters), result, e.is_task));
}

Result evaluate(Evaluator& evaluator, const Container& e) {
  const StructLayout layout = e.layout == Container::Layout::kPacked   ? StructLayout::kPacked
                              : e.layout == Container::Layout::kExtern ? StructLayout::kExtern
                                                                       : StructLayout::kAutomatic;
  std::vector<Field> fields;
  std::string name = e.is_union ? "union {" : "struct {";
  for (const ContainerField& member : e.members) {
    require_new(evaluator, fields, member.name.text, *member.type);
    fields.push_back({std::string(member.name.text), evaluator.type_of_value(*member.type)});
    name += (fields.size() == 1 ? " " : ", ") + fields.back().name;
    check_field(evaluator, e, fields, *member.type);
  }
  evaluator.engine().check_size(fields, e);
  return evaluator.type_result(evaluator.engine().types.named_structure(
      evaluator.engine().where(e), own_name(evaluator, name + " }"), std::move(fields), e.is_union,
      layout));
}

Result evaluate(Evaluator& evaluator, const Enum& e) {
  const Type* tag =
      e.tag == nullptr ? evaluator.engine().types.word("u16") : evaluator.type(*e.tag);
  if (!tag->is(TypeKind::kInteger))
    evaluator.engine().fail(Id::kTypeForm, e, "the tag of an enum is of type ",
                            in_quotes(tag->name), " instead of an integer type");
  const std::int64_t limit = std::int64_t{1} << std::min(tag->bits, 32U);
  std::vector<EnumMemberValue> members;
  std::set<std::int64_t> used;
  for (const EnumMember& member : e.members) {
    require_new(evaluator, members, member.name.text, e);
    members.push_back({std::string(member.name.text), kOpen});
    if (member.value == nullptr) continue;
    members.back().value =
        evaluator.integer(*member.value, tag->is_signed ? -limit / 2 : 0,
                          tag->is_signed ? limit / 2 - 1 : limit - 1, "the value of a member");
    if (!used.insert(members.back().value).second)
      evaluator.engine().fail(Id::kMemberTwice, *member.value,
                              "two members of the enum have the value ", members.back().value);
  }
  std::int64_t next = 0;
  std::string name = "enum {";
  for (EnumMemberValue& member : members) {
    name += (name.back() == '{' ? " " : ", ") + member.name;
    if (member.value != kOpen) continue;
    while (used.count(next) != 0) ++next;
    member.value = next++;
  }
  return evaluator.type_result(evaluator.engine().types.enumeration(
      evaluator.engine().where(e), own_name(evaluator, name + " }"), tag, std::move(members)));
}

namespace {

/// The type of a literal whose fields have these values.
const Type* type_of_literal(Evaluator& evaluator, const Literal& e,
                            const std::vector<Result>& values) {
  // Mostly it is the one that it was before.
  const Type*& last = evaluator.engine().facts(e).type;
  const bool is_last =
      last != nullptr &&
      std::equal(values.begin(), values.end(), last->fields.begin(), last->fields.end(),
                 [](const Result& value, const Field& field) { return value.type == field.type; });
  if (is_last) return last;
  std::vector<Field> fields;
  const bool is_tuple = !e.values.empty() && e.values[0].name.text.empty();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LiteralField& field = e.values[i];
    const std::string name = is_tuple ? std::to_string(i) : std::string(field.name.text);
    if (std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; }))
      evaluator.engine().fail(Id::kMemberTwice, *field.value, "two fields are called ",
                              in_quotes(name));
    fields.push_back({name, values[i].type});
  }
  evaluator.engine().check_size(fields, e);
  return last = evaluator.engine().types.structure(std::move(fields), is_tuple);
}

}  // namespace

Result evaluate(Evaluator& evaluator, const Literal& e) {
  std::vector<Result> values;
  values.reserve(e.values.size());
  bool are_known = true;
  Recorder* const recorder = evaluator.engine().recorder();
  Answers counted;
  for (const LiteralField& field : e.values) {
    Recorder::Part part(recorder);
    values.push_back(evaluator.frame().code != nullptr ? evaluator.operand(*field.value)
                                                       : evaluator.value(*field.value));
    are_known = are_known && values.back().is_known();
    if (recorder != nullptr) recorder->add_field(counted, *field.value, values.back(), part.take());
  }
  if (recorder != nullptr) recorder->end_fields(e, std::move(counted));
  Result literal{type_of_literal(evaluator, e, values), Value{}};
  if (are_known) {
    std::vector<Value> elements;
    elements.reserve(values.size());
    for (Result& value : values) elements.push_back(std::move(value.value()));
    literal.operand = make_aggregate(std::move(elements));
  } else {
    literal.operand = RunTimeOperand{
        "the literal", std::make_shared<const std::vector<Result>>(std::move(values))};
  }
  if (e.type == nullptr) return literal;
  return evaluator.converted(literal, evaluator.type(*e.type), e, "the literal");
}

}  // namespace tessera::csl
