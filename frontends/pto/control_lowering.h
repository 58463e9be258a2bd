// Control flow: regions, loops, branches and calls, and the values that they carry.
#pragma once

#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// Values in registers of their own, which loops and branches carry: whole numbers, and tiles, whose
/// address and valid sizes are carried.
class CarriedValues : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// The arguments `name = init` of a loop from `first` on, defined with their first values.
  std::vector<Value> define_arguments(const Operation& op, std::size_t first);
  /// A value of the same type with registers of its own. What its type says does not change.
  Value like(const Value& like, Place place);
  /// Copies `values`. All are read before one is written: a yield may exchange two values.
  void assign(const std::vector<Value>& targets, const std::vector<Value>& values, Place place);
  const Value& number_or_tile(const Argument& a) const;

 private:
  void check_alike(const Value& to, const Value& from, Place place) const;
  Operand address_of(const Value& tile, Place place);
};

class ControlLowering : LoweringPart {
 public:
  explicit ControlLowering(LoweringContext& context) : LoweringPart(context), carried_(context) {}

  /// All operations of a region, which nothing may follow after its end.
  void region(const Region& region);
  /// The end of a region: scf.yield, scf.condition, return.
  void terminate(const Operation& op) { terminator_ = &op; }
  void for_loop(const Operation& op);
  void while_loop(const Operation& op);
  void branch(const Operation& op);
  void cube_section(const Operation& op);
  void vector_section(const Operation& op);
  /// The body of the function in place of the call: its names are its own, its arguments are the
  /// values of the call, whatever they are.
  void call(const Operation& op);
  /// An operation that is not in the table takes the cycles that --pto-unknown gives. What it gives
  /// may only be used by others of its kind.
  void unknown(const Operation& op);

 private:
  /// The region in a scope of its own; what its scf.yield gives goes to `targets`.
  void body(const Region& body, const std::vector<Value>& targets, Place place,
            const char* what = "region");
  /// The values that the region ends with, of an operation called `terminator`.
  std::vector<Value> values_of(const Region& body, const char* terminator, Place place);
  /// Whether this core runs the function. Throws UserError if it may not be called here.
  bool runs_here(const Operation& op, const Function& callee) const;

  CarriedValues carried_;
  const Operation* terminator_ = nullptr;  // of the region that is being lowered
};

}  // namespace tessera::pto
