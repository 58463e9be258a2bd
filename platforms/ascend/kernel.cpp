#include "platforms/ascend/kernel.h"

#include <algorithm>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

pto::LowerOptions lowering_of(const cli::Options& options, const AscendConfig& config,
                              const TextOptions& text) {
  pto::LowerOptions lowering;
  if (!text.level.empty()) lowering.level = text.level.back() - '0';
  if (text.version == "2026-04") lowering.version = pto::Version::kApril2026;
  lowering.external_peers = text.external_peers;
  lowering.profile = config.machine.profile;
  for (const auto& [name, value] : options.params) {
    if (const auto whole = cli::whole_number_in(value)) {
      lowering.params[name] = *whole;
    } else if (const auto real = cli::finite_number_in(value)) {
      lowering.reals[name] = *real;
    } else {
      throw UserError("", "--param", name + "=" + value + ": the value must be a number");
    }
  }
  lowering.function = text.function;
  if (!text.unknown.empty()) lowering.unknown = pto::parse_unknown_cost(text.unknown);
  return lowering;
}

/// Whether the program asks which block, or which AIV, runs it.
bool asks_for_block(const cluster::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const cluster::Instruction& i) { return i.op == cluster::Opcode::kGet; });
}

/// The ratio for a program with functions for these kinds of core. A block of a kernel for vector
/// cores only is one AIV (ascend.md 1.1); a launch of more than one block fills both of a cluster.
cluster::LaunchRatio ratio_for(const AscendConfig& config, const pto::Kernel& kernel) {
  if (!kernel.aiv) return cluster::LaunchRatio::k1To0;
  if (kernel.aic) return cluster::LaunchRatio::k1To2;
  const bool several = (config.clusters > 1 || config.blocks > 1) && asks_for_block(*kernel.aiv);
  return several ? cluster::LaunchRatio::k0To2 : cluster::LaunchRatio::k0To1;
}

cluster::Launch launch_of(const AscendConfig& config, const pto::Kernel& kernel) {
  if (config.devices > 1)
    throw UserError("", "launch.devices", "several devices run kernels in C++ only");
  cluster::Launch launch;
  launch.clusters = config.clusters;
  launch.blocks = config.blocks;
  launch.ratio = config.ratio.value_or(ratio_for(config, kernel));
  launch.mix = config.mix.value_or(kernel.aic && kernel.aiv);
  launch.clusters = clusters_in_use(launch);
  const auto require = [&launch](bool has, bool needs, const char* kind) {
    if (has || !needs) return;
    throw UserError("", "launch.ratio",
                    std::string(to_string(launch.ratio)) + " needs a function for " + kind +
                        ", and the program has none");
  };
  require(kernel.aic != nullptr, aics_of(launch.ratio) > 0, "the AIC");
  require(kernel.aiv != nullptr, aivs_of(launch.ratio) > 0, "the AIVs");
  return launch;
}

}  // namespace

AscendConfig config_of(const cli::Options& options, std::optional<cluster::Profile> names) {
  std::string preset = options.preset;
  if (preset.empty() && options.config_file.empty())
    preset = names == cluster::Profile::kA2A3 ? "a2a3" : "a5";
  return load_ascend_config(preset, options.config_file, options.sets);
}

LaunchedKernel::LaunchedKernel(const pto::Module& module, const cli::Options& options,
                               const AscendConfig& config, const TextOptions& text)
    : kernel(pto::lower(module, lowering_of(options, config, text))),
      launch(launch_of(config, kernel)) {}

}  // namespace tessera::ascend
