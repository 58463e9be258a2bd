// Evaluates expressions and runs statements at compile time (csl.md 4).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

/// A name of a block with the object behind it.
struct LocalName {
  std::string_view name;
  std::shared_ptr<Cell> cell;
};

struct FunctionCode;
struct JumpTarget;
class Ends;
class StatementRunner;

/// How a statement ends. kLeft: code was made that leaves it; nothing goes on after it.
enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn, kLeft };

/// A call that is being interpreted, a block of a file, or an expression of one.
struct Frame {
  explicit Frame(Instance& module) : instance(module) {}
  Instance& instance;
  const Function* function = nullptr;
  std::vector<LocalName> locals;
  std::size_t block_begin = 0;  ///< index in `locals` where the innermost block begins
  std::uint32_t last_line = 0;  ///< of the innermost block
  Result result;                ///< value of `return`, or of the `break` that leaves a block
  /// The name of the constant whose value is a new struct or enum; empty: there is none.
  std::string_view type_name;
  std::string_view target;           ///< label of `break` and `continue`; empty: the innermost loop
  FunctionCode* code = nullptr;      ///< nullptr: everything happens at compile time
  std::vector<JumpTarget*> targets;  ///< loops and blocks around this place, the innermost last
  Ends* returns = nullptr;           ///< set for a call that is expanded in another function
  const Type* return_type = nullptr;  ///< result type of the function that is evaluated
  const Expr* statement = nullptr;    ///< the expression of a statement; nobody uses its value
};

/// Analysis at compile time as long as it lives, also inside of code for the tile.
class AtCompileTime {
 public:
  explicit AtCompileTime(Frame& frame) : frame_(frame), code_(frame.code) { frame.code = nullptr; }
  ~AtCompileTime() { frame_.code = code_; }
  AtCompileTime(const AtCompileTime&) = delete;
  AtCompileTime& operator=(const AtCompileTime&) = delete;

 private:
  Frame& frame_;
  FunctionCode* const code_;
};

/// An object with an address.
struct Location {
  std::shared_ptr<Cell> cell;
  std::vector<std::int64_t> path;
  const Type* type = nullptr;
  bool is_const = false;
  std::optional<Storage> storage;  ///< where the running program has it, instead of cell and path

  std::shared_ptr<const PointerValue> pointer() const {
    return std::make_shared<const PointerValue>(PointerValue{cell, path, 0});
  }
};

class Evaluator;

// Expressions that need no access to the evaluator's own parts.
Result evaluate(Evaluator& evaluator, const Integer& e);
Result evaluate(Evaluator& evaluator, const Float& e);
Result evaluate(Evaluator& evaluator, const String& e);
Result evaluate(Evaluator& evaluator, const Character& e);
Result evaluate(Evaluator& evaluator, const Keyword& e);
Result evaluate(Evaluator& evaluator, const TensorAccess& e);
Result evaluate(Evaluator& evaluator, const ArrayType& e);
Result evaluate(Evaluator& evaluator, const PointerType& e);
Result evaluate(Evaluator& evaluator, const FunctionType& e);
Result evaluate(Evaluator& evaluator, const Container& e);
Result evaluate(Evaluator& evaluator, const Enum& e);
Result evaluate(Evaluator& evaluator, const Literal& e);
Result evaluate(Evaluator& evaluator, const Asm& e);

class Evaluator {
 public:
  Evaluator(Engine& engine, Frame& frame) : engine_(engine), frame_(frame) {}

  /// The result of an expression, which the running program may be the only one to know. `expected`
  /// is the type that numbers without one of their own get in branches of the running program.
  Result operand(const Expr& e, const Type* expected = nullptr);
  /// The value of an operand.
  Result value(const Expr& e, const Type* expected = nullptr);
  /// Converts implicitly, also operands of the running program.
  Result converted(const Result& from, const Type* to, const Node& at, const std::string& what);
  Result value_as(const Expr& e, const Type* type, const std::string& what);
  const Type* type(const Expr& e);
  /// A type that a variable, a field, a parameter or a result may have.
  const Type* type_of_value(const Expr& e);
  bool condition(const Expr& e, const std::string& what);
  std::int64_t integer(const Expr& e, std::int64_t lowest, std::int64_t highest,
                       const std::string& what);
  /// nothing: the expression is not an object with an address.
  std::optional<Location> locate(const Expr& e);
  /// What stands at a location: a value or an operand of the running program.
  Result load(const Location& location, const Node& at);
  /// What the path leads to from its step `step` on, which is into a union.
  Result variant_at(const Value& object, const Location& location, std::size_t step,
                    const Node& at);
  void take_variant(Cell& cell, const std::vector<std::int64_t>& path, const Node& at);
  void store(const Location& location, const Result& value, const Node& at);
  Result call(const FunctionValue& callee, const std::vector<Result>& arguments, const Node& at);
  /// Runs a function at compile time, unless the value of the call is known.
  Result interpret(const FunctionValue& callee, const std::vector<Result>& arguments,
                   const Node& at);
  Flow run(const Block& block);
  /// The condition of `if` and the subjects of `switch` of expressions and statements.
  template <class Body>
  const Arm<Body>* chosen(const Result& subject, const List<Arm<Body>>& arms, const Node& at);
  /// A value of an arm that is a range, `first...last`; nullptr: it is none.
  static const Binary* range_of(const Expr& candidate);
  /// Whether a known value lies in such a range.
  bool is_between(const Result& value_of, const Binary& range);
  /// The first and the last value of such a range.
  std::pair<Result, Result> ends_of_range(const Binary& range);
  /// The number of an element in an array, row by row.
  std::int64_t element_number(const Type& array, const List<const Expr*>& indices, const Node& at);
  Result binary(BinaryOp op, Result left, Result right, const Node& at);
  Result type_result(const Type* type) { return {engine_.types.type_type, Value{type}}; }
  Result void_result() { return {engine_.types.void_type, Value{Void{}}}; }

  Engine& engine() { return engine_; }
  Frame& frame() const { return frame_; }

 private:
  Result interpret_anew(const FunctionValue& callee, const std::vector<Result>& arguments,
                        const Node& at);
  const LocalName* find_local(std::string_view name) const;
  std::optional<Location> locate_name(const NameExpr& e);
  std::optional<Location> locate_pointee(const Dereference& e);
  /// What a pointer points to.
  Location pointee_of(const Result& pointer, const Node& at);
  std::optional<Location> locate_element(const Index& e);
  std::optional<Location> element_of_value(const Result& pointer, const Index& e);
  std::optional<Location> element_of_copy(const Result& array, const Index& e);
  std::optional<Location> element_of(std::optional<Location> base, const Index& e);
  std::optional<Location> locate_member(const Member& e);
  std::optional<Location> locate_named_field(const Builtin& e);
  std::optional<Location> locate_field(const Expr& of, std::string_view name, const Node& at);
  /// A field of the struct that a pointer points to: `p.x` is `p.*.x`.
  Location field_behind(const Result& pointer, std::string_view name, const Node& at);
  /// A field of a struct that lies at `location`.
  Location field_of(Location location, int field, const Node& at);
  /// Evaluates the other nodes.
  template <class Node>
  Result on(const Node& e) {
    return evaluate(*this, e);
  }
  Result on(const NameExpr& e);
  Result on(const Unary& e);
  Result on(const Binary& e);
  Result on(const Member& e);
  Result on(const Dereference& e);
  Result on(const Index& e);
  Result on(const Call& e);
  Result on(const Builtin& e);
  Result on(const If& e);
  Result on(const Switch& e);
  Result arm_value(const Expr& arm, const Type* expected);
  Result on(const Block& e);
  Result on(const Comptime& e) {
    const AtCompileTime here(frame_);
    return value(*e.operand);
  }
  Result loaded(Result result, const Expr& e);

  Engine& engine_;
  Frame& frame_;
  const Type* expected_ = nullptr;
};

template <class Body>
const Arm<Body>* Evaluator::chosen(const Result& value_of, const List<Arm<Body>>& arms,
                                   const Node& at) {
  const Arm<Body>* otherwise = nullptr;
  for (const Arm<Body>& arm : arms) {
    if (arm.values.empty()) otherwise = &arm;
    for (const Expr* candidate : arm.values) {
      if (const Binary* range = range_of(*candidate)) {
        if (is_between(value_of, *range)) return &arm;
        continue;
      }
      const Result same = binary(BinaryOp::kEqual, value_of, value(*candidate), *candidate);
      if (same.value().get<bool>()) return &arm;
    }
  }
  if (otherwise == nullptr)
    engine_.fail(Id::kSwitchArms, at, "no arm of the switch is for ",
                 text_of(*value_of.type, value_of.value(), true));
  return otherwise;
}

/// Whether an expression goes from a name to a part of its object: looking at it twice does nothing
/// twice.
bool is_path(const Expr& e);
/// Whether an object is a part of a packed struct or union, which has no address.
bool lies_in_packed(const Location& location);
/// Whether a type is that of pointers to one struct.
bool points_to_struct(const Type& type);

/// Runs `block` of a file as a whole.
void run_top_block(Engine& engine, Instance& instance, const Block& block);

}  // namespace tessera::csl
