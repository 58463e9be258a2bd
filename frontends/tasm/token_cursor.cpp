#include "frontends/tasm/token_cursor.h"

#include <algorithm>

namespace tessera::tasm {

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenCursor::accept(const char* mark) {
  if (!next_is(mark)) return false;
  take();
  return true;
}

bool TokenCursor::accept_word(const char* word) {
  if (peek().kind != Token::Kind::kName || peek().text != word) return false;
  take();
  return true;
}

void TokenCursor::expect(const char* mark, const std::string& expected) {
  if (!accept(mark)) fail(expected);
}

const Token& TokenCursor::expect_name(const std::string& expected) {
  if (peek().kind != Token::Kind::kName) fail(expected);
  return take();
}

void TokenCursor::expect_end(const std::string& expected) const {
  if (!at_end()) fail(expected);
}

void TokenCursor::fail(const std::string& expected, const std::string& more) const {
  diagnostics_.fail(place(), "expected " + expected + ", found " + found(peek()) + more);
}

std::string TokenCursor::text_from(Place begin) const {
  const Token& last = tokens_[at_ == 0 ? 0 : at_ - 1];
  const std::size_t first = begin.column - 1;
  const std::size_t end = last.place.column - 1 + last.text.size();
  return std::string(line_.substr(first, end - first));
}

}  // namespace tessera::tasm
