# SPDX-License-Identifier: Apache-2.0
# CPack: packages for Debian of what was built (scripts/package.sh, docs/packages.md), one for each component of
# TesseraInstall.cmake. TesseraDebian.cmake gives them what the rules of Debian ask for.

# Everything that an installation has, and no tests.
add_custom_target(installation)
add_dependencies(installation ${programs} command_pages tessera_shared tessera_platforms)
if(TARGET tessera_mpi)
  add_dependencies(installation tessera_mpi)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "${PROJECT_NAME}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools library development python documentation)
if(TARGET tessera_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/TesseraDebian.cmake")

# The number after the version says for which release of Debian the package was made: a newer release gets a greater one.
set(release "")
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release release REGEX "^VERSION_ID=")
  string(REGEX REPLACE "[^0-9.]" "" release "${release}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~deb${release}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Only these have something to link; CPack asks about every file of a component.
foreach(component TOOLS LIBRARY MPI)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Who makes packages for others says who he is with the variables that all tools of Debian take.
set(maintainer "$ENV{DEBFULLNAME}")
if(NOT maintainer)
  set(maintainer "The Tessera authors")
endif()
set(address "$ENV{DEBEMAIL}")
if(NOT address)
  set(address "tessera@packages.invalid")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${maintainer} <${address}>")

# tessera_deb(<component> <package> <first line> <long text> [field value]...)
function(tessera_deb component package summary text)
  string(TOUPPER "${component}" name)
  set(prefix "CPACK_DEBIAN_${name}")
  set(${prefix}_PACKAGE_NAME "${package}" PARENT_SCOPE)
  set(${prefix}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  while(ARGN)
    list(POP_FRONT ARGN field value)
    set(${prefix}_PACKAGE_${field} "${value}" PARENT_SCOPE)
  endwhile()
endfunction()

set(library "libtessera${TESSERA_ABI_VERSION}")
set(this_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
# What packages of others that link with the library depend on, and that the cache of the linker knows it.
file(CONFIGURE OUTPUT "${staged}/shlibs" CONTENT "libtessera ${TESSERA_ABI_VERSION} ${library} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT "${staged}/triggers" CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${staged}/shlibs;${staged}/triggers")
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA "${staged}/triggers")
set(about "Tessera tells how many cycles a program takes on a spatial accelerator,
and why, without the machine: wafer-scale fabrics, AI-core clusters and
statically scheduled meshes.")
tessera_deb(tools tessera "cycle-level models of spatial accelerators"
  "${about}
.
This package has the executables, the command tessera, and the modules
that host programs of CSL import."
  DEPENDS "python3, python3-numpy" RECOMMENDS "g++, python3-yaml, python3-tessera" SUGGESTS "tessera-doc, tessera-mpi, qemu-system-x86")
tessera_deb(library "${library}" "cycle-level models of spatial accelerators - C library"
  "${about}
.
This package has the shared library behind tessera.h." SECTION libs)
tessera_deb(mpi tessera-mpi "cycle-level models of spatial accelerators - several processes"
  "${about}
.
This package lets several processes of Open MPI share one wafer." DEPENDS "tessera (= ${this_version})" RECOMMENDS openmpi-bin)
tessera_deb(python python3-tessera "cycle-level models of spatial accelerators - Python package"
  "${about}
.
This package has the Python package tessera, for programs and notebooks." SECTION python ARCHITECTURE all
  DEPENDS "python3, python3-numpy, ${library} (>= ${PROJECT_VERSION})" RECOMMENDS tessera)
tessera_deb(documentation tessera-doc "cycle-level models of spatial accelerators - documentation"
  "${about}
.
This package has the manual." SECTION doc ARCHITECTURE all)

# Libraries in C++ go with one version of SystemC.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" boost "${Boost_VERSION}")
string(REGEX REPLACE "^(.*\\.)([0-9]+)$" "\\1;\\2" parts "${TESSERA_SYSTEMC_RELEASE}")
list(GET parts 0 systemc_begin)
list(GET parts 1 systemc_last)
math(EXPR systemc_last "${systemc_last} + 1")
set(systemc "libsystemc-dev (>= ${TESSERA_SYSTEMC_RELEASE}), libsystemc-dev (<< ${systemc_begin}${systemc_last}~)")
tessera_deb(development libtessera-dev "cycle-level models of spatial accelerators - development files"
  "${about}
.
This package has the headers and static libraries of the models in SystemC,
the files for CMake and pkg-config, tessera.h for C, and projects that use
them." SECTION libdevel
  DEPENDS "${library} (= ${this_version}), ${systemc}, zlib1g-dev, libboost${boost}-dev, libboost-json${boost}-dev, \
libboost-program-options${boost}-dev, libboost-context${boost}-dev"
  SUGGESTS "cmake, pkg-config, tessera-doc")

include(CPack)
