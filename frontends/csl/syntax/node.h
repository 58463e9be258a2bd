// What all nodes of a CSL tree have (ast.h), and their kinds.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::uint32_t number = 0;  ///< among the expressions of the file
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
  kRemainder,
  kThrough  ///< `first...last`: only among the values of an arm of a switch
};
enum class UnaryOp : std::uint8_t { kNegate, kNot, kBitNot, kAddress };

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
