// The words of a line of tile assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "frontends/tasm/diagnostics.h"

namespace tessera::tasm {

struct Token {
  enum class Kind : std::uint8_t {
    kName,     ///< letter or '_', then letters, digits, '_'
    kInteger,  ///< decimal or 0x hexadecimal
    kReal,     ///< digits with '.' or exponent
    kMark,     ///< one of , : = == + - * / % ( ) [ ] and 32_or_64
    kEnd,      ///< behind the last token of the line
  };
  Kind kind = Kind::kEnd;
  Place place;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;

  bool is(const char* mark) const { return kind == Kind::kMark && text == mark; }
};

/// "'fadds'" or "the end of the line", for messages.
inline std::string found(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the line" : tasm::quoted(token.text);
}

}  // namespace tessera::tasm
