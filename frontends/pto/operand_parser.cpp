#include "frontends/pto/operand_parser.h"

#include <utility>

namespace tessera::pto {

namespace {

using Kind = Token::Kind;

Argument argument(Place place, Argument::Role role, Argument::Kind kind, std::string text) {
  Argument a;
  a.place = place;
  a.role = role;
  a.kind = kind;
  a.text = std::move(text);
  return a;
}

}  // namespace

void OperandParser::value(Role role) {
  const Token& token = cursor.expect_kind(Kind::kValue, "a value such as %a");
  op.arguments.push_back(argument(token.place, role, Argument::Kind::kValue, token.text));
}

void OperandParser::value_or_integer(Role role) {
  const Token& token = cursor.peek();
  if (token.kind == Kind::kValue) return value(role);
  if (token.kind != Kind::kInteger && !token.is("-"))
    cursor.fail_expected("a number or a value such as %a");
  op.arguments.push_back(argument(token.place, role, Argument::Kind::kInteger, ""));
  op.arguments.back().number = types.parse_integer();
}

void OperandParser::values(Role role) {
  do {
    value(role);
  } while (cursor.accept(","));
}

void OperandParser::list(Role role) {
  cursor.expect("[");
  do {
    value_or_integer(role);
  } while (cursor.accept(","));
  cursor.expect("]");
}

void OperandParser::carried() {
  do {
    value(Role::kCarried);
    cursor.expect("=");
    value(Role::kInit);
  } while (cursor.accept(","));
}

void OperandParser::add_word(Role role, Place place, std::string text) {
  op.arguments.push_back(argument(place, role, Argument::Kind::kWord, std::move(text)));
}

void OperandParser::word(Role role, const std::string& what, bool bare) {
  const Place place = cursor.place();
  const bool plain = bare && cursor.peek().kind == Kind::kWord;
  add_word(role, place, plain ? cursor.take().text : bracketed_word(what));
}

std::string OperandParser::bracketed_word(const std::string& what) {
  if (cursor.peek().kind == Kind::kString) return cursor.take().text;
  if (cursor.peek().kind == Kind::kAttribute) cursor.take();
  if (!cursor.accept("<")) cursor.fail_expected(what);
  std::string word = cursor.expect_kind(Kind::kWord, what).text;
  if (cursor.peek().kind == Kind::kWord) word = cursor.take().text;
  cursor.expect(">");
  return word;
}

void OperandParser::pipe(bool bare) {
  word(Role::kPipe, "a pipe such as <PIPE_V>", bare);
}

bool OperandParser::at_bracketed_word() const {
  const Token& t = cursor.peek();
  return t.kind == Kind::kString || t.kind == Kind::kAttribute || t.is("<");
}

void OperandParser::type() {
  op.types.push_back(types.parse_type());
}

void OperandParser::colon_types() {
  attributes();
  if (!cursor.accept(":")) return;
  for (Type& type : types.parse_types()) op.types.push_back(std::move(type));
}

void OperandParser::type_list() {
  cursor.expect("(");
  if (cursor.accept(")")) return;
  op.types = types.parse_types();
  cursor.expect(")");
}

void OperandParser::result_types() {
  if (!cursor.accept("->")) return;
  const bool many = cursor.accept("(");
  if (many && cursor.accept(")")) return;
  op.result_types = many ? types.parse_types() : std::vector<Type>{types.parse_type()};
  if (many) cursor.expect(")");
}

void OperandParser::attributes() {
  if (cursor.peek().is("{")) types.parse_attributes(op.attributes);
}

namespace {

/// Whether an unknown operation ends in front of the next token: another one begins there.
bool ends_unknown(const Token& next, const Token& before) {
  if (next.kind == Kind::kEnd || next.is("}")) return true;
  if (next.place.line == before.place.line) return false;
  if (next.kind == Kind::kValue) return !before.is(",") && !before.is("=") && !before.is(":");
  return next.kind == Kind::kWord &&
         (next.text.find('.') != std::string::npos || next.text == "return");
}

/// Whether no blank stands between the text so far and `token`.
bool is_tight(const std::string& text, const Token& token, bool opens) {
  constexpr std::string_view kOpening = "([<";
  return token.is(",") || token.is(")") || token.is("]") || token.is(">") || text.empty() ||
         kOpening.find(text.back()) != std::string_view::npos || (opens && !token.is("{"));
}

}  // namespace

void parse_unknown(TokenCursor& cursor, Operation& op) {
  using Role = Argument::Role;
  Token before = cursor.peek();
  before.place = op.place;
  unsigned depth = 0;
  Role role = Role::kOperand;
  while (depth > 0 || !ends_unknown(cursor.peek(), before)) {
    const Token token = cursor.take();
    if (token.kind == Kind::kEnd) cursor.fail_expected("a closing bracket");
    const bool opens = token.is("(") || token.is("{") || token.is("[") || token.is("<");
    if (opens) ++depth;
    if (token.is(")") || token.is("}") || token.is("]") || token.is(">")) {
      if (depth == 0) cursor.fail(token.place, "unexpected " + found(token));
      --depth;
    }
    if (depth == 0)
      role = token.is_word("ins") ? Role::kIn : token.is_word("outs") ? Role::kOut : Role::kOperand;
    if (token.kind == Kind::kValue)
      op.arguments.push_back(argument(token.place, role, Argument::Kind::kValue, token.text));
    op.raw += is_tight(op.raw, token, opens) ? "" : " ";
    op.raw += token.kind == Kind::kString ? "\"" + token.text + "\"" : token.text;
    before = token;
  }
}

}  // namespace tessera::pto
