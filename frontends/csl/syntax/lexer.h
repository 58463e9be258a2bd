// The tokens of CSL text (csl.md 1). Comments run from // to the end of the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/csl/syntax/ast.h"
#include "frontends/text/token_cursor.h"

namespace tessera::csl {

struct Token {
  enum class Kind : std::uint8_t {
    kName,
    kWord,       ///< a word of the language, which cannot be a name
    kBuiltin,    ///< `@as`
    kInteger,    ///< 12, 0x1F, 0b101
    kFloat,      ///< 1.5, 1.0e-3
    kString,     ///< "..": with its quotes
    kCharacter,  ///< 'a': with its quotes
    kMark,
    kEnd
  };
  Kind kind = Kind::kEnd;
  std::string_view text;  ///< as written
  Place place;            ///< kEnd: the place after the last token

  bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
  /// For words that may also be names, such as layout and align.
  bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

/// How a diagnosis names it: "'fn'", "the end of the file".
std::string found(const Token& token);

/// The last token is kEnd. Throws UserError for what no token begins with and for malformed
/// numbers, strings and characters.
std::vector<Token> tokenize(std::string_view text, const Diagnostics& diagnostics);

/// The characters of a kString or kCharacter: without quotes, escapes replaced.
std::string string_value(std::string_view spelling);

/// Whether a text is a word of the language.
bool is_word(std::string_view text);

using TokenCursor = text::TokenCursor<Token>;

}  // namespace tessera::csl
