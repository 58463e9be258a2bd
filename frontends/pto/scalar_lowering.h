// Lowers operations of the scalar unit: arithmetic, pointers, loads, stores and its cache (reference
// ascend.md 2.9, 7).
#pragma once

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

class ScalarLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void constant(const Operation& op);
  void arithmetic(const Operation& op, const OperationInfo& info);
  void compare(const Operation& op);
  void select(const Operation& op);
  /// A cast between whole numbers keeps the value: every register has 64 bits.
  void cast(const Operation& op);
  void special(const Operation& op, const OperationInfo& info);

  void add_to_pointer(const Operation& op);
  /// Makes a pointer from a number. It points into no array, so only scalar accesses take it.
  void cast_pointer(const Operation& op);
  void load(const Operation& op);
  void store(const Operation& op);
  /// pto.dcci and pto.cmo.cacheinvalid clean the line of the pointer, or all lines.
  void clean_cache(const Operation& op);
  /// pto.dsb and pto.fence.barrier_all. The model has barriers for GM only.
  void data_barrier(const Operation& op);

 private:
  const Value& pointer(const Argument& a) const;
  TileOperand element_in_gm(const Argument& a, Operand index, Access access) const;
};

}  // namespace tessera::pto
