// Which shapes and types the operands of a tile operation may have (docs/ascend-platform.md; ascend.md 7): one table
// of relations between two operands, for all operations. Shapes are the valid rows and columns: a tile may
// be larger than what is valid of it. Sizes that only a register knows are looked at when the operation is
// issued.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

/// Valid rows and columns of an operand; nothing: not known yet.
struct OperandShape {
  std::optional<std::int64_t> rows, columns;
};
using OperandShapes = std::array<OperandShape, kMostOperands>;

/// What is wrong with the operands, "" if nothing, for "operands of X " in front of it:
/// "are 16x128 (%a) and 16x64 (%b): expected the same valid rows and columns". `shapes` has those of all operands.
std::string find_operand_fault(const TileOperation& operation, const OperandShapes& shapes);

/// The same for the length of the blocks that kMergeBlocks takes from a tile of so many columns (nothing:
/// not known yet): "blocks of 63 columns, expected a multiple of 64".
std::string find_block_fault(std::int64_t block, std::optional<std::int64_t> columns);
/// Blocks that are merged to one.
inline constexpr std::int64_t kMergedBlocks = 4;

/// Columns that a pair of a value and its index takes in a tile of these elements: 64 bits.
constexpr std::int64_t pair_columns(Element element) {
  return 64 / bits_of(element);
}

}  // namespace tessera::cluster
