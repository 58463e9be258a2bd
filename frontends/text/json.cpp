#include "frontends/text/json.h"

#include <algorithm>
#include <cmath>

#include <boost/json/value.hpp>

#include "frontends/text/wording.h"

namespace tessera::text {
namespace {

std::string to_text(boost::json::string_view view) {
  return std::string(view.data(), view.size());
}

}  // namespace

Document::Document(const std::string& text, std::string file, const std::string& schema,
                   AbsentNames absent)
    : file_(std::move(file)), absent_(std::move(absent)),
      value_(std::make_unique<boost::json::value>(parse_json(text, file_))) {
  const Node given = root().at("schema");
  const std::string name = given.text("the schema \"" + schema + "\"");
  if (name == schema) return;
  given.fail("unknown schema \"" + name + "\"; this program reads \"" + schema + "\"");
}

Document::~Document() = default;

Node Document::root() const {
  return Node(*this, *value_, "");
}

void Node::fail(const std::string& problem) const {
  throw UserError(document_->file_, place_, problem);
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
  case boost::json::kind::null:
    return "null";
  case boost::json::kind::bool_:
    return value_->get_bool() ? "true" : "false";
  case boost::json::kind::int64:
    return "the number " + std::to_string(value_->get_int64());
  case boost::json::kind::uint64:
    return "the number " + std::to_string(value_->get_uint64());
  case boost::json::kind::double_:
    return "a number with a fraction or exponent";
  case boost::json::kind::string:
    return "the string \"" + shown(to_text(value_->get_string())) + "\"";
  case boost::json::kind::array:
    return "an array";
  case boost::json::kind::object:
    return "an object";
  }
  return "an unknown value";
}

void Node::wrong_type(const std::string& expected) const {
  fail("found " + kind() + " where " + expected + " was expected");
}

Node Node::child(const boost::json::value& value, const std::string& key) const {
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
  const boost::json::value* value = value_->get_object().if_contains(key);
  if (value == nullptr) return std::nullopt;
  return child(*value, key);
}

Node Node::at(const std::string& key) const {
  std::optional<Node> node = find(key);
  if (!node) fail("the key \"" + key + "\" is missing");
  return *node;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  if (!is_object()) wrong_type("an object");
  std::vector<std::pair<std::string, Node>> members;
  for (const auto& member : value_->get_object()) {
    const std::string key = to_text(member.key());
    members.emplace_back(key, child(member.value(), key));
  }
  return members;
}

std::vector<Node> Node::items() const {
  if (!is_array()) wrong_type("an array");
  std::vector<Node> items;
  for (const auto& value : value_->get_array()) {
    items.push_back(Node(*document_, value, place_ + "[" + std::to_string(items.size()) + "]"));
  }
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
  if (value_->is_uint64()) {
    fail("the number " + std::to_string(value_->get_uint64()) +
         " does not fit in 64 bits with sign");
  }
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

std::int64_t Node::integer_in(const Constants& constants, std::int64_t lowest, std::int64_t highest,
                              const std::string& what) const {
  const std::int64_t value = integer(constants);
  if (value < lowest || value > highest) {
    fail(what + " is " + std::to_string(value) + "; it must be in " + std::to_string(lowest) +
         ".." + std::to_string(highest));
  }
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
