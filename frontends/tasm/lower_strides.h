// Strides of a mem4d descriptor (wse.md 5.3). A loop nest has, for each loop, a trip count and the
// elements from one value of the loop variable to the next, its step. The machine instead adds the
// stride of a loop to the address of the last element of the inner loops:
//
//   stride_k = step_k - sum over j < k of step_j * (trips_j - 1),   k = 0: innermost loop
//
// All lists go from the innermost loop outwards and have the same length; numbers are elements.
// Callers bound the products to 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::tasm {

using Loops = std::vector<std::int64_t>;

inline Loops lower_strides(const Loops& steps, const Loops& trips) {
  Loops strides;
  std::int64_t inner = 0;  // from the first to the last element of the loops so far
  for (std::size_t k = 0; k < steps.size(); ++k) {
    strides.push_back(steps[k] - inner);
    inner += steps[k] * (trips[k] - 1);
  }
  return strides;
}

/// The steps that `lower_strides` makes these strides of.
inline Loops steps_of(const Loops& strides, const Loops& trips) {
  Loops steps;
  std::int64_t inner = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    steps.push_back(strides[k] + inner);
    inner += steps[k] * (trips[k] - 1);
  }
  return steps;
}

/// Lowest and highest element that a loop nest reaches, counted from its first.
struct Reach {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};

inline Reach reach_of(const Loops& steps, const Loops& trips) {
  Reach reach;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::int64_t last = steps[k] * (trips[k] - 1);
    (last < 0 ? reach.lowest : reach.highest) += last;
  }
  return reach;
}

}  // namespace tessera::tasm
