// Parser of expressions with operators of several precedences:
//
//   level 0 := level 1 { operator of level 0  level 1 }      grouped from the left
//   level 1 := level 2 { operator of level 1  level 2 }      and so on; after the last level:
//   operand := { prefix operator } primary
//
// The language says which operators there are, what a primary expression is, and what all of them
// mean.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/text/diagnostics.h"

namespace tessera::text {

enum class Operator : std::uint8_t {
  // prefixes
  kNegate,
  kNot,
  // binary
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLessOrEqual,
  kLess,
  kGreaterOrEqual,
  kGreater,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMatrixMultiply
};

/// An operator of a language: how it is written, and how tightly it binds (level 0 is the loosest;
/// prefixes bind tightest and have no level). One that begins with another of its level precedes it.
struct OperatorSpelling {
  const char* text;
  Operator op;
  unsigned level;
};

/// An operator where it stands in the text.
struct PlacedOperator {
  Operator op;
  const char* text;
  Place place;
};

/// `Language` says what literals, names and operators mean:
///
///   Value                                   what an expression becomes
///   kOperators, kLevels                     the binary operators and the number of their levels
///   kPrefixes                               the prefix operators
///   place()                                 the place of what comes next
///   accept(const char* text)                takes an operator if it comes next, and says whether
///   binary(PlacedOperator, Value, Value)    the meaning of an operator, a Value
///   prefixed(PlacedOperator, Value)         the meaning of a prefix operator, a Value
///   primary(PrecedenceParser&)              takes a literal, a name, or parentheses around
///                                           parser.parse(); a Value
template <class Language>
class PrecedenceParser {
 public:
  using Value = typename Language::Value;

  explicit PrecedenceParser(Language& language) : language_(language) {}

  Value parse() { return binary(0); }

 private:
  Value binary(unsigned level) {
    if (level == Language::kLevels) return prefixed();
    Value left = binary(level + 1);
    while (const std::optional<PlacedOperator> op = accept(Language::kOperators, level)) {
      Value right = binary(level + 1);
      left = language_.binary(*op, std::move(left), std::move(right));
    }
    return left;
  }

  template <class Spellings>
  std::optional<PlacedOperator> accept(const Spellings& spellings, unsigned level) {
    const Place place = language_.place();
    for (const OperatorSpelling& spelling : spellings) {
      if (spelling.level == level && language_.accept(spelling.text))
        return PlacedOperator{spelling.op, spelling.text, place};
    }
    return std::nullopt;
  }

  // A loop, so that no number of signs exhausts the stack.
  Value prefixed() {
    std::vector<PlacedOperator> prefixes;
    while (const std::optional<PlacedOperator> op = accept(Language::kPrefixes, 0))
      prefixes.push_back(*op);
    Value value = language_.primary(*this);
    for (; !prefixes.empty(); prefixes.pop_back())
      value = language_.prefixed(prefixes.back(), std::move(value));
    return value;
  }

  Language& language_;
};

}  // namespace tessera::text
