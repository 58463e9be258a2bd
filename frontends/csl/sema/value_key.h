// Values as keys: which are the same.
#pragma once

#include <cstddef>

#include "frontends/csl/sema/value.h"

namespace tessera::csl {

/// Equal for values that are the same.
std::size_t hash_of(const Type& type, const Value& value);
/// Whether two values of a type cannot be told from each other: deeply equal ones, and pointers and descriptors
/// to the same objects.
bool are_same(const Type& type, const Value& left, const Value& right);
/// Whether a value has at most `most` parts, none of which is a place in memory, a module or a function.
bool is_plain(const Value& value, std::size_t most);

}  // namespace tessera::csl
