// From PTO text to programs of AI cores (models/cluster/program/program.h).
//
// The function with pto.entry is what starts; in a module without one those that no other calls.
// Calls are inlined. kinds.h says which kind of core a function runs on: what a call gives to the
// other kind is skipped, so an entry that calls a cube and a vector function starts both. Constants
// are folded. Values in tiles are not computed: a program says what operations cost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// What the module says about its machine: pto.target_arch, or pto.device-spec.
std::optional<cluster::Profile> profile_of(const Module& module);

/// What --pto-unknown=cost:N,PIPE says: an operation that nobody knows takes N cycles of that pipe,
/// else of V on an AIV and of M on an AIC.
struct UnknownCost {
  std::int64_t cycles = 0;
  std::optional<cluster::Pipe> pipe;
};
/// From "cost:N" or "cost:N,PIPE". Throws UserError.
UnknownCost parse_unknown_cost(const std::string& text);

struct LowerOptions {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::map<std::string, std::int64_t> params;  ///< scalar arguments, by name without %
  std::optional<UnknownCost> unknown = {};     ///< of operations that parse() has kept as text
  std::map<std::string, double> reals = {};    ///< .. those that are no whole numbers
};

/// nullptr: no function for that kind of core.
struct Kernel {
  std::shared_ptr<const cluster::Program> aic, aiv;
  std::vector<cluster::GmArray> arrays;  ///< pointer arguments; operands of both programs name them
};

/// Throws UserError with line and column.
Kernel lower(const Module& module, const LowerOptions& options);

}  // namespace tessera::pto
