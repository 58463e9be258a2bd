// From PTO text to programs of AI cores (models/cluster/program.h).
//
// A function with pto.kernel_kind runs on its kind of core, others on the kind that their tiles
// belong to; of a function with pto.section.cube and pto.section.vector each kind runs its part and
// what stands outside of both. Constants are folded. Values in tiles are not computed: a program
// says what operations cost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program.h"

namespace tessera::pto {

/// What the module says about its machine: pto.target_arch, or pto.device-spec.
std::optional<cluster::Profile> profile_of(const Module& module);

struct LowerOptions {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::map<std::string, std::int64_t> params;  ///< scalar arguments, by name without %
};

/// nullptr: no function for that kind of core.
struct Kernel {
  std::shared_ptr<const cluster::Program> aic, aiv;
  std::vector<cluster::GmArray> arrays;  ///< pointer arguments; operands of both programs name them
};

/// Throws UserError with line and column.
Kernel lower(const Module& module, const LowerOptions& options);

}  // namespace tessera::pto
