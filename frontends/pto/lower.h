// Lowers PTO text to programs of AI cores (models/cluster/program/program.h), in three steps:
//
//   const Module module = parse_file(path);             // parser.h: the text is read once
//   options.profile = profile_of(module).value_or(..);  // unless the user has chosen a machine
//   const Kernel kernel = lower(module, options);
//
// Each kind of core starts the function with pto.entry; in a module without pto.entry it starts the
// function that no other function calls; LowerOptions::function names another one. Calls are inlined. kinds.h decides which kind of core runs
// a function: a core skips the calls that belong to the other kind, so an entry function that calls
// a cube function and a vector function starts both. Constants are folded. Values in tiles are not
// computed: a program says which operations run, on which operands, and what they cost.
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

/// The machine that the module names in pto.target_arch or pto.device-spec; nothing if it names
/// none. Throws UserError for a machine that does not exist.
std::optional<cluster::Profile> profile_of(const Module& module);

/// The option --pto-unknown=cost:N,PIPE: an operation that is not in operations.h takes N cycles of
/// this pipe. The default pipe is V on an AIV and M on an AIC.
struct UnknownCost {
  std::int64_t cycles = 0;
  std::optional<cluster::Pipe> pipe;
};
/// Reads "cost:N" or "cost:N,PIPE". Throws UserError.
UnknownCost parse_unknown_cost(const std::string& text);

/// A state of the public assembler. April's takes tiles that August's refuses: rows and columns in UB that are no
/// multiple of 32 bytes, results and scratch tiles of other sizes (docs/ascend-platform.md, Rules of the assembler).
enum class Version : std::uint8_t { kApril2026, kAugust2026 };

struct LowerOptions {
  cluster::Profile profile = cluster::Profile::kA2A3;
  /// Values of scalar arguments, by name without %. An argument whose name or attribute ends in
  /// spmd_block_idx, spmd_block_num, spmd_subblock_idx or spmd_subblock_num needs none: it has the
  /// value of pto.get_block_idx and so on, which each core has for itself.
  std::map<std::string, std::int64_t> params;
  std::optional<UnknownCost> unknown = {};   ///< for operations that parse() kept as text
  std::map<std::string, double> reals = {};  ///< values of arguments that are not whole numbers
  /// The name of the function that the cores start; "": the module says which one.
  std::string function = {};
  /// The level of the public assembler (1 to 3) whose rules about addresses hold; 0: no rules.
  int level = 0;
  Version version = Version::kAugust2026;
  /// Whether an end of a pipe that no function has belongs to a peer outside of the program, which
  /// is always ready. If the module has no function for the other kind of core, it always does.
  bool external_peers = false;
  /// The library of C++ computes what is valid of a result, whatever is valid of the sources, as long as they are so large.
  bool sizes_of_results = false;
};

/// A program is nullptr if no function runs on that kind of core.
struct Kernel {
  std::shared_ptr<const cluster::Program> aic, aiv;
  std::vector<cluster::GmArray> arrays;  ///< pointer arguments; operands of both programs name them
  std::vector<std::string>
      external_ends;  ///< a sentence about each end of a pipe outside of the program
};

/// Throws UserError with the line and column of the first mistake, or with all arguments that need a
/// value.
Kernel lower(const Module& module, const LowerOptions& options);

}  // namespace tessera::pto
