#include "frontends/layout/expression.h"

#include <algorithm>

#include "frontends/layout/suggestion.h"

namespace tessera::layout {
namespace {

constexpr unsigned kMaxNesting = 50;
// A level of nesting leaves at most one operand on the stack for each of ==, + and *, the innermost
// one more.
constexpr std::size_t kStackSize = 3 * kMaxNesting + 4;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

bool is_identifier(const std::string& name) {
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name) {
    if (!is_letter(c) && !is_digit(c)) return false;
  }
  return true;
}

/// Recursive descent over the grammar in the header; emits postfix code.
class ExpressionParser {
  using Op = Expression::Op;

 public:
  ExpressionParser(const std::string& text, const Constants& constants,
                   const Expression::Names& variables)
      : text_(text), constants_(constants), variables_(variables) {}

  Expression parse() {
    skip_space();
    if (at_end()) throw ExpressionError(1, "the expression is empty");
    equality();
    if (!at_end())
      fail("found " + found() + " where an operator (+ - * / % ==) or the end was expected");
    return std::move(result_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string found() const {
    return at_end() ? "the end" : "\"" + std::string(1, text_[at_]) + "\"";
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw ExpressionError(at_ + 1, problem);
  }
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    skip_space();
    return true;
  }
  void emit(Op op, std::size_t position, std::int64_t value = 0) {
    result_.code_.push_back({op, static_cast<std::uint32_t>(position), value});
  }

  void equality() {
    if (++nesting_ > kMaxNesting) {
      fail("nested deeper than " + std::to_string(kMaxNesting) + " levels");
    }
    sum();
    while (peek() == '=') {
      const std::size_t position = at_ + 1;
      ++at_;
      if (peek() != '=') fail("found a single \"=\"; equality is written \"==\"");
      ++at_;
      skip_space();
      sum();
      emit(Op::kEqual, position);
    }
    --nesting_;
  }
  void sum() {
    product();
    while (peek() == '+' || peek() == '-') {
      const Op op = peek() == '+' ? Op::kAdd : Op::kSub;
      const std::size_t position = at_ + 1;
      take(peek());
      product();
      emit(op, position);
    }
  }
  void product() {
    unary();
    while (peek() == '*' || peek() == '/' || peek() == '%') {
      const Op op = peek() == '*' ? Op::kMul : peek() == '/' ? Op::kDiv : Op::kMod;
      const std::size_t position = at_ + 1;
      take(peek());
      unary();
      emit(op, position);
    }
  }
  void unary() {
    std::vector<std::size_t> minus;
    while (peek() == '-') {
      minus.push_back(at_ + 1);
      take('-');
    }
    primary();
    for (; !minus.empty(); minus.pop_back()) emit(Op::kNegate, minus.back());
  }
  void primary() {
    if (is_digit(peek())) return number();
    if (is_letter(peek())) return name();
    const std::size_t open = at_ + 1;
    if (!take('('))
      fail("found " + found() + " where a number, a name, \"-\" or \"(\" was expected");
    equality();
    if (!take(')')) {
      fail("found " + found() + " where \")\" was expected for the \"(\" at character " +
           std::to_string(open));
    }
  }
  void number() {
    const std::size_t start = at_;
    const bool hex = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
    const int base = hex ? 16 : 10;
    if (hex) at_ += 2;
    const std::size_t first_digit = at_;
    std::int64_t value = 0;
    for (; digit_value(peek()) < base; ++at_) {
      if (__builtin_mul_overflow(value, base, &value) ||
          __builtin_add_overflow(value, digit_value(peek()), &value)) {
        throw ExpressionError(start + 1, "the number does not fit in 64 bits");
      }
    }
    if (at_ == first_digit) fail("found " + found() + " where a hexadecimal digit was expected");
    if (is_letter(peek()) || is_digit(peek())) fail("found " + found() + " inside a number");
    skip_space();
    emit(Op::kPush, start + 1, value);
  }
  void name() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string text = text_.substr(start, at_ - start);
    skip_space();
    const auto variable = std::find(variables_.begin(), variables_.end(), text);
    if (variable != variables_.end()) {
      result_.uses_variables_ = true;
      return emit(Op::kVariable, start + 1, variable - variables_.begin());
    }
    const auto known = constants_.find(text);
    if (known == constants_.end()) throw ExpressionError(start + 1, unknown(text));
    emit(Op::kPush, start + 1, known->second);
  }
  std::string unknown(const std::string& name) const {
    if (name == "W" || name == "H") {
      return name + " has no value here; give it with --param " + name +
             "=VALUE, as a default in params, or as a number in grid";
    }
    if (name == "x" || name == "y") {
      return name +
             " has no value here; it has one where every tile or node has its own: in params of "
             "tiles, in colors, switch positions and filters of routes, and in init of arrays";
    }
    std::vector<std::string> known;
    for (const auto& [constant, value] : constants_) known.push_back(constant);
    known.insert(known.end(), variables_.begin(), variables_.end());
    return "unknown name \"" + name + "\"" + suggestion(name, known, "known names");
  }

  const std::string& text_;
  const Constants& constants_;
  const Expression::Names& variables_;
  Expression result_ = empty();
  std::size_t at_ = 0;
  unsigned nesting_ = 0;

  static Expression empty() {
    Expression e;
    e.code_.clear();
    return e;
  }
};

Expression::Expression(std::int64_t value) : code_{{Op::kPush, 1, value}} {}

Expression Expression::parse(const std::string& text, const Constants& constants,
                             Variables variables) {
  return parse(text, constants, variables == Variables::kPoint ? Names{"x", "y"} : Names());
}

Expression Expression::parse(const std::string& text, const Constants& constants,
                             const Names& variables) {
  return ExpressionParser(text, constants, variables).parse();
}

std::int64_t Expression::apply(const Step& step, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (step.op) {
  case Op::kAdd:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Op::kSub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Op::kMul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Op::kEqual:
    return a == b ? 1 : 0;
  case Op::kDiv:
  case Op::kMod:
    if (b == 0) {
      throw ExpressionError(step.position, step.op == Op::kDiv
                                               ? std::to_string(a) + " is divided by zero"
                                               : std::to_string(a) + " is taken modulo zero");
    }
    if (b == -1) {  // the only case in which C's / and % can overflow
      if (step.op == Op::kMod) return 0;
      overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
      break;
    }
    return step.op == Op::kDiv ? a / b : a % b;
  default:
    break;
  }
  if (overflow) throw ExpressionError(step.position, "the result does not fit in 64 bits");
  return result;
}

std::int64_t Expression::evaluate(const std::int64_t* values) const {
  std::array<std::int64_t, kStackSize> stack;
  std::size_t top = 0;
  for (const Step& step : code_) {
    switch (step.op) {
    case Op::kPush:
      stack[top++] = step.value;
      break;
    case Op::kVariable:
      stack[top++] = values[step.value];
      break;
    case Op::kNegate:
      if (__builtin_sub_overflow(std::int64_t{0}, stack[top - 1], &stack[top - 1])) {
        throw ExpressionError(step.position, "the result does not fit in 64 bits");
      }
      break;
    default:
      --top;
      stack[top - 1] = apply(step, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

}  // namespace tessera::layout
