#include "platforms/data/tile_mapping.h"

#include <cstring>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

std::string dimension_text(const Shape& shape, std::size_t d, const MappingLabels& labels) {
  const std::string size = std::to_string(shape[d]);
  const std::string name = d < labels.dimensions.size() ? labels.dimensions[d] : "";
  if (name.empty() || name == size) return "dimension " + std::to_string(d) + " = " + size;
  return name + " = " + size;
}

std::size_t cut(const Shape& shape, std::size_t d, std::size_t pieces, const std::string& where,
                const MappingLabels& labels) {
  if (shape[d] % pieces == 0) return shape[d] / pieces;
  throw UserError(labels.file, labels.place,
                  dimension_text(shape, d, labels) + " cannot be cut into " +
                      std::to_string(pieces) + " equal pieces " + where);
}

void require_equal(const Shape& shape, std::size_t d, std::size_t tiles, const std::string& axis,
                   const MappingLabels& labels) {
  if (shape[d] == tiles) return;
  throw UserError(labels.file, labels.place,
                  dimension_text(shape, d, labels) + " is not the number of tiles along " + axis +
                      ", " + std::to_string(tiles) +
                      "; an array of rank 3 is [h][w][n] over a rect of w x h tiles");
}

std::string over_tiles(std::size_t w, std::size_t h) {
  return "over the " + std::to_string(w) + " x " + std::to_string(h) + " tiles of the rect";
}

template <std::size_t kWidth>
void copy_strided(const std::byte* from, std::size_t from_step, std::byte* to, std::size_t to_step,
                  std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_step * kWidth, from + i * from_step * kWidth, kWidth);
}

/// `count` elements of `width` bytes; the steps are in elements.
void copy(std::size_t width, const std::byte* from, std::size_t from_step, std::byte* to,
          std::size_t to_step, std::size_t count) {
  if (from_step == 1 && to_step == 1) {
    std::memcpy(to, from, count * width);
  } else if (width == 2) {
    copy_strided<2>(from, from_step, to, to_step, count);
  } else if (width == 4) {
    copy_strided<4>(from, from_step, to, to_step, count);
  } else {
    copy_strided<8>(from, from_step, to, to_step, count);
  }
}

}  // namespace

TileMapping::TileMapping(const Shape& shape, std::size_t w, std::size_t h, BlockOrder order,
                         const MappingLabels& labels) {
  switch (shape.size()) {
  case 1:
    rows_ = 1;
    columns_ = cut(shape, 0, w * h, over_tiles(w, h), labels);
    tile_step_x_ = columns_;
    tile_step_y_ = w * columns_;
    return;
  case 2:
    order_ = order;
    rows_ = cut(shape, 0, h, "along y", labels);
    columns_ = cut(shape, 1, w, "along x", labels);
    tile_step_x_ = columns_;
    row_step_ = shape[1];
    tile_step_y_ = rows_ * row_step_;
    return;
  case 3:
    require_equal(shape, 0, h, "y", labels);
    require_equal(shape, 1, w, "x", labels);
    rows_ = 1;
    columns_ = shape[2];
    tile_step_x_ = columns_;
    tile_step_y_ = w * columns_;
    return;
  default:
    throw UserError(labels.file, labels.place,
                    "an array of rank " + std::to_string(shape.size()) +
                        " cannot be placed on tiles; ranks 1, 2 and 3 are allowed");
  }
}

TileMapping TileMapping::for_stream(const Shape& shape, std::size_t w, std::size_t h,
                                    const MappingLabels& labels) {
  if (shape.size() == 1) return TileMapping(shape, w, h, BlockOrder::kRow, labels);
  const std::size_t count = element_count(shape);
  return TileMapping({count}, w, h, BlockOrder::kRow,
                     {labels.file, labels.place, {"the number of elements"}});
}

template <class Copy>
void TileMapping::for_each_run(std::size_t x, std::size_t y, Copy copy_run) const {
  const bool by_row = order_ == BlockOrder::kRow;
  for (std::size_t row = 0; row < rows_; ++row) {
    copy_run(y * tile_step_y_ + x * tile_step_x_ + row * row_step_, by_row ? row * columns_ : row,
             columns_, by_row ? 1 : rows_);
  }
}

void TileMapping::gather(const HostArray& array, std::size_t x, std::size_t y,
                         std::byte* tile) const {
  const std::size_t width = bytes_of(array.dtype);
  for_each_run(x, y, [&](std::size_t host, std::size_t at, std::size_t count, std::size_t step) {
    copy(width, array.bytes.data() + host * width, 1, tile + at * width, step, count);
  });
}

void TileMapping::scatter(const std::byte* tile, std::size_t x, std::size_t y,
                          HostArray& array) const {
  const std::size_t width = bytes_of(array.dtype);
  for_each_run(x, y, [&](std::size_t host, std::size_t at, std::size_t count, std::size_t step) {
    copy(width, tile + at * width, step, array.bytes.data() + host * width, 1, count);
  });
}

}  // namespace tessera::data
