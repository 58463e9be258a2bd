#include "platforms/data/array_expression.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/text/diagnostics.h"
#include "frontends/text/expression_text.h"
#include "frontends/text/precedence_parser.h"
#include "platforms/data/array_math.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

using text::ExpressionError;
using text::Operator;

constexpr unsigned kMaxOperators = 500;  // what they compute is nested as deep
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

/// The finalizer of splitmix64.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

template <class Element>
ComputedPtr generated(Shape shape, Element element) {
  return std::make_shared<Generated<Element>>(std::move(shape), element);
}
ComputedPtr constant(Shape shape, double value) {
  return generated(std::move(shape), [value](std::size_t) { return value; });
}

/// Elements of random(seed): k * 2^-23 - 1, where k is the upper 24 bits of the splitmix64 finalizer
/// applied to finalizer(seed) + (index + 1) * kGolden.
struct RandomElement {
  explicit RandomElement(std::int64_t seed) : start(mixed(static_cast<std::uint64_t>(seed))) {}
  double operator()(std::uint64_t index) const {
    constexpr double kStep = 1.0 / (1 << 23);
    return static_cast<double>(mixed(start + (index + 1) * kGolden) >> 40) * kStep - 1.0;
  }
  std::uint64_t start;
};

/// An argument of a function and the character at which it stands.
struct Argument {
  std::size_t position;
  ComputedPtr value;
};
using Arguments = std::vector<Argument>;

void require_number(const Argument& argument, const std::string& what) {
  const Shape& shape = argument.value->shape();
  if (shape.empty()) return;
  throw ExpressionError(argument.position, what +
                                               " must be a number, but it is an array of shape " +
                                               to_string(shape));
}

std::int64_t integer(const Argument& argument, const std::string& what) {
  constexpr double kLimit = 9007199254740992.0;  // 2^53: up to here doubles hold every integer
  require_number(argument, what);
  const double number = argument.value->at(0);
  if (std::trunc(number) == number && std::abs(number) <= kLimit)
    return static_cast<std::int64_t>(number);
  throw ExpressionError(argument.position, what + " is " + number_text(number) +
                                               "; it must be an integer of at most 2^53");
}

ComputedPtr sum_of(const Arguments& arguments) {
  if (arguments.size() == 1) return sum(arguments[0].value);
  const auto axis = static_cast<std::ptrdiff_t>(integer(arguments[1], "the axis"));
  try {
    return sum(arguments[0].value, axis);
  } catch (const ArrayError& error) {
    throw ExpressionError(arguments[1].position, error.what());
  }
}

ComputedPtr reshaped(const Arguments& arguments) {
  Shape shape;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::int64_t size = integer(arguments[i], "the dimension");
    if (size < 0) {
      throw ExpressionError(arguments[i].position,
                            "the dimension is " + std::to_string(size) + "; it must be 0 or more");
    }
    shape.push_back(static_cast<std::size_t>(size));
  }
  return reshape(arguments[0].value, shape);
}

/// A function of the language. `target` is the shape of the array that is filled or checked.
struct Function {
  const char* name;
  std::size_t least, most;  ///< arguments
  const char* usage;
  ComputedPtr (*call)(const Arguments& arguments, const Shape& target);
};

constexpr std::size_t kAnyCount = static_cast<std::size_t>(-1);
const Function kFunctions[] = {
    {"random", 1, 1, "random takes 1 argument, random(seed)",
     [](const Arguments& a, const Shape& target) {
       return generated(target, RandomElement(integer(a[0], "the seed")));
     }},
    {"iota", 0, 0, "iota takes no argument",
     [](const Arguments&, const Shape& target) {
       return generated(target, [](std::size_t i) { return static_cast<double>(i); });
     }},
    {"zeros", 0, 0, "zeros takes no argument",
     [](const Arguments&, const Shape& target) { return constant(target, 0); }},
    {"full", 1, 1, "full takes 1 argument, full(value)",
     [](const Arguments& a, const Shape& target) {
       require_number(a[0], "the value");
       return broadcast(a[0].value, target);
     }},
    {"sum", 1, 2, "sum takes 1 or 2 arguments, sum(array) or sum(array, axis)",
     [](const Arguments& a, const Shape&) { return sum_of(a); }},
    {"transpose", 1, 1, "transpose takes 1 argument, transpose(array)",
     [](const Arguments& a, const Shape&) { return transpose(a[0].value); }},
    {"reshape", 2, kAnyCount, "reshape takes 2 or more arguments, reshape(array, n, m, ...)",
     [](const Arguments& a, const Shape&) { return reshaped(a); }},
    {"abs", 1, 1, "abs takes 1 argument, abs(array)",
     [](const Arguments& a, const Shape&) { return absolute(a[0].value); }},
    {"max", 1, 1, "max takes 1 argument, max(array)",
     [](const Arguments& a, const Shape&) { return largest(a[0].value); }},
};

/// What the text of an array expression means: the operations on its arrays. Only the numbers that
/// shapes and generators depend on are computed while it is read.
class ArrayLanguage {
 public:
  using Value = ComputedPtr;
  using Parser = text::PrecedenceParser<ArrayLanguage>;
  static constexpr std::array<text::OperatorSpelling, 5> kOperators = {
      {{"+", Operator::kAdd, 0},
       {"-", Operator::kSubtract, 0},
       {"*", Operator::kMultiply, 1},
       {"/", Operator::kDivide, 1},
       {"@", Operator::kMatrixMultiply, 1}}};
  static constexpr unsigned kLevels = 2;
  static constexpr std::array<text::OperatorSpelling, 1> kPrefixes = {
      {{"-", Operator::kNegate, 0}}};

  ArrayLanguage(const std::string& text, const Names& names, const std::optional<Shape>& target)
      : text_(text, "+ - * / @"), names_(names), has_target_(target),
        target_(target.value_or(Shape{})) {}

  ArrayExpression read() {
    Parser parser(*this);
    ComputedPtr result = text_.read(parser);
    if (result->shape().empty()) result = broadcast(std::move(result), target_);
    if (!has_target_ || result->shape() == target_) return {std::move(result), std::move(arrays_)};
    throw ExpressionError(1, "the expression has shape " + to_string(result->shape()) +
                                 ", but the array has shape " + to_string(target_));
  }

  text::Place place() const { return text_.place(); }
  bool accept(const char* op) { return text_.accept(op); }
  ComputedPtr binary(text::PlacedOperator op, const ComputedPtr& left, const ComputedPtr& right) {
    count_operator(op.place);
    return checked(op.place.column, [&] {
      return op.op == Operator::kMatrixMultiply ? matmul(left, right)
                                                : elementwise(op.text[0], left, right);
    });
  }
  ComputedPtr prefixed(text::PlacedOperator op, ComputedPtr value) {
    count_operator(op.place);
    return data::negated(std::move(value));
  }
  ComputedPtr primary(Parser& parser) {
    ComputedPtr value = unsliced(parser);
    for (std::size_t open = text_.position(); text_.accept("["); open = text_.position())
      value = sliced(std::move(value), open, parser);
    return value;
  }

 private:
  ComputedPtr unsliced(Parser& parser) {
    if (text::is_digit(text_.peek()) || text_.peek() == '.') return number();
    if (!text::is_letter(text_.peek())) return text_.parentheses(parser);
    const std::size_t position = text_.position();
    const std::string name = text_.name();
    return text_.peek() == '(' ? call(position, name, arguments(parser)) : named(position, name);
  }

  /// After the "[" at character `open`.
  ComputedPtr sliced(const ComputedPtr& array, std::size_t open, Parser& parser) {
    std::vector<Range> ranges;
    do {
      Range range;
      range.first = bound(parser);
      range.alone = !text_.accept(":");
      if (range.alone && !range.first) text_.fail_found("a number or \":\" was expected");
      if (!range.alone) range.last = bound(parser);
      ranges.push_back(range);
    } while (text_.accept(","));
    if (!text_.accept("]"))
      text_.fail_found("\"]\" was expected for the \"[\" at character " + std::to_string(open));
    return checked(open, [&] { return slice(array, ranges); });
  }
  std::optional<std::ptrdiff_t> bound(Parser& parser) {
    if (text_.peek() == ':' || text_.peek() == ',' || text_.peek() == ']') return std::nullopt;
    const std::size_t position = text_.position();
    return integer({position, text_.inner(parser)}, "the bound of a slice");
  }

  void count_operator(text::Place place) {
    if (++operators_ <= kMaxOperators) return;
    throw ExpressionError(place.column,
                          "more than " + std::to_string(kMaxOperators) + " operators");
  }
  /// Runs an operation of array_math.h that stands at `position`.
  template <class Operation>
  static ComputedPtr checked(std::size_t position, Operation operation) {
    try {
      return operation();
    } catch (const ArrayError& error) {
      throw ExpressionError(position, error.what());
    }
  }

  ComputedPtr number() {
    const std::string_view rest = text_.rest();
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc::result_out_of_range)
      text_.fail("the number does not fit in 64-bit floating point");
    if (error != std::errc()) text_.fail_found("a number was expected");
    text_.take_number(static_cast<std::size_t>(end - rest.data()));
    return constant({}, value);
  }

  ComputedPtr named(std::size_t position, const std::string& name) {
    if (const auto array = names_.arrays.find(name); array != names_.arrays.end()) {
      arrays_.insert(name);
      return std::make_shared<Loaded>(*array->second);
    }
    if (const auto value = names_.numbers.find(name); value != names_.numbers.end()) {
      return constant({}, static_cast<double>(value->second));
    }
    std::vector<std::string> known;
    for (const auto& [array, data] : names_.arrays) known.push_back(array);
    for (const auto& [parameter, value] : names_.numbers) known.push_back(parameter);
    throw ExpressionError(position, "unknown name \"" + name + "\"" +
                                        text::suggestion(name, known, "known names"));
  }

  Arguments arguments(Parser& parser) {
    const std::size_t open = text_.position();
    text_.accept("(");
    Arguments arguments;
    while (!text_.accept(")")) {
      const std::size_t position = text_.position();
      arguments.push_back({position, text_.inner(parser)});
      if (text_.accept(",")) continue;
      text_.close(open);
      break;
    }
    return arguments;
  }

  ComputedPtr call(std::size_t position, const std::string& name, const Arguments& arguments) {
    const std::size_t count = arguments.size();
    std::vector<std::string> known;
    for (const Function& function : kFunctions) {
      known.emplace_back(function.name);
      if (name != function.name) continue;
      if (count >= function.least && count <= function.most)
        return checked(position, [&] { return function.call(arguments, target_); });
      throw ExpressionError(position, function.usage + (", but " + std::to_string(count)) +
                                          (count == 1 ? " is given" : " are given"));
    }
    throw ExpressionError(position, "unknown function \"" + name + "\"" +
                                        text::suggestion(name, known, "functions"));
  }

  text::ExpressionText text_;
  const Names& names_;
  const bool has_target_;
  const Shape target_;
  unsigned operators_ = 0;
  std::set<std::string> arrays_;
};

}  // namespace

ArrayExpression parse_array_expression(const std::string& text, const Names& names,
                                       const std::optional<Shape>& target, const std::string& file,
                                       const std::string& place) {
  try {
    return ArrayLanguage(text, names, target).read();
  } catch (const ExpressionError& error) {
    throw UserError(file, place, text::problem_in(text, error));
  }
}

}  // namespace tessera::data
