// What the instructions of programs written by hand read, compute and write (TileOperation). Most tests
// get by with one f32 a tile, and with the array `x` of Bench as numbers in GM.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/models/cluster/bench.h"

namespace tessera::cluster::bench {

inline TileOperand on_chip(Location location, std::int64_t address, std::int64_t rows,
                           std::int64_t columns, Element element = Element::kF32) {
  TileOperand o;
  o.name = "%t";
  o.location = location;
  o.element = element;
  o.address.base = address;
  o.rows = rows;
  o.columns = columns;
  o.row_stride = columns;
  o.full_rows = rows;
  return o;
}

/// Rows and columns of an array whose rows have `stride` elements.
inline TileOperand in_gm(std::uint16_t array, std::int64_t first, std::int64_t rows,
                         std::int64_t columns, std::int64_t stride,
                         Element element = Element::kF32) {
  TileOperand o;
  o.name = "%p";
  o.location = Location::kGm;
  o.element = element;
  o.array = array;
  o.address.base = first;
  o.dimensions = {{rows, stride}, {columns, 1}};
  o.view_address.base = first;
  o.view = o.dimensions;
  return o;
}

/// result = function(inputs).
inline TileOperation operation(TileFunction function, std::vector<TileOperand> inputs,
                               TileOperand result) {
  TileOperation operation;
  operation.function = function;
  operation.operands = std::move(inputs);
  result.access = Access::kWrite;
  operation.operands.push_back(std::move(result));
  return operation;
}
inline TileOperation copy(TileOperand from, TileOperand to) {
  return operation(TileFunction::kCopy, {std::move(from)}, std::move(to));
}
/// A copy to GM that adds to what is there.
inline TileOperation add_to(TileOperand from, TileOperand to) {
  TileOperation addition = copy(std::move(from), std::move(to));
  addition.adds = true;
  return addition;
}
inline TileOperation fill(TileOperand to, Operand value) {
  TileOperation filling = operation(TileFunction::kFill, {}, std::move(to));
  filling.scalars = {{false, 0, value}};
  return filling;
}
/// to = a + b.
inline TileOperation sum(TileOperand a, TileOperand b, TileOperand to) {
  return operation(TileFunction::kMap, {std::move(a), std::move(b)}, std::move(to));
}
/// c += a b.
inline TileOperation multiply_add(TileOperand a, TileOperand b, const TileOperand& c) {
  return operation(TileFunction::kMatmulAdd, {c, std::move(a), std::move(b)}, c);
}

/// Gives an instruction of `kernel` its operation.
inline void attach(Kernel& kernel, Instruction& i, TileOperation operation) {
  kernel.program().arrays = arrays();
  kernel.program().operations.push_back(std::move(operation));
  i.operation = static_cast<std::uint32_t>(kernel.program().operations.size());
}

/// Tile `slot` of a buffer: `columns` numbers, one unless said otherwise.
inline TileOperand tile(Location location, std::int64_t slot, std::int64_t columns = 1) {
  constexpr std::int64_t kSlotBytes = 1024;  // as all buffers are aligned
  return on_chip(location, slot * kSlotBytes, 1, columns);
}
/// Number `column` of a tile.
inline TileOperand part(TileOperand tile, std::int64_t column) {
  tile.address.base += 4 * column;
  tile.columns = tile.row_stride = 1;
  return tile;
}
/// Number `index` of the array x.
inline TileOperand number(Operand index) {
  TileOperand o = in_gm(0, 0, 1, 1, 1);
  o.address.add(index, 1);
  o.view = {{1, kNumbers}, {kNumbers, 1}};
  return o;
}

/// An operand without registers.
inline ResolvedOperand resolved(const TileOperand& operand) {
  TileOperation operation;
  operation.operands = {operand};
  ResolvedOperation result;
  resolve(operation, {}, result);
  return result.operands[0];
}
/// A number of a tile of `core`, or of GM, when all that is under way has been written.
inline double value_of(Bench& b, const TileOperand& operand, CoreId core = {}) {
  return b.data.peek(resolved(operand), core).number(0);
}
inline double number_of(Bench& b, std::int64_t index) {
  return value_of(b, number(index));
}
inline void set_number(Bench& b, std::int64_t index, double number_there) {
  TileValues values = TileValues::zeros(Element::kF32, 1, 1);
  values.numbers[0] = number_there;
  b.data.poke(resolved(number(index)), {}, std::move(values));
}

/// Copies take the time that their sizes say, wherever the number lies that they carry.
inline ClusterConfig without_l2(ClusterConfig config) {
  config.core.cost.l2_bytes = 0;
  return config;
}

}  // namespace tessera::cluster::bench
