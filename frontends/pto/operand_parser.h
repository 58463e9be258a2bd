// The parts that operations of PTO text are made of: values, numbers, words, types and attributes.
#pragma once

#include <string>
#include <utility>

#include "frontends/pto/operations.h"
#include "frontends/pto/type_parser.h"

namespace tessera::pto {

/// "1 operand", "2 operands".
inline std::string plural(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// Reads the parts of one operation into it.
struct OperandParser {
  TokenCursor& cursor;
  TypeParser& types;
  Operation& op;

  /// %a.
  void value(Role role) {
    const Token& token = cursor.expect_kind(Token::Kind::kValue, "a value such as %a");
    op.arguments.push_back({token.place, role, Argument::Kind::kValue, token.text});
  }
  void value_or_integer(Role role);
  /// One or more, with commas between.
  void values(Role role);
  /// [%a, 1].
  void list(Role role);
  /// An argument that is a word.
  void add_word(Role role, Place place, std::string text) {
    op.arguments.push_back({place, role, Argument::Kind::kWord, std::move(text)});
  }
  /// A word in the brackets of an attribute; if `bare`, it may stand for itself.
  void word(Role role, const std::string& what, bool bare);
  /// <PIPE_V>, #pto.pipe<PIPE_V>, #pto<pipe PIPE_V>, "PIPE_V": PIPE_V.
  std::string bracketed_word(const std::string& what);
  void pipe(bool bare) { word(Role::kPipe, "a pipe such as <PIPE_V>", bare); }
  bool at_bracketed_word() const {
    const Token& t = cursor.peek();
    return t.kind == Token::Kind::kString || t.kind == Token::Kind::kAttribute || t.is("<");
  }

  /// One type.
  void type() { op.types.push_back(types.parse_type()); }
  /// { : T, T }.
  void colon_types();
  /// { -> T } or { -> (T, T) }.
  void result_types() { op.result_types = types.parse_results(); }
  /// Attributes, if any come next.
  void attributes() {
    if (cursor.next_is("{")) types.parse_attributes(op.attributes);
  }
};

/// All of an operation of `form` behind its name, unless it has regions.
void parse_form(OperandParser& p, Form form);

/// An operation without a row in operations.h, kept as text. Values in ins(..) and outs(..) are
/// kept as operands.
void parse_unknown(TokenCursor& cursor, Operation& op);

}  // namespace tessera::pto
