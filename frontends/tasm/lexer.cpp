#include "frontends/tasm/lexer.h"

#include <charconv>

#include "frontends/text/cursor.h"

namespace tessera::tasm {
namespace {

/// Up to the first ';' that is not in a string.
std::string_view without_comment(std::string_view line) {
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') in_string = !in_string;
    if (line[i] == ';' && !in_string) return line.substr(0, i);
  }
  return line;
}

class LineLexer {
 public:
  LineLexer(std::string_view line, unsigned number, const Diagnostics& diagnostics)
      : cursor_(without_comment(line), {number, 1}), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      const bool spaced = !cursor_.take_while(text::is_space).empty();
      tokens.push_back(next());
      tokens.back().spaced = spaced;
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  Token next() {
    if (cursor_.at_end()) return make(Token::Kind::kEnd, 0);
    if (text::is_digit(cursor_.peek())) return number();
    if (cursor_.peek() == '"') return string();
    return text::is_letter(cursor_.peek()) ? name() : mark();
  }

  Token make(Token::Kind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.place = cursor_.place();
    token.text = std::string(cursor_.take(length));
    return token;
  }

  Token name() {
    std::size_t length = 1;
    while (text::is_name_part(cursor_.peek(length))) ++length;
    return make(Token::Kind::kName, length);
  }

  Token mark() {
    for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
      if (cursor_.rest().substr(0, 2) == two) return make(Token::Kind::kMark, 2);
    }
    constexpr std::string_view kMarks = ",:=+-*/%()[]<>!#";
    if (kMarks.find(cursor_.peek()) != std::string_view::npos) return make(Token::Kind::kMark, 1);
    diagnostics_.fail(cursor_.place(),
                      "expected a name, a number or one of , : = + - * / % ( ) [ ] < > ! #, found ",
                      in_quotes(cursor_.rest().substr(0, 1)));
  }

  Token string() {
    const std::size_t end = cursor_.rest().find('"', 1);
    if (end == std::string_view::npos)
      diagnostics_.fail(cursor_.place(), "expected '\"' after the text, found the end of the line");
    return make(Token::Kind::kString, end + 1);
  }

  /// Digits, '.', exponent with sign, hexadecimal digits: as far as the characters can belong to a
  /// number.
  std::size_t number_length() const {
    const bool hex = cursor_.peek() == '0' && (cursor_.peek(1) == 'x' || cursor_.peek(1) == 'X');
    std::size_t length = 1;
    for (;; ++length) {
      const char c = cursor_.peek(length);
      const char before = cursor_.peek(length - 1);
      const bool exponent_sign = !hex && (c == '+' || c == '-') && (before == 'e' || before == 'E');
      if (!text::is_name_part(c) && c != '.' && !exponent_sign) return length;
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
    const std::string expected = result.ec == std::errc::result_out_of_range && result.ptr == last
                                     ? "a number of at most 64 bits"
                                     : "a number such as 12, 0x1F or 1.5e-3";
    if (result.ptr != last || result.ec != std::errc())
      diagnostics_.fail(token.place, "expected ", expected, ", found ", in_quotes(text));
    return token;
  }

  text::Cursor cursor_;
  const Diagnostics& diagnostics_;
};

}  // namespace

std::vector<Token> lex_line(std::string_view line, unsigned line_number,
                            const Diagnostics& diagnostics) {
  return LineLexer(line, line_number, diagnostics).run();
}

}  // namespace tessera::tasm
