#include "platforms/data/array_expression.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "frontends/layout/suggestion.h"
#include "platforms/data/array_math.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

constexpr unsigned kMaxNesting = 50;
constexpr unsigned kMaxOperators = 500;  // what they compute is nested as deep
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

/// The finalizer of splitmix64.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const std::vector<std::string>& functions() {
  static const std::vector<std::string> kFunctions = {
      "random", "iota", "zeros", "full", "sum", "transpose", "reshape", "abs", "max"};
  return kFunctions;
}

template <class Element>
ComputedPtr generated(Shape shape, Element element) {
  return std::make_shared<Generated<Element>>(std::move(shape), element);
}
ComputedPtr constant(Shape shape, double value) {
  return generated(std::move(shape), [value](std::size_t) { return value; });
}

/// Elements of random(seed).
struct RandomElement {
  explicit RandomElement(std::int64_t seed) : start(mixed(static_cast<std::uint64_t>(seed))) {}
  double operator()(std::uint64_t index) const {
    constexpr double kStep = 1.0 / (1 << 23);
    return static_cast<double>(mixed(start + (index + 1) * kGolden) >> 40) * kStep - 1.0;
  }
  std::uint64_t start;
};

/// Builds the operations while it parses. Only numbers that shapes and generators depend on are
/// computed here.
class Parser {
 public:
  Parser(const std::string& text, const Names& names, const Shape& target, const std::string& file,
         const std::string& place)
      : text_(text), names_(names), target_(target), file_(file), place_(place) {}

  ArrayExpression run() {
    skip_space();
    if (at_end()) fail(0, "the expression is empty");
    ComputedPtr result = sum_level();
    if (!at_end())
      fail(at_, "found " + found() + " where an operator (+ - * / @) or the end was expected");
    if (result->shape() == target_) return {std::move(result), std::move(arrays_)};
    if (result->shape().empty()) {
      return {broadcast(std::move(result), target_), std::move(arrays_)};
    }
    fail(0, "the expression has shape " + to_string(result->shape()) +
                ", but the array has shape " + to_string(target_));
  }

 private:
  using Arguments = std::vector<ComputedPtr>;

  [[noreturn]] void fail(std::size_t at, const std::string& problem) const {
    throw UserError(file_, place_,
                    "in \"" + text_ + "\" at character " + std::to_string(at + 1) + ": " + problem);
  }
  /// Runs an operation of array_math.h that stands at `at`.
  template <class Operation>
  ComputedPtr checked(std::size_t at, Operation operation) const {
    try {
      return operation();
    } catch (const ArrayError& error) {
      fail(at, error.what());
    }
  }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string found() const {
    return at_end() ? "the end" : "\"" + std::string(1, text_[at_]) + "\"";
  }
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  ComputedPtr sum_level() {
    if (++nesting_ > kMaxNesting)
      fail(at_, "nested deeper than " + std::to_string(kMaxNesting) + " levels");
    ComputedPtr left = product_level();
    while (peek() == '+' || peek() == '-')
      left = operation(left, [this] { return product_level(); });
    --nesting_;
    return left;
  }
  ComputedPtr product_level() {
    ComputedPtr left = unary();
    while (peek() == '*' || peek() == '/' || peek() == '@')
      left = operation(left, [this] { return unary(); });
    return left;
  }
  /// The operator here and its right side.
  template <class Right>
  ComputedPtr operation(const ComputedPtr& left, Right parse_right) {
    const std::size_t at = at_;
    const char op = text_[at_];
    if (++operators_ > kMaxOperators)
      fail(at_, "more than " + std::to_string(kMaxOperators) + " operators");
    take(op);
    const ComputedPtr right = parse_right();
    return checked(at,
                   [&] { return op == '@' ? matmul(left, right) : elementwise(op, left, right); });
  }
  ComputedPtr unary() {
    bool negative = false;
    while (take('-')) negative = !negative;
    return negative ? negated(primary()) : primary();
  }
  ComputedPtr primary() {
    if (is_digit(peek()) || peek() == '.') return number();
    if (is_letter(peek())) return name_or_call();
    const std::size_t open = at_;
    if (!take('('))
      fail(at_, "found " + found() + " where a number, a name, \"-\" or \"(\" was expected");
    ComputedPtr value = sum_level();
    close(open);
    return value;
  }
  void close(std::size_t open) {
    if (take(')')) return;
    fail(at_, "found " + found() + " where \")\" was expected for the \"(\" at character " +
                  std::to_string(open + 1));
  }

  ComputedPtr number() {
    const std::size_t start = at_;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(start, "the number does not fit in 64-bit floating point");
    if (error != std::errc()) fail(start, "found " + found() + " where a number was expected");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (is_letter(peek()) || is_digit(peek()) || peek() == '.')
      fail(at_, "found " + found() + " inside a number");
    skip_space();
    return constant({}, value);
  }

  ComputedPtr name_or_call() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    skip_space();
    const std::size_t open = at_;
    if (!take('(')) return named(start, name);
    Arguments arguments;
    std::vector<std::size_t> places;
    while (!take(')')) {
      places.push_back(at_);
      arguments.push_back(sum_level());
      if (take(',')) continue;
      close(open);
      break;
    }
    return call(start, name, std::move(arguments), places);
  }

  ComputedPtr named(std::size_t at, const std::string& name) {
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
    fail(at, "unknown name \"" + name + "\"" + layout::suggestion(name, known, "known names"));
  }

  ComputedPtr call(std::size_t at, const std::string& name, Arguments arguments,
                   const std::vector<std::size_t>& places) {
    const std::size_t count = arguments.size();
    if (name == "random") {
      require(at, count == 1, "random takes 1 argument, random(seed)", count);
      return generated(target_, RandomElement(integer(places[0], *arguments[0], "the seed")));
    }
    if (name == "iota") {
      require(at, count == 0, "iota takes no argument", count);
      return generated(target_, [](std::size_t i) { return static_cast<double>(i); });
    }
    if (name == "zeros") {
      require(at, count == 0, "zeros takes no argument", count);
      return constant(target_, 0);
    }
    if (name == "full") {
      require(at, count == 1, "full takes 1 argument, full(value)", count);
      require_number(places[0], *arguments[0], "the value");
      return broadcast(std::move(arguments[0]), target_);
    }
    if (name == "sum") return call_sum(at, arguments, places);
    if (name == "transpose") {
      require(at, count == 1, "transpose takes 1 argument, transpose(array)", count);
      return checked(at, [&] { return transpose(arguments[0]); });
    }
    if (name == "abs") {
      require(at, count == 1, "abs takes 1 argument, abs(array)", count);
      return absolute(std::move(arguments[0]));
    }
    if (name == "max") {
      require(at, count == 1, "max takes 1 argument, max(array)", count);
      return largest(std::move(arguments[0]));
    }
    if (name == "reshape") return call_reshape(at, std::move(arguments), places);
    fail(at,
         "unknown function \"" + name + "\"" + layout::suggestion(name, functions(), "functions"));
  }
  ComputedPtr call_sum(std::size_t at, const Arguments& arguments,
                       const std::vector<std::size_t>& places) const {
    const std::size_t count = arguments.size();
    require(at, count == 1 || count == 2,
            "sum takes 1 or 2 arguments, sum(array) or sum(array, axis)", count);
    if (count == 1) return sum(arguments[0]);
    const std::int64_t axis = integer(places[1], *arguments[1], "the axis");
    return checked(places[1], [&] { return sum(arguments[0], static_cast<std::ptrdiff_t>(axis)); });
  }
  ComputedPtr call_reshape(std::size_t at, Arguments arguments,
                           const std::vector<std::size_t>& places) const {
    const std::size_t count = arguments.size();
    require(at, count >= 2, "reshape takes 2 or more arguments, reshape(array, n, m, ...)", count);
    Shape shape;
    for (std::size_t i = 1; i < count; ++i) {
      const std::int64_t size = integer(places[i], *arguments[i], "the dimension");
      if (size < 0)
        fail(places[i], "the dimension is " + std::to_string(size) + "; it must be 0 or more");
      shape.push_back(static_cast<std::size_t>(size));
    }
    return checked(at, [&] { return reshape(std::move(arguments[0]), shape); });
  }

  void require(std::size_t at, bool holds, const std::string& usage, std::size_t given) const {
    if (!holds)
      fail(at,
           usage + ", but " + std::to_string(given) + (given == 1 ? " is given" : " are given"));
  }
  void require_number(std::size_t at, const Computed& value, const std::string& what) const {
    if (value.shape().empty()) return;
    fail(at, what + " must be a number, but it is an array of shape " + to_string(value.shape()));
  }
  std::int64_t integer(std::size_t at, const Computed& value, const std::string& what) const {
    constexpr double kLimit = 9007199254740992.0;  // 2^53: up to here doubles hold every integer
    require_number(at, value, what);
    const double number = value.at(0);
    if (std::trunc(number) == number && std::abs(number) <= kLimit)
      return static_cast<std::int64_t>(number);
    fail(at, what + " is " + number_text(number) + "; it must be an integer of at most 2^53");
  }

  const std::string& text_;
  const Names& names_;
  const Shape& target_;
  const std::string& file_;
  const std::string& place_;
  std::size_t at_ = 0;
  unsigned nesting_ = 0;
  unsigned operators_ = 0;
  std::set<std::string> arrays_;
};

}  // namespace

double random_element(std::int64_t seed, std::uint64_t index) {
  return RandomElement(seed)(index);
}

ArrayExpression parse_array_expression(const std::string& text, const Names& names,
                                       const Shape& target, const std::string& file,
                                       const std::string& place) {
  return Parser(text, names, target, file, place).run();
}

}  // namespace tessera::data
