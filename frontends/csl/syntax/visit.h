// Calls a function with a node as what it is, or with each of its fields, so that one generic
// function serves all kinds.
#pragma once

#include "frontends/csl/syntax/ast.h"

namespace tessera::csl {

/// The fields of a node or of a part of one, in the order of its text.
template <class T, class F>
void for_each_field(const T& node, F&& f) {
  std::apply([&f](const auto&... field) { (f(field), ...); }, node.fields());
}

template <class F>
auto visit(const Expr& e, F&& f) {
  switch (e.kind) {
  case ExprKind::kInteger:
    return f(as<Integer>(e));
  case ExprKind::kFloat:
    return f(as<Float>(e));
  case ExprKind::kString:
    return f(as<String>(e));
  case ExprKind::kCharacter:
    return f(as<Character>(e));
  case ExprKind::kKeyword:
    return f(as<Keyword>(e));
  case ExprKind::kName:
    return f(as<NameExpr>(e));
  case ExprKind::kUnary:
    return f(as<Unary>(e));
  case ExprKind::kBinary:
    return f(as<Binary>(e));
  case ExprKind::kMember:
    return f(as<Member>(e));
  case ExprKind::kDereference:
    return f(as<Dereference>(e));
  case ExprKind::kIndex:
    return f(as<Index>(e));
  case ExprKind::kCall:
    return f(as<Call>(e));
  case ExprKind::kBuiltin:
    return f(as<Builtin>(e));
  case ExprKind::kIf:
    return f(as<If>(e));
  case ExprKind::kSwitch:
    return f(as<Switch>(e));
  case ExprKind::kBlock:
    return f(as<Block>(e));
  case ExprKind::kComptime:
    return f(as<Comptime>(e));
  case ExprKind::kLiteral:
    return f(as<Literal>(e));
  case ExprKind::kTensorAccess:
    return f(as<TensorAccess>(e));
  case ExprKind::kArrayType:
    return f(as<ArrayType>(e));
  case ExprKind::kPointerType:
    return f(as<PointerType>(e));
  case ExprKind::kFunctionType:
    return f(as<FunctionType>(e));
  case ExprKind::kContainer:
    return f(as<Container>(e));
  case ExprKind::kEnum:
    return f(as<Enum>(e));
  case ExprKind::kAsm:
    break;
  }
  return f(as<Asm>(e));
}

template <class F>
auto visit(const Stmt& s, F&& f) {
  switch (s.kind) {
  case StmtKind::kLocal:
    return f(as<Local>(s));
  case StmtKind::kExpression:
    return f(as<ExpressionStmt>(s));
  case StmtKind::kAssign:
    return f(as<Assign>(s));
  case StmtKind::kReturn:
    return f(as<Return>(s));
  case StmtKind::kBreak:
    return f(as<Break>(s));
  case StmtKind::kContinue:
    return f(as<Continue>(s));
  case StmtKind::kBlock:
    return f(as<BlockStmt>(s));
  case StmtKind::kIf:
    return f(as<IfStmt>(s));
  case StmtKind::kWhile:
    return f(as<While>(s));
  case StmtKind::kFor:
    return f(as<For>(s));
  case StmtKind::kSwitch:
    return f(as<SwitchStmt>(s));
  case StmtKind::kComptime:
    break;
  }
  return f(as<ComptimeStmt>(s));
}

template <class F>
auto visit(const Item& item, F&& f) {
  switch (item.kind) {
  case ItemKind::kParam:
    return f(as<Param>(item));
  case ItemKind::kVariable:
    return f(as<Global>(item));
  case ItemKind::kFunction:
    return f(as<Function>(item));
  case ItemKind::kBlock:
    break;
  }
  return f(as<BlockItem>(item));
}

}  // namespace tessera::csl
