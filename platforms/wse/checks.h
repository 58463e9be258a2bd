// The check steps of a layout: a host array against a file or an array expression
// (docs/layout.md).
#pragma once

#include <map>
#include <string>

#include "frontends/layout/layout.h"
#include "platforms/data/compare.h"
#include "platforms/report/report.h"
#include "platforms/wse/host_arrays.h"

namespace tessera::wse {

class Checks {
 public:
  /// Mistakes in what a check compares with should not cost a run: throws UserError when a file
  /// cannot be read, an expression does not fit or a tolerance is no number of 0 or more. Of the
  /// expectations nothing is computed yet; tolerances are, but for those that results of the run go
  /// into. Both arguments must outlive the checks.
  Checks(const layout::Layout& layout, const HostArrays& arrays);

  /// Compares the array as it is now. `step` is one of the layout's.
  report::Check carry_out(const layout::Check& step) const;

 private:
  data::Comparison compare(const layout::Check& step) const;
  double tolerance(const layout::Check& step) const;

  const HostArrays& arrays_;
  std::map<std::string, double> tolerances_;  // known before the run; by the place of the step
};

}  // namespace tessera::wse
