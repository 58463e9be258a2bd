// Operations that move tiles: between GM and chip, and between the buffers of a cluster.
#pragma once

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

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

}  // namespace tessera::pto
