#include "platforms/wse/host_arrays.h"

#include <utility>
#include <vector>

#include "platforms/data/array_expression.h"
#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

void require_array(const layout::Layout& layout, const std::string& option,
                   const std::string& name) {
  if (layout.find_array(name) != nullptr) return;
  std::vector<std::string> names;
  for (const layout::Array& array : layout.arrays) names.push_back(array.name);
  if (names.empty())
    throw UserError("", option, "'" + name + "': " + layout.file + " declares no arrays");
  throw UserError("", option,
                  "'" + name + "' is no array of " + layout.file + did_you_mean(name, names));
}

}  // namespace

HostArrays::HostArrays(const layout::Layout& layout,
                       const std::map<std::string, std::string>& input_files)
    : layout_(layout) {
  for (const auto& [name, file] : input_files) require_array(layout, "--input", name);
  for (const layout::Array& declared : layout.arrays) {
    const auto dtype = data::dtype_of(declared.dtype);
    const auto input = input_files.find(declared.name);
    data::HostArray array = data::HostArray::zeros(dtype, declared.shape);
    if (input != input_files.end()) {
      array = read(declared, input->second);
    } else if (declared.init) {
      const std::string place = declared.place + ".init";
      array = data::converted(evaluate(*declared.init, declared.shape, place), dtype, layout.file,
                              place);
    } else if (declared.input) {
      throw UserError(layout.file, declared.place,
                      "the array is an input without a default; give it with --input " +
                          declared.name + "=FILE.npy");
    }
    arrays_.emplace(declared.name, std::move(array));
  }
}

data::HostArray HostArrays::read(const layout::Array& declared, const std::string& file) const {
  const data::HostArray array = data::read_npy(file);
  if (array.shape != declared.shape) {
    throw UserError(file, "",
                    "the array has shape " + data::to_string(array.shape) + "; " + layout_.file +
                        " (" + declared.place + ") declares " + data::to_string(declared.shape));
  }
  return data::converted(array, data::dtype_of(declared.dtype), file, declared.place);
}

data::Values HostArrays::evaluate(const std::string& expression, const data::Shape& shape,
                                  const std::string& place) const {
  data::Names names;
  names.numbers = layout_.params;
  for (const auto& [name, array] : arrays_) names.arrays[name] = &array;
  return data::evaluate(expression, names, shape, layout_.file, place);
}

void check_output_names(const layout::Layout& layout,
                        const std::map<std::string, std::string>& output_files) {
  for (const auto& [name, file] : output_files) require_array(layout, "--output", name);
}

}  // namespace tessera::wse
