// Which PEs a command of the host concerns, and where the words of each lie in its array (csl.md 11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "frontends/layout/layout.h"
#include "platforms/report/report.h"

namespace tessera::wse {

struct Region {
  enum class Order : std::uint8_t {
    kRow,    ///< element i of PE (x, y) of a region w x h: (y * w + x) * l + i
    kColumn  ///< y + x * h + i * h * w
  };
  enum class Copies : std::uint8_t {
    kOne,         ///< each PE has words of its own
    kEachColumn,  ///< all columns have the same: the array is that of w = 1
    kEachRow      ///< all rows have the same: the array is that of h = 1
  };
  layout::Rect rect;         ///< counted in the rectangle of the program
  std::size_t elements = 0;  ///< elements of each PE
  Order order = Order::kRow;
  Copies copies = Copies::kOne;
  bool narrow = false;  ///< copies: 16-bit elements, each in the low half of a word
  int column_stride =
      1;               ///< only every n-th column, from the first one on; the array has theirs only
  int row_stride = 1;  ///< the same for rows

  int columns() const { return rect.w <= 0 ? 0 : 1 + (rect.w - 1) / column_stride; }
  int rows() const { return rect.h <= 0 ? 0 : 1 + (rect.h - 1) / row_stride; }
  /// Number of words in the array.
  std::size_t word_count() const { return array_columns() * array_rows() * elements; }
  /// Where element `i` of a PE lies in the array. `x` and `y` count the columns and rows that take
  /// part.
  std::size_t index(int x, int y, std::size_t i) const {
    const std::size_t column = copies == Copies::kEachColumn ? 0 : static_cast<std::size_t>(x);
    const std::size_t row = copies == Copies::kEachRow ? 0 : static_cast<std::size_t>(y);
    if (order == Order::kRow) return (row * array_columns() + column) * elements + i;
    return row + (column + i * array_columns()) * array_rows();
  }

 private:
  std::size_t array_columns() const {
    return copies == Copies::kEachColumn ? 1 : static_cast<std::size_t>(columns());
  }
  std::size_t array_rows() const {
    return copies == Copies::kEachRow ? 1 : static_cast<std::size_t>(rows());
  }
};

/// "[0, 0, 4, 2], 5 elements a PE"
inline std::string to_string(const Region& region) {
  return layout::to_string(region.rect) + ", " + report::plural(region.elements, "element") +
         " a PE";
}

}  // namespace tessera::wse
