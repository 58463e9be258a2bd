// A CSL source file as a tree (csl.md 1): declarations, statements, expressions. A type is an
// expression whose value is a type.
//
// The nodes of a file are made once and never change: every module instance of the file reads the
// same ones, and may use their addresses as keys. They live as long as their SourceFile
// (source_file.h), and the names in them are parts of its text. Each knows its `fields`, so that one
// visitor serves all kinds of nodes (visit.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "frontends/csl/syntax/node.h"

namespace tessera::csl {

// ---- Expressions

/// A number as written; `spelling` has no sign. A comptime_int has no largest value.
struct Integer : Expr {
  static constexpr ExprKind kKind = ExprKind::kInteger;
  std::string_view spelling;
  auto fields() const { return std::tie(spelling); }
};
struct Float : Expr {
  static constexpr ExprKind kKind = ExprKind::kFloat;
  std::string_view spelling;
  auto fields() const { return std::tie(spelling); }
};
/// With quotes and escapes as written; string_value() of lexer.h gives the characters.
struct String : Expr {
  static constexpr ExprKind kKind = ExprKind::kString;
  std::string_view spelling;
  auto fields() const { return std::tie(spelling); }
};
/// 'a', as written.
struct Character : Expr {
  static constexpr ExprKind kKind = ExprKind::kCharacter;
  std::string_view spelling;
  auto fields() const { return std::tie(spelling); }
};
/// A value or type that is a word of the language. The other types are names.
struct Keyword : Expr {
  static constexpr ExprKind kKind = ExprKind::kKeyword;
  enum class Word : std::uint8_t { kTrue, kFalse, kUndefined, kAnytype };
  Word word;
  auto fields() const { return std::tie(word); }
};
struct NameExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kName;
  std::string_view name;
  auto fields() const { return std::tie(name); }
};
struct Unary : Expr {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  UnaryOp op;
  const Expr* operand;
  auto fields() const { return std::tie(op, operand); }
};
/// The place is that of the operator.
struct Binary : Expr {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  BinaryOp op;
  const Expr* left;
  const Expr* right;
  auto fields() const { return std::tie(op, left, right); }
};
/// object.name. The place of this and of the next three is that of what follows the object.
struct Member : Expr {
  static constexpr ExprKind kKind = ExprKind::kMember;
  const Expr* object;
  Name name;
  auto fields() const { return std::tie(object, name); }
};
/// pointer.*
struct Dereference : Expr {
  static constexpr ExprKind kKind = ExprKind::kDereference;
  const Expr* pointer;
  auto fields() const { return std::tie(pointer); }
};
/// object[i, j]
struct Index : Expr {
  static constexpr ExprKind kKind = ExprKind::kIndex;
  const Expr* object;
  List<const Expr*> indices;
  auto fields() const { return std::tie(object, indices); }
};
/// callee(arguments)
struct Call : Expr {
  static constexpr ExprKind kKind = ExprKind::kCall;
  const Expr* callee;
  List<const Expr*> arguments;
  auto fields() const { return std::tie(callee, arguments); }
};
/// `@name(arguments)`; the name is without "@".
struct Builtin : Expr {
  static constexpr ExprKind kKind = ExprKind::kBuiltin;
  std::string_view name;
  List<const Expr*> arguments;
  auto fields() const { return std::tie(name, arguments); }
};
struct If : Expr {
  static constexpr ExprKind kKind = ExprKind::kIf;
  const Expr* condition;
  const Expr* then;
  const Expr* otherwise;  ///< nullptr: there is none
  auto fields() const { return std::tie(condition, then, otherwise); }
};

/// An arm of a switch; one without values is `else`.
template <class Body>
struct Arm {
  Place place;
  List<const Expr*> values;
  const Body* body;
  auto fields() const { return std::tie(values, body); }
};
struct Switch : Expr {
  static constexpr ExprKind kKind = ExprKind::kSwitch;
  const Expr* subject;
  List<Arm<Expr>> arms;
  auto fields() const { return std::tie(subject, arms); }
};
/// { statements }, which yields void unless a `break :label value` leaves it; {} is the void value.
struct Block : Expr {
  static constexpr ExprKind kKind = ExprKind::kBlock;
  Name label;
  List<const Stmt*> statements;
  std::uint32_t last_line = 0;
  auto fields() const { return std::tie(label, statements); }
};
/// comptime expression
struct Comptime : Expr {
  static constexpr ExprKind kKind = ExprKind::kComptime;
  const Expr* operand;
  auto fields() const { return std::tie(operand); }
};
/// One value of a literal; all values of a literal have names, or none has.
struct LiteralField {
  Name name;
  const Expr* value;
  auto fields() const { return std::tie(name, value); }
};
/// .{ .. }, or type{ .. }: an array, a struct or a tuple.
struct Literal : Expr {
  static constexpr ExprKind kKind = ExprKind::kLiteral;
  const Expr* type;  ///< nullptr: .{ .. }
  List<LiteralField> values;
  auto fields() const { return std::tie(type, values); }
};
/// |variables|{extents} -> access
struct TensorAccess : Expr {
  static constexpr ExprKind kKind = ExprKind::kTensorAccess;
  List<Name> variables;
  List<const Expr*> extents;
  const Expr* access;
  auto fields() const { return std::tie(variables, extents, access); }
};
/// [extents]element
struct ArrayType : Expr {
  static constexpr ExprKind kKind = ExprKind::kArrayType;
  List<const Expr*> extents;
  const Expr* element;
  auto fields() const { return std::tie(extents, element); }
};
/// *T, [*]T, each also with const
struct PointerType : Expr {
  static constexpr ExprKind kKind = ExprKind::kPointerType;
  bool to_many;  ///< [*]T
  bool is_const;
  const Expr* pointee;
  auto fields() const { return std::tie(to_many, is_const, pointee); }
};
/// fn(T) R, task(T) R
struct FunctionType : Expr {
  static constexpr ExprKind kKind = ExprKind::kFunctionType;
  bool is_task;
  List<const Expr*> parameters;
  const Expr* result;
  auto fields() const { return std::tie(is_task, parameters, result); }
};
struct ContainerField {
  Name name;
  const Expr* type;
  auto fields() const { return std::tie(name, type); }
};
/// struct { .. }, union { .. }
struct Container : Expr {
  static constexpr ExprKind kKind = ExprKind::kContainer;
  enum class Layout : std::uint8_t { kAutomatic, kExtern, kPacked };
  bool is_union;
  Layout layout;
  List<ContainerField> members;
  auto fields() const { return std::tie(is_union, layout, members); }
};
struct EnumMember {
  Name name;
  const Expr* value;  ///< nullptr: the smallest unused one
  auto fields() const { return std::tie(name, value); }
};
struct Enum : Expr {
  static constexpr ExprKind kKind = ExprKind::kEnum;
  const Expr* tag;  ///< nullptr: not given
  List<EnumMember> members;
  auto fields() const { return std::tie(tag, members); }
};
/// [name] "constraint" (value), [name] "constraint" (-> type)
struct AsmOperand {
  Name name;
  std::string_view constraint;  ///< with quotes
  const Expr* value;            ///< nullptr: an output that is the value of the expression
  const Expr* type;             ///< type of such an output
  auto fields() const { return std::tie(name, constraint, value, type); }
};
/// asm volatile ("text" : outputs : inputs : clobbers)
struct Asm : Expr {
  static constexpr ExprKind kKind = ExprKind::kAsm;
  bool is_volatile;
  const Expr* text;
  List<AsmOperand> outputs;
  List<AsmOperand> inputs;
  List<const Expr*> clobbers;
  auto fields() const { return std::tie(is_volatile, text, outputs, inputs, clobbers); }
};

// ---- Statements

/// align(16), linksection("name"), linkname("name")
struct Attribute {
  Name name;
  const Expr* value;
  auto fields() const { return std::tie(name, value); }
};
enum class Linkage : std::uint8_t { kNone, kExport, kExtern };

/// A const or a var, in a file or in a block.
struct Variable {
  Linkage linkage;
  bool is_comptime;
  bool is_var;
  Name name;
  const Expr* type;  ///< nullptr: that of the value
  List<Attribute> attributes;
  const Expr* value;  ///< nullptr: not initialised
  auto fields() const {
    return std::tie(linkage, is_comptime, is_var, name, type, attributes, value);
  }
};

struct Local : Stmt {
  static constexpr StmtKind kKind = StmtKind::kLocal;
  Variable variable;
  auto fields() const { return std::tie(variable); }
};
struct ExpressionStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kExpression;
  const Expr* value;
  auto fields() const { return std::tie(value); }
};
/// The place is that of the operator.
struct Assign : Stmt {
  static constexpr StmtKind kKind = StmtKind::kAssign;
  const Expr* target;
  std::optional<BinaryOp> op;  ///< set for a compound assignment such as +=
  const Expr* value;
  auto fields() const { return std::tie(target, op, value); }
};
struct Return : Stmt {
  static constexpr StmtKind kKind = StmtKind::kReturn;
  const Expr* value;  ///< nullptr: void
  auto fields() const { return std::tie(value); }
};
struct Break : Stmt {
  static constexpr StmtKind kKind = StmtKind::kBreak;
  Name label;
  const Expr* value;  ///< nullptr: void
  auto fields() const { return std::tie(label, value); }
};
struct Continue : Stmt {
  static constexpr StmtKind kKind = StmtKind::kContinue;
  Name label;
  auto fields() const { return std::tie(label); }
};
struct BlockStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kBlock;
  const Block* block;
  auto fields() const { return std::tie(block); }
};
struct IfStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kIf;
  const Expr* condition;
  const Stmt* then;
  const Stmt* otherwise;  ///< nullptr: there is none
  auto fields() const { return std::tie(condition, then, otherwise); }
};
struct While : Stmt {
  static constexpr StmtKind kKind = StmtKind::kWhile;
  Name label;
  bool is_inline;
  const Expr* condition;
  const Stmt* step;  ///< an Assign or ExpressionStmt; nullptr: there is none
  const Block* body;
  auto fields() const { return std::tie(label, is_inline, condition, step, body); }
};
/// for (range) |element, index|
struct For : Stmt {
  static constexpr StmtKind kKind = StmtKind::kFor;
  Name label;
  bool is_inline;
  const Expr* range;
  Name element;
  Name index;
  const Block* body;
  auto fields() const { return std::tie(label, is_inline, range, element, index, body); }
};
struct SwitchStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kSwitch;
  const Expr* subject;
  List<Arm<Stmt>> arms;
  auto fields() const { return std::tie(subject, arms); }
};
/// comptime { .. } inside of a function
struct ComptimeStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kComptime;
  const Block* block;
  auto fields() const { return std::tie(block); }
};

// ---- Declarations of a file

/// param name: type = value; also `color name;`, the form of old programs.
struct Param : Item {
  static constexpr ItemKind kKind = ItemKind::kParam;
  bool is_color;
  Name name;
  const Expr* type;   ///< nullptr: that of the value
  const Expr* value;  ///< nullptr: whoever uses the file has to give it
  auto fields() const { return std::tie(is_color, name, type, value); }
};
struct Global : Item {
  static constexpr ItemKind kKind = ItemKind::kVariable;
  Variable variable;
  auto fields() const { return std::tie(variable); }
};
struct Parameter {
  bool is_comptime;
  Name name;
  const Expr* type;
  auto fields() const { return std::tie(is_comptime, name, type); }
};
/// fn and task
struct Function : Item {
  static constexpr ItemKind kKind = ItemKind::kFunction;
  enum class Inlining : std::uint8_t { kFree, kInline, kNoinline };
  Linkage linkage;
  Inlining inlining;
  bool is_task;
  Name name;
  List<Parameter> parameters;
  const Expr* result;
  List<Attribute> attributes;
  const Block* body;  ///< nullptr: extern
  auto fields() const {
    return std::tie(linkage, inlining, is_task, name, parameters, result, attributes, body);
  }
};
/// layout { .. }, comptime { .. }
struct BlockItem : Item {
  static constexpr ItemKind kKind = ItemKind::kBlock;
  bool is_layout;
  const Block* block;
  auto fields() const { return std::tie(is_layout, block); }
};

}  // namespace tessera::csl
