# SPDX-License-Identifier: Apache-2.0
# Writes frontends/csl/library/**/*.csl as C++ string literals into the build tree, at configure time, and adds the result
# to tessera_frontends. A changed or new file makes CMake configure again.
set(library_root "${CMAKE_CURRENT_LIST_DIR}/library")
file(GLOB_RECURSE library_files CONFIGURE_DEPENDS "${library_root}/*.csl")
list(SORT library_files)

include("${PROJECT_SOURCE_DIR}/cmake/TesseraEmbed.cmake")
tessera_embed_rows(library_rows "${library_root}" ${library_files})
string(REPLACE ".csl\", R\"" "\", R\"" library_rows "${library_rows}")  # a module has no ending

set(library_source "${CMAKE_CURRENT_BINARY_DIR}/embedded_csl_library.cpp")
file(CONFIGURE OUTPUT "${library_source}" @ONLY CONTENT [[
// Written by frontends/csl/embed_library.cmake.
#include "frontends/csl/sema/library.h"

namespace tessera::csl {

const std::vector<LibraryFile>& library_files() {
  static const std::vector<LibraryFile> kFiles = {
@library_rows@  };
  return kFiles;
}

}  // namespace tessera::csl
]])
target_sources(tessera_frontends PRIVATE "${library_source}")
