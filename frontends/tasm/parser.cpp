#include "frontends/tasm/parser.h"

#include <algorithm>

namespace tessera::tasm {
namespace {

bool is_keyword(std::string_view text) {
  return std::find(keywords().begin(), keywords().end(), text) != keywords().end();
}

LabelStatement parse_label(TokenCursor& cursor) {
  LabelStatement label{parse_new_name(cursor, "a label")};
  cursor.take();  // ':'
  cursor.expect_end("the end of the line behind a label");
  return label;
}

Statement parse_line(TokenCursor& cursor) {
  const Token& first = cursor.peek();
  if (first.kind != Token::Kind::kName)
    cursor.fail_expected("an instruction, a declaration or a label");
  if (cursor.peek(1).is(":")) return parse_label(cursor);
  if (!is_keyword(first.text)) return parse_instruction(cursor);
  Statement declaration = parse_declaration(cursor);
  cursor.expect_end();
  return declaration;
}

}  // namespace

Name parse_new_name(TokenCursor& cursor, const std::string& what) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName) cursor.fail_expected("the name of " + what);
  if (is_keyword(token.text)) cursor.fail_expected("the name of " + what, ", which is a keyword");
  if (register_name(token.text))
    cursor.fail_expected("the name of " + what, ", which names a register");
  cursor.take();
  return {token.place, token.text};
}

std::vector<Statement> parse(std::string_view text, const Diagnostics& diagnostics) {
  std::vector<Statement> statements;
  unsigned number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    TokenCursor cursor(line, ++number, diagnostics);
    if (!cursor.at_end()) statements.push_back(parse_line(cursor));
  }
  return statements;
}

}  // namespace tessera::tasm
