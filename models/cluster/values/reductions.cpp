#include "models/cluster/values/reductions.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::cluster {

namespace {

constexpr std::size_t kRepeatBits = 256 * 8, kBlockBits = 32 * 8;
using Numbers = std::vector<double>;

/// The operation of a reduction on floats.
class Floats {
 public:
  Floats(Arithmetic what, Element element) : what_(what), element_(element) {}

  double neutral() const { return what_ == Arithmetic::kMul ? 1 : 0; }
  double apply(double a, double b) const { return rounded(cluster::apply(what_, a, b), element_); }
  /// to[i] = to[i] OP from[i], as far as `from` reaches.
  void add(Numbers& to, const Numbers& from) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = apply(to[i], from[i]);
  }
  /// Neighbours are combined until one number is left. Lanes that are not there count as nothing.
  double tree(Numbers lanes, std::size_t count) const {
    lanes.resize(count, neutral());
    for (; count > 1; count /= 2)
      for (std::size_t i = 0; i < count / 2; ++i) lanes[i] = apply(lanes[2 * i], lanes[2 * i + 1]);
    return lanes[0];
  }

 private:
  Arithmetic what_;
  Element element_;
};

/// The parts of `row` of `count` numbers; the last one may be shorter.
std::vector<Numbers> parts_of(const Numbers& row, std::size_t count) {
  std::vector<Numbers> parts;
  for (std::size_t first = 0; first < row.size(); first += count)
    parts.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(first),
                       row.begin() +
                           static_cast<std::ptrdiff_t>(std::min(first + count, row.size())));
  return parts;
}

// Repeats in pairs, an odd one and the rest of the row to the first; then the results in pairs, an odd one to the last.
double by_repeats(const Floats& f, const Numbers& row, std::size_t lanes) {
  std::vector<Numbers> parts = parts_of(row, lanes);
  Numbers rest;
  if (parts.size() > 1 && parts.back().size() < lanes) {
    rest = std::move(parts.back());
    parts.pop_back();
  }
  std::size_t count = std::max<std::size_t>(parts.size() / 2, 1);
  for (std::size_t i = 0; i < count && parts.size() > 1; ++i) {
    if (i > 0) parts[i] = parts[2 * i];
    f.add(parts[i], parts[2 * i + 1]);
  }
  if (parts.size() > 1 && parts.size() % 2 == 1) f.add(parts[0], parts.back());
  f.add(parts[0], rest);
  for (; count > 1; count /= 2) {
    for (std::size_t i = 0; i < count / 2; ++i) {
      if (i > 0) parts[i] = parts[2 * i];
      f.add(parts[i], parts[2 * i + 1]);
    }
    if (count % 2 == 1) f.add(parts[count / 2 - 1], parts[count - 1]);
  }
  return f.tree(parts[0], lanes);
}

// As sequence_of() says: groups of a block to one number, or the even and the odd blocks lane by lane.
double by_blocks(const Floats& f, Numbers row, std::size_t block, std::size_t lanes) {
  while (row.size() > 1) {
    Numbers next;
    if (row.size() == block || row.size() >= lanes) {
      for (const Numbers& group : parts_of(row, block)) next.push_back(f.tree(group, block));
    } else {
      for (std::size_t first = 0; first < row.size(); first += 2 * block)
        for (std::size_t i = first; i < first + block; ++i)
          next.push_back(f.apply(row[i], row[i + block]));
    }
    row = std::move(next);
  }
  return row[0];
}

// The blocks of a row lane by lane, then the scalar unit goes through the lanes. It computes in f32.
double by_lanes(const Floats& f, Arithmetic what, const Numbers& row, std::size_t block) {
  Numbers lanes(block, f.neutral());
  for (const Numbers& part : parts_of(row, block)) f.add(lanes, part);
  const Floats scalar(what, Element::kF32);
  double result = lanes[0];
  for (std::size_t i = 1; i < block; ++i) result = scalar.apply(result, lanes[i]);
  return result;
}

double one_by_one(const Floats& f, const Numbers& row, std::size_t lanes) {
  double result = f.neutral();
  for (const Numbers& part : parts_of(row, lanes)) result = f.apply(result, f.tree(part, lanes));
  return result;
}

// A5: repeats lane by lane, then the halves of the lanes.
double by_halves_of_lanes(const Floats& f, const Numbers& row, std::size_t lanes) {
  Numbers all(lanes, f.neutral());
  for (const Numbers& part : parts_of(row, lanes)) f.add(all, part);
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) all[i] = f.apply(all[i], all[i + half]);
  return all[0];
}

double reduce_row(const Floats& f, Arithmetic what, const Numbers& row, unsigned bits,
                  VectorForm form) {
  const std::size_t lanes = kRepeatBits / bits, block = kBlockBits / bits;
  if (form == VectorForm::kRowRepeats) return by_repeats(f, row, lanes);
  if (form == VectorForm::kRowBlocks) return by_blocks(f, row, block, lanes);
  if (form == VectorForm::kRowLanes) return by_lanes(f, what, row, block);
  if (form == VectorForm::kRowOneByOne) return one_by_one(f, row, lanes);
  if (form == VectorForm::kRowHalves) return by_halves_of_lanes(f, row, lanes);
  double result = row[0];
  for (std::size_t i = 1; i < row.size(); ++i) result = f.apply(result, row[i]);
  return result;
}

Numbers reduce_in_order(const Floats& f, const std::vector<Numbers>& rows) {
  Numbers sum = rows[0];
  for (std::size_t r = 1; r < rows.size(); ++r) f.add(sum, rows[r]);
  return sum;
}

// Rows in pairs, an odd one to the first, until one is left.
Numbers reduce_halves(const Floats& f, std::vector<Numbers> rows) {
  for (std::size_t count = rows.size(); count > 1; count /= 2) {
    for (std::size_t i = 0; i < count / 2; ++i) {
      if (i > 0) rows[i] = rows[2 * i];
      f.add(rows[i], rows[2 * i + 1]);
    }
    if (count % 2 == 1) f.add(rows[0], rows[count - 1]);
  }
  return rows[0];
}

// A5: the first row, then sums of two rows.
Numbers reduce_pairs(const Floats& f, const std::vector<Numbers>& rows) {
  Numbers sum = rows[0];
  std::size_t r = 1;
  for (; r + 1 < rows.size(); r += 2) {
    Numbers pair = rows[r];
    f.add(pair, rows[r + 1]);
    f.add(sum, pair);
  }
  if (r < rows.size()) f.add(sum, rows[r]);
  return sum;
}

/// Integers wrap around and extremes have no rounding: their order makes no difference, nor does that of no elements.
bool depends_on_order(const TileValues& values, Arithmetic what) {
  if (values.rows == 0 || values.columns == 0) return false;
  return is_float(values.element) && (what == Arithmetic::kAdd || what == Arithmetic::kMul);
}

TileValues reduce_any_order(const TileValues& values, Arithmetic what, bool by_row) {
  const std::size_t outer = by_row ? values.rows : values.columns;
  const std::size_t inner = by_row ? values.columns : values.rows;
  TileValues to = TileValues::zeros(values.element, by_row ? outer : 1, by_row ? 1 : outer);
  for (std::size_t o = 0; o < outer && inner > 0; ++o) {
    const auto at = [&](std::size_t k) { return by_row ? o * inner + k : k * outer + o; };
    to.set(o, values, at(0));
    for (std::size_t k = 1; k < inner; ++k) {
      if (is_float(values.element))
        to.numbers[o] = apply(what, to.numbers[o], values.numbers[at(k)]);
      else
        to.integers[o] = apply(what, to.integers[o], values.integers[at(k)], values.element);
    }
  }
  return to;
}

}  // namespace

double sum_of_neighbours(std::vector<double> lanes, Element element) {
  std::size_t count = 1;
  while (count < lanes.size()) count *= 2;
  return Floats(Arithmetic::kAdd, element).tree(std::move(lanes), count);
}

TileValues reduce_rows(const TileValues& values, Arithmetic what, VectorForm form) {
  if (!depends_on_order(values, what)) return reduce_any_order(values, what, true);
  const Floats f(what, values.element);
  TileValues to = TileValues::zeros(values.element, values.rows, 1);
  for (std::size_t r = 0; r < values.rows; ++r) {
    const auto first = values.numbers.begin() + static_cast<std::ptrdiff_t>(r * values.columns);
    const Numbers row(first, first + static_cast<std::ptrdiff_t>(values.columns));
    to.numbers[r] = reduce_row(f, what, row, bits_of(values.element), form);
  }
  return to;
}

TileValues reduce_columns(const TileValues& values, Arithmetic what, VectorForm form) {
  if (!depends_on_order(values, what)) return reduce_any_order(values, what, false);
  const Floats f(what, values.element);
  const std::vector<Numbers> rows = parts_of(values.numbers, values.columns);
  TileValues to = TileValues::zeros(values.element, 1, values.columns);
  to.numbers = form == VectorForm::kColumnHalves  ? reduce_halves(f, rows)
               : form == VectorForm::kColumnPairs ? reduce_pairs(f, rows)
                                                  : reduce_in_order(f, rows);
  return to;
}

}  // namespace tessera::cluster
