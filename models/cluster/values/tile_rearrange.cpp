#include "models/cluster/values/tile_rearrange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/cluster/program/operand_rules.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster {

namespace {

constexpr std::size_t kSorted = 32;  // elements that are sorted at once

/// Whether a value stands in front of another one.
bool is_above(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}

/// The 8 bytes of a pair as elements of the type of `to`, from element `i` on.
void put_pair(double value, std::int64_t index, TileValues& to, std::size_t i) {
  TileValues first = TileValues::zeros(to.element, 1, 1);
  first.numbers[0] = value;
  std::array<std::byte, 8> bytes{};
  encode(first, 0, 1, bytes.data());
  store(bytes.data() + 4, static_cast<std::uint32_t>(index));
  decode(bytes.data(), static_cast<std::size_t>(pair_columns(to.element)), to, i);
}

/// Part of a row of sorted pairs.
struct List {
  const TileValues* values;
  std::size_t next, end;  ///< columns
};

/// The list with the next pair in order; nullptr: all are at their end.
List* highest(std::vector<List>& lists) {
  List* best = nullptr;
  for (List& list : lists) {
    if (list.next >= list.end) continue;
    if (best == nullptr ||
        is_above(list.values->numbers[list.next], best->values->numbers[best->next]))
      best = &list;
  }
  return best;
}

/// Pairs of the lists in order into `to` from element `i` on, up to `end`; where it ends.
std::size_t merge(std::vector<List> lists, bool exhausts, TileValues& to, std::size_t i,
                  std::size_t end) {
  const auto width = static_cast<std::size_t>(pair_columns(to.element));
  while (i + width <= end) {
    List* list = highest(lists);
    if (list == nullptr) break;
    for (std::size_t k = 0; k < width; ++k) to.set(i + k, *list->values, list->next + k);
    i += width;
    list->next += width;
    if (exhausts && list->next >= list->end) break;
  }
  return i;
}

/// The bytes of `from` from element `first` on as elements of another type of the same size.
void copy_bits(const TileValues& from, std::size_t first, TileValues& to, std::size_t i) {
  std::array<std::byte, 8> bytes{};
  encode(from, first, 1, bytes.data());
  decode(bytes.data(), 1, to, i);
}

}  // namespace

TileValues gather(const TileValues& from, const TileValues& indices, std::size_t row_stride) {
  TileValues to = TileValues::zeros(from.element, indices.rows, indices.columns);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices.integers[i];
    const auto n = static_cast<std::size_t>(index);
    const std::size_t row = n / row_stride, column = n % row_stride;
    if (index < 0 || row >= from.rows || column >= from.columns)
      throw std::out_of_range(
          "the index " + std::to_string(index) + " in row " + std::to_string(i / indices.columns) +
          ", column " + std::to_string(i % indices.columns) +
          " names no valid element of a tile of " + std::to_string(from.rows) + "x" +
          std::to_string(from.columns) + " in rows of " + std::to_string(row_stride));
    to.set(i, from, row * from.columns + column);
  }
  return to;
}

TileValues gather(const TileValues& from, const GatherPattern& pattern, Element as,
                  std::size_t rows, std::size_t columns) {
  TileValues to = TileValues::zeros(as, rows, columns);
  std::size_t n = 0;
  for (std::size_t i = 0; i < from.size() && n < to.size(); ++i)
    if (pattern.selects(pattern.by_rows ? i / from.columns : i % from.columns))
      copy_bits(from, i, to, n++);
  return to;
}

TileValues sort32(const TileValues& values, const TileValues& indices) {
  const auto width = static_cast<std::size_t>(pair_columns(values.element));
  TileValues to = TileValues::zeros(values.element, values.rows, values.columns * width);
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < values.rows; ++r) {
    const auto value = [&](std::size_t c) { return values.numbers[r * values.columns + c]; };
    const auto index = [&](std::size_t c) {
      return indices.integers[(indices.rows > 1 ? r * indices.columns : 0) + c];
    };
    for (std::size_t first = 0; first < values.columns; first += kSorted) {
      order.clear();
      for (std::size_t c = first; c < std::min(first + kSorted, values.columns); ++c)
        order.push_back(c);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (is_above(value(a), value(b)) || is_above(value(b), value(a)))
          return is_above(value(a), value(b));
        return static_cast<std::uint32_t>(index(a)) < static_cast<std::uint32_t>(index(b));
      });
      for (std::size_t k = 0; k < order.size(); ++k)
        put_pair(value(order[k]), index(order[k]), to, r * to.columns + (first + k) * width);
    }
  }
  return to;
}

TileValues merge_blocks(const TileValues& pairs, std::int64_t block) {
  const std::string fault = find_block_fault(block, static_cast<std::int64_t>(pairs.size()));
  if (!fault.empty()) throw std::length_error(fault);
  TileValues to = pairs;
  const auto size = static_cast<std::size_t>(block);
  const std::size_t group = size * static_cast<std::size_t>(kMergedBlocks);
  for (std::size_t first = 0; first < pairs.size(); first += group) {
    std::vector<List> lists;
    for (std::size_t begin = first; begin < first + group; begin += size)
      lists.push_back({&pairs, begin, begin + size});
    merge(std::move(lists), false, to, first, first + group);
  }
  return to;
}

TileValues merge_lists(const std::vector<TileValues>& lists, bool exhausts, std::size_t columns) {
  std::vector<List> parts;
  for (const TileValues& list : lists) parts.push_back({&list, 0, list.size()});
  TileValues to = TileValues::zeros(lists[0].element, 1, columns);
  to.columns = merge(std::move(parts), exhausts, to, 0, columns);
  to.numbers.resize(to.columns);
  return to;
}

}  // namespace tessera::cluster
