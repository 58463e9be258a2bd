# SPDX-License-Identifier: Apache-2.0
# tessera_commit.h, with the commit of this checkout, which reports name. It is looked up at every build; only the
# executables of sc_main depend on it.
set(TESSERA_COMMIT_FOLDER "${PROJECT_BINARY_DIR}/generated")
set(commit_header "${TESSERA_COMMIT_FOLDER}/tessera_commit.h")
add_custom_target(tessera_commit BYPRODUCTS "${commit_header}"
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${commit_header}" -P "${CMAKE_CURRENT_LIST_DIR}/commit.cmake")

function(tessera_knows_commit target)
  add_dependencies(${target} tessera_commit)
  target_include_directories(${target} PRIVATE "${TESSERA_COMMIT_FOLDER}")
endfunction()
