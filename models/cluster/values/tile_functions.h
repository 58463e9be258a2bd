// What tile operations compute (reference ascend.md 4.2, 4.3; TileFunction of tile_operation.h).
//
// Cube: products of f16, bf16 and f32 are added in f32 by growing k, those of int8 in int32, which
// wraps around. Sums of rows and columns: reductions.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/program/tile_operation.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// The result, in the type of the last operand. It may have fewer rows and columns than the operand:
/// the others stay as they are. `inputs`: as many as input_count says.
TileValues compute(const TileOperation& operation, const ResolvedOperation& resolved,
                   const std::vector<TileValues>& inputs);

// --- gathering, sorting and merging: elements as they are (docs/ascend-platform.md; ascend.md 4.3) ---
//
// A pair is 8 bytes: a value of f32 and the bits of its index, or a value of f16, 16 bits of 0 and the two
// halves of the index. Sorted means falling: among equal values the one with the lower index is first, among
// lists and blocks the earlier one. A NaN is above every number.

/// to[r, c] = the element indices[r, c] of `from`, whose rows lie `row_stride` elements apart. Throws
/// std::out_of_range with a sentence for an index that is no valid element.
TileValues gather(const TileValues& from, const TileValues& indices, std::size_t row_stride);
/// `to` with to[element indices[r, c]] = from[r, c]; if indices are equal, the last one counts.
/// Throws as gather() does.
TileValues scatter(const TileValues& from, const TileValues& indices, TileValues to,
                   std::size_t row_stride);
/// `count` elements for each of `offsets`, which count bytes from the first element of the whole tile. Throws as gather() does.
TileValues gather_blocks(const TileValues& from, const TileValues& offsets, std::size_t row_stride);
/// The elements of `inputs` in another order: a result of `rows` and `columns`, and with `results` = 2 another one of them.
TileValues rearrange(const std::vector<TileValues>& inputs, const Rearrangement& order,
                     std::size_t rows, std::size_t columns, unsigned results);
/// Sums of neighbours in the first half of each row, after them 0.
TileValues pair_sums(const TileValues& from);
/// The elements of `from` where the pattern selects, elsewhere 0.
TileValues scatter(const TileValues& from, const GatherPattern& pattern, std::size_t rows,
                   std::size_t columns);
/// What the pattern selects, with its bits as elements of `as`, in rows of `columns`.
TileValues gather(const TileValues& from, const GatherPattern& pattern, Element as,
                  std::size_t rows, std::size_t columns);

/// Pairs of the values and their indices, every 32 columns of a row sorted.
TileValues sort32(const TileValues& values, const TileValues& indices);
/// Groups of four sorted blocks of `block` columns merged; what is no whole group stays as it is.
TileValues merge_blocks(const TileValues& pairs, std::int64_t block);
/// Sorted lists merged, at most `columns` columns of them. `exhausts`: until one of them is at its end.
TileValues merge_lists(const std::vector<TileValues>& lists, bool exhausts, std::size_t columns);

}  // namespace tessera::cluster
