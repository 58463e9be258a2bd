#include "frontends/csl/sema/convert.h"

#include <cmath>
#include <limits>

#include "frontends/csl/sema/float_words.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::csl {
namespace {

BigInt power_of_two(unsigned bits) {
  return BigInt(1) << bits;
}

/// The bits of a value that `@bitcast` takes.
std::optional<BigInt> bits_of(const Type& type, const Value& value) {
  if (type.is_packed()) {
    if (!value.holds<AggregateRef>()) return BigInt(0);
    BigInt all = 0;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const Value& field = value.elements()[i];
      if (field.is_undefined()) continue;
      const std::optional<BigInt> bits = bits_of(*type.fields[i].type, field);
      if (!bits) return std::nullopt;
      all |= *bits << static_cast<unsigned>(bit_offset_of_field(type, i));
    }
    return all;
  }
  if (value.holds<bool>()) return BigInt(value.get<bool>() ? 1 : 0);
  if (value.holds<BigInt>()) {
    const BigInt& i = value.integer();
    return i < 0 ? i + power_of_two(type.bits) : i;
  }
  if (value.holds<double>() && type.is(TypeKind::kFloat))
    return BigInt(word_of(type, value.get<double>()));
  if (type.is(TypeKind::kPointer) && !value.is_undefined() && !value.pointer().cell)
    return BigInt(value.pointer().address);
  return std::nullopt;
}

unsigned width_of(const Type& type) {
  if (type.is_packed()) return static_cast<unsigned>(packed_bits(type).value_or(0));
  switch (type.kind) {
  case TypeKind::kInteger:
  case TypeKind::kFloat:
    return type.bits;
  case TypeKind::kEnum:
    return type.element->bits;
  case TypeKind::kBool:
  case TypeKind::kPointer:
  case TypeKind::kHandle:
    return 16;
  default:
    return 0;
  }
}

/// The value of the type with these bits.
Value of_bits(const Type& to, const BigInt& bits) {
  if (to.is_packed()) {
    std::vector<Value> fields(to.fields.size(), Value{Undefined{}});
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Type& field = *to.fields[i].type;
      const BigInt above = bits >> static_cast<unsigned>(bit_offset_of_field(to, i));
      fields[i] = of_bits(field, above % power_of_two(static_cast<unsigned>(*packed_bits(field))));
      if (to.is_union) break;
    }
    return make_aggregate(std::move(fields));
  }
  if (to.is(TypeKind::kPointer)) {
    const auto address = static_cast<std::int64_t>(bits);
    return Value{std::make_shared<const PointerValue>(PointerValue{nullptr, {}, address})};
  }
  if (to.is(TypeKind::kFloat)) return Value{number_of(to, static_cast<std::uint32_t>(bits))};
  if (to.is(TypeKind::kBool)) return Value{bits != 0};
  if (to.is(TypeKind::kEnum)) return Value{wrapped(*to.element, bits)};
  return Value{to.is(TypeKind::kInteger) ? wrapped(to, bits) : bits};
}

constexpr std::int64_t kByteBits = 8;

/// The bits of a value as it lies in memory.
std::optional<BigInt> memory_of(const Type& type, const Value& value) {
  if (!type.is_aggregate() || type.is_packed()) return bits_of(type, value);
  if (!value.holds<AggregateRef>()) return std::nullopt;
  const bool is_array = type.is(TypeKind::kArray);
  BigInt all = 0;
  for (std::size_t i = 0; i < value.elements().size(); ++i) {
    const Value& part = value.elements()[i];
    if (type.is_union && part.is_undefined()) continue;
    const Type& of = is_array ? *type.element : *type.fields[i].type;
    const std::optional<BigInt> bits = memory_of(of, part);
    if (!bits) return std::nullopt;
    const std::int64_t at =
        is_array ? static_cast<std::int64_t>(i) * size_of(of) : offset_of_field(type, i);
    all |= *bits << static_cast<unsigned>(at * kByteBits);
  }
  return all;
}

Value of_memory(const Type& to, const BigInt& bits) {
  const auto low = [&](const Type& type, std::int64_t at, std::int64_t count) {
    return of_memory(type, (bits >> static_cast<unsigned>(at * kByteBits)) %
                               power_of_two(static_cast<unsigned>(count)));
  };
  const auto width = [](const Type& t) { return packed_bits(t).value_or(size_of(t) * kByteBits); };
  if (!to.is_aggregate() || to.is_packed()) return of_bits(to, bits);
  std::vector<Value> parts;
  if (to.is(TypeKind::kArray)) {
    for (std::int64_t i = 0; i < to.count(); ++i)
      parts.push_back(low(*to.element, i * size_of(*to.element), width(*to.element)));
    return make_aggregate(std::move(parts));
  }
  for (std::size_t i = 0; i < to.fields.size(); ++i) {
    const Type& field = *to.fields[i].type;
    const bool is_other = to.is_union && i > 0;
    parts.push_back(is_other ? Value{Undefined{}}
                             : low(field, offset_of_field(to, i), width(field)));
  }
  return make_aggregate(std::move(parts));
}

/// The number rounded toward zero; nothing: it is not finite.
std::optional<BigInt> truncated(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return BigInt(std::trunc(value));
}

/// A whole float as the machine converts it, saturated to what the instruction gives, of which the type has the low bits: small types with
/// a sign have 16 bits of it, others 32, and those of more than 32 have 64 (lower/wide.cpp).
BigInt in_register(const Type& type, const BigInt& whole) {
  if (type.bits > 32) {
    const BigInt most = power_of_two(type.is_signed ? 63 : 64) - 1;
    const BigInt least = type.is_signed ? BigInt(-power_of_two(63)) : BigInt(0);
    return whole > most ? most : whole < least ? least : whole;
  }
  const unsigned bits = type.is_signed && type.bits <= 16 ? 16 : 32;
  const bool is_whole_word = !type.is_signed && type.bits > 16;
  const BigInt most = power_of_two(is_whole_word ? bits : bits - 1) - 1;
  const BigInt least = -power_of_two(bits - 1);
  return whole > most ? most : whole < least ? least : whole;
}

/// A number to be rounded to a type. A whole one of more bits than a double has is rounded to odd, so that the second
/// rounding, to a type with fewer bits, is as if it were the only one.
double to_round(const Value& value, const Type& to) {
  if (value.holds<double>()) return value.get<double>();
  const BigInt whole = abs(value.integer());
  constexpr unsigned kBits = float16::kDoubleFractionBits + 1;
  if (whole == 0 || msb(whole) < kBits || to.is(TypeKind::kComptimeFloat))
    return value.integer().convert_to<double>();
  const unsigned below = static_cast<unsigned>(msb(whole)) + 1 - kBits;
  auto top = static_cast<std::uint64_t>(BigInt(whole >> below));
  if (lsb(whole) < below) top |= 1;
  const double magnitude = std::ldexp(static_cast<double>(top), static_cast<int>(below));
  return value.integer() < 0 ? -magnitude : magnitude;
}

bool same_pointee(const Type& from, const Type& to) {
  return from.element == to.element || to.element->is(TypeKind::kAnyopaque);
}

bool is_list_of_lists(const Type& type) {
  return type.is_tuple && !type.fields.empty() && type.fields[0].type->is_aggregate() &&
         !type.fields[0].type->is_named &&
         (type.fields[0].type->is_tuple || type.fields[0].type->is(TypeKind::kArray));
}

/// Whether a pointer is to an element of an array, after which others of its type follow.
bool is_to_element(const PointerValue& pointer) {
  if (!pointer.cell || pointer.path.empty()) return false;
  const Type* type = pointer.cell->type;
  for (std::size_t i = 0; i + 1 < pointer.path.size(); ++i)
    type = type->is(TypeKind::kStruct)
               ? type->fields[static_cast<std::size_t>(pointer.path[i])].type
               : type->element;
  return type->is(TypeKind::kArray);
}

}  // namespace

bool fits(const Type& type, const BigInt& value) {
  if (type.is(TypeKind::kComptimeInt)) return true;
  if (type.bits < 63) {  // so that the limit is one, too
    const std::optional<std::int64_t> number = small(value);
    const std::int64_t limit = std::int64_t{1} << (type.is_signed ? type.bits - 1 : type.bits);
    return number && *number < limit && *number >= (type.is_signed ? -limit : 0);
  }
  const BigInt limit = power_of_two(type.is_signed ? type.bits - 1 : type.bits);
  return value < limit && value >= (type.is_signed ? BigInt(-limit) : BigInt(0));
}

BigInt wrapped(const Type& type, const BigInt& value) {
  if (fits(type, value)) return value;
  const BigInt modulus = power_of_two(type.bits);
  BigInt low = value % modulus;
  if (low < 0) low += modulus;
  if (type.is_signed && low >= (modulus >> 1)) low -= modulus;
  return low;
}

namespace {

/// A number without a type of its own as a float of a type; nothing, and `problem` says so: only an infinite one is near.
std::optional<Value> fitting_float(const Result& from, const Type& to, std::string& problem) {
  const double number = to_round(from.value(), to);
  const double result = rounded(to, number);
  if (std::isfinite(number) && !std::isfinite(result)) {
    problem = "; the value " + text_of(*from.type, from.value(), true) + " does not fit";
    return std::nullopt;
  }
  return Value{result};
}

}  // namespace

std::optional<Value> Converter::to_number(const Result& from, const Type* to,
                                          std::string& problem) const {
  const Type& type = *from.type;
  const Value& value = from.value();
  if (to->is_any_integer() && type.is_any_integer()) {
    if (fits(*to, value.integer())) return value;
    problem = "; the value " + value.integer().str() + " does not fit";
    return std::nullopt;
  }
  const bool is_open = type.is(TypeKind::kComptimeInt) || type.is(TypeKind::kComptimeFloat);
  if (to->is_any_float() && is_open) return fitting_float(from, *to, problem);
  const bool widens = type.is(TypeKind::kFloat) && type.bits < to->bits;
  if (to->is_any_float() && widens) return Value{rounded(*to, value.get<double>())};
  problem = "; use @as";
  return std::nullopt;
}

std::optional<Value> Converter::to_pointer(const Result& from, const Type* to) const {
  const Type& type = *from.type;
  if (!type.is(TypeKind::kPointer) || (type.is_const && !to->is_const)) return std::nullopt;
  if (type.to_many == to->to_many && same_pointee(type, *to)) return from.value();
  if (type.to_many) return std::nullopt;
  PointerValue pointer = from.value().pointer();
  if (to->to_many) {  // *[n]T to [*]T, and &a[i]
    if (type.element == to->element && is_to_element(pointer)) return from.value();
    // Of any number of dimensions: the documentation wants one, published programs have two.
    if (!type.element->is(TypeKind::kArray) || type.element->element != to->element)
      return std::nullopt;
    if (pointer.cell) pointer.path.push_back(0);
    return Value{std::make_shared<const PointerValue>(std::move(pointer))};
  }
  const bool one_of = to->element->is(TypeKind::kArray) && to->element->count() == 1 &&
                      to->element->element == type.element;
  if (one_of) return from.value();  // *T to *[1]T
  return std::nullopt;
}

std::optional<Value> Converter::to_structure(const Result& from, const Type* to,
                                             std::string& problem) const {
  const Type& type = *from.type;
  if (!type.is(TypeKind::kStruct)) return std::nullopt;
  if (to->is_union) return to_union(from, to, problem);
  if (type.fields.size() != to->fields.size()) {
    problem = "; the number of fields differs";
    return std::nullopt;
  }
  std::vector<Value> fields;
  for (const Field& field : to->fields) {
    const int index = type.find_field(field.name);
    if (index < 0) {
      problem = "; there is no field '" + field.name + "'";
      return std::nullopt;
    }
    const auto i = static_cast<std::size_t>(index);
    const Result element{type.fields[i].type, from.value().elements()[i]};
    std::optional<Value> value = implicit(element, field.type, problem);
    if (!value) {
      problem = "; field '" + field.name + "' is of type " + element.type->name + " instead of " +
                field.type->name + problem;
      return std::nullopt;
    }
    fields.push_back(std::move(*value));
  }
  return make_aggregate(std::move(fields));
}

std::optional<Value> Converter::to_union(const Result& from, const Type* to,
                                         std::string& problem) const {
  const Type& type = *from.type;
  const int index = type.fields.size() == 1 ? to->find_field(type.fields[0].name) : -1;
  if (index < 0 || type.is_union) {
    problem = "; a union takes one of its fields";
    return std::nullopt;
  }
  const auto i = static_cast<std::size_t>(index);
  std::vector<Value> fields(to->fields.size(), Value{Undefined{}});
  std::optional<Value> value =
      implicit({type.fields[0].type, from.value().elements()[0]}, to->fields[i].type, problem);
  if (!value) {
    problem = "; field '" + to->fields[i].name + "' is of type " + to->fields[i].type->name +
              " instead of " + type.fields[0].type->name + problem;
    return std::nullopt;
  }
  fields[i] = std::move(*value);
  return make_aggregate(std::move(fields));
}

/// `.{ .{ 1, 2 }, .{ 3, 4 } }` as `[2, 2]T`.
std::optional<Value> Converter::to_matrix(const Result& from, const Type* to,
                                          std::string& problem) const {
  const Aggregate& rows = from.value().elements();
  if (to->extents.size() < 2 || static_cast<std::int64_t>(rows.size()) != to->extents[0]) {
    problem = "; the number of elements differs";
    return std::nullopt;
  }
  const Type* row = types_.array(to->element, {to->extents.begin() + 1, to->extents.end()});
  std::vector<Value> elements;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<Value> one = implicit({from.type->fields[i].type, rows[i]}, row, problem);
    if (!one) return std::nullopt;
    for (std::size_t k = 0; k < one->elements().size(); ++k) elements.push_back(one->elements()[k]);
  }
  return make_aggregate(std::move(elements));
}

std::optional<Value> Converter::to_array(const Result& from, const Type* to,
                                         std::string& problem) const {
  const Type& type = *from.type;
  const bool is_list = type.is(TypeKind::kStruct) && (type.is_tuple || type.fields.empty());
  if (!type.is(TypeKind::kArray) && !is_list) return std::nullopt;
  if (is_list && is_list_of_lists(type)) return to_matrix(from, to, problem);
  const Aggregate& elements = from.value().elements();
  if (static_cast<std::int64_t>(elements.size()) != to->count()) {
    problem = "; the number of elements differs";
    return std::nullopt;
  }
  if (type.is(TypeKind::kArray) && elements.is_uniform() && elements.size() > 0) {
    std::optional<Value> one = implicit({type.element, elements[0]}, to->element, problem);
    if (!one) return std::nullopt;
    return Value{AggregateRef(std::make_shared<Aggregate>(elements.size(), std::move(*one)))};
  }
  std::vector<Value> converted;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Type* element = is_list ? type.fields[i].type : type.element;
    std::optional<Value> value = implicit({element, elements[i]}, to->element, problem);
    if (!value) return std::nullopt;
    converted.push_back(std::move(*value));
  }
  return make_aggregate(std::move(converted));
}

std::optional<Value> Converter::implicit(const Result& from, const Type* to,
                                         std::string& problem) const {
  const Type& type = *from.type;
  if (from.type == to || to->is(TypeKind::kAnytype) || from.value().is_undefined())
    return from.value();
  switch (to->kind) {
  case TypeKind::kInteger:
  case TypeKind::kComptimeInt:
  case TypeKind::kFloat:
  case TypeKind::kComptimeFloat:
    if (!type.is_number()) return std::nullopt;
    return to_number(from, to, problem);
  case TypeKind::kPointer:
    return to_pointer(from, to);
  case TypeKind::kAnyStruct:
    if (!type.is(TypeKind::kStruct)) return std::nullopt;
    return from.value();
  case TypeKind::kStruct:
    return to_structure(from, to, problem);
  case TypeKind::kArray:
    return to_array(from, to, problem);
  case TypeKind::kFunction:
    if (!type.is(TypeKind::kFunction) || (!type.is_generic && !to->is_generic)) return std::nullopt;
    return from.value();
  default:
    return std::nullopt;
  }
}

std::optional<Value> Converter::as_type(const Result& from, const Type* to,
                                        std::string& problem) const {
  const Type& type = *from.type;
  const Value& value = from.value();
  if (from.type == to || value.is_undefined()) return value;
  const bool is_integral =
      value.holds<BigInt>() && (type.is_any_integer() || type.is(TypeKind::kEnum));
  const bool is_number = is_integral || value.holds<double>();
  const bool from_enum = type.is(TypeKind::kEnum), to_enum = to->is(TypeKind::kEnum);
  if ((to->is_any_integer() || (to_enum && !from_enum)) && (is_number || value.holds<bool>())) {
    const std::optional<BigInt> whole = is_integral           ? value.integer()
                                        : value.holds<bool>() ? BigInt(value.get<bool>() ? 1 : 0)
                                                              : truncated(value.get<double>());
    if (!whole) {
      problem = "; it is not a finite number";
      return std::nullopt;
    }
    const Type& target = to_enum ? *to->element : *to;
    return Value{wrapped(target, value.holds<double>() ? in_register(target, *whole) : *whole)};
  }
  const bool is_open =
      from.type->is(TypeKind::kComptimeInt) || from.type->is(TypeKind::kComptimeFloat);
  if (to->is_any_float() && is_open) return fitting_float(from, *to, problem);
  if (to->is_any_float() && (is_number || value.holds<bool>())) {
    const double d = value.holds<bool>() ? (value.get<bool>() ? 1.0 : 0.0) : to_round(value, *to);
    return Value{rounded(*to, d)};
  }
  if (to->is(TypeKind::kBool) && is_number)
    return Value{is_integral ? value.integer() != 0 : value.get<double>() != 0};
  return implicit(from, to, problem);
}

std::optional<Value> Converter::bitcast(const Result& from, const Type* to,
                                        std::string& problem) const {
  if (from.value().is_undefined()) return from.value();
  const Type& type = *from.type;
  const unsigned width = width_of(*to);
  if (type.is(TypeKind::kPointer) && to->is(TypeKind::kPointer)) return from.value();
  const std::optional<BigInt> bits = bits_of(type, from.value());
  if (!bits || width == 0) return std::nullopt;
  const bool is_literal = type.is(TypeKind::kComptimeInt);
  if (is_literal ? *bits >= power_of_two(width) || *bits < 0 : width_of(type) != width) {
    problem = "; the widths differ";
    return std::nullopt;
  }
  return of_bits(*to, *bits);
}

std::optional<Value> Converter::reinterpreted(const Result& from, const Type* to) const {
  const std::optional<BigInt> bits = memory_of(*from.type, from.value());
  if (!bits || size_of(*to) == 0 || size_of(*to) > size_of(*from.type)) return std::nullopt;
  const std::int64_t width = packed_bits(*to).value_or(size_of(*to) * kByteBits);
  return of_memory(*to, *bits % power_of_two(static_cast<unsigned>(width)));
}

const Type* Converter::common(const Result& left, const Result& right) const {
  const Type* a = left.type;
  const Type* b = right.type;
  if (a == b) return a;
  if (a->is_number() && b->is_number()) {
    if (a->is(TypeKind::kComptimeInt)) return b;
    if (b->is(TypeKind::kComptimeInt)) return a;
    if (a->is_any_float() != b->is_any_float()) return nullptr;
    if (a->is(TypeKind::kComptimeFloat)) return b;
    if (b->is(TypeKind::kComptimeFloat)) return a;
    if (a->bits != b->bits) return a->bits > b->bits ? a : b;
    if (a->is_any_float() || !right.is_known()) return nullptr;
    return fits(*a, right.value().integer()) ? a : b;
  }
  std::string problem;
  if (right.is_known() && implicit(right, a, problem)) return a;
  if (left.is_known() && implicit(left, b, problem)) return b;
  return nullptr;
}

}  // namespace tessera::csl
