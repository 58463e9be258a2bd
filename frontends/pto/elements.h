// Element types and places as the text writes them, and as the model has them.
#pragma once

#include <string>

#include "frontends/pto/ast.h"
#include "models/cluster/program.h"

namespace tessera::pto {

/// Bits that an element takes in a tile; those of i1 have a byte.
unsigned bits_of(const std::string& element);

// These throw UserError at the type.
/// What the costs of a tile of this type depend on.
cluster::DataType data_type_of(const Type& type, const Diagnostics& diagnostics);
cluster::Element element_of(const Type& type, const Diagnostics& diagnostics);
/// The buffer that a tile lies in.
cluster::Location location_of(const Type& tile, const Diagnostics& diagnostics);

}  // namespace tessera::pto
