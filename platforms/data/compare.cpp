#include "platforms/data/compare.h"

#include <cmath>
#include <limits>

namespace tessera::data {
namespace {

constexpr double kWorst = std::numeric_limits<double>::infinity();

/// By how much the difference exceeds the tolerance; at most 0 if the elements agree.
double excess(double actual, double expected, double rtol, double atol) {
  if (std::isnan(actual) || std::isnan(expected)) return kWorst;
  if (actual == expected) return -kWorst;  // equal infinities agree, too
  if (std::isinf(actual) || std::isinf(expected)) return kWorst;
  const double result = std::abs(actual - expected) - (atol + rtol * std::abs(expected));
  return std::isnan(result) ? kWorst : result;
}

std::string detail_of(const Comparison& c, const Shape& shape, std::size_t count, double rtol,
                      double atol) {
  const std::string tolerances = "(rtol " + number_text(rtol) + ", atol " + number_text(atol) + ")";
  if (c.passed && count == 1) return "the element agrees " + tolerances;
  if (c.passed) return "all " + std::to_string(count) + " elements agree " + tolerances;
  return std::to_string(c.mismatches) + " of " + std::to_string(count) + " elements differ " +
         tolerances + "; the worst is " + index_text(shape, c.worst) + ": " +
         number_text(c.actual_at_worst) + " instead of " + number_text(c.expected_at_worst);
}

}  // namespace

Comparison compare(const Computed& actual, const Computed& expected, double rtol, double atol) {
  Comparison result;
  if (actual.shape() != expected.shape()) {
    result.detail =
        "the shape is " + to_string(actual.shape()) + " instead of " + to_string(expected.shape());
    return result;
  }
  double worst_excess = -kWorst;
  Computed::Piece piece;
  expected.for_each_piece([&](std::size_t first, std::size_t count, const double* wanted) {
    actual.read(first, count, piece.data());
    for (std::size_t i = 0; i < count; ++i) {
      const double over = excess(piece[i], wanted[i], rtol, atol);
      if (over > 0) ++result.mismatches;
      if (first + i != 0 && over <= worst_excess) continue;
      worst_excess = over;
      result.worst = first + i;
      result.actual_at_worst = piece[i];
      result.expected_at_worst = wanted[i];
    }
  });
  result.passed = result.mismatches == 0;
  result.detail = detail_of(result, actual.shape(), actual.size(), rtol, atol);
  return result;
}

}  // namespace tessera::data
