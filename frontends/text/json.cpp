#include "frontends/text/json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace tessera::text {
namespace {

namespace json = boost::json;

std::string to_text(json::string_view view) {
  return std::string(view.data(), view.size());
}

/// Accepts everything but a key that the object has already.
class KeyHandler {
 public:
  // Boost.JSON looks these up by name. NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  // NOLINTEND(readability-identifier-naming)
  using Error = json::error_code;

  const std::optional<std::string>& duplicate() const { return duplicate_; }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t, Error&) { return true; }
  bool on_object_begin(Error&) {
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Error&) {
    keys_.pop_back();
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, Error&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Error& error) {
    key_.append(part.data(), part.size());
    if (!keys_.back().insert(key_).second) {
      duplicate_ = key_;
      error = json::error::syntax;
      return false;
    }
    key_.clear();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, Error&) { return true; }
  bool on_string(json::string_view, std::size_t, Error&) { return true; }
  bool on_number_part(json::string_view, Error&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Error&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, Error&) { return true; }
  bool on_double(double, json::string_view, Error&) { return true; }
  bool on_bool(bool, Error&) { return true; }
  bool on_null(Error&) { return true; }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string key_;
  std::optional<std::string> duplicate_;
};

Place place_of(const std::string& text, std::size_t offset) {
  Cursor cursor(text);
  cursor.take(offset);
  return cursor.place();
}

std::string found(const std::string& text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the text";
  if (text[offset] == '\n') return "the end of the line";
  return found_character(text[offset]);
}

std::string problem(const json::error_code& error, const std::string& text, std::size_t offset) {
  if (error == json::error::incomplete) return "the text ends inside a JSON value";
  if (error == json::error::too_deep)
    return "JSON values are nested too deep; at most 32 levels are read";
  if (error == json::error::extra_data)
    return "found " + found(text, offset) + " after the end of the JSON value";
  const std::string why = error == json::error::syntax ? "" : " (" + error.message() + ")";
  return "found " + found(text, offset) + ", which JSON does not allow here" + why;
}

}  // namespace

json::value parse_json(const std::string& text, const std::string& file) {
  const Diagnostics diagnostics(file);
  json::basic_parser<KeyHandler> parser{json::parse_options{}};
  json::error_code error;
  const std::size_t offset = parser.write_some(false, text.data(), text.size(), error);
  if (const auto& duplicate = parser.handler().duplicate())
    diagnostics.fail(place_of(text, offset), "the key \"", *duplicate,
                     "\" occurs twice in one object");
  const std::size_t rest =
      error ? offset : std::min(text.find_first_not_of(" \t\r\n", offset), text.size());
  if (!error && rest < text.size()) error = json::error::extra_data;
  json::value value;
  if (!error) value = json::parse(text, error);
  if (error) diagnostics.fail(place_of(text, rest), problem(error, text, rest));
  return value;
}

Document::Document(const std::string& text, std::string file, const std::string& schema,
                   AbsentNames absent)
    : file_(std::move(file)), absent_(std::move(absent)),
      value_(std::make_unique<json::value>(parse_json(text, file_))) {
  const Node given = root().at("schema");
  const std::string name = given.text("the schema \"" + schema + "\"");
  if (name == schema) return;
  given.fail("unknown schema \"" + name + "\"; this program reads \"" + schema + "\"");
}

Document::~Document() = default;

Node Document::root() const {
  return Node(*this, *value_, "");
}

bool Node::is_object() const {
  return value_->is_object();
}
bool Node::is_array() const {
  return value_->is_array();
}
bool Node::is_string() const {
  return value_->is_string();
}
bool Node::is_double() const {
  return value_->is_double();
}
bool Node::is_integer() const {
  return value_->is_int64() || value_->is_uint64();
}

std::string Node::kind() const {
  switch (value_->kind()) {
  case json::kind::null:
    return "null";
  case json::kind::bool_:
    return value_->get_bool() ? "true" : "false";
  case json::kind::int64:
    return "the number " + std::to_string(value_->get_int64());
  case json::kind::uint64:
    return "the number " + std::to_string(value_->get_uint64());
  case json::kind::double_:
    return "a number with a fraction or exponent";
  case json::kind::string:
    return "the string \"" + shown(to_text(value_->get_string())) + "\"";
  case json::kind::array:
    return "an array";
  case json::kind::object:
    return "an object";
  }
  return "an unknown value";
}

void Node::wrong_type(const std::string& expected) const {
  fail("found " + kind() + " where " + expected + " was expected");
}

Node Node::child(const json::value& value, const std::string& key) const {
  const std::string name = key.empty() ? "\"\"" : shown(key);
  return Node(*document_, value, place_.empty() ? name : place_ + "." + name);
}

void Node::allow_keys(const std::vector<std::string>& keys) const {
  for (const std::string& key : this->keys()) {
    if (key == "comment" || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    fail("unknown key \"" + shown(key) + "\"" + suggestion(key, keys, "allowed keys"));
  }
}

std::vector<std::string> Node::keys() const {
  if (!is_object()) wrong_type("an object");
  std::vector<std::string> keys;
  for (const auto& member : value_->get_object()) keys.push_back(to_text(member.key()));
  return keys;
}

std::optional<Node> Node::find(const std::string& key) const {
  if (!is_object()) wrong_type("an object");
  const json::value* value = value_->get_object().if_contains(key);
  return value == nullptr ? std::nullopt : std::optional(child(*value, key));
}

Node Node::at(const std::string& key) const {
  std::optional<Node> node = find(key);
  if (!node) fail("the key \"" + key + "\" is missing");
  return *node;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> members;
  for (const std::string& key : keys()) members.emplace_back(key, at(key));
  return members;
}

std::vector<std::pair<std::string, Node>> Node::members_of(const std::string& key) const {
  const std::optional<Node> node = find(key);
  return node ? node->members() : std::vector<std::pair<std::string, Node>>();
}

std::vector<Node> Node::items_of(const std::string& key) const {
  const std::optional<Node> node = find(key);
  return node ? node->items() : std::vector<Node>();
}

std::vector<Node> Node::items() const {
  if (!is_array()) wrong_type("an array");
  std::vector<Node> items;
  for (const auto& value : value_->get_array())
    items.push_back(Node(*document_, value, joined(place_, "[", items.size(), "]")));
  return items;
}

std::string Node::text(const std::string& what) const {
  if (!is_string()) wrong_type(what);
  return to_text(value_->get_string());
}

bool Node::boolean() const {
  if (!value_->is_bool()) wrong_type("true or false");
  return value_->get_bool();
}

double Node::number(const std::string& what) const {
  if (!value_->is_number()) wrong_type(what);
  const double number = value_->to_number<double>();
  if (!std::isfinite(number)) fail("the number is too large; it must fit in 64-bit floating point");
  return number;
}

std::size_t Node::word(const std::vector<std::string>& words, const std::string& what) const {
  const std::string word = text(what + " (" + listed(words) + ")");
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end())
    fail("unknown " + what + " \"" + word + "\"" + suggestion(word, words, "allowed"));
  return static_cast<std::size_t>(it - words.begin());
}

Expression Node::expression(const Constants& constants, const Expression::Names& variables) const {
  if (value_->is_int64()) return Expression(value_->get_int64());
  if (value_->is_uint64()) fail(kind() + " does not fit in 64 bits with sign");
  if (!is_string()) wrong_type("an integer or a string with an expression");
  try {
    return Expression::parse(text(""), constants, variables, document_->absent_);
  } catch (const ExpressionError& error) {
    fail_in_expression(error);
  }
}

void Node::fail_in_expression(const ExpressionError& error, const std::string& where) const {
  fail(problem_in(text(""), error, where));
}

std::int64_t Node::integer(const Constants& constants) const {
  const Expression value = expression(constants);
  try {
    return value.evaluate();
  } catch (const ExpressionError& error) {
    fail_in_expression(error);
  }
}

std::int64_t Node::checked_integer(const Constants& constants, std::int64_t lowest,
                                   std::int64_t highest, const std::string& what) const {
  const std::int64_t value = integer(constants);
  if (value < lowest || value > highest)
    fail(joined(what, " is ", value, "; it must be in ", lowest, "..", highest));
  return value;
}

void check_name(const Node& node, const std::string& name, const std::string& what) {
  if (is_identifier(name)) return;
  node.fail("\"" + shown(name) + "\" cannot be the name of " + what +
            "; names are letters, digits and \"_\", not starting with a digit");
}

void check_overrides(const Constants& overrides, const std::vector<std::string>& declared,
                     const std::string& file, const std::string& what) {
  for (const auto& [name, value] : overrides) {
    if (std::find(declared.begin(), declared.end(), name) != declared.end()) continue;
    throw UserError(file, "--param " + name,
                    what + " has no parameter \"" + name + "\"" +
                        suggestion(name, declared, "its parameters"));
  }
}

}  // namespace tessera::text
