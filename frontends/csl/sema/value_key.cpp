#include "frontends/csl/sema/value_key.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "frontends/csl/sema/hash.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::csl {
namespace {

const Type& type_of_part(const Type& type, std::size_t i) {
  return type.is(TypeKind::kStruct) ? *type.fields[i].type : *type.element;
}

std::size_t hash_of_integer(const BigInt& value) {
  const auto& number = value.backend();
  std::size_t hash = number.sign() ? 1 : 0;
  for (std::size_t i = 0; i < number.size(); ++i)
    mix(hash, static_cast<std::size_t>(number.limbs()[i]));
  return hash;
}

std::size_t hash_of_elements(const Type& type, const Aggregate& elements) {
  std::size_t hash = elements.size();
  bool are_equal = elements.is_uniform() || type.is(TypeKind::kArray);
  for (std::size_t i = 1; i < elements.size() && are_equal && !elements.is_uniform(); ++i)
    are_equal = are_same(type_of_part(type, i), elements[0], elements[i]);
  // Equal elements may be kept as one or one by one.
  const std::size_t count = are_equal ? std::min<std::size_t>(elements.size(), 1) : elements.size();
  for (std::size_t i = 0; i < count; ++i) mix(hash, hash_of(type_of_part(type, i), elements[i]));
  return hash;
}

bool are_same_elements(const Type& type, const Aggregate& left, const Aggregate& right) {
  if (&left == &right) return true;
  if (left.size() != right.size()) return false;
  const bool are_uniform = left.is_uniform() && right.is_uniform();
  const std::size_t count = are_uniform ? std::min<std::size_t>(left.size(), 1) : left.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!are_same(type_of_part(type, i), left[i], right[i])) return false;
  }
  return true;
}

bool is_plain_within(const Value& value, std::size_t& left) {
  if (left-- == 0) return false;
  if (!value.holds<AggregateRef>())
    return !value.holds<FunctionValue>() && !value.holds<Instance*>() &&
           !value.holds<std::shared_ptr<const PointerValue>>() &&
           !value.holds<std::shared_ptr<const Dsd>>();
  const Aggregate& elements = value.elements();
  const std::size_t count =
      elements.is_uniform() ? std::min<std::size_t>(elements.size(), 1) : elements.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_plain_within(elements[i], left)) return false;
  }
  return true;
}

}  // namespace

std::size_t hash_of(const Type& type, const Value& value) {
  std::size_t hash = value.v.index();
  if (value.holds<bool>()) mix(hash, std::size_t{value.get<bool>()});
  if (value.holds<BigInt>()) mix(hash, hash_of_integer(value.integer()));
  if (value.holds<double>()) mix(hash, bit_cast<std::uint64_t>(value.get<double>()));
  if (value.holds<std::string>()) mix(hash, std::hash<std::string>()(value.text()));
  if (value.holds<const Type*>()) mix(hash, value.get<const Type*>());
  if (value.holds<FunctionValue>()) mix(hash, value.get<FunctionValue>().function);
  if (value.holds<AggregateRef>()) mix(hash, hash_of_elements(type, value.elements()));
  return hash;
}

bool are_same(const Type& type, const Value& left, const Value& right) {
  if (left.v.index() != right.v.index()) return false;
  if (left.holds<bool>()) return left.get<bool>() == right.get<bool>();
  if (left.holds<BigInt>()) return left.integer() == right.integer();
  if (left.holds<double>())
    return bit_cast<std::uint64_t>(left.get<double>()) ==
           bit_cast<std::uint64_t>(right.get<double>());
  if (left.holds<std::string>()) return left.text() == right.text();
  if (left.holds<const Type*>()) return left.get<const Type*>() == right.get<const Type*>();
  if (left.holds<Instance*>()) return left.get<Instance*>() == right.get<Instance*>();
  if (left.holds<FunctionValue>())
    return left.get<FunctionValue>().function == right.get<FunctionValue>().function &&
           left.get<FunctionValue>().instance == right.get<FunctionValue>().instance;
  if (left.holds<AggregateRef>()) return are_same_elements(type, left.elements(), right.elements());
  if (left.holds<Void>() || left.is_undefined()) return true;
  return text_of(type, left) == text_of(type, right);
}

bool is_plain(const Value& value, std::size_t most) {
  return is_plain_within(value, most);
}

}  // namespace tessera::csl
