#include "frontends/tasm/lexer.h"

#include <charconv>
#include <string>

namespace tessera::tasm {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

class LineLexer {
 public:
  LineLexer(std::string_view line, unsigned number, const Diagnostics& diagnostics)
      : line_(line.substr(0, line.find(';'))), number_(number), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      while (is_blank(peek())) ++at_;
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  /// '\0' behind the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }
  Place here() const { return {number_, static_cast<unsigned>(at_ + 1)}; }

  Token next() {
    if (at_ >= line_.size()) return make(Token::Kind::kEnd, 0);
    if (is_name_start(peek())) return name();
    if (is_digit(peek())) return number();
    return mark();
  }

  Token make(Token::Kind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.place = here();
    token.text = std::string(line_.substr(at_, length));
    at_ += length;
    return token;
  }

  Token name() {
    std::size_t length = 1;
    while (is_name_part(peek(length))) ++length;
    return make(Token::Kind::kName, length);
  }

  Token mark() {
    if (peek() == '=' && peek(1) == '=') return make(Token::Kind::kMark, 2);
    constexpr std::string_view kMarks = ",:=+-*/%()[]";
    if (kMarks.find(peek()) != std::string_view::npos) return make(Token::Kind::kMark, 1);
    diagnostics_.fail(here(),
                      "expected a name, a number or one of , : = + - * / % ( ) [ ], found " +
                          quoted(line_.substr(at_, 1)));
  }

  /// Digits, '.', exponent with sign, hexadecimal digits: as far as the characters can belong to a
  /// number.
  std::size_t number_length() const {
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    std::size_t length = 1;
    for (;; ++length) {
      const char c = peek(length);
      const char before = peek(length - 1);
      const bool exponent_sign = !hex && (c == '+' || c == '-') && (before == 'e' || before == 'E');
      if (!is_name_part(c) && c != '.' && !exponent_sign) return length;
    }
  }

  Token number() {
    Token token = make(Token::Kind::kInteger, number_length());
    const std::string& text = token.text;
    // The one word that starts with a digit, a SIMD mode; no name of the program.
    if (text == "32_or_64") {
      token.kind = Token::Kind::kMark;
      return token;
    }
    const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const bool real = !hex && text.find_first_of(".eE") != std::string::npos;
    const char* first = text.data() + (hex ? 2 : 0);
    const char* last = text.data() + text.size();
    if (real) token.kind = Token::Kind::kReal;
    const std::from_chars_result result =
        real ? std::from_chars(first, last, token.real)
             : std::from_chars(first, last, token.integer, hex ? 16 : 10);
    if (result.ptr != last || result.ec == std::errc::invalid_argument) {
      diagnostics_.fail(token.place,
                        "expected a number such as 12, 0x1F or 1.5e-3, found " + quoted(text));
    }
    if (result.ec == std::errc::result_out_of_range) {
      diagnostics_.fail(token.place,
                        std::string("expected a number of at most 64 bits, found ") + quoted(text));
    }
    return token;
  }

  std::string_view line_;
  unsigned number_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> lex_line(std::string_view line, unsigned line_number,
                            const Diagnostics& diagnostics) {
  return LineLexer(line, line_number, diagnostics).run();
}

}  // namespace tessera::tasm
