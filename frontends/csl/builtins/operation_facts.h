// What operations on descriptors may count on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/sema/value.h"

namespace tessera::csl {

/// Whether the sources of an operation may change places.
inline bool commutes(pe::Opcode op) {
  using Op = pe::Opcode;
  switch (op) {
  case Op::kAdd16:
  case Op::kAddc16:
  case Op::kAnd16:
  case Op::kOr16:
  case Op::kXor16:
  case Op::kFadds:
  case Op::kFmuls:
  case Op::kFmaxs:
  case Op::kFaddh:
  case Op::kFmulh:
  case Op::kFmaxh:
    return true;
  default:
    return false;
  }
}

/// Whether a descriptor is known and has no elements.
inline bool has_no_elements(const Result& value) {
  if (!value.is_known() || value.value().is_undefined()) return false;
  const std::vector<std::int64_t>& extents =
      value.value().get<std::shared_ptr<const Dsd>>()->extents;
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace tessera::csl
