// Statements, blocks, and the declarations of variables.
#pragma once

#include "frontends/csl/syntax/expression_parser.h"

namespace tessera::csl {

class StatementParser {
 public:
  explicit StatementParser(ParseState& state)
      : state_(state), cursor_(state.cursor()), expressions_(state, *this) {}

  ExpressionParser& expressions() { return expressions_; }
  /// "{" statements "}"; `what` it is the body of, for messages.
  const Block* parse_block(Name label, const std::string& what);
  /// What follows const or var, which come next, up to ";".
  Variable parse_variable(Linkage linkage, bool is_comptime);
  /// Takes align(..), linksection(..) and linkname(..), as many as come next.
  void add_attributes(std::vector<Attribute>& attributes);

 private:
  /// A statement without the ";" that `closed` says whether it needs.
  struct Arm {
    const Stmt* statement;
    bool closed;
  };

  const Stmt* statement();
  const Stmt* labelled();
  /// A statement that begins with a word of the language; nullptr if it is an expression.
  const Stmt* word_statement();
  Arm if_statement();
  Arm arm();
  const Stmt* jump();
  const Stmt* assignment();
  const Stmt* loop(Name label);
  const Stmt* while_loop(Name label, bool is_inline);
  const Stmt* for_loop(Name label, bool is_inline);
  const Block* loop_body();
  const Stmt* switch_statement();
  const Stmt* local();
  [[noreturn]] void fail_declaration_of_file();

  ParseState& state_;
  TokenCursor& cursor_;
  ExpressionParser expressions_;
};

}  // namespace tessera::csl
