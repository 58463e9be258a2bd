# Writes platforms/*/presets/*.json as C++ string literals into the build tree, at configure time, and adds the result
# to tessera_platforms. A changed or new preset makes CMake configure again.
get_filename_component(preset_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
file(GLOB preset_files CONFIGURE_DEPENDS "${preset_root}/*/presets/*.json")

set(preset_rows "")
set(preset_names "")
foreach(preset_file IN LISTS preset_files)
  get_filename_component(preset_name "${preset_file}" NAME_WE)
  list(APPEND preset_names "${preset_name}")
  set(preset_file_of_${preset_name} "${preset_file}")
endforeach()
list(SORT preset_names)

foreach(preset_name IN LISTS preset_names)
  set(preset_file "${preset_file_of_${preset_name}}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${preset_file}")
  file(RELATIVE_PATH preset_path "${preset_root}" "${preset_file}")
  string(REGEX REPLACE "/.*" "" preset_machine "${preset_path}")
  file(READ "${preset_file}" preset_text)
  string(APPEND preset_rows
    "      {\"${preset_name}\", \"${preset_machine}\", R\"tessera(${preset_text})tessera\"},\n")
endforeach()

set(preset_source "${CMAKE_CURRENT_BINARY_DIR}/embedded_presets.cpp")
file(CONFIGURE OUTPUT "${preset_source}" @ONLY CONTENT [[
// Written by platforms/config/embed_presets.cmake.
#include "platforms/config/presets.h"

namespace tessera::config {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
@preset_rows@  };
  return kPresets;
}

}  // namespace tessera::config
]])
target_sources(tessera_platforms PRIVATE "${preset_source}")
