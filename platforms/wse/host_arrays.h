// The host's arrays of a run: from .npy files or from the layout's `init`, and what came back from
// the machine.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontends/layout/layout.h"
#include "models/state/fwd.h"
#include "platforms/data/array_expression.h"
#include "platforms/data/host_array.h"
#include "platforms/report/report.h"

namespace tessera::wse {

/// Array name -> .npy file.
using ArrayFiles = std::map<std::string, std::string>;

class HostArrays {
 public:
  /// Makes every array of the layout: read from `input_files`, else computed from `init`, else
  /// zeros. A file must have the declared shape; its elements are converted to the declared dtype,
  /// f64 to f32 by rounding. Both name arrays of the layout. Throws UserError. All arguments must
  /// outlive the arrays.
  HostArrays(const layout::Layout& layout, const ArrayFiles& input_files,
             const ArrayFiles& output_files = {});
  HostArrays(const HostArrays&) = delete;
  HostArrays& operator=(const HostArrays&) = delete;

  /// Requires a declared name.
  data::HostArray& operator[](const std::string& name) { return arrays_.at(name); }
  const data::HostArray& operator[](const std::string& name) const { return arrays_.at(name); }
  /// Saves or restores what the machine has written (models/state/archive.h).
  void visit(state::Archive& archive);
  /// An array expression of the layout (docs/layout.md) over the arrays as they are when its value
  /// is read, which must be in the lifetime of this object.
  data::ArrayExpression parse(const std::string& expression, const data::Shape& shape,
                              const std::string& place) const;
  /// The elements that a check looks at: its array, or a part of that.
  data::ComputedPtr checked(const layout::Check& check) const;
  /// Writes the output files. Adds them to the report, and with them all arrays that the machine
  /// writes. Throws UserError.
  void write_outputs(report::Report& report) const;

 private:
  data::HostArray make(const layout::Array& declared, const ArrayFiles& input_files) const;
  data::HostArray read(const layout::Array& declared, const std::string& file) const;

  const layout::Layout& layout_;
  const ArrayFiles output_files_;
  std::map<std::string, data::HostArray> arrays_;
  data::Names names_;  // what expressions may use: those that are made already
};

/// Arrays that the machine writes.
std::set<std::string> result_arrays(const layout::Layout& layout);

}  // namespace tessera::wse
