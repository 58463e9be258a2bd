// The names of the function that is being lowered, and the value of each. A name can be defined
// only once in all regions that are open. An inlined call has names of its own.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/pto/memory.h"

namespace tessera::pto {

/// The value of a name.
struct Value {
  enum class Kind : std::uint8_t {
    kScalar,
    kFloat,
    kPointer,
    kAddress,  ///< a pointer made from a number
    kView,
    kTile,
    kArray,
    kPipe,
    kSlot,      ///< the result of pto.tpop, an operand of pto.get_fifo_tile
    kRegister,  ///< `scalar` is the number of a vector register
    kUnknown
  };
  Kind kind = Kind::kScalar;
  Type type = {};
  Operand scalar = {};
  std::int64_t slot_bytes = 0;      ///< pto.alloc_multi_tile: bytes from one tile to the next
  std::vector<Operand> sizes = {};  ///< a partition: its sizes; a tile: valid rows and columns;
                                    ///< kArray: the registers of its elements
  double number = 0;                ///< the value of a kFloat whose `scalar` is not a register
  /// Where a pointer, a view or a tile lies. An operation that uses it sets its access and sizes.
  TileOperand place = {};
  unsigned pipe = 0;                                  ///< kPipe and kSlot: the index in FifoTable
  const ReservedBuffers::Buffer* reserved = nullptr;  ///< the buffer whose address `scalar` is
  bool is_pointer = false;  ///< a kScalar: the number of the pointer to `place`

  static Value of_scalar(Operand scalar) { return {Kind::kScalar, {}, scalar}; }
};

class Scope {
 public:
  /// `program` gets the names (Program::names). Both outlive the scope.
  Scope(const Diagnostics& diagnostics, Program& program)
      : diagnostics_(diagnostics), program_(program) {}

  // A reference to a value is valid until its region is left.
  void enter_function(const Function& function);
  void leave_function();
  void enter_region();
  void leave_region();

  /// The innermost of the functions that are being lowered.
  const Function& function() const { return *functions_.back().function; }
  bool is_open(const Function& function) const;
  /// Whether a pto.set_validshape of the function changes the valid sizes of this tile.
  bool is_resized(const std::string& tile) const {
    return functions_.back().resized.count(tile) > 0;
  }

  /// Returns nullptr if the name is not defined.
  const Value* find(const std::string& name) const;
  // The following functions throw UserError at the argument if it has no value, or another kind of
  // value. `%r` and `%r#0` name the same value.
  const Value& any_value(const Argument& a) const;
  /// `what` names the kind in the message "expected WHAT, found ..".
  const Value& value(const Argument& a, Value::Kind kind, const char* what) const;
  const Value& tile(const Argument& a) const { return value(a, Value::Kind::kTile, "a tile"); }
  /// A view, or a memref.
  const Value& view(const Argument& a) const {
    const Value& v = any_value(a);
    const bool is_memref = v.kind == Value::Kind::kPointer && !v.place.dimensions.empty();
    return is_memref ? v : value(a, Value::Kind::kView, "a view of a tensor");
  }
  Operand scalar(const Argument& a) const {
    return value(a, Value::Kind::kScalar, "a whole number").scalar;
  }
  Operand scalar_or_number(const Argument& a) const {
    return a.kind == Argument::Kind::kInteger ? Operand(a.number) : scalar(a);
  }
  /// The values of all arguments with this role.
  std::vector<Operand> numbers(const Operation& op, Role role) const;

  /// Throws UserError if the name is defined already.
  void define(const std::string& name, Place place, Value value);
  /// Defines the only result of an operation.
  void define(const Operation& op, Value value) {
    define(op.results[0].name, op.results[0].place, std::move(value));
  }
  void define_scalar(const Operation& op, Operand scalar) { define(op, Value::of_scalar(scalar)); }
  /// Defines all results of an operation. Throws UserError if there are fewer values than results.
  void define_all(const Operation& op, const std::vector<Value>& values);
  /// Changes the value of a name that is defined.
  void redefine(const std::string& name, Value value);

 private:
  struct OpenFunction {
    const Function* function;
    std::set<std::string> resized;
    std::vector<std::map<std::string, Value>> regions;
    std::vector<std::size_t> named_before;  // by region: names of the program before it
  };

  void tell(const std::string& name, const Value& value);

  const Diagnostics& diagnostics_;
  Program& program_;
  std::vector<OpenFunction> functions_;
};

}  // namespace tessera::pto
