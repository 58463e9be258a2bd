# SPDX-License-Identifier: Apache-2.0
# Links a small SystemC program at configure time and, when that fails, says why in plain words. The program has the version of
# SystemC, which TESSERA_SYSTEMC_RELEASE has afterwards.
#
# Every object that includes <systemc> refers to a symbol sc_api_version_<version>_cxx<standard>; the library defines
# exactly one of them. Compiled with another standard, a program builds and then fails with an obscure link error.

# "201703" -> "C++17"
function(_tessera_cxx_name digits variable)
  string(SUBSTRING "${digits}" 2 2 year)
  if(year EQUAL 20 OR year EQUAL 17 OR year EQUAL 14 OR year EQUAL 11)
    set(${variable} "C++${year}" PARENT_SCOPE)
  elseif(digits EQUAL 202302)
    set(${variable} "C++23" PARENT_SCOPE)
  else()
    set(${variable} "C++ ${digits}" PARENT_SCOPE)
  endif()
endfunction()

# The file of the SystemC library behind SystemC::systemc, or empty.
function(_tessera_systemc_library variable)
  set(${variable} "" PARENT_SCOPE)
  foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE INTERFACE_LINK_LIBRARIES)
    get_target_property(values SystemC::systemc ${property})
    list(APPEND candidates ${values})
  endforeach()
  if(TARGET PkgConfig::TESSERA_SYSTEMC)
    get_target_property(values PkgConfig::TESSERA_SYSTEMC INTERFACE_LINK_LIBRARIES)
    list(APPEND candidates ${values})
  endif()
  foreach(candidate IN LISTS candidates)
    if(candidate MATCHES "systemc" AND EXISTS "${candidate}" AND NOT IS_DIRECTORY "${candidate}")
      set(${variable} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The standards (201703, ...) the library exports, read from its symbol names.
function(_tessera_systemc_exports library variable)
  set(found "")
  if(library)
    file(STRINGS "${library}" names REGEX "sc_api_version_[0-9_]+cxx[0-9]+L")
    string(REGEX MATCHALL "cxx[0-9]+L" found "${names}")
    string(REGEX REPLACE "cxx([0-9]+)L" "\\1" found "${found}")
    list(REMOVE_DUPLICATES found)
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

function(_tessera_explain_link_failure output)
  _tessera_systemc_library(library)
  _tessera_systemc_exports("${library}" exported)
  if(output MATCHES "undefined reference[^\n]*sc_api_version_[0-9_]+cxx([0-9]+)L")
    set(ours "${CMAKE_MATCH_1}")
    list(GET exported 0 theirs)
    if(theirs AND NOT ours STREQUAL theirs)
      _tessera_cxx_name("${ours}" our_name)
      _tessera_cxx_name("${theirs}" their_name)
      string(REPLACE "C++" "" standard "${their_name}")
      set(remedy "  Configure with -DCMAKE_CXX_STANDARD=${standard}")
      if(ours GREATER theirs AND theirs GREATER_EQUAL 201703)
        string(APPEND remedy ", or keep ${our_name} and add -DTESSERA_SC_CPLUSPLUS=${theirs}L")
      endif()
      message(FATAL_ERROR
        "The SystemC library was built for ${their_name}, but this project is being compiled as ${our_name}.\n"
        "  Library:  ${library} exports sc_api_version_..._cxx${theirs}L\n"
        "  Our code: asks for sc_api_version_..._cxx${ours}L\n"
        "${remedy}, or use a SystemC that was built for ${our_name}.")
    endif()
  endif()
  message(FATAL_ERROR
    "SystemC was found (${TesseraSystemC_ORIGIN}) but a small SystemC program does not compile and link with it. "
    "Library: ${library}; C++ standards it was built for: ${exported}. The compiler said:\n${output}")
endfunction()

function(tessera_systemc_link_probe)
  set(probe "${CMAKE_BINARY_DIR}/CMakeFiles/systemc_probe.cpp")
  file(WRITE "${probe}.in" [[
#include <systemc>
#include <tlm>
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
extern const char kRelease[];
const char kRelease[] =
    "tessera_systemc_release=" TEXT(SC_VERSION_MAJOR) "." TEXT(SC_VERSION_MINOR) "." TEXT(SC_VERSION_PATCH);
struct Probe : sc_core::sc_module {
  explicit Probe(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};
int sc_main(int count, char**) {
  Probe probe("probe");
  sc_core::sc_start();
  return kRelease[count] == 0;
}
]])
  configure_file("${probe}.in" "${probe}" COPYONLY)

  set(standard "${CMAKE_CXX_STANDARD}")
  if(NOT standard)
    set(standard 17)  # a project that asks for its standard target by target; ours ask for 17 at least
  endif()

  # Asked again only when something it depends on has changed.
  set(key "${CMAKE_CXX_COMPILER}|${CMAKE_CXX_FLAGS}|${standard}|${TESSERA_SC_CPLUSPLUS}|${TesseraSystemC_ORIGIN}")
  if("${TESSERA_SYSTEMC_PROBED}" STREQUAL key AND TESSERA_SYSTEMC_RELEASE)
    return()
  endif()
  message(STATUS "Linking a SystemC program (${TesseraSystemC_ORIGIN})")
  unset(linked CACHE)
  try_compile(linked "${CMAKE_BINARY_DIR}/systemc_probe" "${probe}"
    LINK_LIBRARIES SystemC::systemc
    CXX_STANDARD ${standard}
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
    OUTPUT_VARIABLE output
    COPY_FILE "${CMAKE_BINARY_DIR}/CMakeFiles/systemc_probe.out"
    COPY_FILE_ERROR copy_failed)
  set(result "${linked}")
  unset(linked CACHE)
  if(NOT result)
    unset(TESSERA_SYSTEMC_PROBED CACHE)
    _tessera_explain_link_failure("${output}")
  endif()
  file(STRINGS "${CMAKE_BINARY_DIR}/CMakeFiles/systemc_probe.out" release REGEX "tessera_systemc_release=[0-9.]+")
  if(NOT release MATCHES "tessera_systemc_release=([0-9.]+)")
    message(FATAL_ERROR "A program that was linked with SystemC (${TesseraSystemC_ORIGIN}) does not tell its version. ${copy_failed}")
  endif()
  set(TESSERA_SYSTEMC_RELEASE "${CMAKE_MATCH_1}" CACHE INTERNAL "Version of SystemC")
  set(TESSERA_SYSTEMC_PROBED "${key}" CACHE INTERNAL "Configuration that was seen to link with SystemC")
  message(STATUS "Linking a SystemC program - done")
endfunction()
