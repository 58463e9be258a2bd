// Tensor accesses |i, j|{n, m} -> A[affine, ..] (csl.md 8.1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {

/// Where the elements of a descriptor lie. What only the running program knows is an operand of it;
/// the rest is known.
struct DsdBase {
  const Type* array = nullptr;       ///< the array, or the element of a pointer
  std::optional<Location> location;  ///< of a variable that the program has as a whole
  std::optional<Result> pointer;     ///< else a pointer
};

/// The array or pointer that an expression stands for.
DsdBase base_of(Evaluator& evaluator, const Expr& e);

struct TensorAccessParts {
  DsdBase base;
  std::int64_t offset = 0;     ///< in elements
  std::optional<Result> rest;  ///< the part of the offset that the running program computes
  std::vector<std::int64_t> extents, strides;  ///< outer first
};

/// Fails if the access is not affine or has an extent that is not known.
TensorAccessParts read_tensor_access(Evaluator& evaluator, const TensorAccess& access);
/// An access that stands by itself: a struct of `.base_address`, `.offset`, `.stride` and `.extent`.
Result tensor_access_value(Evaluator& evaluator, const TensorAccess& access);

}  // namespace tessera::csl
