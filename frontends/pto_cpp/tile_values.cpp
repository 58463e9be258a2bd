#include "frontends/pto_cpp/tile_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "frontends/pto/words.h"

namespace tessera::pto_cpp {

namespace {

using cluster::Boxes;
using cluster::Holder;
using cluster::Location;
using pto::Value;

constexpr std::int64_t kBlock = 32;  // bytes of a row of a box

/// How the boxes of a tile lie (pto_cpp.md 3.2): K0 elements take 32 bytes.
Boxes boxes_of(const TsrTile& tile, std::int64_t bits) {
  const TsrTileType& type = *tile.type;
  if (type.boxes == TSR_NO_BOXES) return {};
  const std::int64_t k0 = std::max<std::int64_t>(kBlock * 8 / bits, 1);
  Boxes b;
  b.rows = b.columns = 16;
  if (type.fractal == 32) {
    (type.boxes == TSR_ROW_BOXES ? b.columns : b.rows) = 2;
  } else if (type.fractal != 1024) {
    (type.boxes == TSR_ROW_BOXES ? b.columns : b.rows) = k0;
  }
  b.row = type.boxes == TSR_ROW_BOXES ? b.columns : 1;
  b.column = type.boxes == TSR_ROW_BOXES ? 1 : b.rows;
  const std::int64_t box = b.rows * b.columns;
  const auto boxed = [](std::int64_t size, std::int64_t by) { return (size + by - 1) / by; };
  const bool by_valid = type.compact == 1;
  if (type.by_columns != 0) {
    b.row_step = box;
    b.column_step = boxed(by_valid ? tile.valid_rows : type.rows, b.rows) * box;
    if (type.compact == 2) b.column_step += b.columns;
  } else {
    b.column_step = box;
    b.row_step = boxed(by_valid ? tile.valid_columns : type.columns, b.columns) * box;
  }
  return b;
}

}  // namespace

Value value_of(const TsrTile& tile, cluster::CoreKind core, const std::string& name) {
  const TsrTileType& from = *tile.type;
  const pto::Diagnostics nowhere("");
  Value v{Value::Kind::kTile, {}};
  v.type.kind = pto::Type::Kind::kTile;
  v.type.element = from.element;
  v.type.shape = {from.rows, from.columns};
  v.type.valid_rows = tile.valid_rows;
  v.type.valid_columns = tile.valid_columns;
  v.type.is_open = from.open != 0;
  v.type.location = from.location;
  v.type.options.push_back({{}, "pad", std::to_string(from.pad)});
  v.type.options.push_back({{}, "order", from.by_columns != 0 ? "col_major" : "row_major"});
  v.sizes = {tile.valid_rows, tile.valid_columns};
  v.place.name = name;
  v.place.location = pto::location_of(v.type, nowhere);
  v.place.element = pto::element_of(v.type, nowhere);
  v.place.address.base = static_cast<std::int64_t>(tile.address & 0xFFFFFFFFU);
  const bool is_ub = v.place.location == Location::kUb;
  if (core == cluster::CoreKind::kAic && is_ub) v.place.holder = Holder::kAiv0;
  if (core == cluster::CoreKind::kAiv && !is_ub) v.place.holder = Holder::kAic;
  v.place.boxes = boxes_of(tile, bits_of(v.place.element));
  const bool line = from.rows == 1 || from.columns == 1;
  v.place.by_columns = from.boxes == TSR_NO_BOXES && from.by_columns != 0 && !line;
  v.place.full_rows = v.place.by_columns ? from.columns : from.rows;
  v.place.row_stride = v.place.by_columns ? from.rows : from.columns;
  return v;
}

bool copies_by_columns(const TsrTensor& tensor, const TsrTile& tile) {
  const bool line = tile.valid_rows == 1 || tile.valid_columns == 1;
  return tensor.layout == TSR_DN && (!line || tile.type->by_columns != 0 || tile.type->rows == 1);
}

void turn(Value& tile) {
  std::swap(tile.sizes[0], tile.sizes[1]);
  std::swap(tile.type.shape[0], tile.type.shape[1]);
  std::swap(tile.type.valid_rows, tile.type.valid_columns);
  Boxes& b = tile.place.boxes;
  std::swap(b.rows, b.columns);
  std::swap(b.row_step, b.column_step);
  std::swap(b.row, b.column);
  std::swap(b.first_row, b.first_column);
  std::swap(b.row_group, b.column_group);
  std::swap(b.row_group_step, b.column_group_step);
  if (b.rows > 0) {
    std::swap(tile.place.full_rows, tile.place.row_stride);
    return;
  }
  const bool line = tile.place.full_rows == 1 || tile.place.row_stride == 1;
  if (line)
    std::swap(tile.place.full_rows, tile.place.row_stride);
  else
    tile.place.by_columns = !tile.place.by_columns;
}

namespace {

/// Scales in GM as boxes of a pair along k, or of 16 pairs.
Boxes boxes_of_scales(const TsrTensor& tensor) {
  const auto& step = tensor.stride;
  const bool of_a = tensor.layout <= TSR_MX_A_DN;
  const bool boxed = tensor.layout == TSR_MX_A_ZZ || tensor.layout == TSR_MX_B_NN;
  const bool outer = tensor.layout == TSR_MX_A_ND || tensor.layout == TSR_MX_B_DN;
  // From one row of A, or column of B, to the next one in a box; from box to box of that kind; from pair to pair.
  const std::int64_t other = step[3], others = boxed ? step[1] : outer ? step[2] : step[3];
  const std::int64_t pair = boxed ? step[2] : outer ? step[3] : step[2];
  const std::int64_t count = boxed ? 16 : 1;
  Boxes b;
  b.rows = of_a ? count : 2;
  b.columns = of_a ? 2 : count;
  b.row_step = of_a ? others : pair;
  b.column_step = of_a ? pair : others;
  b.row = of_a ? other : step[4];
  b.column = of_a ? step[4] : other;
  const std::int64_t in_group = tensor.shape[1] * count;
  if (boxed && tensor.shape[0] > 1 && step[0] != tensor.shape[1] * others) {
    (of_a ? b.row_group : b.column_group) = in_group;
    (of_a ? b.row_group_step : b.column_group_step) = step[0];
  }
  return b;
}

Value view_of(const TsrTensor& tensor, unsigned array, unsigned offset, const std::string& name) {
  Value v{Value::Kind::kView, {}};
  v.type.kind = pto::Type::Kind::kPartition;
  v.type.element = tensor.element;
  v.place.name = name;
  v.place.location = Location::kGm;
  v.place.array = static_cast<std::uint16_t>(array);
  v.place.element = pto::element_of(v.type, pto::Diagnostics(""));
  v.place.number = cluster::reg(offset);
  return v;
}

}  // namespace

Value word_of(const TsrTensor& tensor, unsigned array, unsigned offset, const std::string& name) {
  Value v = view_of(tensor, array, offset, name);
  v.place.dimensions = {{1, 1}};
  v.sizes = {1};
  return v;
}

Value value_of(const TsrTensor& tensor, const TsrTile& tile, cluster::Profile profile,
               unsigned array, unsigned offset, const std::string& name) {
  Value v = view_of(tensor, array, offset, name);
  const auto add = [&v](std::int64_t size, std::int64_t stride) {
    v.place.dimensions.push_back({size, stride});
    v.sizes.push_back(size);
  };
  if (tensor.layout >= TSR_MX_A_ZZ) {
    add(tile.valid_rows, tensor.stride[3]);
    add(tile.valid_columns, tensor.stride[4]);
    v.place.boxes = boxes_of_scales(tensor);
    v.sizes = {tensor.shape[1], tensor.shape[2] * tensor.shape[3] * tensor.shape[4]};
    return v;
  }
  if (tensor.layout == TSR_NZ) {
    add(tile.valid_rows, tensor.stride[3]);
    add(tile.valid_columns, tensor.stride[4]);
    Boxes& b = v.place.boxes;
    b.rows = tensor.shape[3];
    b.columns = tensor.shape[4];
    b.row_step = tensor.stride[2];
    b.column_step = tensor.stride[1];
    b.row = tensor.stride[3];
    b.column = tensor.stride[4];
    if (tensor.shape[0] > 1 && tensor.stride[0] != tensor.shape[1] * tensor.stride[1]) {
      b.column_group = tensor.shape[1] * tensor.shape[4];
      b.column_group_step = tensor.stride[0];
    }
    // Boxes below each other are one burst.
    v.sizes = {tensor.shape[1], tensor.shape[2] * tensor.shape[3] * tensor.shape[4]};
    return v;
  }
  const bool by_gaps =
      profile == cluster::Profile::kA2A3 && std::string(tile.type->location) == "vec";
  const auto distance = [&](unsigned d, std::int64_t valid) {
    return tensor.stride[d] + (by_gaps ? valid - tensor.shape[7 - d] : 0);
  };
  // The outer dimensions count rows, as far as the tile has them; by columns, they count columns.
  const bool turned = copies_by_columns(tensor, tile);
  const std::array<unsigned, 4> counted = {0, 1, 2, turned ? 4U : 3U};
  const std::int64_t lines = turned ? tile.valid_columns : tile.valid_rows;
  const std::int64_t along = turned ? tile.valid_rows : tile.valid_columns;
  const auto size_of = [&tensor](unsigned d) { return std::max<std::int64_t>(tensor.shape[d], 1); };
  std::int64_t below = 1;  // lines of one step of the dimension
  for (std::size_t k = 1; k < counted.size(); ++k) below *= size_of(counted[k]);
  bool outermost = true;
  for (std::size_t k = 0; k < counted.size(); ++k) {
    const unsigned d = counted[k];
    const bool last = k + 1 == counted.size();
    const std::int64_t size = outermost ? (lines + below - 1) / below : tensor.shape[d];
    if (!last) below /= size_of(counted[k + 1]);
    if (!last && outermost && size == 1) continue;
    outermost = false;
    add(size, last ? distance(d, along) : tensor.stride[d]);
  }
  add(along, tensor.stride[turned ? 3 : 4]);
  return v;
}

}  // namespace tessera::pto_cpp
