// The names of a function and what they stand for. Regions hide nothing: a name is defined once in
// all regions that are open. A call opens a function of its own, whose names are apart.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/pto/reserved.h"
#include "models/cluster/program.h"

namespace tessera::pto {

/// What a name of the text stands for.
struct Value {
  enum class Kind : std::uint8_t {
    kScalar,
    kFloat,
    kPointer,
    kAddress,  ///< a pointer made from a number
    kView,
    kTile,
    kEvents,
    kPipe,
    kSlot,  ///< what pto.tpop gives to pto.get_fifo_tile
    kUnknown
  };
  Kind kind = Kind::kScalar;
  cluster::Operand scalar;
  Type type;
  bool is_placed = false;               ///< a tile whose address the program gives
  std::vector<cluster::Operand> sizes;  ///< of a partition; of a tile valid rows and columns;
                                        ///< of kEvents the registers of its elements
  double number = 0;                    ///< kFloat, unless `scalar` is a register
  /// Where it is: of a pointer, a view and a tile. Its access and sizes are set at use.
  cluster::TileOperand place;
  unsigned pipe = 0;                                  ///< of kPipe and kSlot: in FifoTable
  const ReservedBuffers::Buffer* reserved = nullptr;  ///< whose address it is

  static Value of_scalar(cluster::Operand scalar) {
    Value v;
    v.scalar = scalar;
    return v;
  }
};

class Scope {
 public:
  explicit Scope(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // References to values stay valid until their region is left.
  void enter_function(const Function& function);
  void leave_function() { functions_.pop_back(); }
  void enter_region() { functions_.back().regions.emplace_back(); }
  void leave_region() { functions_.back().regions.pop_back(); }

  /// The function that is being lowered, of those that call each other the innermost.
  const Function& function() const { return *functions_.back().function; }
  bool is_open(const Function& function) const;
  /// pto.set_validshape of the function changes the valid sizes of this tile.
  bool is_resized(const std::string& tile) const {
    return functions_.back().resized.count(tile) > 0;
  }

  /// nullptr: the name is not defined.
  const Value* find(const std::string& name) const;
  // These throw UserError at the argument. `%r` and `%r#0` are the same value.
  const Value& any_value(const Argument& a) const;
  /// `what`: the kind, for "expected a tile, found ..".
  const Value& value(const Argument& a, Value::Kind kind, const char* what) const;
  const Value& tile(const Argument& a) const { return value(a, Value::Kind::kTile, "a tile"); }
  const Value& view(const Argument& a) const {
    return value(a, Value::Kind::kView, "a view of a tensor");
  }
  cluster::Operand scalar(const Argument& a) const {
    return value(a, Value::Kind::kScalar, "a whole number").scalar;
  }
  cluster::Operand scalar_or_number(const Argument& a) const {
    return a.kind == Argument::Kind::kInteger ? cluster::Operand(a.number) : scalar(a);
  }
  /// scalar_or_number() of all arguments with this role.
  std::vector<cluster::Operand> numbers(const Operation& op, Argument::Role role) const;

  /// Throws UserError if the name is defined already.
  void define(const std::string& name, Place place, Value value);
  /// The one result of an operation.
  void define(const Operation& op, Value value) {
    define(op.results[0].name, op.results[0].place, std::move(value));
  }
  void define_scalar(const Operation& op, cluster::Operand scalar) {
    define(op, Value::of_scalar(scalar));
  }
  /// All results of an operation; there must be a value for each.
  void define_all(const Operation& op, const std::vector<Value>& values);
  /// Gives a name that is defined another value.
  void redefine(const std::string& name, Value value);

 private:
  struct OpenFunction {
    const Function* function;
    std::set<std::string> resized;
    std::vector<std::map<std::string, Value>> regions;
  };

  const Diagnostics& diagnostics_;
  std::vector<OpenFunction> functions_;
};

}  // namespace tessera::pto
