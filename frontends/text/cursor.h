// The characters of a source text, from left to right, each with its line and column. Lexers are
// written on it.
#pragma once

#include <cstddef>
#include <string_view>

#include "frontends/text/diagnostics.h"

namespace tessera::text {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// A letter or "_", with which names begin.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_name_part(char c) {
  return is_letter(c) || is_digit(c);
}
/// White space, the end of a line included.
constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
/// A name: a letter or "_", then letters, digits and "_".
constexpr bool is_identifier(std::string_view name) {
  for (const char c : name) {
    if (!is_name_part(c)) return false;
  }
  return !name.empty() && is_letter(name.front());
}

class Cursor {
 public:
  /// `start` is the place of the first character of `text`, which must outlive the cursor.
  explicit Cursor(std::string_view text, Place start = {1, 1}) : text_(text), place_(start) {}

  bool at_end() const { return at_ == text_.size(); }
  /// The character `ahead` of the next one; '\0' after the end.
  char peek(std::size_t ahead = 0) const {
    return ahead < text_.size() - at_ ? text_[at_ + ahead] : '\0';
  }
  /// What has not been taken yet.
  std::string_view rest() const { return text_.substr(at_); }
  /// The place of the next character.
  Place place() const { return place_; }

  /// Takes `count` characters, of which there must be as many.
  std::string_view take(std::size_t count = 1) {
    const std::string_view taken = text_.substr(at_, count);
    for (const char c : taken) {
      place_ = c == '\n' ? Place{place_.line + 1, 1} : Place{place_.line, place_.column + 1};
    }
    at_ += taken.size();
    return taken;
  }
  /// Takes characters as long as `is` holds for them.
  template <class Is>
  std::string_view take_while(Is is) {
    std::size_t count = 0;
    while (count < text_.size() - at_ && is(text_[at_ + count])) ++count;
    return take(count);
  }
  /// Takes `text` if it comes next.
  bool accept(std::string_view text) {
    if (rest().substr(0, text.size()) != text) return false;
    take(text.size());
    return true;
  }

 private:
  std::string_view text_;
  Place place_;
  std::size_t at_ = 0;
};

}  // namespace tessera::text
