// The tokens of a source text, from left to right. Parsers are written on it; they report mistakes
// as "expected X, found Y" at the place of the next token.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/text/diagnostics.h"

namespace tessera::text {

/// `Token` is the token of a language. It has `place`, `kind` (a Token::Kind, of which kEnd is the
/// end of the text), `is(mark)` and `is_word(word)`; found(token) is how messages name it.
template <class Token>
class TokenCursor {
 public:
  /// The last of `tokens` is of the kind kEnd; it is never passed.
  TokenCursor(std::vector<Token> tokens, const Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  /// The token taken last; the first one if none was taken.
  const Token& last() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
  /// Calls visit(token) for all that were taken.
  template <class Visit>
  void for_each_taken(Visit visit) const {
    for (std::size_t i = 0; i < at_; ++i) visit(tokens_[i]);
  }
  bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  Place place() const { return peek().place; }
  bool next_is(std::string_view mark) const { return peek().is(mark); }

  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  /// Takes the next token if it is `mark`.
  bool accept(std::string_view mark) { return take_if(peek().is(mark)); }
  /// Takes the next token if it is `word`.
  bool accept_word(std::string_view word) { return take_if(peek().is_word(word)); }
  void expect(std::string_view mark) {
    if (!accept(mark)) fail_expected(text::in_quotes(mark));
  }
  /// The same with words for what is expected.
  void expect(std::string_view mark, const std::string& expected) {
    if (!accept(mark)) fail_expected(expected);
  }
  void expect_word(std::string_view word) {
    if (!accept_word(word)) fail_expected(text::in_quotes(word));
  }
  const Token& expect_kind(typename Token::Kind kind, const std::string& expected) {
    if (peek().kind != kind) fail_expected(expected);
    return take();
  }

  /// Throws "expected EXPECTED, found 'next token'" followed by `more`.
  [[noreturn]] void fail_expected(const std::string& expected, const std::string& more = "") const {
    fail(place(), "expected " + expected + ", found " + found(peek()) + more);
  }
  template <class... Parts>
  [[noreturn]] void fail(Place place, const Parts&... problem) const {
    diagnostics_.fail(place, problem...);
  }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  bool take_if(bool matches) {
    if (matches) take();
    return matches;
  }

  std::vector<Token> tokens_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace tessera::text
