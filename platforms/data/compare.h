// Comparison of a result with what is expected, as numpy.allclose does it: |actual - expected| <=
// atol + rtol * |expected| for every element. NaN is never equal, infinities only to themselves.
#pragma once

#include <cstddef>
#include <string>

#include "platforms/data/computed.h"

namespace tessera::data {

struct Comparison {
  bool passed = false;
  std::size_t mismatches = 0;  ///< elements beyond the tolerance; 0 also if the shapes differ
  std::size_t worst =
      0;  ///< flat index of the element furthest beyond (or closest to) its tolerance
  double actual_at_worst = 0;
  double expected_at_worst = 0;
  std::string detail;  ///< one sentence for the report
};

/// Shapes must be equal, or the comparison fails.
Comparison compare(const Computed& actual, const Computed& expected, double rtol, double atol);

}  // namespace tessera::data
