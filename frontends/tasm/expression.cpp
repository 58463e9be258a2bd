#include "frontends/tasm/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::tasm {
namespace {

// Bounds the recursion over an expression, so that no text can exhaust the stack.
constexpr unsigned kMostTerms = 256;

using Op = Expression::Op;

class ExpressionParser {
 public:
  ExpressionParser(TokenCursor& cursor, const std::string& expected)
      : cursor_(cursor), expected_(expected) {}

  ExpressionPtr equality() {
    return chain([this] { return sum(); }, {{"==", Op::kEqual}});
  }

 private:
  using Marks = std::initializer_list<std::pair<const char*, Op>>;

  ExpressionPtr sum() {
    return chain([this] { return product(); }, {{"+", Op::kAdd}, {"-", Op::kSub}});
  }
  ExpressionPtr product() {
    return chain([this] { return unary(); }, {{"*", Op::kMul}, {"/", Op::kDiv}, {"%", Op::kMod}});
  }

  /// term { mark term }, grouped from the left.
  template <class Term>
  ExpressionPtr chain(Term term, Marks marks) {
    ExpressionPtr left = term();
    for (;;) {
      const std::optional<Op> op = accept_any(marks);
      if (!op) return left;
      ExpressionPtr node = make(*op, left->place);
      node->left = std::move(left);
      node->right = term();
      left = std::move(node);
    }
  }

  std::optional<Op> accept_any(Marks marks) {
    for (const auto& [mark, op] : marks) {
      if (cursor_.accept(mark)) return op;
    }
    return std::nullopt;
  }

  ExpressionPtr unary() {
    const Place place = cursor_.place();
    if (cursor_.accept("-")) {
      ExpressionPtr node = make(Op::kNegate, place);
      node->left = unary();
      return node;
    }
    if (cursor_.accept("(")) {
      make(Op::kNumber, place);  // counts the nesting
      return closed(equality());
    }
    return primary();
  }

  ExpressionPtr primary() {
    const Token& token = cursor_.peek();
    if (token.kind == Token::Kind::kName && token.text == "bits" && cursor_.peek(1).is("("))
      return bits();
    const bool number = token.kind == Token::Kind::kInteger || token.kind == Token::Kind::kReal;
    if (!number && token.kind != Token::Kind::kName) cursor_.fail(expected_);
    ExpressionPtr node = make(number ? Op::kNumber : Op::kName, token.place);
    node->number = {token.kind == Token::Kind::kReal, token.integer, token.real};
    node->name = token.text;
    cursor_.take();
    return node;
  }

  ExpressionPtr bits() {
    ExpressionPtr node = make(Op::kBits, cursor_.place());
    cursor_.take();
    cursor_.take();
    node->left = closed(equality());
    return node;
  }

  ExpressionPtr closed(ExpressionPtr inner) {
    cursor_.expect(")", "')'");
    return inner;
  }

  ExpressionPtr make(Op op, Place place) {
    if (++terms_ > kMostTerms) {
      cursor_.diagnostics().fail(place,
                                 "expected an expression of at most " + std::to_string(kMostTerms) +
                                     " terms, found a longer one; name parts of it with const");
    }
    auto node = std::make_unique<Expression>();
    node->op = op;
    node->place = place;
    return node;
  }

  TokenCursor& cursor_;
  const std::string& expected_;
  unsigned terms_ = 0;
};

class Evaluator {
 public:
  Evaluator(const NameValue& name_value, const Diagnostics& diagnostics)
      : name_value_(name_value), diagnostics_(diagnostics) {}

  Number value(const Expression& e) const {
    switch (e.op) {
    case Op::kNumber:
      return e.number;
    case Op::kName:
      return name_value_(e.name, e.place);
    case Op::kBits:
      diagnostics_.fail(
          e.place, "expected a number, found 'bits'; bits(n) stands alone, as a float immediate "
                   "or initialiser");
    case Op::kNegate:
      return negated(e);
    default:
      break;
    }
    const Number a = value(*e.left);
    const Number b = value(*e.right);
    return a.is_real || b.is_real ? real(e, a.as_real(), b.as_real())
                                  : integer(e, a.integer, b.integer);
  }

 private:
  static Number of(std::int64_t v) { return {false, v, 0}; }
  static Number of(double v) { return {true, 0, v}; }

  Number negated(const Expression& e) const {
    const Number a = value(*e.left);
    if (a.is_real) return of(-a.real);
    if (a.integer == std::numeric_limits<std::int64_t>::min()) overflow(e);
    return of(-a.integer);
  }

  Number real(const Expression& e, double a, double b) const {
    switch (e.op) {
    case Op::kAdd:
      return of(a + b);
    case Op::kSub:
      return of(a - b);
    case Op::kMul:
      return of(a * b);
    case Op::kDiv:
      if (b == 0) division_by_zero(e);
      return of(a / b);
    case Op::kEqual:
      return of(std::int64_t{a == b});
    default:
      diagnostics_.fail(e.place, "expected integers on both sides of '%', found a real number");
    }
  }

  Number integer(const Expression& e, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    bool overflowed = false;
    switch (e.op) {
    case Op::kAdd:
      overflowed = __builtin_add_overflow(a, b, &result);
      break;
    case Op::kSub:
      overflowed = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::kMul:
      overflowed = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::kEqual:
      result = a == b;
      break;
    default:
      if (b == 0) division_by_zero(e);
      overflowed = b == -1 && a == std::numeric_limits<std::int64_t>::min();
      if (!overflowed) result = e.op == Op::kDiv ? a / b : a % b;
    }
    if (overflowed) overflow(e);
    return of(result);
  }

  [[noreturn]] void overflow(const Expression& e) const {
    diagnostics_.fail(e.place,
                      "expected a value of at most 64 bits, found an overflow in this expression");
  }
  [[noreturn]] void division_by_zero(const Expression& e) const {
    diagnostics_.fail(e.right->place, "expected a divisor other than 0, found 0");
  }

  const NameValue& name_value_;
  const Diagnostics& diagnostics_;
};

[[noreturn]] void fail_too_large(const Expression& e, const Number& n, std::string_view format,
                                 const Diagnostics& diagnostics) {
  diagnostics.fail(e.place, "expected a number that " + std::string(format) + " can hold, found " +
                                to_string(n));
}

std::string range(std::int64_t low, std::int64_t high) {
  return std::to_string(low) + ".." + std::to_string(high);
}

}  // namespace

std::string to_string(const Number& number) {
  if (!number.is_real) return std::to_string(number.integer);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number.real).ptr;
  std::string words(text.data(), end);
  if (words.find_first_of(".en") == std::string::npos) words += ".0";  // a real number all the same
  return words;
}

ExpressionPtr parse_expression(TokenCursor& cursor, const std::string& expected) {
  return ExpressionParser(cursor, expected).equality();
}

Number evaluate(const Expression& expression, const NameValue& name_value,
                const Diagnostics& diagnostics) {
  return Evaluator(name_value, diagnostics).value(expression);
}

std::int64_t evaluate_integer(const Expression& expression, const NameValue& name_value,
                              const Diagnostics& diagnostics, const std::string& expected,
                              std::int64_t low, std::int64_t high) {
  const Number n = evaluate(expression, name_value, diagnostics);
  if (n.is_real || n.integer < low || n.integer > high) {
    diagnostics.fail(expression.place,
                     "expected " + expected + " " + range(low, high) + ", found " + to_string(n));
  }
  return n.integer;
}

std::uint32_t evaluate_f32(const Expression& expression, const NameValue& name_value,
                           const Diagnostics& diagnostics) {
  if (expression.op == Op::kBits) {
    return static_cast<std::uint32_t>(evaluate_integer(*expression.left, name_value, diagnostics,
                                                       "32 bits", 0,
                                                       std::numeric_limits<std::uint32_t>::max()));
  }
  const Number n = evaluate(expression, name_value, diagnostics);
  const auto value = static_cast<float>(n.as_real());
  if (!std::isfinite(value)) fail_too_large(expression, n, "f32", diagnostics);
  return bit_cast<std::uint32_t>(value);
}

std::uint16_t evaluate_half(const Expression& expression, const NameValue& name_value,
                            const Diagnostics& diagnostics, pe::HalfFormat format) {
  if (expression.op == Op::kBits) {
    return static_cast<std::uint16_t>(evaluate_integer(*expression.left, name_value, diagnostics,
                                                       "16 bits", 0,
                                                       std::numeric_limits<std::uint16_t>::max()));
  }
  const Number n = evaluate(expression, name_value, diagnostics);
  const std::uint16_t bits = pe::half_bits(n.as_real(), format);
  if (!std::isfinite(pe::half_value(bits, format)))
    fail_too_large(expression, n, to_string(format), diagnostics);
  return bits;
}

}  // namespace tessera::tasm
