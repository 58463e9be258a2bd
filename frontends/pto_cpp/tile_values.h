// Tiles and tensors of a kernel in C++ as values of the lowering of PTO (frontends/pto): where each element lies.
#pragma once

#include "frontends/pto/scope.h"
#include "frontends/pto_cpp/library/pto/interface.h"

namespace tessera::pto_cpp {

/// `core` decides whose buffer it is. Throws UserError for a location that the model does not have.
pto::Value value_of(const TsrTile& tile, cluster::CoreKind core, const std::string& name);

/// The part of a tensor that an operation copies to or from `tile`: as many rows and columns as are valid there. Its
/// place in its array is in register `offset`, in bytes. Copies between GM and UB of A2/A3 count the gap between two rows of
/// the tensor, not their distance (pto_cpp.md 4.1).
pto::Value value_of(const TsrTensor& tensor, const TsrTile& tile, cluster::Profile profile,
                    unsigned array, unsigned offset, const std::string& name);

/// A tile whose elements lie column by column, and the tensor that it comes from, are copied column by column: both are
/// turned.
bool copies_by_columns(const TsrTensor& tensor, const TsrTile& tile);
void turn(pto::Value& tile);

/// The first element of a tensor, of an operation without tiles.
pto::Value word_of(const TsrTensor& tensor, unsigned array, unsigned offset,
                   const std::string& name);

}  // namespace tessera::pto_cpp
