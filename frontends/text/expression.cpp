#include "frontends/text/expression.h"

#include <algorithm>
#include <charconv>

#include "frontends/text/diagnostics.h"

namespace tessera::text {

/// What the text of an integer expression means: postfix code. A value is the operand's place.
class IntegerLanguage {
 public:
  using Value = Place;
  static constexpr auto kOperators = kArithmeticOperators;
  static constexpr unsigned kLevels = kArithmeticLevels;
  static constexpr auto kPrefixes = kArithmeticPrefixes;

  IntegerLanguage(const std::string& text, const Constants& constants,
                  const Expression::Names& variables, const AbsentNames& absent)
      : text_(text, "+ - * / % == != < <= > >= && ||"), constants_(constants),
        variables_(variables), absent_(absent) {}

  Expression read() {
    PrecedenceParser<IntegerLanguage> parser(*this);
    result_.code_ = {};
    text_.read(parser);
    return std::move(result_);
  }

  Place place() const { return text_.place(); }
  bool accept(const char* op) {
    const bool is_equality = op[0] == '=';
    if (is_equality && text_.peek() == '=' && text_.peek(1) != '=') {
      throw ExpressionError(text_.position() + 1,
                            "found a single \"=\"; equality is written \"==\"");
    }
    return text_.accept(op);
  }
  Place binary(PlacedOperator op, Place left, Place right) {
    result_.code_.apply(op.op, {op.place, right});
    return left;
  }
  Place prefixed(PlacedOperator op, Place) {
    result_.code_.apply(op.op, {op.place, {}});
    return op.place;
  }
  Place primary(PrecedenceParser<IntegerLanguage>& parser) {
    if (!is_name_part(text_.peek())) return text_.parentheses(parser);
    const Place place = text_.place();
    if (is_digit(text_.peek())) {
      result_.code_.push(number());
    } else {
      name();
    }
    return place;
  }

 private:
  std::int64_t number() {
    const bool hex = text_.peek() == '0' && (text_.peek(1) == 'x' || text_.peek(1) == 'X');
    const std::string_view digits = text_.rest().substr(hex ? 2 : 0);
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error == std::errc::result_out_of_range) text_.fail("the number does not fit in 64 bits");
    if (error != std::errc() || digits.front() == '-') {
      text_.take(2);
      text_.fail_found("a hexadecimal digit was expected");
    }
    text_.take_number(static_cast<std::size_t>(end - text_.rest().data()));
    return value;
  }

  void name() {
    const std::size_t position = text_.position();
    const std::string name = text_.name();
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    const auto constant = constants_.find(name);
    if (variable != variables_.end()) {
      result_.uses_variables_ = true;
      result_.code_.push_name(static_cast<std::size_t>(variable - variables_.begin()));
    } else if (constant != constants_.end()) {
      result_.code_.push(constant->second);
    } else {
      throw ExpressionError(position, unknown(name));
    }
  }

  std::string unknown(const std::string& name) const {
    const auto absent = absent_.find(name);
    if (absent != absent_.end()) return name + " has no value here; " + absent->second;
    std::vector<std::string> known;
    for (const auto& constant : constants_) known.push_back(constant.first);
    known.insert(known.end(), variables_.begin(), variables_.end());
    return "unknown name \"" + name + "\"" + suggestion(name, known, "known names");
  }

  ExpressionText text_;
  const Constants& constants_;
  const Expression::Names& variables_;
  const AbsentNames& absent_;
  Expression result_;
};

namespace {

class IntegerArithmetic {
 public:
  explicit IntegerArithmetic(const std::int64_t* values) : values_(values) {}

  std::int64_t name(std::size_t index) const { return values_[index]; }
  std::int64_t prefixed(Operator op, std::int64_t a, const OperatorPlaces& places) const {
    return binary(op == Operator::kNot ? Operator::kEqual : Operator::kSubtract, 0, a, places);
  }
  std::int64_t binary(Operator op, std::int64_t a, std::int64_t b,
                      const OperatorPlaces& places) const {
    if (b == 0 && is_division(op)) {
      throw ExpressionError(places.place.column,
                            std::to_string(a) + (op == Operator::kDivide
                                                     ? " is divided by zero"
                                                     : " is taken modulo zero"));
    }
    if (const std::optional<std::int64_t> result = integer_result(op, a, b)) return *result;
    throw ExpressionError(places.place.column, "the result does not fit in 64 bits");
  }

 private:
  const std::int64_t* values_;
};

}  // namespace

Expression Expression::parse(const std::string& text, const Constants& constants,
                             const Names& variables, const AbsentNames& absent) {
  return IntegerLanguage(text, constants, variables, absent).read();
}

std::int64_t Expression::evaluate(const std::int64_t* values) const {
  return code_.evaluate(IntegerArithmetic(values));
}

}  // namespace tessera::text
