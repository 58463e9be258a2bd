// Arrays of a communication program and files of the host: [nodes, words] of 32 bits.
#pragma once

#include <map>
#include <string>

#include "frontends/operators/memory.h"
#include "frontends/operators/program.h"
#include "models/scheduled/mesh_core.h"
#include "platforms/data/host_array.h"

namespace tessera::numesh {

/// --input: the words that an array begins with instead of its init. Throws UserError.
void read_inputs(const std::map<std::string, std::string>& files, operators::Program& program);
/// --output: names that are no arrays are a UserError.
void check_output_names(const std::map<std::string, std::string>& files,
                        const operators::Program& program);
/// What the nodes hold.
data::HostArray array_of(const scheduled::MeshView& mesh, const operators::Program& program,
                         const operators::MemoryMap& map, std::size_t array);

}  // namespace tessera::numesh
