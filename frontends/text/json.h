// JSON files: their text, and its values with their places, so that every access can say what is
// wrong and where. Boost.JSON stays inside the .cpp files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/text/expression.h"

namespace boost::json {
class value;
}

namespace tessera::text {

/// The text as a value. Beyond what Boost.JSON does, errors have line and column, and a key that
/// occurs twice in one object is one. Throws UserError(file, "LINE:COLUMN", ...).
boost::json::value parse_json(const std::string& text, const std::string& file);

class Node;

/// A JSON file. Outlives its nodes.
class Document {
 public:
  /// Throws UserError unless `text` is an object whose key "schema" is `schema`.
  Document(const std::string& text, std::string file, const std::string& schema,
           AbsentNames absent = {});
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Node root() const;

 private:
  friend class Node;
  std::string file_;
  AbsentNames absent_;  // names that expressions may not use here
  std::unique_ptr<const boost::json::value> value_;
};

/// A value of a document. Its place is a path such as "routes[2].color".
class Node {
 public:
  const std::string& place() const { return place_; }
  /// Throws UserError at this place; the parts of the problem are joined.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    throw UserError(document_->file_, place_, joined(problem...));
  }
  /// Fails with "found the number 3 where EXPECTED was expected".
  [[noreturn]] void wrong_type(const std::string& expected) const;
  /// Fails with `error` in this string; `where` says for which values of the variables.
  [[noreturn]] void fail_in_expression(const ExpressionError& error,
                                       const std::string& where = "") const;

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

  /// Elements of an array. Fails if this value is not an array.
  std::vector<Node> items() const;

  /// Members or elements of the value of a key that may be missing: then there are none.
  std::vector<std::pair<std::string, Node>> members_of(const std::string& key) const;
  std::vector<Node> items_of(const std::string& key) const;

  /// A string; `what` it is goes into messages.
  std::string text(const std::string& what) const;
  bool boolean() const;
  /// Any finite number.
  double number(const std::string& what) const;
  /// Index of this string in `words`; fails with the nearest of them.
  std::size_t word(const std::vector<std::string>& words, const std::string& what) const;

  // Expressions: an integer, or a string with an expression.
  Expression expression(const Constants& constants, const Expression::Names& variables = {}) const;
  /// The value of an expression without variables.
  std::int64_t integer(const Constants& constants) const;
  /// The same. The value must be in lowest..highest, a range that T holds.
  template <class T = std::int64_t>
  T integer_in(const Constants& constants, std::int64_t lowest, std::int64_t highest,
               const std::string& what) const {
    return static_cast<T>(checked_integer(constants, lowest, highest, what));
  }

 private:
  friend class Document;
  Node(const Document& document, const boost::json::value& value, std::string place)
      : document_(&document), value_(&value), place_(std::move(place)) {}
  std::int64_t checked_integer(const Constants& constants, std::int64_t lowest,
                               std::int64_t highest, const std::string& what) const;
  std::string kind() const;
  Node child(const boost::json::value& value, const std::string& key) const;

  const Document* document_;
  const boost::json::value* value_;
  std::string place_;
};

/// Fails unless `name` is one that expressions could use. `what` says what it names.
void check_name(const Node& node, const std::string& name, const std::string& what);

/// Fails at a value of an option --param NAME=VALUE whose name is not among `declared`. `what`
/// is what declares them.
void check_overrides(const Constants& overrides, const std::vector<std::string>& declared,
                     const std::string& file, const std::string& what);

/// One of a fixed set of words.
template <class T>
T read_choice(const Node& node, const std::vector<std::pair<std::string, T>>& choices,
              const std::string& what) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  return choices[node.word(words, what)].second;
}

}  // namespace tessera::text
