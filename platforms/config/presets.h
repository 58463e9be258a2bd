// The shipped presets, compiled into the binary (embed_presets.cmake) so that an executable runs
// from anywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::config {

struct Preset {
  std::string_view name;     ///< "wse3": file name without .json
  std::string_view machine;  ///< "wse": the folder below platforms/
  std::string_view text;     ///< JSON
};

/// All of them, sorted by name.
const std::vector<Preset>& presets();

/// JSON text of a preset; nothing when there is no preset of that name.
inline std::optional<std::string_view> find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset.text;
  }
  return std::nullopt;
}

/// Names of the presets of one machine; with an empty `machine` the names of all presets.
inline std::vector<std::string> preset_names(std::string_view machine = {}) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (machine.empty() || preset.machine == machine) names.emplace_back(preset.name);
  }
  return names;
}

}  // namespace tessera::config
