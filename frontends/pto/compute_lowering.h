// Operations that compute with tiles: on the vector unit and on the cube.
#pragma once

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

class ComputeLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void matmul(const Operation& op, const OperationInfo& info);
  void vector(const Operation& op, const OperationInfo& info);

 private:
  /// The widest tile of a vector operation, which its cost depends on; all must lie in UB.
  const Value& widest_tile(const Operation& op) const;
  cluster::BankConflict conflict_of(const Operation& op, const OperationInfo& info) const;
  /// All tiles and scalars of the operation in the order of the text.
  void attach_all(const Operation& op, const OperationInfo& info);
  /// Of functions that one name stands for, and those with more or fewer inputs.
  void choose_function(const Operation& op, TileOperation& operation) const;
  void choose_quantization(const Operation& op, TileOperation& operation, unsigned tiles) const;
  // What operands have to be before they run (models/cluster/operand_rules.h has the rules).
  void check_operands(const Operation& op, const TileOperation& operation) const;
  void check_blocks(const Operation& op, const TileOperation& operation) const;
};

}  // namespace tessera::pto
