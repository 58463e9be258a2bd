// A string as JSON writes it: for trace writers, which stream and need no JSON library.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tessera::observe {

/// `text` between double quotes, with quotes, backslashes and control characters escaped.
inline std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace tessera::observe
