// Lowers control flow: regions, loops, branches and calls, and the values that they carry.
#pragma once

#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// Values that loops and branches carry in registers: a whole number is in one register, a tile has
/// registers for its address and for the valid sizes that its type leaves open.
class CarriedValues : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Defines the arguments `name = init` of a loop, which begin at argument `first`.
  std::vector<Value> define_arguments(const Operation& op, std::size_t first);
  /// A value of the same type in new registers.
  Value like(const Value& like, Place place);
  /// Copies `values` to `targets`. Reads all before it writes one, because a yield may exchange two.
  void assign(const std::vector<Value>& targets, const std::vector<Value>& values, Place place);
  const Value& number_or_tile(const Argument& a) const;

 private:
  void check_alike(const Value& to, const Value& from, Place place) const;
  Operand address_of(const Value& tile, Place place);
};

class ControlLowering : LoweringPart {
 public:
  explicit ControlLowering(LoweringContext& context) : LoweringPart(context), carried_(context) {}

  /// Lowers all operations of a region. Throws UserError if one follows the terminator.
  void region(const Region& region);
  /// Notes the terminator of a region: scf.yield, scf.condition or return.
  void terminate(const Operation& op) { terminator_ = &op; }
  void for_loop(const Operation& op);
  void while_loop(const Operation& op);
  void branch(const Operation& op);
  void cube_section(const Operation& op);
  void vector_section(const Operation& op);
  /// Lowers the body of the function in place of the call. Its arguments may be values of any kind.
  void call(const Operation& op);
  /// An operation that is not in operations.h takes the cycles of --pto-unknown. Only operations of
  /// the same kind can use its results.
  void unknown(const Operation& op);

 private:
  /// Lowers a region and copies the values of its scf.yield to `targets`.
  void body(const Region& body, const std::vector<Value>& targets, Place place,
            const char* what = "region");
  /// Lowers a region and returns the values of its terminator, which must have this name.
  std::vector<Value> values_of(const Region& body, const char* terminator, Place place);
  /// Whether this core runs the function. Throws UserError if it may not be called here.
  bool runs_here(const Operation& op, const Function& callee) const;

  CarriedValues carried_;
  const Operation* terminator_ = nullptr;  // of the region that was lowered last
};

}  // namespace tessera::pto
