#include "models/cluster/values/products.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "models/cluster/values/matrix_product.h"

namespace tessera::cluster {

namespace {

template <class T>
std::vector<T> elements(const TileValues& values) {
  return is_float(values.element) ? std::vector<T>(values.numbers.begin(), values.numbers.end())
                                  : std::vector<T>(values.integers.begin(), values.integers.end());
}

constexpr unsigned kMantissa = 23;  // bits of f32

float shortened(float x, FactorRounding rounding) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7F800000U) == 0x7F800000U) return x;  // infinities and nan
  const unsigned lost = kMantissa - rounding.mantissa;
  const std::uint32_t half = 1U << (lost - 1U), odd = (bits >> lost) & 1U;
  bits = (bits + (rounding.ties_away ? half : half - 1U + odd)) >> lost << lost;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <class T>
std::vector<T> factors(const TileValues& values, FactorRounding rounding) {
  std::vector<T> list = elements<T>(values);
  if constexpr (std::is_same_v<T, float>)
    if (rounding.mantissa > 0)
      for (float& x : list) x = shortened(x, rounding);
  return list;
}

template <class T>
std::vector<T> product(const TileValues& a, const TileValues& b, const TileValues* c, bool once,
                       FactorRounding rounding) {
  const std::size_t m = a.rows, n = b.columns, depth = std::min(a.columns, b.rows);
  const std::vector<T> left = factors<T>(a, rounding), right = factors<T>(b, rounding);
  std::vector<T> sum(m * n, 0);
  if (c != nullptr) {
    const std::vector<T> start = elements<T>(*c);
    for (std::size_t i = 0; i < m && (once || i < c->rows); ++i)
      std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(once ? 0 : i * c->columns),
                  std::min(n, c->columns), sum.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  add_product(left.data(), a.columns, right.data(), m, n, depth, sum.data());
  return sum;
}

}  // namespace

TileValues matmul(const TileValues& a, const TileValues& b, const TileValues* c, bool once,
                  FactorRounding rounding) {
  TileValues result;
  result.rows = a.rows;
  result.columns = b.columns;
  if (is_float(a.element)) {
    result.element = Element::kF32;
    const std::vector<float> sum = product<float>(a, b, c, once, rounding);
    result.numbers.assign(sum.begin(), sum.end());
  } else {
    result.element = Element::kI32;
    const std::vector<std::uint32_t> sum = product<std::uint32_t>(a, b, c, once, rounding);
    for (const std::uint32_t x : sum) result.integers.push_back(static_cast<std::int32_t>(x));
  }
  return result;
}

TileValues matmul_mx(const TileValues& a, const TileValues& a_scales, const TileValues& b,
                     const TileValues& b_scales, const TileValues* c, bool once) {
  constexpr std::size_t kGroup = 32;
  TileValues result = TileValues::zeros(Element::kF32, a.rows, b.columns);
  const std::size_t depth = std::min(a.columns, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j) {
      const bool has_start = c != nullptr && (once || i < c->rows) && j < c->columns;
      double sum = has_start ? c->numbers[(once ? 0 : i * c->columns) + j] : 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum += a.numbers[i * a.columns + k] * a_scales.numbers[i * a_scales.columns + k / kGroup] *
               (b.numbers[k * b.columns + j] * b_scales.numbers[k / kGroup * b_scales.columns + j]);
      result.numbers[i * b.columns + j] = static_cast<float>(sum);
    }
  return result;
}

}  // namespace tessera::cluster
