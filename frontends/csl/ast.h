// A CSL source file as a tree (csl.md 1): declarations, statements, expressions. A type is an
// expression whose value is a type.
//
// The nodes of a file are made once and never change: every module instance of the file reads the
// same ones, and may use their addresses as keys. They live as long as their SourceFile
// (source_file.h), and the names in them are parts of its text. The field lists `fields` let one
// visitor serve all kinds of nodes (visit.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/text/diagnostics.h"

namespace tessera::csl {

using text::Diagnostics;
using text::in_quotes;
using text::Place;

/// A sequence that the memory of a SourceFile holds.
template <class T>
class List {
 public:
  List() = default;
  List(const T* first, std::size_t size) : first_(first), size_(size) {}
  const T* begin() const { return first_; }
  const T* end() const { return first_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t index) const { return first_[index]; }

 private:
  const T* first_ = nullptr;
  std::size_t size_ = 0;
};

/// A name where it stands; empty if an optional name is missing.
struct Name {
  Place place;
  std::string_view text;
};

/// What all nodes have. `file` is the number that the parser was given for the file.
struct Node {
  Place place;
  std::uint16_t file = 0;
  /// The longest path down to a leaf. It is bounded (parser.h), so recursion over a tree is safe.
  std::uint16_t height = 0;
};

enum class ExprKind : std::uint8_t {
  kInteger,
  kFloat,
  kString,
  kCharacter,
  kKeyword,
  kName,
  kUnary,
  kBinary,
  kMember,
  kDereference,
  kIndex,
  kCall,
  kBuiltin,
  kIf,
  kSwitch,
  kBlock,
  kComptime,
  kLiteral,
  kTensorAccess,
  kArrayType,
  kPointerType,
  kFunctionType,
  kContainer,
  kEnum,
  kAsm
};

enum class StmtKind : std::uint8_t {
  kLocal,
  kExpression,
  kAssign,
  kReturn,
  kBreak,
  kContinue,
  kBlock,
  kIf,
  kWhile,
  kFor,
  kSwitch,
  kComptime
};

enum class ItemKind : std::uint8_t { kParam, kVariable, kFunction, kBlock };

struct Expr : Node {
  ExprKind kind = ExprKind::kName;
};
struct Stmt : Node {
  StmtKind kind = StmtKind::kExpression;
};
struct Item : Node {
  ItemKind kind = ItemKind::kVariable;
};

enum class BinaryOp : std::uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kGreater,
  kLessOrEqual,
  kGreaterOrEqual,
  kBitAnd,
  kBitXor,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder
};
enum class UnaryOp : std::uint8_t { kNegate, kNot, kBitNot, kAddress };

// ---- Expressions

/// A number as written; `spelling` has no sign. A comptime_int has no largest value.
struct Integer : Expr {
  static constexpr ExprKind kKind = ExprKind::kInteger;
  std::string_view spelling;
  template <class V>
  void fields(V& v) const {
    v(spelling);
  }
};
struct Float : Expr {
  static constexpr ExprKind kKind = ExprKind::kFloat;
  std::string_view spelling;
  template <class V>
  void fields(V& v) const {
    v(spelling);
  }
};
/// With quotes and escapes as written; string_value() of lexer.h gives the characters.
struct String : Expr {
  static constexpr ExprKind kKind = ExprKind::kString;
  std::string_view spelling;
  template <class V>
  void fields(V& v) const {
    v(spelling);
  }
};
/// 'a', as written.
struct Character : Expr {
  static constexpr ExprKind kKind = ExprKind::kCharacter;
  std::string_view spelling;
  template <class V>
  void fields(V& v) const {
    v(spelling);
  }
};
/// A value or type that is a word of the language. The other types are names.
struct Keyword : Expr {
  static constexpr ExprKind kKind = ExprKind::kKeyword;
  enum class Word : std::uint8_t { kTrue, kFalse, kUndefined, kAnytype };
  Word word;
  template <class V>
  void fields(V& v) const {
    v(word);
  }
};
struct NameExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::kName;
  std::string_view name;
  template <class V>
  void fields(V& v) const {
    v(name);
  }
};
struct Unary : Expr {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  UnaryOp op;
  const Expr* operand;
  template <class V>
  void fields(V& v) const {
    v(op);
    v(operand);
  }
};
/// The place is that of the operator.
struct Binary : Expr {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  BinaryOp op;
  const Expr* left;
  const Expr* right;
  template <class V>
  void fields(V& v) const {
    v(op);
    v(left);
    v(right);
  }
};
/// object.name. The place of this and of the next three is that of what stands behind the object.
struct Member : Expr {
  static constexpr ExprKind kKind = ExprKind::kMember;
  const Expr* object;
  Name name;
  template <class V>
  void fields(V& v) const {
    v(object);
    v(name);
  }
};
/// pointer.*
struct Dereference : Expr {
  static constexpr ExprKind kKind = ExprKind::kDereference;
  const Expr* pointer;
  template <class V>
  void fields(V& v) const {
    v(pointer);
  }
};
/// object[i, j]
struct Index : Expr {
  static constexpr ExprKind kKind = ExprKind::kIndex;
  const Expr* object;
  List<const Expr*> indices;
  template <class V>
  void fields(V& v) const {
    v(object);
    v(indices);
  }
};
/// callee(arguments)
struct Call : Expr {
  static constexpr ExprKind kKind = ExprKind::kCall;
  const Expr* callee;
  List<const Expr*> arguments;
  template <class V>
  void fields(V& v) const {
    v(callee);
    v(arguments);
  }
};
/// `@name(arguments)`; the name is without "@".
struct Builtin : Expr {
  static constexpr ExprKind kKind = ExprKind::kBuiltin;
  std::string_view name;
  List<const Expr*> arguments;
  template <class V>
  void fields(V& v) const {
    v(name);
    v(arguments);
  }
};
struct If : Expr {
  static constexpr ExprKind kKind = ExprKind::kIf;
  const Expr* condition;
  const Expr* then;
  const Expr* otherwise;  ///< nullptr: there is none
  template <class V>
  void fields(V& v) const {
    v(condition);
    v(then);
    v(otherwise);
  }
};

/// An arm of a switch; one without values is `else`.
template <class Body>
struct Arm {
  Place place;
  List<const Expr*> values;
  const Body* body;
  template <class V>
  void fields(V& v) const {
    v(values);
    v(body);
  }
};
struct Switch : Expr {
  static constexpr ExprKind kKind = ExprKind::kSwitch;
  const Expr* subject;
  List<Arm<Expr>> arms;
  template <class V>
  void fields(V& v) const {
    v(subject);
    v(arms);
  }
};
/// { statements }, which yields void unless a `break :label value` leaves it; {} is the void value.
struct Block : Expr {
  static constexpr ExprKind kKind = ExprKind::kBlock;
  Name label;
  List<const Stmt*> statements;
  template <class V>
  void fields(V& v) const {
    v(label);
    v(statements);
  }
};
/// comptime expression
struct Comptime : Expr {
  static constexpr ExprKind kKind = ExprKind::kComptime;
  const Expr* operand;
  template <class V>
  void fields(V& v) const {
    v(operand);
  }
};
/// One value of a literal; all values of a literal have names, or none has.
struct LiteralField {
  Name name;
  const Expr* value;
  template <class V>
  void fields(V& v) const {
    v(name);
    v(value);
  }
};
/// .{ .. }, or type{ .. }: an array, a struct or a tuple.
struct Literal : Expr {
  static constexpr ExprKind kKind = ExprKind::kLiteral;
  const Expr* type;  ///< nullptr: .{ .. }
  List<LiteralField> values;
  template <class V>
  void fields(V& v) const {
    v(type);
    v(values);
  }
};
/// |variables|{extents} -> access
struct TensorAccess : Expr {
  static constexpr ExprKind kKind = ExprKind::kTensorAccess;
  List<Name> variables;
  List<const Expr*> extents;
  const Expr* access;
  template <class V>
  void fields(V& v) const {
    v(variables);
    v(extents);
    v(access);
  }
};
/// [extents]element
struct ArrayType : Expr {
  static constexpr ExprKind kKind = ExprKind::kArrayType;
  List<const Expr*> extents;
  const Expr* element;
  template <class V>
  void fields(V& v) const {
    v(extents);
    v(element);
  }
};
/// *T, [*]T, each also with const
struct PointerType : Expr {
  static constexpr ExprKind kKind = ExprKind::kPointerType;
  bool to_many;  ///< [*]T
  bool is_const;
  const Expr* pointee;
  template <class V>
  void fields(V& v) const {
    v(to_many);
    v(is_const);
    v(pointee);
  }
};
/// fn(T) R, task(T) R
struct FunctionType : Expr {
  static constexpr ExprKind kKind = ExprKind::kFunctionType;
  bool is_task;
  List<const Expr*> parameters;
  const Expr* result;
  template <class V>
  void fields(V& v) const {
    v(is_task);
    v(parameters);
    v(result);
  }
};
struct ContainerField {
  Name name;
  const Expr* type;
  template <class V>
  void fields(V& v) const {
    v(name);
    v(type);
  }
};
/// struct { .. }, union { .. }
struct Container : Expr {
  static constexpr ExprKind kKind = ExprKind::kContainer;
  enum class Layout : std::uint8_t { kAutomatic, kExtern, kPacked };
  bool is_union;
  Layout layout;
  List<ContainerField> members;
  template <class V>
  void fields(V& v) const {
    v(is_union);
    v(layout);
    v(members);
  }
};
struct EnumMember {
  Name name;
  const Expr* value;  ///< nullptr: the smallest unused one
  template <class V>
  void fields(V& v) const {
    v(name);
    v(value);
  }
};
struct Enum : Expr {
  static constexpr ExprKind kKind = ExprKind::kEnum;
  const Expr* tag;  ///< nullptr: not given
  List<EnumMember> members;
  template <class V>
  void fields(V& v) const {
    v(tag);
    v(members);
  }
};
/// [name] "constraint" (value), [name] "constraint" (-> type)
struct AsmOperand {
  Name name;
  std::string_view constraint;  ///< with quotes
  const Expr* value;            ///< nullptr: an output that is the value of the expression
  const Expr* type;             ///< of such an output
  template <class V>
  void fields(V& v) const {
    v(name);
    v(constraint);
    v(value);
    v(type);
  }
};
/// asm volatile ("text" : outputs : inputs : clobbers)
struct Asm : Expr {
  static constexpr ExprKind kKind = ExprKind::kAsm;
  bool is_volatile;
  const Expr* text;
  List<AsmOperand> outputs;
  List<AsmOperand> inputs;
  List<const Expr*> clobbers;
  template <class V>
  void fields(V& v) const {
    v(is_volatile);
    v(text);
    v(outputs);
    v(inputs);
    v(clobbers);
  }
};

// ---- Statements

/// align(16), linksection("name"), linkname("name")
struct Attribute {
  Name name;
  const Expr* value;
  template <class V>
  void fields(V& v) const {
    v(name);
    v(value);
  }
};
enum class Linkage : std::uint8_t { kNone, kExport, kExtern };

/// const and var, of a file or of a block.
struct Variable {
  Linkage linkage;
  bool is_comptime;
  bool is_var;
  Name name;
  const Expr* type;  ///< nullptr: that of the value
  List<Attribute> attributes;
  const Expr* value;  ///< nullptr: not initialised
  template <class V>
  void fields(V& v) const {
    v(linkage);
    v(is_comptime);
    v(is_var);
    v(name);
    v(type);
    v(attributes);
    v(value);
  }
};

struct Local : Stmt {
  static constexpr StmtKind kKind = StmtKind::kLocal;
  Variable variable;
  template <class V>
  void fields(V& v) const {
    v(variable);
  }
};
struct ExpressionStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kExpression;
  const Expr* value;
  template <class V>
  void fields(V& v) const {
    v(value);
  }
};
/// The place is that of the operator.
struct Assign : Stmt {
  static constexpr StmtKind kKind = StmtKind::kAssign;
  const Expr* target;
  std::optional<BinaryOp> op;  ///< of a compound assignment such as +=
  const Expr* value;
  template <class V>
  void fields(V& v) const {
    v(target);
    v(op);
    v(value);
  }
};
struct Return : Stmt {
  static constexpr StmtKind kKind = StmtKind::kReturn;
  const Expr* value;  ///< nullptr: void
  template <class V>
  void fields(V& v) const {
    v(value);
  }
};
struct Break : Stmt {
  static constexpr StmtKind kKind = StmtKind::kBreak;
  Name label;
  const Expr* value;  ///< nullptr: void
  template <class V>
  void fields(V& v) const {
    v(label);
    v(value);
  }
};
struct Continue : Stmt {
  static constexpr StmtKind kKind = StmtKind::kContinue;
  Name label;
  template <class V>
  void fields(V& v) const {
    v(label);
  }
};
struct BlockStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kBlock;
  const Block* block;
  template <class V>
  void fields(V& v) const {
    v(static_cast<const Expr*>(block));
  }
};
struct IfStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kIf;
  const Expr* condition;
  const Stmt* then;
  const Stmt* otherwise;  ///< nullptr: there is none
  template <class V>
  void fields(V& v) const {
    v(condition);
    v(then);
    v(otherwise);
  }
};
struct While : Stmt {
  static constexpr StmtKind kKind = StmtKind::kWhile;
  Name label;
  bool is_inline;
  const Expr* condition;
  const Stmt* step;  ///< an Assign or ExpressionStmt; nullptr: there is none
  const Block* body;
  template <class V>
  void fields(V& v) const {
    v(label);
    v(is_inline);
    v(condition);
    v(step);
    v(static_cast<const Expr*>(body));
  }
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
  template <class V>
  void fields(V& v) const {
    v(label);
    v(is_inline);
    v(range);
    v(element);
    v(index);
    v(static_cast<const Expr*>(body));
  }
};
struct SwitchStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kSwitch;
  const Expr* subject;
  List<Arm<Stmt>> arms;
  template <class V>
  void fields(V& v) const {
    v(subject);
    v(arms);
  }
};
/// comptime { .. } inside of a function
struct ComptimeStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::kComptime;
  const Block* block;
  template <class V>
  void fields(V& v) const {
    v(static_cast<const Expr*>(block));
  }
};

// ---- Declarations of a file

/// param name: type = value; also `color name;`, the form of old programs.
struct Param : Item {
  static constexpr ItemKind kKind = ItemKind::kParam;
  bool is_color;
  Name name;
  const Expr* type;   ///< nullptr: that of the value
  const Expr* value;  ///< nullptr: whoever uses the file has to give it
  template <class V>
  void fields(V& v) const {
    v(is_color);
    v(name);
    v(type);
    v(value);
  }
};
struct Global : Item {
  static constexpr ItemKind kKind = ItemKind::kVariable;
  Variable variable;
  template <class V>
  void fields(V& v) const {
    v(variable);
  }
};
struct Parameter {
  bool is_comptime;
  Name name;
  const Expr* type;
  template <class V>
  void fields(V& v) const {
    v(is_comptime);
    v(name);
    v(type);
  }
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
  template <class V>
  void fields(V& v) const {
    v(linkage);
    v(inlining);
    v(is_task);
    v(name);
    v(parameters);
    v(result);
    v(attributes);
    v(static_cast<const Expr*>(body));
  }
};
/// layout { .. }, comptime { .. }
struct BlockItem : Item {
  static constexpr ItemKind kKind = ItemKind::kBlock;
  bool is_layout;
  const Block* block;
  template <class V>
  void fields(V& v) const {
    v(is_layout);
    v(static_cast<const Expr*>(block));
  }
};

/// The node as what its kind says it is.
template <class T, class Base>
const T& as(const Base& node) {
  return static_cast<const T&>(node);
}
/// nullptr if the node is of another kind.
template <class T, class Base>
const T* if_is(const Base& node) {
  return node.kind == T::kKind ? &as<T>(node) : nullptr;
}

}  // namespace tessera::csl
