// How host arrays lie on tiles (docs/layout.md "Arrays on tiles").
#include "platforms/data/tile_mapping.h"

#include <set>

#include <gtest/gtest.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

using Indices = std::vector<std::size_t>;

std::string problem_of(const Shape& shape, std::size_t w, std::size_t h,
                       const std::vector<std::string>& names = {}) {
  try {
    TileMapping(shape, w, h, BlockOrder::kRow, {"l.json", "symbols.A", names});
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

/// An array whose elements are their own indices, counted from `first`.
HostArray numbered(DType dtype, const Shape& shape, std::size_t first) {
  HostArray array = HostArray::zeros(dtype, shape);
  for (std::size_t i = 0; i < array.size(); ++i) array.set_bits(i, first + i);
  return array;
}

/// The indices of the elements that a tile gets, in the order of its memory.
Indices indices_of(const TileMapping& mapping, const Shape& shape, std::size_t x, std::size_t y) {
  HostArray tile = HostArray::zeros(DType::kU32, {mapping.elements_per_tile()});
  mapping.gather(numbered(DType::kU32, shape, 0), x, y, tile.bytes.data());
  Indices indices;
  for (std::size_t k = 0; k < tile.size(); ++k) indices.push_back(tile.bits(k));
  return indices;
}

/// gather moves elements of `dtype` as it moves u32, and scatter moves them back.
void expect_moves(const TileMapping& mapping, DType dtype, const Shape& shape, std::size_t w,
                  std::size_t h) {
  const HostArray array = numbered(dtype, shape, 1);
  HostArray back = HostArray::zeros(dtype, shape);
  for (std::size_t y = 0; y < h; ++y) {
    for (std::size_t x = 0; x < w; ++x) {
      HostArray tile = HostArray::zeros(dtype, {mapping.elements_per_tile()});
      mapping.gather(array, x, y, tile.bytes.data());
      const Indices indices = indices_of(mapping, shape, x, y);
      for (std::size_t k = 0; k < tile.size(); ++k)
        EXPECT_EQ(tile.bits(k), array.bits(indices[k])) << x << ' ' << y << ' ' << k;
      mapping.scatter(tile.bytes.data(), x, y, back);
    }
  }
  EXPECT_EQ(back.bytes, array.bytes);
}

// A 4 x 6 matrix on 3 x 2 tiles: blocks of 2 x 2. Element (i, j) has host index 6 i + j.
TEST(DataTileMapping, MatrixIsCutInBlocksRowMajor) {
  const TileMapping mapping({4, 6}, 3, 2, BlockOrder::kRow);
  EXPECT_EQ(mapping.elements_per_tile(), 4U);
  EXPECT_EQ(indices_of(mapping, {4, 6}, 0, 0), (Indices{0, 1, 6, 7}));
  EXPECT_EQ(indices_of(mapping, {4, 6}, 2, 0), (Indices{4, 5, 10, 11}));
  EXPECT_EQ(indices_of(mapping, {4, 6}, 1, 1), (Indices{14, 15, 20, 21}));
}
TEST(DataTileMapping, MatrixBlocksMayBeStoredColumnMajor) {
  const TileMapping mapping({4, 6}, 3, 2, BlockOrder::kColumn);
  EXPECT_EQ(indices_of(mapping, {4, 6}, 1, 1), (Indices{14, 20, 15, 21}));
}
TEST(DataTileMapping, ColumnMajorBlocksNeedNotBeSquare) {  // one tile holds 2 x 3
  EXPECT_EQ(indices_of(TileMapping({2, 3}, 1, 1, BlockOrder::kColumn), {2, 3}, 0, 0),
            (Indices{0, 3, 1, 4, 2, 5}));
}
TEST(DataTileMapping, VectorIsCutInPiecesTilesInRowMajorOrder) {
  const TileMapping mapping({12}, 3, 2, BlockOrder::kRow);
  EXPECT_EQ(indices_of(mapping, {12}, 2, 0), (Indices{4, 5}));
  EXPECT_EQ(indices_of(mapping, {12}, 0, 1), (Indices{6, 7}));
}
TEST(DataTileMapping, Rank3NamesTheTileDirectly) {
  const TileMapping mapping({2, 3, 5}, 3, 2, BlockOrder::kColumn);
  EXPECT_EQ(mapping.elements_per_tile(), 5U);
  EXPECT_EQ(indices_of(mapping, {2, 3, 5}, 1, 1), (Indices{20, 21, 22, 23, 24}));
}
TEST(DataTileMapping, StreamsCutAnyRankInOrder) {
  const TileMapping mapping = TileMapping::for_stream({3, 4}, 1, 3);
  EXPECT_EQ(indices_of(mapping, {3, 4}, 0, 2), (Indices{8, 9, 10, 11}));
}
TEST(DataTileMapping, EveryElementIsOnExactlyOneTile) {
  for (const Shape& shape : {Shape{24}, Shape{4, 6}, Shape{2, 3, 4}}) {
    for (BlockOrder order : {BlockOrder::kRow, BlockOrder::kColumn}) {
      const TileMapping mapping(shape, 3, 2, order);
      std::set<std::size_t> seen;
      for (std::size_t y = 0; y < 2; ++y) {
        for (std::size_t x = 0; x < 3; ++x) {
          for (std::size_t index : indices_of(mapping, shape, x, y))
            EXPECT_TRUE(seen.insert(index).second);
        }
      }
      EXPECT_EQ(seen.size(), 24U);
      EXPECT_EQ(*seen.rbegin(), 23U);
    }
  }
}

TEST(DataTileMapping, MessagesNameTheDimensionAndTheAxis) {
  EXPECT_EQ(problem_of({7, 6}, 2, 3, {"M", "N"}),
            "l.json: symbols.A: M = 7 cannot be cut into 3 equal pieces along y");
  EXPECT_EQ(problem_of({6, 7}, 2, 3, {"M", "7"}),
            "l.json: symbols.A: dimension 1 = 7 cannot be cut into 2 equal pieces along x");
  EXPECT_EQ(problem_of({7}, 2, 3, {"2 * K"}), "l.json: symbols.A: 2 * K = 7 cannot be cut into 6 "
                                              "equal pieces over the 2 x 3 tiles of the rect");
  EXPECT_EQ(problem_of({2, 3, 4}, 2, 3),
            "l.json: symbols.A: dimension 0 = 2 is not the number of tiles along y, 3; an array of "
            "rank 3 is [h][w][n] over a rect of w x h tiles");
  EXPECT_EQ(problem_of({1, 1, 1, 1}, 1, 1), "l.json: symbols.A: an array of rank 4 cannot be "
                                            "placed on tiles; ranks 1, 2 and 3 are allowed");
}
TEST(DataTileMapping, StreamMessagesNameTheNumberOfElements) {
  try {
    TileMapping::for_stream({3, 5}, 1, 2, {"l.json", "host[0]", {"A", "B"}});
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "l.json: host[0]: the number of elements = 15 cannot be cut into 2 "
                               "equal pieces over the 1 x 2 tiles of the rect");
  }
}

TEST(DataTileMapping, TilesAreGatheredAndScatteredAsIndexed) {
  for (DType dtype : {DType::kI16, DType::kF32, DType::kF64}) {
    for (BlockOrder order : {BlockOrder::kRow, BlockOrder::kColumn}) {
      expect_moves(TileMapping({4, 9}, 3, 2, order), dtype, {4, 9}, 3, 2);
      expect_moves(TileMapping({12}, 3, 2, order), dtype, {12}, 3, 2);
      expect_moves(TileMapping({2, 3, 5}, 3, 2, order), dtype, {2, 3, 5}, 3, 2);
    }
  }
}

}  // namespace
}  // namespace tessera::data
