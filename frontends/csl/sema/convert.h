// Conversions of values that are known at compile time (csl.md 3).
#pragma once

#include <string>

#include "frontends/csl/sema/value.h"

namespace tessera::csl {

class Converter {
 public:
  explicit Converter(Types& types) : types_(types) {}

  /// The implicit conversion of the language: on arguments, params, results, initializers.
  /// nothing: the language does not convert this; `problem` says why.
  std::optional<Value> implicit(const Result& from, const Type* to, std::string& problem) const;
  /// `@as`: also those that lose something.
  std::optional<Value> as_type(const Result& from, const Type* to, std::string& problem) const;
  /// `@bitcast`: the same bits as another type.
  std::optional<Value> bitcast(const Result& from, const Type* to, std::string& problem) const;
  /// What lies in memory where the other value lies; nothing: it is not known.
  std::optional<Value> reinterpreted(const Result& from, const Type* to) const;
  /// The type that both operands of an operator, or both branches of an `if`, become; nullptr: none.
  const Type* common(const Result& left, const Result& right) const;

 private:
  std::optional<Value> to_number(const Result& from, const Type* to, std::string& problem) const;
  std::optional<Value> to_pointer(const Result& from, const Type* to) const;
  std::optional<Value> to_structure(const Result& from, const Type* to, std::string& problem) const;
  std::optional<Value> to_union(const Result& from, const Type* to, std::string& problem) const;
  std::optional<Value> to_matrix(const Result& from, const Type* to, std::string& problem) const;
  std::optional<Value> to_array(const Result& from, const Type* to, std::string& problem) const;

  Types& types_;
};

/// Whether an integer type holds a value.
bool fits(const Type& type, const BigInt& value);
/// The low bits of a value as a type has them: wrapping arithmetic.
BigInt wrapped(const Type& type, const BigInt& value);

}  // namespace tessera::csl
