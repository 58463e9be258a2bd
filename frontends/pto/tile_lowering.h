// Lowers operations on tiles: those that define, move and compute tiles.
#pragma once

#include <array>
#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// Operations that define tiles and tensors, or parts of them. They cost nothing.
class TileLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void alloc(const Operation& op);
  /// Defines a part of a tile.
  void subview(const Operation& op);
  /// Defines a tile of another shape or type at the same bytes.
  void reshape(const Operation& op);
  void set_valid_shape(const Operation& op);
  /// Defines a tile of the same type at another address.
  void assign(const Operation& op);
  void tensor_view(const Operation& op);
  /// Defines a part of a tensor.
  void partition(const Operation& op);

 private:
  /// Writes the registers of a tile whose valid sizes change.
  void set_valid(const Value& tile, const std::vector<Operand>& sizes, Place place);
  /// Throws UserError if an element of a tensor has an address that does not fit 64 bits.
  void check_view(const Operation& op, const TileOperand& view) const;
  /// Throws UserError if the part does not lie in the tensor, as far as both are known.
  void check_part(const Operation& op, const Type& tensor, const std::vector<Operand>& offsets,
                  const std::vector<Operand>& sizes) const;
};

/// Operations that move tiles: between GM and chip, and between the buffers of a cluster.
class MoveLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void load(const Operation& op);
  void store(const Operation& op);
  /// pto.tmov, pto.textract (which moves a part of the first tile) and pto.tinsert (which moves into
  /// a part of the result).
  void move(const Operation& op, const OperationInfo& info);

 private:
  /// Throws UserError if the part of the tensor does not fit the tile, or has other elements, which
  /// only FIX converts.
  void check_copy(const Operation& op, const Value& view, const Value& tile) const;
  /// The rows of a copy between GM and a tile, and the bytes in a row (for FIX: the elements).
  std::array<Operand, 3> copy_sizes(Opcode opcode, const Value& view, const Value& tile,
                                    Place place);
  Opcode path_between(const Operation& op, const Value& from, const Value& to) const;
  /// Only FIX and the path to the bias table convert: on other paths both types must be the same.
  void check_types(const Operation& op, const Value& from, const Value& to) const;
  void attach_move(const Operation& op, const OperationInfo& info);
};

/// Operations that compute with tiles: on the vector unit and on the cube.
class ComputeLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void matmul(const Operation& op, const OperationInfo& info);
  void vector(const Operation& op, const OperationInfo& info);

 private:
  /// The tile with the widest elements. Throws UserError if a tile does not lie in UB.
  const Value& widest_tile(const Operation& op) const;
  cluster::BankConflict conflict_of(const Operation& op, const OperationInfo& info) const;
  /// Attaches all tiles and scalars in the order of the text.
  void attach_all(const Operation& op, const OperationInfo& info);
  /// Chooses the function and the number of inputs where one name stands for several.
  void choose_function(const Operation& op, TileOperation& operation) const;
  void choose_quantization(const Operation& op, TileOperation& operation, unsigned tiles) const;
  // These throw UserError if the operands break a rule of models/cluster/program/operand_rules.h.
  void check_operands(const Operation& op, const TileOperation& operation) const;
  void check_blocks(const Operation& op, const TileOperation& operation) const;
};

}  // namespace tessera::pto
