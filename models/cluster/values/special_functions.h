// Tile functions that no other one resembles: histograms, random numbers, quantisation to MX formats, and tables in GM
// (reference ascend_2.md 5.5, 5.7, 5.9).
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/program/tile_operation.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// Whether compute_special computes the function.
constexpr bool is_special(TileFunction function) {
  return function >= TileFunction::kHistogram && function <= TileFunction::kScatterTable;
}

/// The result; of kQuantizeMx and kGatherCompare the last one, with the others in `more`. Of kScatterTable: the values to write, one after the
/// other, and in `more` where they go, in elements from the begin of the tensor. Throws std::out_of_range for an index that
/// leads nowhere, std::length_error for operands that do not belong together, each with a sentence.
TileValues compute_special(const TileOperation& operation, const ResolvedOperation& resolved,
                           const std::vector<TileValues>& inputs);

/// For each row of `values` 256 counts: at b, how many elements have a byte `which` of at most b, among those whose higher
/// bytes equal `filters`: of elements of 16 bits one for each row, of 32 bits the first of each row of `filters`, the
/// highest byte first.
TileValues histogram(const TileValues& values, const TileValues& filters, unsigned which);

/// Philox 4x32 with `rounds` rounds: row by row, four numbers for each value of the counter. The counter of a row begins
/// where the vector function leaves it: 64 further for each 256 columns, and for the last of them by its columns.
TileValues random_numbers(const std::int64_t* key_and_counter, unsigned rounds, Element element,
                          std::size_t rows, std::size_t columns);

/// The scale of a group (e8m0) by the bits of its extreme as f32, and what its numbers are multiplied by, as bits of f32.
struct MxScale {
  std::uint8_t scale = 0;
  std::uint32_t factor = 0;
};
MxScale mx_scale(std::uint32_t extreme, Element result, bool rounds_up);

}  // namespace tessera::cluster
