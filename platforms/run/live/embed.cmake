# Writes the files of the live view's page as C++ string literals into the build tree, at configure time. A changed file makes
# CMake configure again. A literal may not be long, so each file is cut into parts.
set(live_folder "${CMAKE_CURRENT_LIST_DIR}")
set(live_body body.html)
set(live_style style.css parts.css sizes.css)
set(live_script base.js recording.js state.js legend.js map.js lanes.js mesh.js strip.js machine.js table.js timeline.js place.js controls.js
  app.js)

set(live_functions "")
foreach(live_part body style script)
  string(APPEND live_functions "\nstd::string ${live_part}() {\n  std::string text;\n")
  foreach(live_name IN LISTS live_${live_part})
    set(live_file "${live_folder}/${live_name}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${live_file}")
    file(READ "${live_file}" live_text)
    string(LENGTH "${live_text}" live_length)
    set(live_from 0)
    while(live_from LESS live_length)
      string(SUBSTRING "${live_text}" ${live_from} 8192 live_piece)
      string(APPEND live_functions "  text += R\"tessera(${live_piece})tessera\";\n")
      math(EXPR live_from "${live_from} + 8192")
    endwhile()
  endforeach()
  string(APPEND live_functions "  return text;\n}\n")
endforeach()

set(live_source "${CMAKE_CURRENT_BINARY_DIR}/live_assets.cpp")
file(CONFIGURE OUTPUT "${live_source}" @ONLY CONTENT [[
// Written by platforms/run/live/embed.cmake.
#include "platforms/run/live_assets.h"

namespace tessera::run::live {
@live_functions@
}  // namespace tessera::run::live
]])
target_sources(tessera_platforms PRIVATE "${live_source}")
