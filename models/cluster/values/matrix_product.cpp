#include "models/cluster/values/matrix_product.h"

namespace tessera::cluster {

namespace {

/// Four k at a time, so that an element of `sum` is loaded and stored once for them; the order of its additions
/// stays. The compiler makes vectors of neighbouring elements.
template <class T>
void add(const T* left, std::size_t pitch, const T* right, std::size_t m, std::size_t n,
         std::size_t depth, T* sum) {
  for (std::size_t i = 0; i < m; ++i) {
    T* __restrict row = sum + i * n;
    const T* x = left + i * pitch;
    std::size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      const T x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
      const T* y0 = right + k * n;
      const T *y1 = y0 + n, *y2 = y1 + n, *y3 = y2 + n;
      for (std::size_t j = 0; j < n; ++j)
        row[j] = (((row[j] + x0 * y0[j]) + x1 * y1[j]) + x2 * y2[j]) + x3 * y3[j];
    }
    for (; k < depth; ++k)
      for (std::size_t j = 0; j < n; ++j) row[j] += x[k] * right[k * n + j];
  }
}

}  // namespace

void add_product(const float* left, std::size_t pitch, const float* right, std::size_t m,
                 std::size_t n, std::size_t depth, float* sum) {
  add(left, pitch, right, m, n, depth, sum);
}
void add_product(const std::uint32_t* left, std::size_t pitch, const std::uint32_t* right,
                 std::size_t m, std::size_t n, std::size_t depth, std::uint32_t* sum) {
  add(left, pitch, right, m, n, depth, sum);
}

}  // namespace tessera::cluster
