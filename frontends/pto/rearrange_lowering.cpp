// Operations that put elements into another order: the columns of an image for a convolution, and two rows that alternate.
#include <array>
#include <memory>
#include <utility>

#include "frontends/pto/operation_lowering.h"

namespace tessera::pto {

using cluster::Rearrangement;

namespace {

/// The operands of pto.timg2col after its tile (ascend_2.md 5.6).
enum Field : std::size_t {
  kMapHeight,
  kMapWidth,
  kPadLeft,
  kPadRight,
  kPadTop,
  kPadBottom,
  kFilterHeight,
  kFilterWidth,
  kStrideHeight,
  kStrideWidth,
  kDilationHeight,
  kDilationWidth,
  kChannels,
  kFirstRow,
  kFirstColumn,
  kPadBits,
  kFieldCount
};
using Fields = std::array<std::int64_t, kFieldCount>;

/// Pixels of the result in a row.
std::int64_t width_of_result(const Fields& f) {
  const std::int64_t reach = f[kDilationWidth] * (f[kFilterWidth] - 1) + 1;
  return (f[kMapWidth] + f[kPadLeft] + f[kPadRight] - reach) / f[kStrideWidth] + 1;
}

/// The element of the map, in blocks of `block` channels, that stands at (row, column) of the matrix; kPadded: outside.
std::int64_t pixel_of(const Fields& f, std::int64_t block, std::int64_t row, std::int64_t column) {
  const std::int64_t width = width_of_result(f), pixel = f[kFirstRow] + row;
  std::int64_t k = f[kFirstColumn] + column;
  const std::int64_t channel = k % block;
  k /= block;
  const std::int64_t right = k % f[kFilterWidth];
  k /= f[kFilterWidth];
  const std::int64_t down = k % f[kFilterHeight], channels = k / f[kFilterHeight];
  const std::int64_t y = pixel / width * f[kStrideHeight] + down * f[kDilationHeight] - f[kPadTop];
  const std::int64_t x = pixel % width * f[kStrideWidth] + right * f[kDilationWidth] - f[kPadLeft];
  const bool is_inside =
      y >= 0 && y < f[kMapHeight] && x >= 0 && x < f[kMapWidth] && channels * block < f[kChannels];
  if (!is_inside) return Rearrangement::kPadded;
  return ((channels * f[kMapHeight] + y) * f[kMapWidth] + x) * block + channel;
}

}  // namespace

// The numbers are known when the operation is lowered: they are part of the place of a call in C++.
void ComputeLowering::image_columns(const Operation& op) {
  constexpr std::int64_t kBlockBits = 256;
  const Value &from = input(op), &to = output(op);
  if (from.type.location != "mat" || to.type.location != "left")
    fail(op, "expected a tile in mat and a result in left");
  Fields f{};
  for (std::size_t n = 0; n < kFieldCount; ++n) {
    const Argument& a = argument(op, Role::kIn, n + 1);
    const Operand value = scope_.scalar(a);
    if (value.is_register) fail(a.place, "expected a number that is known");
    f[n] = value.value;
  }
  for (const Field n : {kMapHeight, kMapWidth, kFilterHeight, kFilterWidth, kStrideHeight,
                        kStrideWidth, kDilationHeight, kDilationWidth, kChannels})
    if (f[n] < 1 || f[n] > 65535)
      fail(op, "a size, stride or dilation is ", f[n], ", expected 1..65535");
  if (to.sizes[0].is_register || to.sizes[1].is_register || width_of_result(f) < 1)
    fail(op, "expected a result with a size that is known, and a map no smaller than the filter");
  const std::int64_t block = kBlockBits / bits_of(from.place.element);
  const std::int64_t room = from.type.shape[0] * from.type.shape[1];
  auto order = std::make_shared<Rearrangement>();
  order->pad = cluster::real_of(f[kPadBits]);
  for (std::int64_t r = 0; r < to.sizes[0].value; ++r)
    for (std::int64_t c = 0; c < to.sizes[1].value; ++c) {
      const std::int64_t pixel = pixel_of(f, block, r, c);
      if (pixel >= room) fail(op, "element ", pixel, " of the map is read, the tile has ", room);
      order->from.push_back(static_cast<std::int32_t>(pixel));
    }
  const Operand row_bytes = emitter_.bytes_of(to.sizes[1], bits_of(to.type.element), op.place);
  Instruction& load = emitter_.emit_tile(Opcode::kLoadA, op.place, Pipe::kMte1);
  load.size = {to.sizes[0], row_bytes, Operand()};
  load.type = data_type(to);
  attach_rearranged(op, {tile_operand(from, Access::kRead)}, {tile_operand(to, Access::kWrite)},
                    std::move(order));
}

// Rows of twice the length: elements of the first source and of the second one in turn, or the inverse. The halves of
// a long row are the two results, or the two sources.
void ComputeLowering::interleave(const Operation& op) {
  if (!is_a5()) fail(op, "A2/A3 have no such operation");
  const bool divides = op.name == "pto.tdeinterleave";
  std::vector<TileOperand> inputs, results;
  for (const Argument& a : op.arguments) {
    const Value& tile = scope_.tile(a);
    if (tile.type.location != "vec")
      fail(a.place, "the vector unit works on tiles in vec, found a tile in ", tile.type.location);
    const bool is_known = !tile.sizes[0].is_register && !tile.sizes[1].is_register;
    if (!is_known) fail(a.place, "expected a tile with valid sizes that are known");
    (a.role == Role::kIn ? inputs : results)
        .push_back(tile_operand(tile, a.role == Role::kIn ? Access::kRead : Access::kWrite));
  }
  const std::int64_t rows = inputs[0].rows.value, columns = inputs[0].columns.value;
  const bool one = inputs.size() == 1;
  if (results.size() != 2 || inputs.size() > 2 || (one && !divides))
    fail(op, "expected two sources and two results");
  if (columns % 2 != 0) fail(op, columns, " valid columns, expected an even number");
  const auto require_like_first = [&](const TileOperand& tile, bool may_be_half) {
    const bool fits =
        tile.columns.value == columns || (may_be_half && tile.columns.value == columns / 2);
    if (tile.element != inputs[0].element || tile.rows.value != rows || !fits)
      fail(op, "expected tiles of one type, with as many valid rows and columns");
  };
  for (const TileOperand& tile : inputs) require_like_first(tile, false);
  for (TileOperand& tile : results) {
    require_like_first(tile, one);
    if (one) tile.columns = columns / 2;
  }
  auto order = std::make_shared<Rearrangement>();
  const auto at = [&](std::int64_t input, std::int64_t r, std::int64_t c) {
    return static_cast<std::int32_t>((input * rows + r) * columns + c);
  };
  const std::int64_t width = results[0].columns.value;
  for (std::int64_t n = 0; n < 2; ++n)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < width; ++c) {
        const std::int64_t whole = divides ? 2 * c + n : n * width + c;  // in a row of both
        order->from.push_back(divides ? at(whole / columns, r, whole % columns)
                                      : at(whole % 2, r, whole / 2));
      }
  Instruction& i = emitter_.emit_tile(Opcode::kVector, op.place, Pipe::kV);
  i.type = data_type(input(op));
  i.vector_class = VectorClass::kMove;
  i.size = {2 * rows * width, 2 * rows, inputs[0].row_stride};
  std::swap(results[0],
            results[1]);  // the first half comes last, as the last operand is the first result
  attach_rearranged(op, std::move(inputs), std::move(results), std::move(order));
}

void ComputeLowering::attach_rearranged(const Operation& op, std::vector<TileOperand> inputs,
                                        std::vector<TileOperand> results,
                                        std::shared_ptr<const Rearrangement> order) {
  TileOperation operation;
  operation.function = TileFunction::kRearrange;
  operation.inputs = static_cast<std::uint8_t>(inputs.size());
  operation.results = static_cast<std::uint8_t>(results.size());
  operation.rearrangement = std::move(order);
  operation.operands = std::move(inputs);
  for (TileOperand& result : results) operation.operands.push_back(std::move(result));
  check_operands(op, operation);
  emitter_.attach({}) = std::move(operation);
}

}  // namespace tessera::pto
