#include "models/cluster/values/special_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/cluster/program/program.h"
#include "models/cluster/values/small_floats.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster {

namespace {

constexpr std::size_t kBins = 256;
constexpr std::size_t kGroup = 32;  // numbers that share a scale

unsigned byte_of(std::int64_t value, unsigned which) {
  return static_cast<unsigned>(value >> (8 * which) & 0xFF);
}

// --- quantisation to MX formats ---

constexpr std::uint32_t kNanFactor = 0x7FC00000, kLargestFactor = 0x7F000000;

std::uint32_t bits_of_single(double value) {
  return bit_cast<std::uint32_t>(static_cast<float>(value));
}

MxScale rounded_up_scale(float extreme, Element result) {
  if (extreme == 0) return {0, kLargestFactor};
  const float largest = result == Element::kE2m1 ? 6.0F : 448.0F;
  const std::uint32_t bits = bit_cast<std::uint32_t>(extreme * (1.0F / largest));
  const std::uint32_t exponent = bits >> 23 & 0xFF, fraction = bits & 0x7FFFFF;
  if (exponent == 0xFF) return {0xFE, 0x00400000};  // infinite
  const bool up = exponent == 0 ? fraction > 0x400000 : fraction > 0 && exponent < 0xFE;
  const std::uint32_t scale = exponent + (up ? 1 : 0);
  const std::uint32_t factor = scale == 0 ? kLargestFactor : (254 - scale) << 23;
  return {static_cast<std::uint8_t>(scale), scale == 0xFE ? 0x00400000 : factor};
}

/// Quantises all groups of a tile.
class MxQuantizer {
 public:
  MxQuantizer(const TileOperation& operation, const ResolvedOperation& resolved,
              const TileValues& from)
      : from_(from), rule_(operation.groups),
        result_(bits_of(resolved.operands[resolved.count - 4U].element) == 4 ? Element::kE2m1
                                                                             : Element::kE4m3) {
    const auto size_of = [&resolved](unsigned from_end) {
      const ResolvedOperand& o = resolved.operands[resolved.count - from_end];
      return static_cast<std::size_t>(o.sizes[0] * o.sizes[1]);
    };
    const std::size_t count = std::min(size_of(3), size_of(2));
    scales_ = size_of(3);
    if (rule_.by_rows) {
      down_ = from.rows / kGroup;
      across_ = from.columns;
      width_ = from.columns;
    } else {
      down_ = from.rows;
      across_ = from.rows == 0 ? 0 : count / from.rows;
      width_ = across_ * kGroup;
    }
    const bool fits = rule_.by_rows ? from.rows % kGroup == 0 : width_ >= from.columns;
    if (!fits || down_ * across_ != count)
      throw std::length_error(std::to_string(count) + " scales for " + std::to_string(from.rows) +
                              "x" + std::to_string(from.columns) +
                              " numbers: expected one for each 32 " +
                              (rule_.by_rows ? "rows" : "columns"));
    if (from.element == Element::kF32 && from.columns < width_)
      throw std::length_error("groups of f32 need whole 32 columns, found " +
                              std::to_string(from.columns));
    if (rule_.interleaves && down_ % 2 != 0)
      throw std::length_error("scales stand side by side in pairs: expected a multiple of 64 rows");
  }

  TileValues run() const {
    const bool single = from_.element == Element::kF32;
    TileValues factors = TileValues::zeros(single ? Element::kF32 : Element::kU16, down_, across_);
    TileValues extremes = TileValues::zeros(type_of_extremes(), down_, across_);
    TileValues scales = TileValues::zeros(Element::kU8, down_, across_);
    if (rule_.interleaves) scales = TileValues::zeros(Element::kU8, down_ / 2, 2 * across_);
    if (scales_ > scales.size()) scales = TileValues::zeros(Element::kU8, 1, scales_);
    const bool coded = result_ == Element::kE4m3;
    TileValues codes = TileValues::zeros(coded ? Element::kU8 : result_, from_.rows, width_);
    for (std::size_t r = 0; r < down_; ++r)
      for (std::size_t c = 0; c < across_; ++c) {
        const std::size_t i = r * across_ + c;
        const double extreme = extreme_of(r, c);
        const MxScale scale = scale_of(extreme);
        if (single)
          factors.numbers[i] = static_cast<double>(bit_cast<float>(scale.factor));
        else
          factors.integers[i] = scale.factor >> 16;
        if (is_float(extremes.element))
          extremes.numbers[i] = extreme;
        else
          extremes.integers[i] = bits_of_single(extreme) >> 16;
        const std::size_t at = rule_.interleaves ? (r / 2 * across_ + c) * 2 + r % 2 : i;
        scales.integers[at] = scale.scale;
        quantize(r, c, scale, codes);
      }
    factors.more = {std::move(extremes), std::move(scales), std::move(codes)};
    return factors;
  }

 private:
  std::size_t row_of(std::size_t r, std::size_t k) const {
    return rule_.by_rows ? r * kGroup + k : r;
  }
  std::size_t column_of(std::size_t c, std::size_t k) const {
    return rule_.by_rows ? c : c * kGroup + k;
  }
  /// Columns beyond the valid ones count as 0.
  double at(std::size_t r, std::size_t c) const {
    return c < from_.columns ? from_.numbers[r * from_.columns + c] : 0;
  }
  double extreme_of(std::size_t r, std::size_t c) const {
    double most = 0;
    for (std::size_t k = 0; k < kGroup; ++k) {
      const double x = std::fabs(at(row_of(r, k), column_of(c, k)));
      if (std::isnan(x)) return x;
      most = std::max(most, x);
    }
    return most;
  }
  // The library reduces f16 as the upper halves of f32 where the scale needs no more than the exponent.
  Element type_of_extremes() const {
    const bool halves = from_.element == Element::kF16 && !rule_.rounds_up;
    return halves ? Element::kU16 : from_.element;
  }
  MxScale scale_of(double extreme) const {
    MxScale scale = mx_scale(bits_of_single(extreme), result_, rule_.rounds_up);
    const bool is_short = from_.element != Element::kF32;
    if (std::isnan(extreme) && is_short && result_ == Element::kE4m3 && !rule_.rounds_up)
      scale.factor = 0x7F810000;
    return scale;
  }
  void quantize(std::size_t r, std::size_t c, const MxScale& scale, TileValues& codes) const {
    const auto factor = static_cast<double>(bit_cast<float>(scale.factor));
    for (std::size_t k = 0; k < kGroup; ++k) {
      const std::size_t row = row_of(r, k), column = column_of(c, k);
      const double x = at(row, column) * factor;
      const double limited =
          std::isnan(x) ? x : small_float_rounded(x, result_, Rounding::kDefault, true);
      const std::size_t i = row * codes.columns + column;
      if (result_ == Element::kE4m3)
        codes.integers[i] = small_float_code(result_, limited);
      else
        codes.numbers[i] = std::isnan(x) ? small_float_largest(result_) : limited;
    }
  }

  const TileValues& from_;
  const MxGroups rule_;
  const Element result_;
  std::size_t down_ = 0, across_ = 0;  // groups
  std::size_t width_ = 0;              // columns of all groups
  std::size_t scales_ = 0;             // those beyond the groups are 0
};

// --- tables in GM ---

/// Where indices lead in a table.
class TableIndices {
 public:
  TableIndices(const TileOperation& operation, const ResolvedOperand& table)
      : rule_(operation.table), table_(table) {
    for (unsigned d = 0; d + 1 < table.dimensions; ++d) rows_ *= table.sizes[d];
    columns_ = table.sizes[table.dimensions - 1U];
    if (rule_.by_row) return;
    std::int64_t dense = 1;
    for (unsigned d = table.dimensions; d-- > 0; dense *= table.sizes[d])
      if (table.sizes[d] > 1 && table.strides[d] != dense)
        throw std::length_error("an index of an element counts elements one after the other: "
                                "expected a tensor without gaps");
  }

  std::int64_t columns() const { return columns_; }
  /// The row or element that element `i` of `indices` names; nothing: none is read or written.
  std::optional<std::int64_t> at(const TileValues& indices, std::size_t i) const {
    if (i >= indices.size())
      throw std::length_error(std::to_string(indices.size()) + " indices, expected one for each " +
                              (rule_.by_row ? "row" : "element"));
    const std::int64_t count = rule_.by_row ? rows_ : rows_ * columns_;
    const auto index = static_cast<std::int64_t>(static_cast<std::uint32_t>(indices.integers[i]));
    if (index < count) return index;
    if (rule_.beyond == Beyond::kClamp && count > 0) return count - 1;
    if (rule_.beyond == Beyond::kWrap && count > 0) return index % count;
    if (rule_.beyond == Beyond::kZero || rule_.beyond == Beyond::kSkip) return std::nullopt;
    throw std::out_of_range("the index " + std::to_string(indices.integers[i]) + " names no " +
                            (rule_.by_row ? "row" : "element") + " of a table of " +
                            std::to_string(count));
  }
  /// Elements from the begin of the tensor to element `n`, counted row by row.
  std::int64_t offset_of(std::int64_t n) const {
    std::int64_t offset = 0;
    for (unsigned d = table_.dimensions; d-- > 0; n /= table_.sizes[d])
      offset += n % table_.sizes[d] * table_.strides[d];
    return offset;
  }

 private:
  const TableAccess rule_;
  const ResolvedOperand& table_;
  std::int64_t rows_ = 1, columns_ = 1;
};

TileValues gather_table(const TileOperation& operation, const ResolvedOperation& resolved,
                        const TileValues& table, const TileValues& indices) {
  const ResolvedOperand& result = resolved.operands[resolved.count - 1U];
  const TableIndices lead(operation, resolved.operands[0]);
  TileValues to = TileValues::zeros(table.element, static_cast<std::size_t>(result.sizes[0]),
                                    static_cast<std::size_t>(result.sizes[1]));
  const bool by_row = operation.table.by_row;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t r = i / to.columns, c = i % to.columns;
    const auto from = lead.at(indices, by_row ? r : i);
    const std::int64_t n =
        from && by_row ? *from * lead.columns() + static_cast<std::int64_t>(c) : from.value_or(-1);
    if (n >= 0 && (!by_row || static_cast<std::int64_t>(c) < lead.columns()))
      to.set(i, table, static_cast<std::size_t>(n));
  }
  return to;
}

TileValues scatter_table(const TileOperation& operation, const ResolvedOperation& resolved,
                         const TileValues& values, const TileValues& indices) {
  const TableIndices lead(operation, resolved.operands[resolved.count - 1U]);
  const bool by_row = operation.table.by_row;
  std::vector<std::size_t> from;
  TileValues places = TileValues::zeros(Element::kI64, 1, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t r = i / values.columns, c = i % values.columns;
    const auto to = lead.at(indices, by_row ? r : i);
    if (!to || (by_row && static_cast<std::int64_t>(c) >= lead.columns())) continue;
    const std::int64_t n = by_row ? *to * lead.columns() + static_cast<std::int64_t>(c) : *to;
    from.push_back(i);
    places.integers.push_back(lead.offset_of(n));
  }
  places.columns = from.size();
  TileValues written = TileValues::zeros(values.element, 1, from.size());
  for (std::size_t i = 0; i < from.size(); ++i) written.set(i, values, from[i]);
  written.more.push_back(std::move(places));
  return written;
}

// Elements of the first result behind the last match stay as they are. The library writes counts one after the other.
TileValues gather_compare(const TileOperation& operation, const ResolvedOperation& resolved,
                          const std::vector<TileValues>& inputs) {
  const TileValues& from = inputs[0];
  const bool has_limits = inputs.size() > 2;
  const bool greater = operation.predicate == static_cast<std::uint8_t>(Predicate::kGreater);
  const std::int64_t unit = operation.which;
  const std::int64_t width = static_cast<std::int64_t>(from.columns);
  const std::int64_t row_step =
      unit > 0 ? (width + unit - 1) / unit * unit : resolved.operands[0].strides[0];
  TileValues to = inputs.back();
  const std::size_t rows = std::min(from.rows, to.rows);
  if (has_limits && inputs[1].size() < rows)
    throw std::length_error("a number to compare with for each row: expected " +
                            std::to_string(rows) + ", found " + std::to_string(inputs[1].size()));
  TileValues counts = TileValues::zeros(resolved.operands[resolved.count - 1U].element, 1, rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double limit = has_limits ? inputs[1].number(r) : resolved.numbers[0];
    for (std::size_t c = 0; c < from.columns; ++c) {
      const double x = from.number(r * from.columns + c);
      if (greater ? !(x > limit) : x != limit) continue;
      const auto n = static_cast<std::size_t>(counts.integers[r]++);
      if (n >= to.columns) continue;
      const std::int64_t place = resolved.integers[operation.scalars.size() - 1] +
                                 static_cast<std::int64_t>(r) * row_step +
                                 static_cast<std::int64_t>(c);
      to.integers[r * to.columns + n] = to_integer(place, to.element, false);
    }
  }
  counts.more.push_back(std::move(to));
  return counts;
}

}  // namespace

TileValues histogram(const TileValues& values, const TileValues& filters, unsigned which) {
  const unsigned bytes = bits_of(values.element) / 8;
  const std::size_t wanted = bytes == 2 ? values.rows : bytes - 1 - which;
  if (which + 1 < bytes && (filters.columns == 0 || filters.rows < wanted))
    throw std::length_error("a byte to compare with for each " +
                            std::string(bytes == 2 ? "row" : "higher byte") + ": expected " +
                            std::to_string(wanted) + " rows of indices, found " +
                            std::to_string(filters.rows));
  TileValues to = TileValues::zeros(Element::kU32, values.rows, kBins);
  for (std::size_t r = 0; r < values.rows; ++r) {
    std::int64_t* const counts = to.integers.data() + r * kBins;
    for (std::size_t c = 0; c < values.columns; ++c) {
      const std::int64_t x = values.integers[r * values.columns + c];
      bool counts_here = true;
      for (unsigned b = which + 1; b < bytes; ++b) {
        const std::size_t row = bytes == 2 ? r : bytes - 1 - b;
        counts_here &= byte_of(x, b) == byte_of(filters.integers[row * filters.columns], 0);
      }
      if (counts_here) ++counts[byte_of(x, which)];
    }
    for (std::size_t b = 1; b < kBins; ++b) counts[b] += counts[b - 1];
  }
  return to;
}

TileValues random_numbers(const std::int64_t* key_and_counter, unsigned rounds, Element element,
                          std::size_t rows, std::size_t columns) {
  constexpr std::uint64_t kFactors[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr std::uint32_t kSteps[2] = {0x9E3779B9, 0xBB67AE85};
  constexpr std::size_t kLanes = 64, kWords = 4;
  using Counter = std::array<std::uint32_t, kWords>;
  const auto word = [&](std::size_t n) { return static_cast<std::uint32_t>(key_and_counter[n]); };
  const auto advanced = [](Counter counter, std::uint64_t by) {
    for (std::uint32_t& w : counter) {
      by += w;
      w = static_cast<std::uint32_t>(by);
      by >>= 32;
    }
    return counter;
  };
  Counter counter = {word(2), word(3), word(4), word(5)};
  TileValues to = TileValues::zeros(element, rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t first = 0; first < columns; first += kLanes * kWords) {
      for (std::size_t i = first; i < std::min(columns, first + kLanes * kWords); i += kWords) {
        Counter x = advanced(counter, (i - first) / kWords);
        std::uint32_t key[2] = {word(0), word(1)};
        for (unsigned n = 0; n < rounds; ++n) {
          const std::uint64_t a = x[0] * kFactors[0], b = x[2] * kFactors[1];
          const auto high = [](std::uint64_t y) { return static_cast<std::uint32_t>(y >> 32); };
          x = {high(b) ^ x[1] ^ key[0], static_cast<std::uint32_t>(b), high(a) ^ x[3] ^ key[1],
               static_cast<std::uint32_t>(a)};
          key[0] += kSteps[0];
          key[1] += kSteps[1];
        }
        for (std::size_t k = 0; k < kWords && i + k < columns; ++k)
          to.integers[r * columns + i + k] = to_integer(std::int64_t{x[k]}, element, false);
      }
      const bool is_last = first + kLanes * kWords >= columns;
      counter = advanced(counter, is_last ? (columns - 1) % kLanes + 1 : kLanes);
    }
  return to;
}

// The scale is the exponent of the extreme less that of the largest number of the format.
MxScale mx_scale(std::uint32_t extreme, Element result, bool rounds_up) {
  const std::uint32_t exponent = extreme >> 23 & 0xFF;
  if (exponent == 0xFF && (extreme & 0x7FFFFF) != 0) return {0xFF, kNanFactor};
  if (rounds_up) return rounded_up_scale(bit_cast<float>(extreme), result);
  const std::uint32_t largest = result == Element::kE2m1 ? 2 : 8;
  const std::uint32_t scale = std::max(exponent, largest) - largest;
  return {static_cast<std::uint8_t>(scale), (254 - scale) << 23};
}

TileValues compute_special(const TileOperation& operation, const ResolvedOperation& resolved,
                           const std::vector<TileValues>& inputs) {
  const ResolvedOperand& result = resolved.operands[resolved.count - 1U];
  switch (operation.function) {
  case TileFunction::kHistogram:
    return histogram(inputs[0], inputs[1], operation.which);
  case TileFunction::kGatherCompare:
    return gather_compare(operation, resolved, inputs);
  case TileFunction::kRandom:
    return random_numbers(resolved.integers.data(), operation.which, result.element,
                          static_cast<std::size_t>(result.sizes[0]),
                          static_cast<std::size_t>(result.sizes[1]));
  case TileFunction::kQuantizeMx:
    return MxQuantizer(operation, resolved, inputs[0]).run();
  case TileFunction::kGatherTable:
    return gather_table(operation, resolved, inputs[0], inputs[1]);
  default:
    return scatter_table(operation, resolved, inputs[0], inputs[1]);
  }
}

}  // namespace tessera::cluster
