// Expressions and types.
#pragma once

#include "frontends/csl/syntax/parse_state.h"

namespace tessera::csl {

class StatementParser;

class ExpressionParser {
 public:
  /// `statements` parses the blocks inside of expressions.
  ExpressionParser(ParseState& state, StatementParser& statements)
      : state_(state), cursor_(state.cursor()), statements_(statements) {}

  const Expr* parse() { return binary(0); }
  /// A type. A "{" after it does not belong to it, unlike in an expression, where it begins the
  /// values of a literal.
  const Expr* parse_type(const std::string& what);
  /// "(" expression ")"
  const Expr* parse_in_parentheses(const std::string& purpose);
  /// What stands in front of "=>" in a switch; no values for else.
  List<const Expr*> parse_arm_values();

 private:
  enum class Brace { kBeginsLiteral, kEndsType };

  const Expr* binary(unsigned level);
  const Expr* prefixed(Brace brace);
  const Expr* suffixed(const Expr* object, Brace brace);
  /// The next ".name", ".*", "[..]" or "(..)"; nullptr if there is none.
  const Expr* suffix(const Expr* object);
  const Expr* primary(Brace brace);
  const Expr* word(Brace brace);
  template <class T>
  const Expr* taken();
  const Expr* keyword(Keyword::Word word);
  const Expr* builtin();
  const Expr* if_expression(Brace brace);
  const Expr* switch_expression();
  const Expr* literal(Place place, const Expr* type);
  LiteralField literal_field(bool has_type);
  const Expr* tensor_access();
  const Expr* bracketed_type();
  const Expr* pointer_type();
  const Expr* function_type();
  const Expr* container();
  const Expr* enumeration();
  const Expr* assembly();
  List<AsmOperand> assembly_operands(bool are_outputs);
  List<const Expr*> expressions(std::string_view close, Place open);
  /// At least one, with "," between them and perhaps after the last one; `what` they are.
  List<const Expr*> some_expressions(std::string_view close, Place open, const std::string& what);
  [[noreturn]] void fail_no_expression();

  ParseState& state_;
  TokenCursor& cursor_;
  StatementParser& statements_;
};

}  // namespace tessera::csl
