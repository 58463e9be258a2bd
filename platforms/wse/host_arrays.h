// The host's arrays of a run: from .npy files or from the layout's `init`, and what came back from
// the machine.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontends/layout/layout.h"
#include "platforms/data/array_expression.h"
#include "platforms/data/host_array.h"

namespace tessera::wse {

class HostArrays {
 public:
  /// Makes every array of the layout: read from `input_files` (array name -> .npy file), else
  /// computed from `init`, else zeros. A file must have the declared shape; its elements are
  /// converted to the declared dtype, f64 to f32 by rounding. Throws UserError.
  HostArrays(const layout::Layout& layout, const std::map<std::string, std::string>& input_files);

  /// Requires a declared name.
  data::HostArray& operator[](const std::string& name) { return arrays_.at(name); }
  const data::HostArray& operator[](const std::string& name) const { return arrays_.at(name); }
  /// An array expression of the layout (docs/layout.md) over the arrays as they are when its value
  /// is read, which must be in the lifetime of this object.
  data::ArrayExpression parse(const std::string& expression, const data::Shape& shape,
                              const std::string& place) const;

 private:
  data::HostArray make(const layout::Array& declared,
                       const std::map<std::string, std::string>& input_files) const;
  data::HostArray read(const layout::Array& declared, const std::string& file) const;

  const layout::Layout& layout_;
  std::map<std::string, data::HostArray> arrays_;
  data::Names names_;  // what expressions may use: those that are made already
};

/// Arrays that the machine writes.
std::set<std::string> result_arrays(const layout::Layout& layout);

/// Throws UserError if some name of `output_files` is no array of the layout.
void check_output_names(const layout::Layout& layout,
                        const std::map<std::string, std::string>& output_files);

}  // namespace tessera::wse
