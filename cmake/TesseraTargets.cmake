# SPDX-License-Identifier: Apache-2.0
# How a target of this project is made: one place for flags, include root and names.
include(GNUInstallDirs)

# Warnings and float rules are for our own targets only: consumers keep theirs.
# -ffp-contract=off: f32 results and digests must not depend on whether a compiler fuses multiply and add.
add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off)

# tessera_sources(<variable> <pattern>...): the files of a folder, relative to the current folder.
# Globbing is on purpose: a block is a pair of files in a folder, and adding one must not need a CMake edit;
# CONFIGURE_DEPENDS makes the build notice new files by itself.
function(tessera_sources variable)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARGN})
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# Standard headers that most sources include: reading them takes a quarter of the time of a compilation.
set(TESSERA_STANDARD_HEADERS
  <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <optional> <ostream>
  <set> <stdexcept> <string> <string_view> <unordered_map> <utility> <vector>)

# tessera_precompiled_headers(<name> HEADERS <header>... LINK <target>... [OPTIONS <option>...])
# compiles headers once for all targets that are compiled with the same options; tessera_precompile(<target> <name>)
# lets a target use them. They replace no #include: the preset tidy compiles without them.
function(tessera_precompiled_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK;OPTIONS")
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# Libraries may become part of a shared object (platforms/capi, or one of a user), which shows of them what it wants.
function(tessera_relocatable target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(tessera_precompile target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

tessera_precompiled_headers(tessera_library_pch LINK tessera_flags HEADERS ${TESSERA_STANDARD_HEADERS})
tessera_relocatable(tessera_library_pch)

# tessera_library(<name> SOURCES <file>... LINK <public>... LINK_PRIVATE <private>...)
# makes the static library tessera_<name>, alias Tessera::<name>. Without sources it is an interface library.
# In a unity build (TesseraDefaults.cmake) the sources of a folder are compiled as one.
function(tessera_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;LINK_PRIVATE")
  set(target tessera_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tessera_flags> ${arg_LINK_PRIVATE})
    tessera_precompile(${target} tessera_library_pch)
    tessera_relocatable(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS arg_SOURCES)
      get_filename_component(folder "${source}" DIRECTORY)
      get_filename_component(folder "${folder}" NAME)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
    endforeach()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>")
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_17)
  target_link_libraries(${target} ${scope} ${arg_LINK})
  add_library(Tessera::${name} ALIAS ${target})
endfunction()
