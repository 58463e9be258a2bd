# SPDX-License-Identifier: Apache-2.0
# Defaults for whoever builds Tessera itself; a parent project that adds us keeps its own.
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set(TESSERA_IS_TOP_LEVEL ON)
else()
  set(TESSERA_IS_TOP_LEVEL OFF)
endif()

if(NOT DEFINED CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)  # the standard Debian's SystemC library is built with
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(TESSERA_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

  # Several sources are compiled as one (CMake calls it a unity build), because most of the work of a small source is what
  # it includes: the sources of a folder in a library, a dozen files of a test executable. The cores and modules of models/
  # are compiled one by one. -DCMAKE_UNITY_BUILD=OFF does so everywhere.
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  endif()

  # ccache only where it can work: it refuses to compile when its folder (usually in HOME) cannot be written.
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(probe "${CMAKE_BINARY_DIR}/CMakeFiles/ccache_probe.cpp")
    file(WRITE "${probe}" "int probe;\n")
    execute_process(COMMAND "${CCACHE_PROGRAM}" "${CMAKE_CXX_COMPILER}" -c "${probe}" -o "${probe}.o"
      RESULT_VARIABLE ccache_failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT ccache_failed)
      # Without these two ccache keeps nothing that was compiled with a precompiled header.
      set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${CCACHE_PROGRAM}")
    endif()
  endif()
endif()
