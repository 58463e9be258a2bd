#include "frontends/tasm/expression.h"

#include <cmath>
#include <optional>
#include <utility>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::tasm {
namespace {

using text::Operator;

[[noreturn]] void fail_bits(Place place, const Diagnostics& diagnostics) {
  diagnostics.fail(place, "expected a number, found 'bits'; bits(n) stands alone, as a float "
                          "immediate or initialiser");
}

/// What the tokens of an expression mean: postfix code.
class NumberLanguage {
 public:
  /// An operand: where it begins, and whether it is bits(n), which no operator takes.
  struct Value {
    Place place;
    bool is_bits = false;
  };
  using Parser = text::PrecedenceParser<NumberLanguage>;
  static constexpr auto kOperators = text::kArithmeticOperators;
  static constexpr unsigned kLevels = text::kArithmeticLevels;
  static constexpr auto kPrefixes = text::kArithmeticPrefixes;

  NumberLanguage(TokenCursor& cursor, const std::string& expected)
      : cursor_(cursor), expected_(expected), result_(std::make_unique<Expression>()) {}

  ExpressionPtr read() {
    const Value value = Parser(*this).parse();
    result_->place = value.place;
    result_->is_bits = value.is_bits;
    return std::move(result_);
  }

  Place place() const { return cursor_.place(); }
  bool accept(const char* op) { return cursor_.accept(op); }
  Value binary(const text::PlacedOperator& op, const Value& left, const Value& right) {
    count_term(op.place);
    require_number(left);
    require_number(right);
    result_->code.apply(op.op, {left.place, right.place});
    return left;
  }
  Value prefixed(const text::PlacedOperator& op, const Value& operand) {
    count_term(op.place);
    require_number(operand);
    result_->code.apply(op.op, {op.place, {}});
    return {op.place};
  }
  Value primary(Parser& parser) {
    const Token& token = cursor_.peek();
    count_term(token.place);
    if (cursor_.accept("(")) return closed(parser);
    const bool is_name = token.kind == Token::Kind::kName;
    if (is_name && token.text == "bits" && cursor_.peek(1).is("(")) return bits(parser);
    if (is_name) {
      result_->code.push_name(result_->names.size());
      result_->names.push_back({token.place, token.text});
    } else if (token.kind == Token::Kind::kInteger || token.kind == Token::Kind::kReal) {
      result_->code.push({token.kind == Token::Kind::kReal, token.integer, token.real});
    } else {
      cursor_.fail_expected(expected_);
    }
    return {cursor_.take().place};
  }

 private:
  Value bits(Parser& parser) {
    const Place place = cursor_.take().place;
    cursor_.take();
    const Value inner = closed(parser);
    require_number(inner);
    result_->bits_place = inner.place;
    return {place, true};
  }
  Value closed(Parser& parser) {
    const Value inner = parser.parse();
    cursor_.expect(")");
    return inner;
  }

  void require_number(const Value& operand) const {
    if (operand.is_bits) fail_bits(operand.place, cursor_.diagnostics());
  }

  void count_term(Place place) {
    if (++terms_ <= Expression::kMostTerms) return;
    cursor_.fail(place, "expected an expression of at most ", Expression::kMostTerms,
                 " terms, found a longer one; name parts of it with const");
  }

  TokenCursor& cursor_;
  const std::string& expected_;
  ExpressionPtr result_;
  unsigned terms_ = 0;
};

/// Arithmetic of numbers: an operation with a real number is one of reals.
class NumberArithmetic {
 public:
  NumberArithmetic(const std::vector<Name>& names, const NameValue& name_value,
                   const Diagnostics& diagnostics)
      : names_(names), name_value_(name_value), diagnostics_(diagnostics) {}

  Number name(std::size_t index) const { return name_value_(names_[index]); }
  Number prefixed(Operator op, const Number& a, const text::OperatorPlaces& places) const {
    if (op == Operator::kNot) return binary(Operator::kEqual, Number{}, a, places);
    if (a.is_real) return {true, 0, -a.real};
    return binary(Operator::kSubtract, Number{}, a, places);
  }
  Number binary(Operator op, const Number& a, const Number& b,
                const text::OperatorPlaces& places) const {
    if (text::is_division(op) && b.as_real() == 0 && (op == Operator::kDivide || !is_real(a, b)))
      diagnostics_.fail(places.right, "expected a divisor other than 0, found 0");
    if (is_real(a, b)) return real(op, a.as_real(), b.as_real(), places.place);
    if (const std::optional<std::int64_t> r = text::integer_result(op, a.integer, b.integer))
      return {false, *r, 0};
    diagnostics_.fail(places.place,
                      "expected a value of at most 64 bits, found an overflow in this expression");
  }

 private:
  static bool is_real(const Number& a, const Number& b) { return a.is_real || b.is_real; }

  Number real(Operator op, double a, double b, Place place) const {
    if (text::is_truth(op)) return {false, text::truth(op, a, b), 0};
    switch (op) {
    case Operator::kAdd:
      return {true, 0, a + b};
    case Operator::kSubtract:
      return {true, 0, a - b};
    case Operator::kMultiply:
      return {true, 0, a * b};
    case Operator::kDivide:
      return {true, 0, a / b};
    default:
      diagnostics_.fail(place, "expected integers on both sides of '%', found a real number");
    }
  }

  const std::vector<Name>& names_;
  const NameValue& name_value_;
  const Diagnostics& diagnostics_;
};

}  // namespace

std::string to_string(const Number& number) {
  if (!number.is_real) return std::to_string(number.integer);
  return real_text(number.real);
}

ExpressionPtr parse_expression(TokenCursor& cursor, const std::string& expected) {
  return NumberLanguage(cursor, expected).read();
}

Number Evaluator::run(const Expression& e) const {
  return e.code.evaluate(NumberArithmetic(e.names, name_value_, diagnostics_));
}

Number Evaluator::number(const Expression& e) const {
  if (e.is_bits) fail_bits(e.place, diagnostics_);
  return run(e);
}

std::int64_t Evaluator::in_range(const Number& n, Place place, const std::string& expected,
                                 std::int64_t low, std::int64_t high) const {
  if (!n.is_real && n.integer >= low && n.integer <= high) return n.integer;
  diagnostics_.fail(place, "expected ", expected, " ", low, "..", high, ", found ", to_string(n));
}

std::int64_t Evaluator::integer(const Expression& e, const std::string& expected, std::int64_t low,
                                std::int64_t high) const {
  return in_range(number(e), e.place, expected, low, high);
}

std::int64_t Evaluator::bits(const Expression& e, unsigned width) const {
  return in_range(run(e), e.bits_place, std::to_string(width) + " bits", 0,
                  (std::int64_t{1} << width) - 1);
}

void Evaluator::fail_too_large(const Expression& e, const Number& n,
                               std::string_view format) const {
  diagnostics_.fail(e.place, "expected a number that ", format, " can hold, found ", to_string(n));
}

std::uint32_t Evaluator::f32(const Expression& e) const {
  if (e.is_bits) return static_cast<std::uint32_t>(bits(e, 32));
  const Number n = run(e);
  const auto value = static_cast<float>(n.as_real());
  if (!std::isfinite(value)) fail_too_large(e, n, "f32");
  return bit_cast<std::uint32_t>(value);
}

std::uint16_t Evaluator::half(const Expression& e, pe::HalfFormat format) const {
  if (e.is_bits) return static_cast<std::uint16_t>(bits(e, 16));
  const Number n = run(e);
  const std::uint16_t value = pe::half_bits(n.as_real(), format);
  if (!std::isfinite(pe::half_value(value, format))) fail_too_large(e, n, to_string(format));
  return value;
}

}  // namespace tessera::tasm
