#include "models/cluster/values/tile_functions.h"

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

/// The element of `tile` that element `i` of `indices` names, or one `apart` elements after it. `what`: "index", "offset".
std::size_t element_at(const TileValues& tile, const TileValues& indices, std::size_t i,
                       std::size_t row_stride, const char* what = "index", std::size_t unit = 1,
                       std::size_t apart = 0) {
  const std::int64_t index = indices.integers[i];
  const std::size_t n = static_cast<std::size_t>(index) / unit + apart;
  const std::size_t row = n / row_stride, column = n % row_stride;
  if (index < 0 || row >= tile.rows || column >= tile.columns)
    throw std::out_of_range(
        std::string("the ") + what + " " + std::to_string(index) + " in row " +
        std::to_string(i / indices.columns) + ", column " + std::to_string(i % indices.columns) +
        " names no valid element of a tile of " + std::to_string(tile.rows) + "x" +
        std::to_string(tile.columns) + " in rows of " + std::to_string(row_stride));
  return row * tile.columns + column;
}

}  // namespace

TileValues gather(const TileValues& from, const TileValues& indices, std::size_t row_stride) {
  TileValues to = TileValues::zeros(from.element, indices.rows, indices.columns);
  for (std::size_t i = 0; i < indices.size(); ++i)
    to.set(i, from, element_at(from, indices, i, row_stride));
  return to;
}

TileValues scatter(const TileValues& from, const TileValues& indices, TileValues to,
                   std::size_t row_stride) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    to.set(element_at(to, indices, i, row_stride), from, i);
  return to;
}

TileValues gather_blocks(const TileValues& from, const TileValues& offsets,
                         std::size_t row_stride) {
  const std::size_t size = bits_of(from.element) / 8, block = 32 / size;
  TileValues to = TileValues::zeros(from.element, offsets.rows, offsets.columns * block);
  for (std::size_t i = 0; i < to.size(); ++i)
    to.set(i, from, element_at(from, offsets, i / block, row_stride, "offset", size, i % block));
  return to;
}

TileValues rearrange(const std::vector<TileValues>& inputs, const Rearrangement& order,
                     std::size_t rows, std::size_t columns, unsigned results) {
  std::size_t next = 0;
  const auto result = [&] {
    TileValues to = TileValues::zeros(inputs[0].element, rows, columns);
    for (std::size_t i = 0; i < to.size() && next < order.from.size(); ++i, ++next) {
      if (order.from[next] == Rearrangement::kPadded) {
        if (is_float(to.element))
          to.numbers[i] = order.pad;
        else
          to.integers[i] = static_cast<std::int64_t>(order.pad);
        continue;
      }
      auto n = static_cast<std::size_t>(order.from[next]);
      std::size_t input = 0;
      while (n >= inputs[input].size()) n -= inputs[input++].size();
      to.set(i, inputs[input], n);
    }
    return to;
  };
  TileValues to = result();
  for (unsigned n = 1; n < results; ++n) to.more.push_back(result());
  return to;
}

TileValues pair_sums(const TileValues& from) {
  TileValues to = TileValues::zeros(from.element, from.rows, from.columns);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t c = i % from.columns, left = i - c + 2 * c;
    if (2 * c + 1 >= from.columns) continue;
    if (is_float(from.element))
      to.numbers[i] = from.numbers[left] + from.numbers[left + 1];
    else
      to.integers[i] = from.integers[left] + from.integers[left + 1];
  }
  return to;
}

TileValues scatter(const TileValues& from, const GatherPattern& pattern, std::size_t rows,
                   std::size_t columns) {
  TileValues to = TileValues::zeros(from.element, rows, columns);
  for (std::size_t i = 0, n = 0; i < to.size() && n < from.size(); ++i) {
    const std::size_t column = i % columns;
    if (pattern.selects(pattern.by_rows ? i / columns : column) &&
        (!pattern.by_rows || column < from.columns))
      to.set(i, from, n++);
  }
  return to;
}

TileValues gather(const TileValues& from, const GatherPattern& pattern, Element as,
                  std::size_t rows, std::size_t columns) {
  TileValues to = TileValues::zeros(as, rows, columns);
  std::array<std::byte, 8> bytes{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < from.size() && n < to.size(); ++i) {
    if (!pattern.selects(pattern.by_rows ? i / from.columns : i % from.columns)) continue;
    encode(from, i, 1, bytes.data());
    decode(bytes.data(), 1, to, n++);
  }
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
