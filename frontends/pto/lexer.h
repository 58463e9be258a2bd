// The tokens of PTO text. Comments run from // to the end of the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/text/token_cursor.h"

namespace tessera::pto {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,       ///< scf.for, PIPE_V
    kInteger,    ///< 12
    kFloat,      ///< 1.5e+00
    kShape,      ///< 16x?xf32, ?, 0x10
    kString,     ///< "..": text without the quotes
    kValue,      ///< %a, %r#1
    kSymbol,     ///< `@f`
    kType,       ///< !pto.ptr
    kAttribute,  ///< `#pto.pipe`
    kBlock,      ///< ^bb0
    kPunctuation,
    kEnd
  };
  Kind kind = Kind::kEnd;
  std::string text;
  Place place;

  bool is(std::string_view punctuation) const {
    return kind == Kind::kPunctuation && text == punctuation;
  }
  bool opens() const { return is("(") || is("{") || is("[") || is("<"); }
  bool closes() const { return is(")") || is("}") || is("]") || is(">"); }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

/// How the text has it: a string with its quotes.
inline std::string spelling(const Token& token) {
  return token.kind == Token::Kind::kString ? "\"" + token.text + "\"" : token.text;
}

/// How a diagnosis names it: "'%a'", "the end of the file".
inline std::string found(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the file" : text::quoted(spelling(token));
}

/// The last token is kEnd. Throws UserError for characters that no word begins with.
std::vector<Token> tokenize(std::string_view text, const Diagnostics& diagnostics);

using TokenCursor = text::TokenCursor<Token>;

}  // namespace tessera::pto
