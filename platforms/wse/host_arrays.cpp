#include "platforms/wse/host_arrays.h"

#include <utility>
#include <vector>

#include "models/state/archive.h"
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

HostArrays::HostArrays(const layout::Layout& layout, const ArrayFiles& input_files,
                       const ArrayFiles& output_files)
    : layout_(layout), output_files_(output_files) {
  names_.numbers = layout.params;
  for (const auto& [name, file] : input_files) require_array(layout, "--input", name);
  for (const auto& [name, file] : output_files) require_array(layout, "--output", name);
  for (const layout::Array& declared : layout.arrays) {
    const auto made = arrays_.emplace(declared.name, make(declared, input_files)).first;
    names_.arrays.emplace(declared.name, &made->second);
  }
}

data::HostArray HostArrays::make(const layout::Array& declared,
                                 const ArrayFiles& input_files) const {
  const auto dtype = data::dtype_of(declared.dtype);
  const auto input = input_files.find(declared.name);
  if (input != input_files.end()) return read(declared, input->second);
  if (declared.init) {
    const std::string place = declared.place + ".init";
    return data::converted(*parse(*declared.init, declared.shape, place).value, dtype, layout_.file,
                           place);
  }
  if (declared.input) {
    throw UserError(layout_.file, declared.place,
                    "the array is an input without a default; give it with --input " +
                        declared.name + "=FILE.npy");
  }
  return data::HostArray::zeros(dtype, declared.shape);
}

data::HostArray HostArrays::read(const layout::Array& declared, const std::string& file) const {
  data::HostArray array = data::read_npy(file);
  if (array.shape != declared.shape) {
    throw UserError(file, "",
                    "the array has shape " + data::to_string(array.shape) + "; " + layout_.file +
                        " (" + declared.place + ") declares " + data::to_string(declared.shape));
  }
  return data::converted(std::move(array), data::dtype_of(declared.dtype), file, declared.place);
}

data::ArrayExpression HostArrays::parse(const std::string& expression, const data::Shape& shape,
                                        const std::string& place) const {
  return data::parse_array_expression(expression, names_, shape, layout_.file, place);
}

data::ComputedPtr HostArrays::checked(const layout::Check& check) const {
  return data::parse_array_expression(check.name + check.part, names_, std::nullopt, layout_.file,
                                      check.place)
      .value;
}

void HostArrays::write_outputs(report::Report& report) const {
  const std::set<std::string> results = result_arrays(layout_);
  for (const layout::Array& declared : layout_.arrays) {
    const auto file = output_files_.find(declared.name);
    const bool is_wanted = file != output_files_.end();
    if (!is_wanted && results.count(declared.name) == 0) continue;
    const data::HostArray& values = (*this)[declared.name];
    if (is_wanted) data::write_npy(file->second, values);
    report.outputs.push_back({declared.name, data::to_string(values.dtype), values.shape,
                              is_wanted ? file->second : ""});
  }
}

void HostArrays::visit(state::Archive& archive) {
  for (const std::string& name : result_arrays(layout_)) {
    data::HostArray& array = arrays_.at(name);
    archive.same(array.bytes.size(), "the size of an array");
    archive.block(array.bytes.data(), array.bytes.size());
  }
}

std::set<std::string> result_arrays(const layout::Layout& layout) {
  std::set<std::string> names;
  for (const layout::HostStep& step : layout.host) {
    if (const auto* stream = std::get_if<layout::StreamOut>(&step)) names.insert(stream->name);
    if (const auto* copy = std::get_if<layout::CopyOut>(&step)) names.insert(copy->name);
  }
  return names;
}

}  // namespace tessera::wse
