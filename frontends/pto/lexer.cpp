#include "frontends/pto/lexer.h"

#include <cctype>

namespace tessera::pto {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '$';
}

class Lexer {
 public:
  Lexer(std::string_view text, const Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      skip_blanks();
      tokens.push_back(next());
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void advance() {
    ++place_.column;
    if (text_[at_++] != '\n') return;
    ++place_.line;
    place_.column = 1;
  }
  template <class Is>
  std::string take_while(Is is) {
    std::string taken;
    while (at_ < text_.size() && is(peek())) {
      taken += peek();
      advance();
    }
    return taken;
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '/' && peek(1) == '/') {
        take_while([](char c) { return c != '\n'; });
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        advance();
      } else {
        return;
      }
    }
  }

  Token next() {
    using Kind = Token::Kind;
    const Place place = place_;
    if (at_ >= text_.size()) return {Kind::kEnd, "", place};
    const char c = peek();
    if (c == '"') return string(place);
    if (is_digit(c) || c == '?') return number(place);
    if (is_letter(c)) return {Kind::kWord, take_while(is_name), place};
    if (c == '%' && is_name(peek(1))) return value(place);
    const bool named = is_name(peek(1));
    if (named && (c == '@' || c == '!' || c == '#' || c == '^')) {
      advance();
      const Kind kind = c == '@'   ? Kind::kSymbol
                        : c == '!' ? Kind::kType
                        : c == '^' ? Kind::kBlock
                                   : Kind::kAttribute;
      return {kind, c + take_while(is_name), place};
    }
    return punctuation(place);
  }

  Token string(Place place) {
    advance();
    std::string text = take_while([](char c) { return c != '"' && c != '\n'; });
    if (peek() != '"') diagnostics_.fail(place, "a string without its closing quote");
    advance();
    return {Token::Kind::kString, std::move(text), place};
  }

  Token number(Place place) {
    std::string text = take_while([](char c) { return is_digit(c) || is_letter(c) || c == '?'; });
    const bool plain = text.find_first_not_of("0123456789") == std::string::npos;
    if (!plain) return {Token::Kind::kShape, std::move(text), place};
    if (peek() != '.' || !is_digit(peek(1))) return {Token::Kind::kInteger, std::move(text), place};
    text += '.';
    advance();
    text += take_while(is_digit);
    const bool exponent = peek() == 'e' || peek() == 'E';
    if (exponent) {
      text += peek();
      advance();
      if (peek() == '+' || peek() == '-') {
        text += peek();
        advance();
      }
      text += take_while(is_digit);
    }
    return {Token::Kind::kFloat, std::move(text), place};
  }

  Token value(Place place) {
    advance();
    std::string text = "%" + take_while(is_name);
    if (peek() == '#' && is_digit(peek(1))) {
      advance();
      text += "#" + take_while(is_digit);
    }
    return {Token::Kind::kValue, std::move(text), place};
  }

  Token punctuation(Place place) {
    if (peek() == '-' && peek(1) == '>') {
      advance();
      advance();
      return {Token::Kind::kPunctuation, "->", place};
    }
    const char c = peek();
    if (std::string_view("(){}[]<>,:=-+*").find(c) == std::string_view::npos)
      diagnostics_.fail(place, "unexpected character " + tasm::quoted({&text_[at_], 1}));
    advance();
    return {Token::Kind::kPunctuation, std::string(1, c), place};
  }

  std::string_view text_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  Place place_{1, 1};
};

}  // namespace

std::string found(const Token& token) {
  switch (token.kind) {
  case Token::Kind::kEnd:
    return "the end of the file";
  case Token::Kind::kString:
    return tasm::quoted("\"" + token.text + "\"");
  default:
    return tasm::quoted(token.text);
  }
}

std::vector<Token> tokenize(std::string_view text, const Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).run();
}

}  // namespace tessera::pto
