// Scalars: arithmetic, pointers, and the memory of the scalar unit (reference ascend.md 2.9, 7).
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
  /// Casts between whole numbers: registers have 64 bits.
  void cast(const Operation& op);
  void special(const Operation& op, const OperationInfo& info);

  void add_to_pointer(const Operation& op);
  /// A pointer made from a number. It is in no array: what it may be used for is decided at use.
  void cast_pointer(const Operation& op);
  void load(const Operation& op);
  void store(const Operation& op);
  /// pto.dcci and pto.cmo.cacheinvalid: the line of the pointer, or all of them.
  void clean_cache(const Operation& op);
  /// pto.dsb and pto.fence.barrier_all. What is not of GM has nothing to wait for here.
  void data_barrier(const Operation& op);

 private:
  const Value& pointer(const Argument& a) const;
  TileOperand element_in_gm(const Argument& a, Operand index, Access access) const;
};

}  // namespace tessera::pto
