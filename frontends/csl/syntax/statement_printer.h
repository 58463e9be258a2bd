// The part of the printer that writes statements.
#pragma once

#include "frontends/csl/syntax/expression_printer.h"

namespace tessera::csl {

class StatementPrinter {
 public:
  explicit StatementPrinter(Output& out) : out_(out), expressions_(out, *this) {}

  ExpressionPrinter& expressions() { return expressions_; }
  void print(const Block& block);
  /// Without what stands in front of const or var of a declaration of a file.
  void print(const Variable& variable);
  void print_attributes(const List<Attribute>& attributes);

 private:
  void print_line(const Stmt& s);
  /// Without the ";" that some statements need.
  void print_arm(const Stmt& s);
  void write(const Local& s);
  void write(const ExpressionStmt& s);
  void write(const Assign& s);
  void write(const Return& s);
  void write(const Break& s);
  void write(const Continue& s);
  void write(const BlockStmt& s);
  void write(const IfStmt& s);
  void write(const While& s);
  void write(const For& s);
  void write(const SwitchStmt& s);
  void write(const ComptimeStmt& s);

  Output& out_;
  ExpressionPrinter expressions_;
};

}  // namespace tessera::csl
