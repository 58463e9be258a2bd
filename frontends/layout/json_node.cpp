#include "frontends/layout/json_node.h"

#include <algorithm>
#include <cmath>

#include <boost/json/value.hpp>

#include "frontends/layout/suggestion.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::layout {
namespace {

std::string to_text(boost::json::string_view view) {
  return std::string(view.data(), view.size());
}

}  // namespace

void Node::fail(const std::string& problem) const {
  throw UserError(*file_, place_, problem);
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
  return Node(value, *file_, place_.empty() ? name : place_ + "." + name);
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
    items.emplace_back(value, *file_, place_ + "[" + std::to_string(items.size()) + "]");
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

Expression Node::expression(const Constants& constants, Expression::Variables variables) const {
  if (value_->is_int64()) return Expression(value_->get_int64());
  if (value_->is_uint64()) {
    fail("the number " + std::to_string(value_->get_uint64()) +
         " does not fit in 64 bits with sign");
  }
  if (!is_string()) wrong_type("an integer or a string with an expression");
  try {
    return Expression::parse(text(""), constants, variables);
  } catch (const ExpressionError& error) {
    fail_in_expression(error);
  }
}

void Node::fail_in_expression(const ExpressionError& error) const {
  fail("in \"" + shown(text("")) + "\" at character " + std::to_string(error.position()) + ": " +
       error.what());
}

std::int64_t Node::evaluate(const Expression& expression, Point at) const {
  try {
    return expression.evaluate(at);
  } catch (const ExpressionError& error) {
    if (!expression.uses_point()) fail_in_expression(error);
    fail("in \"" + shown(text("")) + "\" at character " + std::to_string(error.position()) +
         ", for tile (" + std::to_string(at.x) + ", " + std::to_string(at.y) +
         "): " + error.what());
  }
}

std::int64_t Node::integer(const Constants& constants) const {
  return evaluate(expression(constants, Expression::Variables::kNone), {});
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

}  // namespace tessera::layout
