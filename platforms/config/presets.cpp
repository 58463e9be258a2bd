#include "platforms/config/presets.h"

namespace tessera::config {

std::optional<std::string_view> find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset.text;
  }
  return std::nullopt;
}

std::vector<std::string> preset_names(std::string_view machine) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (machine.empty() || preset.machine == machine) names.emplace_back(preset.name);
  }
  return names;
}

}  // namespace tessera::config
