// The state that all parts of the lowering of a function share, and their base class.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "frontends/pto/emitter.h"
#include "frontends/pto/kinds.h"
#include "frontends/pto/lower.h"
#include "frontends/pto/scope.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

/// The body of the vector function that is being emitted (register_lowering.h).
struct RegisterBody {
  bool is_open = false;
  std::uint32_t function = 0;    ///< the instruction that begins it
  std::size_t operation = 0;     ///< its index in Program::operations
  std::int64_t first_range = 0;  ///< the first of the registers that say what it accesses
  std::vector<std::pair<std::string, cluster::Access>> pointers;  ///< its operands
  std::vector<std::pair<std::uint16_t, Type>> arguments;  ///< registers without lanes so far
};

/// Ways of pipes with one end in the program: whether the pipe is a handle, its flag or else its id,
/// and whether the way is from the cube to vector.
using ExternalEnds = std::set<std::tuple<bool, std::int64_t, bool>>;

/// What pto.set_quant_scalar and pto.set_quant_vector have set (reference ascend_2.md 1.1), by the id of the pipe
/// between cores that it is for.
struct FixScales {
  std::map<std::int64_t, Value> by_id;
  std::optional<Value> last;
};

struct LoweringContext {
  const FunctionKinds& kinds;
  const LowerOptions& options;
  const ReservedBuffers& reserved;
  const ExternalEnds& external;
  const CoreKind core;  ///< the kind of core that runs the program
  const Diagnostics& diagnostics;
  Emitter emitter{diagnostics};
  Scope scope{diagnostics, emitter.program()};
  TileMemory memory{reserved, options.profile, diagnostics};
  RegisterBody body = {};
  FixScales scales = {};
  /// Lowers an operation of any kind; for the operations inside a region.
  std::function<void(const Operation&)> lower = {};
};

/// Base of the types that lower one group of operations each.
class LoweringPart {
 public:
  explicit LoweringPart(LoweringContext& context)
      : context_(context), emitter_(context.emitter), scope_(context.scope),
        diagnostics_(context.diagnostics) {}

 protected:
  bool is_april() const { return context_.options.version == Version::kApril2026; }
  bool is_a5() const { return context_.options.profile == Profile::kA5; }
  /// Whether the program is for the AIC; otherwise it is for the AIVs.
  bool is_cube() const { return context_.core == CoreKind::kAic; }

  // These throw UserError with the messages "PROBLEM", "OPERATION: PROBLEM" and "expected WHAT,
  // found 'FOUND'". The parts of a problem are text and whole numbers.
  template <class... Parts>
  [[noreturn]] void fail(Place place, const Parts&... problem) const {
    diagnostics_.fail(place, joined(problem...));
  }
  template <class... Parts>
  [[noreturn]] void fail(const Operation& op, const Parts&... problem) const {
    diagnostics_.fail(op.place, joined(op.name, ": ", problem...));
  }
  [[noreturn]] void fail_expected(Place place, const std::string& what,
                                  const std::string& found) const {
    pto::fail_expected(diagnostics_, place, what, found);
  }

  /// The n-th argument with this role. Throws UserError if there are fewer.
  const Argument& argument(const Operation& op, Role role, std::size_t n = 0) const;
  const Value& input(const Operation& op) const { return scope_.tile(argument(op, Role::kIn)); }
  const Value& output(const Operation& op) const { return scope_.tile(argument(op, Role::kOut)); }
  /// A tile as the operand of a tile operation.
  TileOperand tile_operand(const Argument& a, Access access) const {
    return tile_operand(scope_.tile(a), access);
  }
  static TileOperand tile_operand(const Value& tile, Access access);
  TileOperand view_operand(const Argument& a, Access access) const;
  DataType data_type(const Value& value) const { return data_type_of(value.type, diagnostics_); }
  Element element(const Type& type) const { return element_of(type, diagnostics_); }

  /// A tile of this type without an address. The caller sets valid sizes that the type has as ?.
  Value tile_of(const Type& type, const std::string& name) const;
  /// Throws UserError if a valid size is known and larger than the tile.
  void check_valid(const Operation& op, const Value& tile) const;

  /// The valid rows and columns of a tile type; ? stands for all of them.
  static std::vector<Operand> known_sizes(const Type& tile);
  /// Throws UserError if `count` rows (d = 0) or columns (1) from `first` on are not in a tile with
  /// `room` of them.
  void check_span(const Operation& op, unsigned d, std::int64_t first, std::int64_t count,
                  std::int64_t room) const;
  /// How the elements of a tile of this type lie in its buffer.
  static void set_layout(TileOperand& place, const Type& type);
  /// Moves the address of a tile to (row, column) inside it.
  static void move_inside(TileOperand& tile, Operand row, Operand column);

  /// The value of an offset, in one register if it is not known.
  Operand sum_of(const cluster::Offset& offset, Place place);

  /// What FIX does in the last instruction: it moves `from` out of L0C to `to`, scaled by `scale`, a number or a tile,
  /// unless that is nullptr. Throws UserError for types that FIX does not convert.
  TileOperation& attach_fix(const Operation& op, TileOperand from, TileOperand to,
                            const Value* scale);

  /// Sets the unit flag of the last instruction from accPhase of a multiplication or stPhase of a
  /// store (ascend.md 2.5): partial keeps the flag, final toggles it.
  void set_unit_flag(const Operation& op);

  LoweringContext& context_;
  Emitter& emitter_;
  Scope& scope_;
  const Diagnostics& diagnostics_;
};

}  // namespace tessera::pto
