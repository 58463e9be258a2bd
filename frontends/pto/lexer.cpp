#include "frontends/pto/lexer.h"

#include "frontends/text/cursor.h"

namespace tessera::pto {

namespace {

using text::is_digit;
using text::is_letter;
using Kind = Token::Kind;

bool is_name(char c) {
  return text::is_name_part(c) || c == '.' || c == '$';
}

class Lexer {
 public:
  Lexer(std::string_view text, const Diagnostics& diagnostics)
      : cursor_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      skip_blanks();
      const Place place = cursor_.place();
      tokens.push_back({Kind::kEnd, "", place});
      if (!cursor_.at_end()) next(tokens.back());
    } while (tokens.back().kind != Kind::kEnd);
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
    if (c == '"') return string(token);
    if (is_digit(c) || c == '?') return number(token);
    if (is_letter(c)) {
      token.kind = Kind::kWord;
    } else if (!is_name(cursor_.peek(1)) || !find_sigil(token.kind)) {
      return punctuation(token);
    } else {
      token.text = cursor_.take();
    }
    token.text += cursor_.take_while(is_name);
    while (token.kind == Kind::kValue && cursor_.peek() == '-' && is_name(cursor_.peek(1))) {
      token.text += cursor_.take();  // %c-128
      token.text += cursor_.take_while(is_name);
    }
    if (token.kind != Kind::kValue || cursor_.peek() != '#' || !is_digit(cursor_.peek(1))) return;
    token.text += cursor_.take();
    token.text += cursor_.take_while(is_digit);
  }

  /// The character in front of a name says what it names.
  bool find_sigil(Kind& kind) const {
    constexpr std::string_view kSigils = "%@!#^";
    constexpr Kind kKinds[] = {Kind::kValue, Kind::kSymbol, Kind::kType, Kind::kAttribute,
                               Kind::kBlock};
    const std::size_t at = kSigils.find(cursor_.peek());
    if (at != std::string_view::npos) kind = kKinds[at];
    return at != std::string_view::npos;
  }

  void string(Token& token) {
    cursor_.take();
    token.kind = Kind::kString;
    token.text = cursor_.take_while([](char c) { return c != '"' && c != '\n'; });
    if (!cursor_.accept("\"")) diagnostics_.fail(token.place, "a string without its closing quote");
  }

  void number(Token& token) {
    token.text = cursor_.take_while([](char c) { return text::is_name_part(c) || c == '?'; });
    const bool plain = token.text.find_first_not_of("0123456789") == std::string::npos;
    token.kind = plain ? Kind::kInteger : Kind::kShape;
    if (!plain || cursor_.peek() != '.' || !is_digit(cursor_.peek(1))) return;
    token.kind = Kind::kFloat;
    token.text += cursor_.take();
    token.text += cursor_.take_while(is_digit);
    if (cursor_.peek() != 'e' && cursor_.peek() != 'E') return;
    token.text += cursor_.take();
    if (cursor_.peek() == '+' || cursor_.peek() == '-') token.text += cursor_.take();
    token.text += cursor_.take_while(is_digit);
  }

  void punctuation(Token& token) {
    const bool is_arrow = cursor_.peek() == '-' && cursor_.peek(1) == '>';
    if (std::string_view("(){}[]<>,:=-+*").find(cursor_.peek()) == std::string_view::npos)
      diagnostics_.fail(token.place, "unexpected character ",
                        text::in_quotes(cursor_.rest().substr(0, 1)));
    token.kind = Kind::kPunctuation;
    token.text = cursor_.take(is_arrow ? 2 : 1);
  }

  text::Cursor cursor_;
  const Diagnostics& diagnostics_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).run();
}

}  // namespace tessera::pto
