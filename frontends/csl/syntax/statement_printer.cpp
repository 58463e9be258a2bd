#include "frontends/csl/syntax/statement_printer.h"

#include "frontends/csl/syntax/operators.h"
#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {

namespace {

/// Whether it ends with a block, so that no ";" follows. A declaration has its ";" itself.
bool is_closed(const Stmt& statement) {
  const Stmt* last = &statement;
  while (last->kind == StmtKind::kIf) {
    const IfStmt& choice = as<IfStmt>(*last);
    last = choice.otherwise == nullptr ? choice.then : choice.otherwise;
  }
  switch (last->kind) {
  case StmtKind::kExpression:
  case StmtKind::kAssign:
  case StmtKind::kReturn:
  case StmtKind::kBreak:
  case StmtKind::kContinue:
    return false;
  default:
    return true;
  }
}

}  // namespace

void StatementPrinter::print(const Block& block) {
  expressions_.print_label(block.label);
  out_ << "{";
  out_.indent();
  for (const Stmt* s : block.statements) print_line(*s);
  out_.outdent();
  if (!block.statements.empty()) out_.begin_line();
  out_ << "}";
}

void StatementPrinter::print_line(const Stmt& s) {
  out_.begin_line();
  print_arm(s);
  if (!is_closed(s)) out_ << ";";
}

void StatementPrinter::print_arm(const Stmt& s) {
  visit(s, [this](const auto& node) { write(node); });
}

void StatementPrinter::print(const Variable& variable) {
  out_ << (variable.is_comptime ? "comptime " : "") << (variable.is_var ? "var " : "const ")
       << variable.name.text;
  if (variable.type != nullptr) {
    out_ << ": ";
    expressions_.print_type(*variable.type);
  }
  print_attributes(variable.attributes);
  if (variable.value != nullptr) {
    out_ << " = ";
    expressions_.print(*variable.value);
  }
  out_ << ";";
}

void StatementPrinter::print_attributes(const List<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    out_ << " " << attribute.name.text << "(";
    expressions_.print(*attribute.value);
    out_ << ")";
  }
}

void StatementPrinter::write(const Local& s) {
  print(s.variable);
}

void StatementPrinter::write(const ExpressionStmt& s) {
  expressions_.print_head(*s.value);
}

void StatementPrinter::write(const Assign& s) {
  expressions_.print_head(*s.target);
  out_ << " " << (s.op ? spelling(*s.op).text : "") << "= ";
  expressions_.print_before_else(*s.value);
}

void StatementPrinter::write(const Return& s) {
  out_ << "return";
  if (s.value == nullptr) return;
  out_ << " ";
  expressions_.print_before_else(*s.value);
}

void StatementPrinter::write(const Break& s) {
  out_ << "break";
  if (!s.label.text.empty()) out_ << " :" << s.label.text;
  if (s.value == nullptr) return;
  out_ << " ";
  expressions_.print_before_else(*s.value);
}

void StatementPrinter::write(const Continue& s) {
  out_ << "continue";
  if (!s.label.text.empty()) out_ << " :" << s.label.text;
}

void StatementPrinter::write(const BlockStmt& s) {
  print(*s.block);
}

void StatementPrinter::write(const IfStmt& s) {
  const Stmt* rest = &s;
  while (rest != nullptr && rest->kind == StmtKind::kIf) {  // a chain may have any number of tests
    const IfStmt& choice = as<IfStmt>(*rest);
    out_ << "if (";
    expressions_.print(*choice.condition);
    out_ << ") ";
    print_arm(*choice.then);
    rest = choice.otherwise;
    if (rest != nullptr) out_ << " else ";
  }
  if (rest != nullptr) print_arm(*rest);
}

void StatementPrinter::write(const While& s) {
  expressions_.print_label(s.label);
  out_ << (s.is_inline ? "inline while (" : "while (");
  expressions_.print(*s.condition);
  out_ << ") ";
  if (s.step != nullptr) {
    out_ << ": (";
    print_arm(*s.step);
    out_ << ") ";
  }
  print(*s.body);
}

void StatementPrinter::write(const For& s) {
  expressions_.print_label(s.label);
  out_ << (s.is_inline ? "inline for (" : "for (");
  expressions_.print(*s.range);
  out_ << ") |" << s.element.text;
  if (!s.index.text.empty()) out_ << ", " << s.index.text;
  out_ << "| ";
  print(*s.body);
}

void StatementPrinter::write(const SwitchStmt& s) {
  out_ << "switch (";
  expressions_.print(*s.subject);
  out_ << ") {";
  out_.indent();
  for (const Arm<Stmt>& arm : s.arms) {
    out_.begin_line();
    if (arm.values.empty()) out_ << "else";
    expressions_.print_values(arm.values);
    out_ << " => ";
    print_arm(*arm.body);
    out_ << ",";
  }
  out_.outdent();
  out_.begin_line();
  out_ << "}";
}

void StatementPrinter::write(const ComptimeStmt& s) {
  out_ << "comptime ";
  print(*s.block);
}

}  // namespace tessera::csl
