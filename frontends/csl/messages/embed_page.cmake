# SPDX-License-Identifier: Apache-2.0
# Writes docs/csl-errors.md as a C++ string literal into the build tree, for tessera_cslc --explain, and adds it to
# tessera_frontends. A changed page makes CMake configure again.
include("${PROJECT_SOURCE_DIR}/cmake/TesseraEmbed.cmake")
tessera_embed_rows(errors_page_row "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/docs/csl-errors.md")

set(errors_page_source "${CMAKE_CURRENT_BINARY_DIR}/embedded_csl_errors.cpp")
file(CONFIGURE OUTPUT "${errors_page_source}" @ONLY CONTENT [[
// Written by frontends/csl/messages/embed_page.cmake.
#include "frontends/csl/messages/page.h"

namespace tessera::csl {

std::string_view errors_page() {
  struct Row {
    std::string_view name, text;
  };
  static constexpr Row kPage[] = {
@errors_page_row@  };
  return kPage[0].text;
}

}  // namespace tessera::csl
]])
target_sources(tessera_frontends PRIVATE "${errors_page_source}")
