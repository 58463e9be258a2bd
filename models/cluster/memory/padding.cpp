#include "models/cluster/memory/padding.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

namespace {

constexpr std::int64_t kBlockBits = 256;

/// Elements of a run that begins where a block does and ends with the block that has element `count` - 1.
std::int64_t in_whole_blocks(std::int64_t count, Element element) {
  const std::int64_t each = kBlockBits / bits_of(element);
  return (count + each - 1) / each * each;
}

double number_of(Pad pad, Element element) {
  // The library has no largest and no least number of 64 bits for it.
  if (pad == Pad::kZero || bits_of(element) == 64) return 0;
  return extreme(element, pad == Pad::kLargest);
}

}  // namespace

void pad_blocks(Pad pad, ResolvedOperand& target, TileValues& values) {
  if (target.dimensions != 2 || target.sizes[0] <= 0 || target.sizes[1] <= 0) return;
  const bool is_line = target.strides[0] == 1 && target.strides[1] == 1;
  const unsigned along = target.strides[1] == 1 && !(is_line && target.sizes[1] == 1) ? 1 : 0;
  if (target.strides[along] != 1) return;
  values = fitted(std::move(values), static_cast<std::size_t>(target.sizes[0]),
                  static_cast<std::size_t>(target.sizes[1]));
  const std::size_t rows = values.rows, columns = values.columns;
  target.sizes = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  const std::int64_t count = target.sizes[along], blocks = in_whole_blocks(count, target.element);
  const std::int64_t size = is_line ? blocks : std::min(blocks, target.strides[1 - along]);
  if (size <= count) return;

  const TileValues from = std::move(values);
  target.sizes[along] = size;
  values = TileValues::zeros(from.element, static_cast<std::size_t>(target.sizes[0]),
                             static_cast<std::size_t>(target.sizes[1]));
  const double number = number_of(pad, from.element);
  std::fill(values.numbers.begin(), values.numbers.end(), number);
  std::fill(values.integers.begin(), values.integers.end(),
            to_integer(number, from.element, Rounding::kDefault, true));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      values.set(r * values.columns + c, from, r * columns + c);
}

}  // namespace tessera::cluster
