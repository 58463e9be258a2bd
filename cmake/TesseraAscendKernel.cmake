# SPDX-License-Identifier: Apache-2.0
# tessera_add_ascend_kernel(NAME SOURCE kernel.cpp [PRESET a2a3] [FUNCTION add] [OUTPUT kernel.so] [OPTIONS -O2 -DN=4 ..])
#
# Compiles a kernel in C++ with ascend-cxx and the C++ compiler of the project, as part of ALL: the target NAME, whose property
# TESSERA_KERNEL_FILE is the file for ascend_platform. It is compiled again when one of its files has changed.
function(tessera_add_ascend_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 kernel "" "SOURCE;PRESET;FUNCTION;OUTPUT" "OPTIONS")
  if(NOT kernel_SOURCE OR kernel_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_ascend_kernel(${name}): expected SOURCE kernel.cpp, and known are PRESET, FUNCTION, OUTPUT and "
      "OPTIONS; given: ${ARGN}")
  endif()
  cmake_path(ABSOLUTE_PATH kernel_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT kernel_OUTPUT)
    set(kernel_OUTPUT "${name}.so")
  endif()
  cmake_path(ABSOLUTE_PATH kernel_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  set(options ${kernel_OPTIONS})
  foreach(option PRESET FUNCTION)
    if(kernel_${option})
      string(TOLOWER "${option}" word)
      list(APPEND options "--${word}" "${kernel_${option}}")
    endif()
  endforeach()
  add_custom_command(OUTPUT "${kernel_OUTPUT}"
    COMMAND "${CMAKE_COMMAND}" -E env "CXX=${CMAKE_CXX_COMPILER}" "$<TARGET_FILE:Tessera::ascend-cxx>" "${kernel_SOURCE}"
            -o "${kernel_OUTPUT}" --depfile "${kernel_OUTPUT}.d" ${options}
    DEPENDS "${kernel_SOURCE}" DEPFILE "${kernel_OUTPUT}.d" COMMENT "Compiling kernel ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${kernel_OUTPUT}")
  set_target_properties(${name} PROPERTIES TESSERA_KERNEL_FILE "${kernel_OUTPUT}")
endfunction()
