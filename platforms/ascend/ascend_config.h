// Configuration of AI-core clusters: what a preset (platforms/ascend/presets/*.json) or a config
// file gives. `ascend_platform --print-config` shows every key with its source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "platforms/config/load.h"

namespace tessera::ascend {

struct AscendConfig {
  std::string name;  ///< name of the preset or config file: "a5"
  cluster::ClusterConfig machine;
  unsigned clusters = 1;
  unsigned devices = 1;  ///< each with so many clusters
  unsigned blocks = 0;
  unsigned overhead_ns = 0;      ///< task time less core time
  unsigned mix_overhead_ns = 0;  ///< the same of kernels on both kinds of core
  /// How a kernel is launched; no value: the ratio follows from the kinds of its functions, and it is
  /// a MIX kernel if it has both.
  std::optional<cluster::LaunchRatio> ratio;
  std::optional<bool> mix;
  config::Loaded loaded;  ///< where each value comes from
};

/// The keys of a configuration. The schema refers to `config`, which must outlive it.
config::Schema ascend_schema(AscendConfig& config);

/// Clusters that a block of the launch runs on: one with fewer blocks than clusters leaves the others idle.
unsigned clusters_in_use(const cluster::Launch& launch);

/// Preset or file (one of them; the other empty), then overrides "KEY=VALUE". Throws UserError.
AscendConfig load_ascend_config(const std::string& preset, const std::string& file,
                                const std::vector<std::string>& overrides = {});

}  // namespace tessera::ascend
