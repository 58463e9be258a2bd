// Reads the tokens of one line from left to right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/tasm/token.h"

namespace tessera::tasm {

class TokenCursor {
 public:
  /// `tokens` end with kEnd; `line` is their text.
  TokenCursor(const std::vector<Token>& tokens, std::string_view line,
              const Diagnostics& diagnostics)
      : tokens_(tokens), line_(line), diagnostics_(diagnostics) {}

  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  Place place() const { return peek().place; }

  bool next_is(const char* mark) const { return peek().is(mark); }
  /// Takes the next token if it is `mark`.
  bool accept(const char* mark);
  /// Takes the next token if it is the name `word`.
  bool accept_word(const char* word);
  void expect(const char* mark, const std::string& expected);
  /// A name; `expected` says which, for the message.
  const Token& expect_name(const std::string& expected);
  void expect_end(const std::string& expected = "the end of the line") const;

  /// Throws "expected EXPECTED, found 'next token'" + `more`.
  [[noreturn]] void fail(const std::string& expected, const std::string& more = "") const;
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// The text from `begin` up to the last token taken.
  std::string text_from(Place begin) const;

 private:
  const std::vector<Token>& tokens_;
  std::string_view line_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace tessera::tasm
