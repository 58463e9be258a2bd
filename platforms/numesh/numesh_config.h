// Configuration of a scheduled mesh: what a preset (platforms/numesh/presets/*.json) or a config
// file gives. docs/configuration.md explains every key.
#pragma once

#include <string>
#include <vector>

#include "frontends/operators/termination.h"
#include "platforms/config/load.h"

namespace tessera::numesh {

struct NumeshConfig {
  std::string name;                 ///< name of the preset or config file: "numesh"
  unsigned clock_period_ps = 4900;  ///< numesh.md 1.1
  operators::Target target;         ///< the machine, as the compiler and the models see it
  config::Loaded loaded;            ///< where each value comes from
};

/// The keys of a configuration. The schema refers to `config`, which must outlive it.
config::Schema numesh_schema(NumeshConfig& config);

/// Preset or file (one of them; the other empty), then overrides "KEY=VALUE". Throws UserError.
NumeshConfig load_numesh_config(const std::string& preset, const std::string& file,
                                const std::vector<std::string>& overrides = {});

}  // namespace tessera::numesh
