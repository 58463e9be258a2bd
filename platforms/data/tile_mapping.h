// How a host array lies on a rectangle of w x h tiles: which of its elements a tile holds, in the
// order of the tile's memory. docs/layout.md shows it with pictures.
//
//   rank 1: w*h equal pieces, tiles in row-major order
//   rank 2: h x w blocks, dimension 0 along y, dimension 1 along x; a block is stored row-major or
//           column-major
//   rank 3: [h][w][n], the n elements of a tile in order
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/data/host_array.h"

namespace tessera::data {

/// Order of a rank-2 block in the memory of its tile.
enum class BlockOrder { kRow, kColumn };

/// For messages: where the array is mapped, and what its dimensions are called ("M"; may be empty).
struct MappingLabels {
  std::string file;
  std::string place;
  std::vector<std::string> dimensions;
};

class TileMapping {
 public:
  /// Throws UserError if the shape cannot be cut into equal pieces ("M = 7 cannot be cut into 3
  /// equal pieces along y"). Requires w >= 1 and h >= 1.
  TileMapping(const Shape& shape, std::size_t w, std::size_t h, BlockOrder order,
              const MappingLabels& labels = {});
  /// A stream: the elements of an array of any rank, in C order, cut in w*h equal pieces; piece k
  /// goes through tile k (row-major) in order.
  static TileMapping for_stream(const Shape& shape, std::size_t w, std::size_t h,
                                const MappingLabels& labels = {});

  std::size_t elements_per_tile() const { return rows_ * columns_; }
  /// Puts the elements of a tile from `array`, which has the shape of the mapping, in the order of
  /// tile memory to `tile`: elements_per_tile() of them.
  void gather(const HostArray& array, std::size_t x, std::size_t y, std::byte* tile) const;
  /// The way back.
  void scatter(const std::byte* tile, std::size_t x, std::size_t y, HostArray& array) const;

 private:
  TileMapping() = default;
  /// Calls copy(host index, index in the tile, count, step in the tile) for the runs of a tile.
  template <class Copy>
  void for_each_run(std::size_t x, std::size_t y, Copy copy) const;

  // Tile (x, y) holds `rows_` runs of `columns_` neighbouring host elements.
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t tile_step_x_ = 0;  // host elements from a tile to the next one east
  std::size_t tile_step_y_ = 0;  // host elements from a tile to the next one south
  std::size_t row_step_ = 0;     // host elements from one run to the next
  BlockOrder order_ = BlockOrder::kRow;
};

}  // namespace tessera::data
