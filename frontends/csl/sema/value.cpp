#include "frontends/csl/sema/value.h"

#include <array>
#include <cstdio>

#include "frontends/csl/sema/module.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kMostShown = 16;
constexpr std::size_t kMostListed = 1 << 16;

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  std::string result = text.data();
  if (result.find_first_of(".eni") == std::string::npos) result += ".0";
  return result;
}

std::string pointer_text(const PointerValue& pointer) {
  if (!pointer.cell) return "address " + std::to_string(pointer.address);
  std::string text = "&";
  if (pointer.cell->instance != nullptr) text += pointer.cell->instance->label() + ".";
  text += pointer.cell->name;
  for (const std::int64_t index : pointer.path) text += "[" + std::to_string(index) + "]";
  return text;
}

std::string dsd_text(const Type& type, const Dsd& dsd, bool is_short) {
  std::string text = type.name + " {";
  if (dsd.base) text += " " + pointer_text(*dsd.base) + " + " + std::to_string(dsd.offset);
  if (dsd.bytes != 0) text += " + " + text::plural(static_cast<std::size_t>(dsd.bytes), "byte");
  for (const std::int64_t extent : dsd.extents) text += " extent " + std::to_string(extent);
  for (const std::int64_t stride : dsd.strides) text += " stride " + std::to_string(stride);
  for (const auto& [name, option] : dsd.options)
    text += " ." + name + " = " + text_of(*option.type, option.value(), is_short);
  return text + " }";
}

std::string enum_text(const Type& type, const BigInt& tag) {
  for (const EnumMemberValue& member : type.members) {
    if (tag == member.value) return type.name + "." + member.name;
  }
  return type.name + "(" + tag.str() + ")";
}

std::string integer_text(const Type& type, const BigInt& value) {
  switch (type.kind) {
  case TypeKind::kEnum:
    return enum_text(type, value);
  case TypeKind::kDirection:
    return std::string(kDirectionNames.at(static_cast<std::size_t>(value)));
  case TypeKind::kHandle:
  case TypeKind::kDsr:
  case TypeKind::kFifo:
    return type.name + " " + value.str();
  default:
    return value.str();
  }
}

std::string elements_text(const Type& type, const Aggregate& elements, bool is_short) {
  std::string text = type.is(TypeKind::kArray) ? type.name + "{"
                     : type.is_named           ? type.name + "{"
                                               : ".{";
  const std::size_t count = is_short ? std::min(elements.size(), kMostShown) : elements.size();
  const bool is_folded = is_short ? elements.size() > 1 : elements.size() > kMostListed;
  if (is_folded && type.is(TypeKind::kArray) && elements.is_uniform())
    return text + text_of(*type.element, elements[0], is_short) + " ..}";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    const bool is_struct = type.is(TypeKind::kStruct);
    if (is_struct && !type.is_tuple) text += "." + type.fields[i].name + " = ";
    text += text_of(is_struct ? *type.fields[i].type : *type.element, elements[i], is_short);
  }
  return text + (count < elements.size() ? ", ..}" : "}");
}

}  // namespace

std::string text_of(const Type& type, const Value& value, bool is_short) {
  struct Visitor {
    const Type& type;
    const bool is_short;
    std::string operator()(const Void&) const { return "{}"; }
    std::string operator()(const Undefined&) const { return "undefined"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(const BigInt& i) const { return integer_text(type, i); }
    std::string operator()(double d) const { return number_text(d); }
    std::string operator()(const std::string& s) const { return "\"" + s + "\""; }
    std::string operator()(const Type* t) const {
      const bool is_unique = t->is_named || t->is(TypeKind::kEnum);
      return is_short || !is_unique
                 ? t->name
                 : t->name + " " + std::to_string(reinterpret_cast<std::uintptr_t>(t));
    }
    std::string operator()(const FunctionValue& f) const {
      return (is_short ? "" : f.instance->label() + ".") + std::string(f.function->name.text);
    }
    std::string operator()(Instance* instance) const { return "module " + instance->label(); }
    std::string operator()(const AggregateRef& a) const {
      return elements_text(type, *a, is_short);
    }
    std::string operator()(const std::shared_ptr<const PointerValue>& p) const {
      return pointer_text(*p);
    }
    std::string operator()(const std::shared_ptr<const Dsd>& d) const {
      return dsd_text(type, *d, is_short);
    }
  };
  return std::visit(Visitor{type, is_short}, value.v);
}

Value make_aggregate(std::vector<Value> elements) {
  return {AggregateRef(std::make_shared<Aggregate>(std::move(elements)))};
}

const Value* element_at(const Value& root, const std::vector<std::int64_t>& path) {
  const Value* value = &root;
  for (const std::int64_t index : path) {
    if (!value->holds<AggregateRef>()) return nullptr;
    const Aggregate& elements = value->elements();
    if (index < 0 || static_cast<std::size_t>(index) >= elements.size()) return nullptr;
    value = &elements[static_cast<std::size_t>(index)];
  }
  return value;
}

Value* element_at(Value& root, const std::vector<std::int64_t>& path) {
  Value* value = &root;
  for (const std::int64_t index : path) {
    if (!value->holds<AggregateRef>()) return nullptr;
    AggregateRef& shared = std::get<AggregateRef>(value->v);
    if (index < 0 || static_cast<std::size_t>(index) >= shared->size()) return nullptr;
    std::shared_ptr<Aggregate> own = shared.use_count() == 1
                                         ? std::const_pointer_cast<Aggregate>(shared)
                                         : std::make_shared<Aggregate>(*shared);
    shared = own;
    value = &own->at(static_cast<std::size_t>(index));
  }
  return value;
}

std::optional<std::int64_t> small(const BigInt& value) {
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;  // its magnitude
  const auto& number = value.backend();
  constexpr std::size_t kLimbBits = sizeof(*number.limbs()) * 8;
  if (number.size() * kLimbBits > 64) return std::nullopt;
  std::uint64_t magnitude = 0;
  for (std::size_t i = 0; i < number.size(); ++i)
    magnitude |= std::uint64_t{number.limbs()[i]} << (i * kLimbBits);
  if (magnitude > kLowest || (magnitude == kLowest && !number.sign())) return std::nullopt;
  return static_cast<std::int64_t>(number.sign() ? 0 - magnitude : magnitude);
}

}  // namespace tessera::csl
