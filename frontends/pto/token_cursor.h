// Goes through the words of a text; complains in one way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/pto/lexer.h"

namespace tessera::pto {

class TokenCursor {
 public:
  TokenCursor(std::vector<Token> tokens, const Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Place place() const { return peek().place; }
  Token take() {
    Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool take_if(std::string_view punctuation) {
    if (!peek().is(punctuation)) return false;
    take();
    return true;
  }
  bool take_word_if(std::string_view word) {
    if (!peek().is_word(word)) return false;
    take();
    return true;
  }
  void expect(std::string_view punctuation) {
    if (!take_if(punctuation)) fail_expected(tasm::quoted(punctuation));
  }
  void expect_word(std::string_view word) {
    if (!take_word_if(word)) fail_expected(tasm::quoted(word));
  }
  Token expect_kind(Token::Kind kind, const std::string& what) {
    if (peek().kind != kind) fail_expected(what);
    return take();
  }
  /// "expected WHAT, found NEXT".
  [[noreturn]] void fail_expected(const std::string& what) const {
    diagnostics_.fail(place(), "expected " + what + ", found " + found(peek()));
  }
  [[noreturn]] void fail(Place place, const std::string& problem) const {
    diagnostics_.fail(place, problem);
  }

 private:
  std::vector<Token> tokens_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace tessera::pto
