// The words of a line of tile assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/text/token_cursor.h"

namespace tessera::tasm {

using text::Diagnostics;
using text::in_quotes;
using text::Place;

struct Token {
  enum class Kind : std::uint8_t {
    kName,     ///< letter or '_', then letters, digits, '_'
    kInteger,  ///< decimal or 0x hexadecimal
    kReal,     ///< digits with '.' or exponent
    kMark,     ///< one of , : = + - * / % ( ) [ ] #, an operator of expressions, or 32_or_64
    kString,   ///< "text", with its quotes
    kEnd,      ///< after the last token of the line
  };
  Kind kind = Kind::kEnd;
  Place place;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool spaced = false;  ///< white space stands before it

  bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::kName && text == word; }
};

/// A name where it stands in the text.
struct Name {
  Place place;
  std::string text;
};

/// "'fadds'" or "the end of the line", for messages.
inline std::string found(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the line" : text::in_quotes(token.text);
}

/// Cuts a line into tokens, without its comment. Throws UserError on a character or number that is
/// not part of the language.
std::vector<Token> lex_line(std::string_view line, unsigned line_number,
                            const Diagnostics& diagnostics);

/// Reads the tokens of one line.
class TokenCursor : public text::TokenCursor<Token> {
 public:
  using text::TokenCursor<Token>::TokenCursor;

  /// A name; `expected` says which, for the message.
  Name expect_name(const std::string& expected) {
    const Token& token = expect_kind(Token::Kind::kName, expected);
    return {token.place, token.text};
  }
  void expect_end(const std::string& expected = "the end of the line") const {
    if (!at_end()) fail_expected(expected);
  }
  /// The text from `begin` up to the last token taken.
  std::string text_from(Place begin) const {
    std::string text;
    for_each_taken([&](const Token& token) {
      if (token.place.column < begin.column) return;
      if (token.spaced && !text.empty()) text += ' ';
      text += token.text;
    });
    return text;
  }
};

}  // namespace tessera::tasm
