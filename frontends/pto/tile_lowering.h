// Where tiles and tensors are: operations that define them, or parts of them, and cost nothing.
#pragma once

#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

class TileLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void alloc(const Operation& op);
  /// A part of a tile.
  void subview(const Operation& op);
  /// The same bytes as a tile of another shape or type.
  void reshape(const Operation& op);
  void set_valid_shape(const Operation& op);
  /// The tile at another address; the one that it is made of stays where it is.
  void assign(const Operation& op);
  void tensor_view(const Operation& op);
  /// A part of a tensor.
  void partition(const Operation& op);

 private:
  /// Sizes are written to the registers of a tile whose valid sizes change.
  void set_valid(const Value& tile, const std::vector<Operand>& sizes, Place place);
  /// Offsets and sizes that are written as numbers. What is computed may stand in a branch that is
  /// not taken for the sizes of this launch.
  void refuse_negative(const Operation& op) const;
  /// Known sizes and strides of a tensor: nothing that 64 bits do not hold.
  void check_view(const Operation& op, const TileOperand& view) const;
  /// A known part lies in a tensor whose type says how large it is.
  void check_part(const Operation& op, const Type& tensor, const std::vector<Operand>& offsets,
                  const std::vector<Operand>& sizes) const;
};

}  // namespace tessera::pto
