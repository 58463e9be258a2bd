// Tensor accesses |i, j|{n, m} -> A[affine, ..] (csl.md 8.1).
#pragma once

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

/// Sets base, element, offset, extents and strides of a descriptor.
void read_tensor_access(Evaluator& evaluator, const TensorAccess& access, Dsd& dsd);

}  // namespace tessera::csl
