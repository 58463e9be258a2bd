# SPDX-License-Identifier: Apache-2.0
# SystemC, wherever it comes from, always as the target SystemC::systemc.
#
# Order: the target exists already (a parent project) > -DSYSTEMC_HOME=DIR, an explicit wish > a CMake package
# (SystemCLanguage) > pkg-config > the environment variable SYSTEMC_HOME.
# Then a small SystemC program is linked, because a C++ standard other than the library's fails only at link time.
#
# TESSERA_SC_CPLUSPLUS: value for SystemC's macro SC_CPLUSPLUS, to use a C++17 library from C++20 code (201703L).

include(FindPackageHandleStandardArgs)
include("${CMAKE_CURRENT_LIST_DIR}/SystemCLinkProbe.cmake")

if(NOT DEFINED TESSERA_SC_CPLUSPLUS)
  set(TESSERA_SC_CPLUSPLUS "" CACHE STRING "C++ standard of the SystemC library when ours is newer, e.g. 201703L")
endif()

# Makes SystemC::systemc from a SystemC installation prefix.
function(_tessera_systemc_from_home home)
  find_path(_include systemc HINTS "${home}/include" "${home}/src" NO_DEFAULT_PATH NO_CACHE)
  find_library(_library systemc
    HINTS "${home}" PATH_SUFFIXES lib lib64 lib-linux64 lib/${CMAKE_LIBRARY_ARCHITECTURE}
    NO_DEFAULT_PATH NO_CACHE)
  if(NOT _include OR NOT _library)
    message(STATUS "SYSTEMC_HOME=${home} has no include/systemc or no libsystemc in lib, lib64 or lib-linux64")
    return()
  endif()
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED GLOBAL)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${_include}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endfunction()

function(_tessera_systemc_from_pkg_config)
  find_package(PkgConfig QUIET)
  if(NOT PKG_CONFIG_FOUND)
    return()
  endif()
  pkg_check_modules(TESSERA_SYSTEMC QUIET IMPORTED_TARGET GLOBAL systemc)
  if(TESSERA_SYSTEMC_FOUND)
    add_library(SystemC::systemc INTERFACE IMPORTED GLOBAL)
    target_link_libraries(SystemC::systemc INTERFACE PkgConfig::TESSERA_SYSTEMC)
  endif()
endfunction()

set(_origin "")
if(TARGET SystemC::systemc)
  set(_origin "target of the parent project")
endif()
if(NOT _origin AND DEFINED SYSTEMC_HOME)
  _tessera_systemc_from_home("${SYSTEMC_HOME}")
  set(_origin "SYSTEMC_HOME=${SYSTEMC_HOME}")
endif()
if(NOT _origin)
  find_package(SystemCLanguage QUIET CONFIG)
  if(TARGET SystemC::systemc)
    set(_origin "CMake package ${SystemCLanguage_DIR}")
  endif()
endif()
if(NOT _origin)
  _tessera_systemc_from_pkg_config()
  if(TARGET SystemC::systemc)
    set(_origin "pkg-config, version ${TESSERA_SYSTEMC_VERSION}")
  endif()
endif()
if(NOT _origin AND DEFINED ENV{SYSTEMC_HOME})
  _tessera_systemc_from_home("$ENV{SYSTEMC_HOME}")
  set(_origin "environment variable SYSTEMC_HOME=$ENV{SYSTEMC_HOME}")
endif()

if(TARGET SystemC::systemc)
  set(TesseraSystemC_ORIGIN "${_origin}")
endif()
find_package_handle_standard_args(TesseraSystemC
  REQUIRED_VARS TesseraSystemC_ORIGIN
  REASON_FAILURE_MESSAGE "
  SystemC was not found. Debian and Ubuntu: apt-get install libsystemc-dev (and pkg-config), or run scripts/setup.sh.
  For a SystemC built by yourself, configure with -DSYSTEMC_HOME=/its/prefix, or with
  -DCMAKE_PREFIX_PATH=/its/prefix if it was built with CMake.")

if(TesseraSystemC_FOUND)
  if(TESSERA_SC_CPLUSPLUS)
    get_target_property(_target SystemC::systemc ALIASED_TARGET)
    if(NOT _target)
      set(_target SystemC::systemc)
    endif()
    set_property(TARGET ${_target} APPEND PROPERTY
      INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=${TESSERA_SC_CPLUSPLUS})
  endif()
  tessera_systemc_link_probe()
endif()
