#include "frontends/tasm/lower_strides.h"

#include <cstddef>

namespace tessera::tasm {

Loops lower_strides(const Loops& steps, const Loops& trips) {
  Loops strides;
  std::int64_t inner = 0;  // from the first to the last element of the loops so far
  for (std::size_t k = 0; k < steps.size(); ++k) {
    strides.push_back(steps[k] - inner);
    inner += steps[k] * (trips[k] - 1);
  }
  return strides;
}

Loops steps_of(const Loops& strides, const Loops& trips) {
  Loops steps;
  std::int64_t inner = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    steps.push_back(strides[k] + inner);
    inner += steps[k] * (trips[k] - 1);
  }
  return steps;
}

Reach reach_of(const Loops& steps, const Loops& trips) {
  Reach reach;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::int64_t last = steps[k] * (trips[k] - 1);
    (last < 0 ? reach.lowest : reach.highest) += last;
  }
  return reach;
}

}  // namespace tessera::tasm
