#include "frontends/csl/syntax/expression_printer.h"

#include "frontends/csl/syntax/statement_printer.h"
#include "frontends/csl/syntax/visit.h"
#include "frontends/text/stack.h"

namespace tessera::csl {

namespace {

/// Elements with ", " between them, each written by `write`.
template <class T, class Write>
void write_list(Output& out, const List<T>& list, Write write) {
  for (const T& element : list) {
    if (&element != list.begin()) out << ", ";
    write(element);
  }
}

}  // namespace

unsigned ExpressionPrinter::level_of(const Expr& e) {
  switch (e.kind) {
  case ExprKind::kIf:
  case ExprKind::kSwitch:
  case ExprKind::kBlock:
  case ExprKind::kComptime:
    return kAny;
  case ExprKind::kBinary:
    return kAny + 1 + spelling(as<Binary>(e).op).level;
  case ExprKind::kUnary:
  case ExprKind::kTensorAccess:
  case ExprKind::kArrayType:
  case ExprKind::kPointerType:
  case ExprKind::kFunctionType:
    return kPrefix;
  default:
    return kSuffix;
  }
}

void ExpressionPrinter::print_in_parentheses(const Expr& e) {
  out_ << "(";
  print(e);
  out_ << ")";
}

void ExpressionPrinter::print(const Expr& e, unsigned level) {
  if (level_of(e) < level) return print_in_parentheses(e);
  text::require_stack("the expression");
  visit(e, [this](const auto& node) { write(node); });
}

void ExpressionPrinter::print_head(const Expr& e) {
  const Comptime* const comptime = if_is<Comptime>(e);
  const bool is_comptime_block = comptime != nullptr && comptime->operand->kind == ExprKind::kBlock;
  const bool is_other = level_of(e) == kAny && comptime == nullptr;
  if (is_comptime_block || is_other) return print_in_parentheses(e);
  print_before_else(e);
}

bool ExpressionPrinter::is_open_if(const Expr& e) {
  if (const Comptime* const comptime = if_is<Comptime>(e)) return is_open_if(*comptime->operand);
  const If* const choice = if_is<If>(e);
  return choice != nullptr && (choice->otherwise == nullptr || is_open_if(*choice->otherwise));
}

void ExpressionPrinter::print_before_else(const Expr& e) {
  is_open_if(e) ? print_in_parentheses(e) : print(e);
}

// The values of a literal do not begin after a type.
bool ExpressionPrinter::is_plain_type(const Expr& e) {
  switch (e.kind) {
  case ExprKind::kMember:
    return level_of(*as<Member>(e).object) < kSuffix || is_plain_type(*as<Member>(e).object);
  case ExprKind::kDereference:
    return level_of(*as<Dereference>(e).pointer) < kSuffix ||
           is_plain_type(*as<Dereference>(e).pointer);
  case ExprKind::kIndex:
    return level_of(*as<Index>(e).object) < kSuffix || is_plain_type(*as<Index>(e).object);
  case ExprKind::kCall:
    return level_of(*as<Call>(e).callee) < kSuffix || is_plain_type(*as<Call>(e).callee);
  case ExprKind::kArrayType:
  case ExprKind::kPointerType:
  case ExprKind::kFunctionType:
    return true;
  case ExprKind::kLiteral:
    return false;
  default:
    return level_of(e) == kSuffix;
  }
}

void ExpressionPrinter::print_type(const Expr& e) {
  is_plain_type(e) ? print(e) : print_in_parentheses(e);
}

void ExpressionPrinter::print_label(const Name& label) {
  if (!label.text.empty()) out_ << label.text << ": ";
}

void ExpressionPrinter::print_values(const List<const Expr*>& values) {
  write_list(out_, values, [this](const Expr* value) { print(*value); });
}

void ExpressionPrinter::write(const Unary& e) {
  // "&&" would be another token.
  out_ << spelling(e.op) << (e.operand->kind == ExprKind::kUnary ? " " : "");
  print(*e.operand, kPrefix);
}

void ExpressionPrinter::write(const Binary& e) {
  const unsigned level = level_of(e);
  print(*e.left, spelling(e.op).level == kComparisonLevel ? level + 1 : level);
  out_ << " " << spelling(e.op).text << " ";
  print(*e.right, level + 1);
}

void ExpressionPrinter::write(const Member& e) {
  print(*e.object, kSuffix);
  out_ << "." << e.name.text;
}

void ExpressionPrinter::write(const Dereference& e) {
  print(*e.pointer, kSuffix);
  out_ << ".*";
}

void ExpressionPrinter::write(const Index& e) {
  print(*e.object, kSuffix);
  out_ << "[";
  print_values(e.indices);
  out_ << "]";
}

void ExpressionPrinter::write(const Call& e) {
  print(*e.callee, kSuffix);
  out_ << "(";
  print_values(e.arguments);
  out_ << ")";
}

void ExpressionPrinter::write(const Builtin& e) {
  out_ << "@" << e.name << "(";
  print_values(e.arguments);
  out_ << ")";
}

void ExpressionPrinter::write(const If& e) {
  out_ << "if ";
  print_in_parentheses(*e.condition);
  out_ << " ";
  if (e.otherwise == nullptr) return print(*e.then);
  print_before_else(*e.then);
  out_ << " else ";
  print(*e.otherwise);
}

void ExpressionPrinter::write(const Switch& e) {
  out_ << "switch ";
  print_in_parentheses(*e.subject);
  out_ << " {";
  write_list(out_, e.arms, [this](const Arm<Expr>& arm) {
    if (arm.values.empty()) out_ << "else";
    print_values(arm.values);
    out_ << " => ";
    print(*arm.body);
  });
  out_ << "}";
}

void ExpressionPrinter::write(const Block& e) {
  statements_.print(e);
}

void ExpressionPrinter::write(const Comptime& e) {
  out_ << "comptime ";
  print(*e.operand);
}

void ExpressionPrinter::write(const Literal& e) {
  if (e.type == nullptr) {
    out_ << ".";
  } else {
    print(*e.type);
  }
  out_ << "{";
  write_list(out_, e.values, [this](const LiteralField& field) {
    if (!field.name.text.empty()) out_ << "." << field.name.text << " = ";
    print(*field.value);
  });
  out_ << "}";
}

void ExpressionPrinter::write(const TensorAccess& e) {
  out_ << "|";
  write_list(out_, e.variables, [this](const Name& name) { out_ << name.text; });
  out_ << "|{";
  print_values(e.extents);
  out_ << "} -> ";
  print(*e.access, kSuffix);
}

void ExpressionPrinter::write(const ArrayType& e) {
  out_ << "[";
  print_values(e.extents);
  out_ << "]";
  print_type(*e.element);
}

void ExpressionPrinter::write(const PointerType& e) {
  out_ << (e.to_many ? "[*]" : "*") << (e.is_const ? "const " : "");
  print_type(*e.pointee);
}

void ExpressionPrinter::write(const FunctionType& e) {
  out_ << (e.is_task ? "task (" : "fn (");
  write_list(out_, e.parameters, [this](const Expr* type) { print_type(*type); });
  out_ << ") ";
  print_type(*e.result);
}

void ExpressionPrinter::write(const Container& e) {
  constexpr std::string_view kLayouts[] = {"", "extern ", "packed "};
  out_ << kLayouts[static_cast<unsigned>(e.layout)] << (e.is_union ? "union {" : "struct {");
  write_list(out_, e.members, [this](const ContainerField& field) {
    out_ << field.name.text << ": ";
    print_type(*field.type);
  });
  out_ << "}";
}

void ExpressionPrinter::write(const Enum& e) {
  out_ << "enum";
  if (e.tag != nullptr) {
    out_ << "(";
    print_type(*e.tag);
    out_ << ")";
  }
  out_ << " {";
  write_list(out_, e.members, [this](const EnumMember& member) {
    out_ << member.name.text;
    if (member.value == nullptr) return;
    out_ << " = ";
    print(*member.value);
  });
  out_ << "}";
}

void ExpressionPrinter::write(const Asm& e) {
  out_ << (e.is_volatile ? "asm volatile (" : "asm (");
  print(*e.text);
  const bool has_inputs = !e.inputs.empty() || !e.clobbers.empty();
  if (has_inputs || !e.outputs.empty()) write_operands(e.outputs);
  if (has_inputs) write_operands(e.inputs);
  if (!e.clobbers.empty()) out_ << " : ";
  print_values(e.clobbers);
  out_ << ")";
}

void ExpressionPrinter::write_operands(const List<AsmOperand>& operands) {
  out_ << " : ";
  write_list(out_, operands, [this](const AsmOperand& operand) {
    out_ << "[" << operand.name.text << "] " << operand.constraint << " (";
    if (operand.value == nullptr) {
      out_ << "-> ";
      print_type(*operand.type);
    } else {
      print(*operand.value);
    }
    out_ << ")";
  });
}

}  // namespace tessera::csl
