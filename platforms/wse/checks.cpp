#include "platforms/wse/checks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

Checks::Checks(const layout::Layout& layout, const HostArrays& arrays) : arrays_(arrays) {
  const std::set<std::string> results = result_arrays(layout);
  for (const layout::HostStep& step : layout.host) {
    const auto* check = std::get_if<layout::Check>(&step);
    if (check == nullptr) continue;
    if (check->expect) data::check_npy(*check->expect);
    if (check->value) arrays.parse(*check->value, arrays.checked(*check)->shape(), check->place);
    if (!check->atol_value) continue;
    const data::ArrayExpression atol = arrays.parse(*check->atol_value, {}, check->place);
    if (std::any_of(atol.arrays.begin(), atol.arrays.end(),
                    [&](const std::string& name) { return results.count(name) != 0; })) {
      continue;
    }
    const double value = atol.value->at(0);
    if (!std::isfinite(value) || value < 0)
      throw UserError(layout.file, check->place, "the tolerance atol is not a number of 0 or more");
    tolerances_.emplace(check->place, value);
  }
}

report::Check Checks::carry_out(const layout::Check& step) const {
  const data::Comparison result = compare(step);
  return {step.name + step.part, result.passed, result.detail};
}

data::Comparison Checks::compare(const layout::Check& step) const {
  const data::ComputedPtr actual = arrays_.checked(step);
  const double atol = tolerance(step);
  if (step.expect) {
    const data::HostArray expected = data::read_npy(*step.expect);
    return data::compare(*actual, data::Loaded(expected), step.rtol, atol);
  }
  const data::ArrayExpression expected = arrays_.parse(*step.value, actual->shape(), step.place);
  return data::compare(*actual, *expected.value, step.rtol, atol);
}

double Checks::tolerance(const layout::Check& step) const {
  if (!step.atol_value) return step.atol;
  const auto known = tolerances_.find(step.place);
  if (known != tolerances_.end()) return known->second;
  return arrays_.parse(*step.atol_value, {}, step.place).value->at(0);
}

}  // namespace tessera::wse
