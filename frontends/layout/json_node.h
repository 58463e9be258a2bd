// A JSON value with its place in its file, so that every access can say what is wrong and where.
// Included by .cpp files of front-ends only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/layout/expression.h"

namespace boost::json {
class value;
}

namespace tessera::layout {

/// Views a value; the value and the file name must outlive it.
class Node {
 public:
  Node(const boost::json::value& value, const std::string& file, std::string place)
      : value_(&value), file_(&file), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  [[noreturn]] void fail(const std::string& problem) const;
  /// "found the number 3 where EXPECTED was expected".
  [[noreturn]] void wrong_type(const std::string& expected) const;

  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_double() const;
  /// A number that is written without point and exponent.
  bool is_integer() const;

  // Objects. All fail if this is not an object.
  /// Fails at a key that is not among `keys`. The key "comment" is always allowed and ignored.
  void allow_keys(const std::vector<std::string>& keys) const;
  std::vector<std::string> keys() const;
  std::optional<Node> find(const std::string& key) const;
  /// Fails if the key is missing.
  Node at(const std::string& key) const;
  std::vector<std::pair<std::string, Node>> members() const;

  /// Elements of an array; fails if this is none.
  std::vector<Node> items() const;

  std::string text(const std::string& what) const;
  bool boolean() const;
  /// Any finite number.
  double number(const std::string& what) const;

  // Expressions: an integer, or a string with an expression.
  Expression expression(const Constants& constants, Expression::Variables variables) const;
  /// The value of an expression at a tile, with problems reported at this place.
  std::int64_t evaluate(const Expression& expression, Point at) const;
  /// The value of an expression that does not depend on the tile.
  std::int64_t integer(const Constants& constants) const;
  /// The same, and in lowest..highest.
  std::int64_t integer_in(const Constants& constants, std::int64_t lowest, std::int64_t highest,
                          const std::string& what) const;

 private:
  [[noreturn]] void fail_in_expression(const ExpressionError& error) const;
  std::string kind() const;
  Node child(const boost::json::value& value, const std::string& key) const;

  const boost::json::value* value_;
  const std::string* file_;
  std::string place_;
};

}  // namespace tessera::layout
