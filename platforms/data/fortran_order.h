// Arrays whose first index runs fastest: NumPy's "Fortran order", which a .npy file may have.
#pragma once

#include <cstddef>

#include "platforms/data/host_array.h"

namespace tessera::data {

/// Puts the elements of an array of `shape`, `width` bytes each, which lie at `from` in Fortran
/// order, to `to` in C order.
void to_c_order(const Shape& shape, std::size_t width, const std::byte* from, std::byte* to);

}  // namespace tessera::data
