#include "platforms/debug/expression.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

enum class Op : std::uint8_t {
  kNumber,
  kName,
  kIndexed,
  kLength,
  kOr,
  kAnd,
  kNot,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShl,
  kShr,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kNeg,
  kBitNot
};

namespace {

struct Operator {
  const char* text;
  Op op;
};

// The weakest first. A longer text stands before its beginning.
const std::array<std::vector<Operator>, 9> kLevels = {{
    {{"||", Op::kOr}, {"or", Op::kOr}},
    {{"&&", Op::kAnd}, {"and", Op::kAnd}},
    {{"==", Op::kEq},
     {"!=", Op::kNe},
     {"<=", Op::kLe},
     {">=", Op::kGe},
     {"<", Op::kLt},
     {">", Op::kGt}},
    {{"|", Op::kBitOr}},
    {{"^", Op::kBitXor}},
    {{"&", Op::kBitAnd}},
    {{"<<", Op::kShl}, {">>", Op::kShr}},
    {{"+", Op::kAdd}, {"-", Op::kSub}},
    {{"*", Op::kMul}, {"/", Op::kDiv}, {"%", Op::kRem}},
}};
constexpr std::size_t kMostText = 4096;
constexpr unsigned kMostDepth = 100;

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool goes_on_in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

}  // namespace

struct Expression::Node {
  Op op = Op::kNumber;
  Value number;
  std::string name;
  std::unique_ptr<Node> left, right;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::unique_ptr<Node>;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {
    if (text.size() > kMostText) throw UserError("", "", "the expression is too long");
  }

  NodePtr parse() {
    NodePtr all = level(0);
    skip_spaces();
    if (at_ < text_.size()) fail("expected an operator");
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string found =
        at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    throw UserError("", "",
                    "'" + text_ + "', column " + std::to_string(at_ + 1) + ": " + what +
                        ", found " + found);
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(const std::string& token) {
    skip_spaces();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    const std::size_t end = at_ + token.size();
    const bool is_word = begins_name(token.front());
    if (is_word && end < text_.size() && goes_on_in_name(text_[end])) return false;
    const bool is_half = token.size() == 1 && (token == "|" || token == "&" || token == "!") &&
                         end < text_.size() && (text_[end] == token.front() || text_[end] == '=');
    const bool is_shift = token.size() == 1 && (token == "<" || token == ">") &&
                          end < text_.size() && text_[end] == token.front();
    if (is_half || is_shift) return false;
    at_ = end;
    return true;
  }
  static NodePtr made(Op op, NodePtr left, NodePtr right = nullptr) {
    auto node = std::make_unique<Node>();
    node->op = op;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }
  NodePtr level(std::size_t n) {
    if (n == kLevels.size()) return unary();
    NodePtr left = level(n + 1);
    while (true) {
      const Operator* found = nullptr;
      for (const Operator& o : kLevels.at(n)) {
        if (found == nullptr && take(o.text)) found = &o;
      }
      if (found == nullptr) return left;
      left = made(found->op, std::move(left), level(n + 1));
    }
  }
  NodePtr unary() {
    if (++depth_ > kMostDepth) fail("too many parts inside each other");
    NodePtr node;
    if (take("not") || take("!"))
      node = made(Op::kNot, unary_of_compare());
    else if (take("-"))
      node = made(Op::kNeg, unary());
    else if (take("~"))
      node = made(Op::kBitNot, unary());
    else
      node = primary();
    --depth_;
    return node;
  }
  // "not a == b" is "not (a == b)".
  NodePtr unary_of_compare() {
    constexpr std::size_t kCompares = 2;
    return level(kCompares);
  }
  NodePtr primary() {
    if (take("(")) {
      NodePtr inside = level(0);
      if (!take(")")) fail("expected ')'");
      return inside;
    }
    skip_spaces();
    if (at_ >= text_.size()) fail("expected a value");
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')
      return number();
    if (!begins_name(text_[at_])) fail("expected a value");
    return named();
  }
  NodePtr named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && goes_on_in_name(text_[at_])) ++at_;
    auto node = std::make_unique<Node>();
    node->op = Op::kName;
    node->name = text_.substr(begin, at_ - begin);
    if (node->name == "len" && take("(")) return length();
    if (!take("[")) return node;
    node->op = Op::kIndexed;
    node->left = level(0);
    if (!take("]")) fail("expected ']'");
    return node;
  }
  NodePtr length() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && goes_on_in_name(text_[at_])) ++at_;
    auto node = std::make_unique<Node>();
    node->op = Op::kLength;
    node->name = text_.substr(begin, at_ - begin);
    if (node->name.empty() || !take(")")) fail("expected a name and ')'");
    return node;
  }
  NodePtr number() {
    auto node = std::make_unique<Node>();
    const char* const begin = text_.c_str() + at_;
    char* end = nullptr;
    const bool is_hex = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
    const std::size_t to = text_.find_first_not_of("0123456789", at_);
    const bool is_float = !is_hex && to != std::string::npos &&
                          (text_[to] == '.' || text_[to] == 'e' || text_[to] == 'E');
    if (is_float) {
      node->number = Value::of_float(std::strtod(begin, &end));
    } else {
      node->number =
          Value::of(static_cast<std::int64_t>(std::strtoull(begin, &end, is_hex ? 16 : 10)));
    }
    if (end == begin) fail("expected a number");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && goes_on_in_name(text_[at_])) fail("expected the end of a number");
    return node;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

Value truth(bool value) {
  return Value::of(value ? 1 : 0);
}

Value compared(Op op, const Value& a, const Value& b) {
  const auto compare = [op](const auto& left, const auto& right) {
    switch (op) {
    case Op::kEq:
      return left == right;
    case Op::kNe:
      return left != right;
    case Op::kLt:
      return left < right;
    case Op::kLe:
      return left <= right;
    case Op::kGt:
      return left > right;
    default:
      return left >= right;
    }
  };
  if (a.is_float || b.is_float) return truth(compare(a.as_float(), b.as_float()));
  return truth(compare(a.whole, b.whole));
}

Value computed_floats(Op op, double a, double b) {
  switch (op) {
  case Op::kAdd:
    return Value::of_float(a + b);
  case Op::kSub:
    return Value::of_float(a - b);
  case Op::kMul:
    return Value::of_float(a * b);
  case Op::kDiv:
    return Value::of_float(a / b);
  default:
    throw UserError("", "", "this operator takes whole numbers only");
  }
}

// Whole numbers wrap around as those of the machine do.
Value computed(Op op, const Value& a, const Value& b) {
  if (a.is_float || b.is_float) return computed_floats(op, a.as_float(), b.as_float());
  const auto left = static_cast<std::uint64_t>(a.whole);
  const auto right = static_cast<std::uint64_t>(b.whole);
  const auto wrapped = [](std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); };
  constexpr std::uint64_t kBits = 64;
  switch (op) {
  case Op::kBitOr:
    return wrapped(left | right);
  case Op::kBitXor:
    return wrapped(left ^ right);
  case Op::kBitAnd:
    return wrapped(left & right);
  case Op::kShl:
    return wrapped(right < kBits ? left << right : 0);
  case Op::kShr:
    return Value::of(a.whole >> (right < kBits ? right : kBits - 1));
  case Op::kAdd:
    return wrapped(left + right);
  case Op::kSub:
    return wrapped(left - right);
  case Op::kMul:
    return wrapped(left * right);
  default:
    break;
  }
  if (b.whole == 0) throw UserError("", "", "division by zero");
  if (b.whole == -1) return op == Op::kDiv ? wrapped(0 - left) : Value::of(0);
  return Value::of(op == Op::kDiv ? a.whole / b.whole : a.whole % b.whole);
}

Value evaluated(const Node& node, const Names& names);

Name indexed(const Node& node, const Names& names) {
  const Value index = evaluated(*node.left, names);
  if (index.is_float) throw UserError("", "", "an index of '" + node.name + "' is a float");
  return {node.name, index.whole};
}

Value evaluated(const Node& node, const Names& names) {
  switch (node.op) {
  case Op::kNumber:
    return node.number;
  case Op::kName:
    return names.value({node.name, {}});
  case Op::kIndexed:
    return names.value(indexed(node, names));
  case Op::kLength:
    return names.length(node.name);
  case Op::kNot:
    return truth(!evaluated(*node.left, names).is_true());
  case Op::kOr:
    return truth(evaluated(*node.left, names).is_true() || evaluated(*node.right, names).is_true());
  case Op::kAnd:
    return truth(evaluated(*node.left, names).is_true() && evaluated(*node.right, names).is_true());
  case Op::kNeg: {
    const Value value = evaluated(*node.left, names);
    return value.is_float ? Value::of_float(-value.real) : computed(Op::kSub, {}, value);
  }
  case Op::kBitNot:
    return computed(Op::kBitXor, evaluated(*node.left, names), Value::of(-1));
  default:
    break;
  }
  const Value left = evaluated(*node.left, names);
  const Value right = evaluated(*node.right, names);
  return node.op <= Op::kGe ? compared(node.op, left, right) : computed(node.op, left, right);
}

}  // namespace

Expression::Expression(const std::string& text) : text_(text), root_(Parser(text_).parse()) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Value Expression::evaluate(const Names& names) const {
  return evaluated(*root_, names);
}

std::optional<Name> Expression::name(const Names& names) const {
  if (root_->op == Op::kName) return Name{root_->name, {}};
  if (root_->op == Op::kIndexed) return indexed(*root_, names);
  return {};
}

}  // namespace tessera::debug
