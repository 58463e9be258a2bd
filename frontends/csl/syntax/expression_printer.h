// The part of the printer that writes expressions and types.
#pragma once

#include <string>
#include <string_view>

#include "frontends/csl/syntax/ast.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {

/// The text that a printer has written, with the present indentation.
class Output {
 public:
  Output& operator<<(std::string_view part) {
    text_ += part;
    return *this;
  }
  void begin_line() { text_.append("\n").append(std::size_t{2} * indent_, ' '); }
  void indent() { ++indent_; }
  void outdent() { --indent_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  unsigned indent_ = 0;
};

class StatementPrinter;

class ExpressionPrinter {
 public:
  /// `statements` prints the blocks inside of expressions.
  ExpressionPrinter(Output& out, StatementPrinter& statements)
      : out_(out), statements_(statements) {}

  void print(const Expr& e) { print(e, kAny); }
  /// What begins a statement: in parentheses if its first word would begin another one.
  void print_head(const Expr& e);
  /// Where `else` may follow: in parentheses if it would belong to an `if` of the expression.
  void print_before_else(const Expr& e);
  void print_type(const Expr& e);
  void print_label(const Name& label);
  void print_values(const List<const Expr*>& values);

 private:
  // How tightly an expression binds: kAny for those that extend as far as they can, then the
  // operators (kAny + 1 + their level), then:
  static constexpr unsigned kAny = 0;
  static constexpr unsigned kPrefix = 9;
  static constexpr unsigned kSuffix = 10;

  static unsigned level_of(const Expr& e);
  static bool is_open_if(const Expr& e);
  static bool is_plain_type(const Expr& e);

  /// In parentheses unless it binds at least as tightly as `level`.
  void print(const Expr& e, unsigned level);
  void print_in_parentheses(const Expr& e);
  void write(const Integer& e) { out_ << e.spelling; }
  void write(const Float& e) { out_ << e.spelling; }
  void write(const String& e) { out_ << e.spelling; }
  void write(const Character& e) { out_ << e.spelling; }
  void write(const NameExpr& e) { out_ << e.name; }
  void write(const Keyword& e) { out_ << spelling(e.word); }
  void write(const Unary& e);
  void write(const Binary& e);
  void write(const Member& e);
  void write(const Dereference& e);
  void write(const Index& e);
  void write(const Call& e);
  void write(const Builtin& e);
  void write(const If& e);
  void write(const Switch& e);
  void write(const Block& e);
  void write(const Comptime& e);
  void write(const Literal& e);
  void write(const TensorAccess& e);
  void write(const ArrayType& e);
  void write(const PointerType& e);
  void write(const FunctionType& e);
  void write(const Container& e);
  void write(const Enum& e);
  void write(const Asm& e);
  void write_operands(const List<AsmOperand>& operands);

  Output& out_;
  StatementPrinter& statements_;
};

}  // namespace tessera::csl
