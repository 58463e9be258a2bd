#include "models/cluster/values/tile_matmul.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

template <class T>
std::vector<T> elements(const TileValues& values) {
  return is_float(values.element) ? std::vector<T>(values.numbers.begin(), values.numbers.end())
                                  : std::vector<T>(values.integers.begin(), values.integers.end());
}

/// Row by row of b: every element of the result is still added up by growing k.
template <class T>
std::vector<T> product(const TileValues& a, const TileValues& b, const TileValues* c, bool once) {
  const std::size_t m = a.rows, n = b.columns, depth = std::min(a.columns, b.rows);
  const std::vector<T> left = elements<T>(a), right = elements<T>(b);
  std::vector<T> sum(m * n, 0);
  if (c != nullptr) {
    const std::vector<T> start = elements<T>(*c);
    for (std::size_t i = 0; i < m && (once || i < c->rows); ++i)
      std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(once ? 0 : i * c->columns),
                  std::min(n, c->columns), sum.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  for (std::size_t i = 0; i < m; ++i) {
    T* row = sum.data() + i * n;
    for (std::size_t k = 0; k < depth; ++k) {
      const T x = left[i * a.columns + k];
      const T* y = right.data() + k * n;
      for (std::size_t j = 0; j < n; ++j) row[j] += x * y[j];
    }
  }
  return sum;
}

}  // namespace

TileValues matmul(const TileValues& a, const TileValues& b, const TileValues* c, bool once) {
  TileValues result;
  result.rows = a.rows;
  result.columns = b.columns;
  if (is_float(a.element)) {
    result.element = Element::kF32;
    const std::vector<float> sum = product<float>(a, b, c, once);
    result.numbers.assign(sum.begin(), sum.end());
  } else {
    result.element = Element::kI32;
    const std::vector<std::uint32_t> sum = product<std::uint32_t>(a, b, c, once);
    for (const std::uint32_t x : sum) result.integers.push_back(static_cast<std::int32_t>(x));
  }
  return result;
}

}  // namespace tessera::cluster
