// Operations of tiles: where they are, how they move, and what is computed with them.
#pragma once

#include <array>
#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// Operations that define tiles and tensors, or parts of them, and cost nothing.
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
  /// Known sizes and strides of a tensor: nothing that 64 bits do not hold.
  void check_view(const Operation& op, const TileOperand& view) const;
  /// A known part lies in a tensor whose type says how large it is.
  void check_part(const Operation& op, const Type& tensor, const std::vector<Operand>& offsets,
                  const std::vector<Operand>& sizes) const;
};

/// Operations that move tiles: between GM and chip, and between the buffers of a cluster.
class MoveLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void load(const Operation& op);
  void store(const Operation& op);
  /// pto.tmov, pto.textract (from a place inside the first tile) and pto.tinsert (to a place inside
  /// the result).
  void move(const Operation& op, const OperationInfo& info);

 private:
  /// The part of a tensor fits the tile, and has its elements unless FIX converts.
  void check_copy(const Operation& op, const Value& view, const Value& tile) const;
  /// Rows, and bytes a row (of FIX elements), of what moves between GM and a tile.
  std::array<Operand, 3> copy_sizes(Opcode opcode, const Value& view, const Value& tile,
                                    Place place);
  Opcode path_between(const Operation& op, const Value& from, const Value& to) const;
  /// FIX converts, and so does the way into the bias table; other paths do not.
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
