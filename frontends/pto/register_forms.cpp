// The form of the register level: %a[%i], "WORD", key(%b, word = x) {..} : T, T -> T, T
#include "frontends/pto/operand_parser.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;

/// A word of the form, such as nz2nd and nburst(..), and not the next operation.
bool is_keyword(const Token& token) {
  return token.kind == Kind::kWord && token.text.find('.') == std::string::npos &&
         find_operation(token.text) == nullptr;
}

/// The operands and words in key(..); `word = x` inside is one word.
void parse_keyword(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  const Token key = cursor.take();
  if (!cursor.accept("(")) return p.add_word(Role::kPredicate, key.place, key.text);
  do {
    if (cursor.peek().kind == Kind::kWord) {
      const Token word = cursor.take();
      if (cursor.accept("=") && cursor.peek().kind != Kind::kWord) {
        p.value_or_integer(Role::kOperand);
      } else {
        p.add_word(Role::kPredicate, word.place, word.text);
        if (cursor.peek().kind == Kind::kWord) p.op.arguments.back().text = cursor.take().text;
      }
    } else {
      p.value_or_integer(Role::kOperand);
    }
    p.op.arguments.back().key = key.text;
  } while (cursor.accept(","));
  cursor.expect(")");
}

void parse_item(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  const Token& token = cursor.peek();
  if (token.kind == Kind::kString) {
    p.add_word(Role::kPredicate, token.place, token.text);
    cursor.take();
  } else if (token.kind == Kind::kWord) {
    parse_keyword(p);
  } else {
    p.value_or_integer(Role::kOperand);
    if (cursor.next_is("[")) p.list(Role::kIndex);
  }
}

/// The types after the colon. Words of the form may stand among them, alone, before a type or before types in brackets:
/// {T, T, nd2nz, shape i64, i64, src_layout(i64)}.
void parse_types(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  p.attributes();
  if (!cursor.accept(":")) return;
  do {
    const bool word = is_keyword(cursor.peek()) && !TypeParser::begins_type(cursor.peek().text);
    if (word) cursor.take();
    const bool brackets = word && cursor.accept("(");
    if (word && !brackets && (cursor.next_is(",") || cursor.peek().kind == Kind::kValue)) continue;
    if (brackets && cursor.accept(")")) continue;
    do {
      p.op.types.push_back(p.types.parse_type());
    } while (brackets && cursor.accept(","));
    if (brackets) cursor.expect(")");
  } while (cursor.accept(","));
}

}  // namespace

// A line without types ends the operation where another one begins.
void parse_register_form(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  const auto goes_on = [&] {
    const Token& token = cursor.peek();
    const bool value = token.kind == Kind::kValue && !cursor.peek(1).is("=") &&
                       !cursor.peek(1).is(":") && token.place.line == p.op.place.line;
    return token.kind == Kind::kString || token.kind == Kind::kInteger || is_keyword(token) ||
           value;
  };
  const bool first =
      cursor.peek().kind == Kind::kValue && cursor.peek().place.line == p.op.place.line;
  if (first || goes_on()) {
    do {
      parse_item(p);
    } while (cursor.accept(",") || goes_on());
  }
  parse_types(p);
  if (cursor.accept("->")) {
    const bool brackets = cursor.accept("(");
    p.op.result_types = p.types.parse_types();
    if (brackets) cursor.expect(")");
  } else if (!p.op.results.empty()) {
    p.op.result_types = std::move(p.op.types);  // %mask = pto.pset_b32 "PAT_ALL" : T
    p.op.types.clear();
  }
}

}  // namespace tessera::pto
