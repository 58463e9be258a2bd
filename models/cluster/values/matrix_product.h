// The sums of a matrix product (reference ascend.md 4.2), where a simulated GEMM spends its time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::cluster {

/// sum[i, j] += left[i, k] * right[k, j], rounded to the type after each addition, by growing k: m x `depth`
/// elements of `left` in rows of `pitch`, `depth` x n of `right` and m x n of `sum` without gaps.
void add_product(const float* left, std::size_t pitch, const float* right, std::size_t m,
                 std::size_t n, std::size_t depth, float* sum);
void add_product(const std::uint32_t* left, std::size_t pitch, const std::uint32_t* right,
                 std::size_t m, std::size_t n, std::size_t depth, std::uint32_t* sum);

}  // namespace tessera::cluster
