// Expressions that are a string of their own, such as the values of a JSON file: their characters,
// and the messages that all languages of such expressions share.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "frontends/text/cursor.h"

namespace tessera::text {

/// What is wrong with an expression, and at which of its characters. Readers turn it into a
/// UserError that also names the file and the place in the file.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t position, const std::string& problem)
      : std::runtime_error(problem), position_(position) {}
  /// Character in the expression, counted from 1.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// The message of a UserError: `in "TEXT" at character N`, then `where`, then ": PROBLEM".
inline std::string problem_in(const std::string& expression, const ExpressionError& error,
                              const std::string& where = "") {
  return joined("in \"", shown(expression), "\" at character ", error.position(), where, ": ",
                error.what());
}

class ExpressionText {
 public:
  /// `text` must outlive it; `operators` lists the operators of the language for messages.
  ExpressionText(const std::string& text, const char* operators)
      : cursor_(text), size_(text.size()), operators_(operators) {}

  /// Reads the whole text with `parser`.
  template <class Parser>
  auto read(Parser& parser) {
    cursor_.take_while(is_space);
    if (cursor_.at_end()) throw ExpressionError(1, "the expression is empty");
    auto value = parser.parse();
    if (!cursor_.at_end())
      fail_found("an operator (" + std::string(operators_) + ") or the end was expected");
    return value;
  }
  /// "(" expression ")".
  template <class Parser>
  auto parentheses(Parser& parser) {
    const std::size_t open = position();
    if (!accept("(")) fail_found("a number, a name, \"-\" or \"(\" was expected");
    auto value = inner(parser);
    close(open);
    return value;
  }
  /// An expression inside of parentheses.
  template <class Parser>
  auto inner(Parser& parser) {
    if (++levels_ > kMostLevels)
      fail("nested deeper than " + std::to_string(kMostLevels) + " levels");
    auto value = parser.parse();
    --levels_;
    return value;
  }
  /// The ")" of the "(" at character `open`.
  void close(std::size_t open) {
    if (accept(")")) return;
    fail_found("\")\" was expected for the \"(\" at character " + std::to_string(open));
  }

  char peek(std::size_t ahead = 0) const { return cursor_.peek(ahead); }
  /// The position of the next character, counted from 1.
  std::size_t position() const { return size_ - cursor_.rest().size() + 1; }
  Place place() const { return {1, static_cast<unsigned>(position())}; }
  /// Takes `text`, and the white space after it, if it comes next.
  bool accept(const char* text) {
    if (!cursor_.accept(text)) return false;
    cursor_.take_while(is_space);
    return true;
  }
  std::string name() {
    const std::string name(cursor_.take_while(is_name_part));
    cursor_.take_while(is_space);
    return name;
  }
  void take(std::size_t count) { cursor_.take(count); }
  /// Takes a number of `size` characters and the white space after it.
  void take_number(std::size_t size) {
    cursor_.take(size);
    if (is_name_part(peek()) || peek() == '.') fail(found() + " inside a number");
    cursor_.take_while(is_space);
  }
  std::string_view rest() const { return cursor_.rest(); }

  [[noreturn]] void fail(const std::string& problem) const {
    throw ExpressionError(position(), problem);
  }
  /// Throws `found "x" where EXPECTED`; at the end of the text `found the end where EXPECTED`.
  [[noreturn]] void fail_found(const std::string& expected) const {
    fail(found() + " where " + expected);
  }

  /// Levels of parentheses, the text itself being the first one.
  static constexpr unsigned kMostLevels = 50;

 private:
  std::string found() const {
    return cursor_.at_end() ? "found the end" : "found " + found_character(peek());
  }

  Cursor cursor_;
  std::size_t size_;
  const char* operators_;
  unsigned levels_ = 1;
};

}  // namespace tessera::text
