// What AI-core clusters run: a PTO program, lowered for a machine, and how it is launched on it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "frontends/pto/ast.h"
#include "frontends/pto/lower.h"
#include "models/cluster/cluster_config.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/cli/options.h"

namespace tessera::ascend {

/// The configuration of a run. Without --preset and --config it is the preset of the machine that the program `names`; if it names
/// none, a5. Throws UserError.
AscendConfig config_of(const cli::Options& options, std::optional<cluster::Profile> names);

/// What the options say about the text of a program: --pto-unknown, --function, --pto-level,
/// --pto-version, --external-peers.
struct TextOptions {
  std::string unknown, function, level, version;
  bool external_peers = false;
};

class Arrays;

struct LaunchedKernel {
  /// Lowers `module`. Throws UserError, also when the kernel has no function for a core of the
  /// launch.
  LaunchedKernel(const pto::Module& module, const cli::Options& options, const AscendConfig& config,
                 const TextOptions& text = {});

  /// A kernel whose cores take their instructions from `from`.
  LaunchedKernel(pto::Kernel of, cluster::Launch on,
                 std::shared_ptr<cluster::InstructionSource> from)
      : kernel(std::move(of)), launch(on), source(std::move(from)) {}

  const pto::Kernel kernel;
  const cluster::Launch launch;
  const std::shared_ptr<cluster::InstructionSource> source;  ///< nullptr: the programs have all
  bool is_empty =
      false;  ///< native code that comes to no operation, as tasks that only mark a place
  /// It asks which AIV of its block it is, and runs as one for vector cores only, whose blocks are AIVs.
  bool lacks_subblocks = false;
  /// The launch has ended before cycle `next`: prepares another one of the same cores, if there is one.
  std::function<bool(Arrays& arrays, Cycle next)> next_launch;
  /// The run is over, and nothing is written yet. May throw IllegalBehaviour.
  std::function<void()> at_end;
};

}  // namespace tessera::ascend
