#include "platforms/numesh/arrays.h"

#include <algorithm>

#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::numesh {

namespace {

std::size_t find_array(const operators::Program& program, const std::string& name,
                       const std::string& option) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    if (program.arrays[i].name == name) return i;
    names.push_back(program.arrays[i].name);
  }
  throw UserError(program.file, option + " " + name,
                  "the program has no array '" + name + "'" + did_you_mean(name, names));
}

data::Shape shape_of(const operators::Program& program, const operators::Array& array) {
  return {program.mesh.node_count(), array.words};
}

}  // namespace

void read_inputs(const std::map<std::string, std::string>& files, operators::Program& program) {
  for (const auto& [name, file] : files) {
    operators::Array& array = program.arrays[find_array(program, name, "--input")];
    const data::HostArray read = data::read_npy(file);
    const data::Shape shape = shape_of(program, array);
    if (read.shape != shape)
      throw UserError(file, "",
                      "the array has the shape " + data::to_string(read.shape) + "; '" + name +
                          "' needs " + data::to_string(shape) + ", nodes by words");
    const data::HostArray words = data::converted(read, data::DType::kI32, file, "");
    array.given.clear();
    for (std::size_t i = 0; i < words.size(); ++i)
      array.given.push_back(static_cast<std::uint32_t>(words.bits(i)));
  }
}

void check_output_names(const std::map<std::string, std::string>& files,
                        const operators::Program& program) {
  for (const auto& [name, file] : files) find_array(program, name, "--output");
}

data::HostArray array_of(const scheduled::MeshView& mesh, const operators::Program& program,
                         const operators::MemoryMap& map, std::size_t array) {
  const std::uint32_t words = program.arrays[array].words;
  data::HostArray result =
      data::HostArray::zeros(data::DType::kI32, shape_of(program, program.arrays[array]));
  for (scheduled::NodeId node = 0; node < mesh.size(); ++node) {
    const std::vector<std::uint32_t>& memory = mesh.processor(node).memory();
    for (std::uint32_t k = 0; k < words; ++k)
      result.set_bits(std::size_t{node} * words + k, memory[map.array[array] + k]);
  }
  return result;
}

}  // namespace tessera::numesh
