#include "platforms/ascend/arrays.h"

#include <array>
#include <string>
#include <utility>

#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::ascend {

namespace {

using cluster::Element;
using data::DType;

/// NumPy has no bfloat16: its bits are stored as uint16; those of floats of 8 bits, and of two of 4, as uint8.
DType dtype_of(const cluster::GmArray& array, const std::string& option) {
  constexpr std::array<DType, 16> kTypes = {DType::kF32, DType::kF16, DType::kU16, DType::kU8,
                                            DType::kU8,  DType::kU8,  DType::kU8,  DType::kU8,
                                            DType::kU8,  DType::kI8,  DType::kU8,  DType::kI16,
                                            DType::kU16, DType::kI32, DType::kU32, DType::kI64};
  if (has_values(array.element)) return kTypes[static_cast<std::size_t>(array.element)];
  throw UserError("", option,
                  "'" + array.name + "' has elements of " + to_string(array.element) +
                      ", which have no values in this model");
}

/// The shape in bytes of elements of 4 bits.
data::Shape bytes_of_halves(data::Shape shape) {
  if (!shape.empty() && shape.back() % 2 == 0) {
    shape.back() /= 2;
    return shape;
  }
  return {(data::element_count(shape) + 1) / 2};
}

std::size_t find_array(const pto::Kernel& kernel, const Options& options, const char* option,
                       const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    if (kernel.arrays[i].name == name) return i;
    names.push_back(kernel.arrays[i].name);
  }
  throw UserError("", option,
                  "'" + name + "' is no pointer argument of " + options.program +
                      (names.empty() ? ", which has none" : did_you_mean(name, names)));
}

}  // namespace

Arrays::Arrays(const Options& options, cluster::Profile profile, const cluster::Launch& launch,
               const pto::Kernel& kernel)
    : options_(options) {
  for (const auto& [name, file] : options.outputs) find_array(kernel, options, "--output", name);
  if (options.no_data && !options.outputs.empty())
    throw UserError("", "--output", "with --no-data tiles have no values, so there are no results");
  using Contents = cluster::ClusterData::Contents;
  data_ = std::make_unique<cluster::ClusterData>(
      profile, launch, kernel.arrays, options.no_data ? Contents::kScalars : Contents::kAll);
  for (const auto& [name, file] : options.inputs)
    read(find_array(kernel, options, "--input", name), file);
}

void Arrays::read(std::size_t array, const std::string& file) {
  const cluster::GmArray& declared = data_->arrays()[array];
  data::HostArray values = data::read_npy(file);
  const DType expected = dtype_of(declared, "--input");
  if (values.dtype != expected)
    throw UserError(file, "",
                    std::string("the array has elements of ") + data::to_string(values.dtype) +
                        ", expected " + data::to_string(expected) + " for %" + declared.name +
                        ", a pointer to " + to_string(declared.element));
  forms_[array] = {values.shape, values.dtype};
  data_->bind(array, std::move(values.bytes));
}

void Arrays::give(std::size_t array, data::HostArray values, std::size_t zeros) {
  forms_[array] = {values.shape, values.dtype};
  if (zeros > 0) return data_->resize(array, zeros);
  data_->bind(array, std::move(values.bytes));
}

void Arrays::write_outputs(report::Report& report) {
  if (!data_->has_tiles()) return;
  for (std::size_t i = 0; i < data_->arrays().size(); ++i) {
    const cluster::GmArray& array = data_->arrays()[i];
    const auto file = options_.outputs.find(array.name);
    const bool wanted = file != options_.outputs.end();
    if (!wanted && !data_->is_written(i)) continue;
    const auto read = forms_.find(i);
    const bool is_known = read != forms_.end();
    data::Shape shape = is_known ? read->second.shape : data_->shape(i);
    if (!is_known && cluster::bits_of(array.element) == 4) shape = bytes_of_halves(shape);
    const DType type = is_known ? read->second.dtype : dtype_of(array, "--output");
    if (wanted) data::write_npy(file->second, {type, shape, data_->contents(i)});
    const bool has_name = array.element == Element::kBf16 || is_small_float(array.element);
    const std::string dtype = has_name ? cluster::to_string(array.element) : data::to_string(type);
    report.outputs.push_back({array.name, dtype, shape, wanted ? file->second : ""});
  }
}

}  // namespace tessera::ascend
