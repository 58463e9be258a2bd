#include "frontends/csl/syntax/lexer.h"

#include <algorithm>
#include <cstddef>

#include "frontends/text/cursor.h"

namespace tessera::csl {

namespace {

using text::is_digit;
using text::is_letter;
using text::is_name_part;
using Kind = Token::Kind;

constexpr std::string_view kReserved[] = {
    "and",    "anytype", "asm",      "break",     "comptime", "const",  "continue",
    "else",   "enum",    "export",   "extern",    "false",    "fn",     "for",
    "if",     "inline",  "noinline", "or",        "param",    "return", "struct",
    "switch", "task",    "true",     "undefined", "union",    "var",    "while"};

// Longer marks first, so that the first one that fits is the longest.
constexpr std::string_view kMarks[] = {
    "...", "<<=", ">>=", "->", "=>", ".*", ".{", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=",
    "*=",  "/=",  "%=",  "&=", "|=", "^=", "(",  ")",  "{",  "}",  "[",  "]",  ",",  ";",  ":",
    ".",   "=",   "<",   ">",  "+",  "-",  "*",  "/",  "%",  "!",  "~",  "&",  "|",  "^"};

/// What other languages write differently.
struct Foreign {
  std::string_view text;
  const char* advice;
};
constexpr Foreign kForeign[] = {
    {"/*", "a comment of several lines has '//' on each of them"},
    {"&&", "the logical operator is written 'and'"},
    {"||", "the logical operator is written 'or'"},
    {"++", "write 'x += 1' to increment"},
    {"?", "a choice is written 'if (c) a else b'"},
    {"#", "modules are imported with '@import_module', and comments begin with '//'"}};

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_binary_digit(char c) {
  return c == '0' || c == '1';
}

template <class Is>
bool all_of(std::string_view text, Is is) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}

class Lexer {
 public:
  Lexer(std::string_view text, const Diagnostics& diagnostics)
      : cursor_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    cursor_.accept(kByteOrderMark);
    std::vector<Token> tokens;
    Place end = cursor_.place();
    while (true) {
      skip_blanks();
      if (cursor_.at_end()) break;
      tokens.push_back({Kind::kEnd, {}, cursor_.place()});
      next(tokens.back());
      end = cursor_.place();
    }
    tokens.push_back({Kind::kEnd, {}, end});
    return tokens;
  }

 private:
  void skip_blanks() {
    cursor_.take_while(text::is_space);
    while (cursor_.accept("//")) {
      cursor_.take_while([](char c) { return c != '\n'; });
      cursor_.take_while(text::is_space);
    }
  }

  void next(Token& token) {
    const char c = cursor_.peek();
    if (is_letter(c)) {
      token.text = cursor_.take_while(is_name_part);
      token.kind = is_word(token.text) ? Kind::kWord : Kind::kName;
    } else if (is_digit(c)) {
      number(token);
    } else if (c == '"' || c == '\'') {
      quoted(token);
    } else if (c == '@') {
      builtin(token);
    } else {
      mark(token);
    }
  }

  void builtin(Token& token) {
    const std::string_view rest = cursor_.rest();
    cursor_.take();
    if (!is_letter(cursor_.peek()))
      diagnostics_.fail(token.place, "expected the name of a builtin after '@'");
    token.kind = Kind::kBuiltin;
    token.text = rest.substr(0, cursor_.take_while(is_name_part).size() + 1);
  }

  void number(Token& token) {
    const std::string_view rest = cursor_.rest();
    token.kind = Kind::kInteger;
    std::size_t size = cursor_.take_while(is_name_part).size();
    const auto exponent_sign = [&] {
      return (cursor_.peek() == '+' || cursor_.peek() == '-') &&
             (rest[size - 1] == 'e' || rest[size - 1] == 'E') && rest[1] != 'x';
    };
    if (cursor_.peek() == '.' && is_digit(cursor_.peek(1))) {
      cursor_.take();
      size += 1 + cursor_.take_while(is_name_part).size();
      token.kind = Kind::kFloat;
    }
    if (exponent_sign()) {
      cursor_.take();
      size += 1 + cursor_.take_while(is_name_part).size();
    }
    token.text = rest.substr(0, size);
    if (is_integer(token.text)) return;
    token.kind = Kind::kFloat;
    if (!is_float(token.text))
      diagnostics_.fail(token.place, "expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found ",
                        in_quotes(token.text));
  }

  static bool is_integer(std::string_view text) {
    if (text.substr(0, 2) == "0x") return all_of(text.substr(2), is_hex_digit);
    if (text.substr(0, 2) == "0b") return all_of(text.substr(2), is_binary_digit);
    return all_of(text, is_digit);
  }
  /// digits ["." digits] [("e" | "E") ["+" | "-"] digits]
  static bool is_float(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = mantissa.find('.');
    if (!all_of(mantissa.substr(0, point), is_digit)) return false;
    if (point != std::string_view::npos && !all_of(mantissa.substr(point + 1), is_digit))
      return false;
    if (e == std::string_view::npos) return true;
    std::string_view exponent = text.substr(e + 1);
    if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) exponent.remove_prefix(1);
    return all_of(exponent, is_digit);
  }

  /// "..." or 'c'
  void quoted(Token& token) {
    const std::string_view rest = cursor_.rest();
    const std::string_view quote = cursor_.take();
    const bool is_string = quote == "\"";
    token.kind = is_string ? Kind::kString : Kind::kCharacter;
    std::size_t characters = 0;
    for (; !cursor_.accept(quote); ++characters) {
      if (cursor_.at_end() || cursor_.peek() == '\n')
        diagnostics_.fail(token.place, is_string ? "a string" : "a character",
                          " without its closing quote");
      if (cursor_.peek() == '\\') {
        escape();
      } else {
        cursor_.take();
      }
    }
    if (!is_string && characters != 1)
      diagnostics_.fail(token.place, "expected one character between the quotes, found ",
                        characters, characters > 1 ? "; a string has double quotes" : "");
    token.text = rest.substr(0, rest.size() - cursor_.rest().size());
  }

  void escape() {
    const Place place = cursor_.place();
    const std::string_view rest = cursor_.rest();
    cursor_.take();
    if (cursor_.accept("x")) {
      if (is_hex_digit(cursor_.peek()) && is_hex_digit(cursor_.peek(1))) {
        cursor_.take(2);
        return;
      }
    } else if (!cursor_.at_end() &&
               std::string_view("nrt\"'\\").find(cursor_.peek()) != std::string_view::npos) {
      cursor_.take();
      return;
    }
    diagnostics_.fail(place,
                      "expected \\n, \\r, \\t, \\\", \\', \\\\ or \\x and two digits, found ",
                      in_quotes(rest.substr(0, 2)));
  }

  /// '. {' is '.{' (as in Zig, where these are two tokens).
  void blank_before_brace(Token& token) {
    const std::string_view rest = cursor_.rest();
    const std::size_t blanks = rest.find_first_not_of(" \t");
    if (blanks == std::string_view::npos || rest[blanks] != '{') return;
    cursor_.take(blanks + 1);
    token.text = ".{";
  }

  void mark(Token& token) {
    for (const Foreign& foreign : kForeign) {
      if (cursor_.rest().substr(0, foreign.text.size()) == foreign.text)
        diagnostics_.fail(token.place, "unexpected ", in_quotes(foreign.text), "; ",
                          foreign.advice);
    }
    for (const std::string_view mark : kMarks) {
      if (cursor_.rest().substr(0, mark.size()) != mark) continue;
      token.kind = Kind::kMark;
      token.text = cursor_.take(mark.size());
      if (mark == ".") blank_before_brace(token);
      return;
    }
    diagnostics_.fail(token.place, "unexpected character ", in_quotes(cursor_.rest().substr(0, 1)));
  }

  text::Cursor cursor_;
  const Diagnostics& diagnostics_;
};

char escaped(char c) {
  switch (c) {
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return c;
  }
}

unsigned hex_value(char c) {
  return static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

}  // namespace

std::string found(const Token& token) {
  return token.kind == Kind::kEnd ? "the end of the file" : in_quotes(token.text);
}

std::vector<Token> tokenize(std::string_view text, const Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).run();
}

std::string string_value(std::string_view spelling) {
  std::string value;
  for (std::size_t i = 1; i + 1 < spelling.size(); ++i) {
    if (spelling[i] != '\\') {
      value += spelling[i];
    } else if (spelling[++i] == 'x') {
      value += static_cast<char>(hex_value(spelling[i + 1]) << 4 | hex_value(spelling[i + 2]));
      i += 2;
    } else {
      value += escaped(spelling[i]);
    }
  }
  return value;
}

bool is_word(std::string_view text) {
  return std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved);
}

}  // namespace tessera::csl
