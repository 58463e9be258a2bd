# SPDX-License-Identifier: Apache-2.0
# Writes the headers of frontends/pto_cpp/library as C++ string literals into the build tree, at configure time, and adds the
# result to tessera_frontends. A changed or new file makes CMake configure again.
set(header_root "${CMAKE_CURRENT_LIST_DIR}/library")
file(GLOB_RECURSE header_files CONFIGURE_DEPENDS "${header_root}/*.h" "${header_root}/*.hpp")
list(SORT header_files)

include("${PROJECT_SOURCE_DIR}/cmake/TesseraEmbed.cmake")
tessera_embed_rows(header_rows "${header_root}" ${header_files})

set(header_source "${CMAKE_CURRENT_BINARY_DIR}/embedded_pto_headers.cpp")
file(CONFIGURE OUTPUT "${header_source}" @ONLY CONTENT [[
// Written by frontends/pto_cpp/embed_library.cmake.
#include "frontends/pto_cpp/library.h"

namespace tessera::pto_cpp {

const std::vector<HeaderFile>& header_files() {
  static const std::vector<HeaderFile> kFiles = {
@header_rows@  };
  return kFiles;
}

}  // namespace tessera::pto_cpp
]])
target_sources(tessera_frontends PRIVATE "${header_source}")
