# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves behind (docs/building-on-tessera.md): headers under include/tessera with the folders of
# this tree, the libraries, the executables, a CMake package, pkg-config files, and in share/tessera presets and examples.
#
# Two export sets, because the protocol kits need SystemC only and the models Boost too. Components, which become packages
# (TesseraPackage.cmake): tools, library (for C), mpi, development, python, documentation.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")
set(data_dir "${CMAKE_INSTALL_DATADIR}/tessera")

install(TARGETS tessera_vocabulary tessera_tlm_ifaces EXPORT TesseraIfaces)
install(TARGETS tessera_cores tessera_modules tessera_frontends tessera_platforms tessera_wse tessera_ascend tessera_numesh
  EXPORT TesseraModels
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
foreach(set Ifaces Models)
  install(EXPORT Tessera${set} NAMESPACE Tessera:: FILE Tessera${set}.cmake DESTINATION "${package_dir}" COMPONENT development)
endforeach()

# The C interface: one library and one header. What wse_platform loads under mpirun lies beside it.
install(TARGETS tessera_shared
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/platforms/capi/tessera.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
if(TARGET tessera_mpi)
  install(TARGETS tessera_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi)
endif()

get_property(programs DIRECTORY "${PROJECT_SOURCE_DIR}/sc_main" PROPERTY BUILDSYSTEM_TARGETS)
list(REMOVE_ITEM programs command_pages)
install(TARGETS ${programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
# Man pages and bash completion.
install(DIRECTORY "${PROJECT_BINARY_DIR}/share/" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT tools)

foreach(folder tlm_ifaces models frontends platforms)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN presets EXCLUDE PATTERN library EXCLUDE)
endforeach()
# The headers that kernels in C++ include, for editors: the executables carry them. Our own headers need the interface.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/frontends/pto_cpp/library/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera-pto"
  COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/frontends/pto_cpp/library/pto/interface.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera/frontends/pto_cpp/library/pto" COMPONENT development)

# Scripts for users find each other, and the executables, from where they lie; bin has links to them.
set(scripts_dir "${data_dir}/scripts")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/sweep.py" "${PROJECT_SOURCE_DIR}/scripts/tessera.py" DESTINATION "${scripts_dir}"
  COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/scripts/files.py" "${PROJECT_SOURCE_DIR}/scripts/pictures.py" "${PROJECT_SOURCE_DIR}/scripts/startup.py"
  DESTINATION "${scripts_dir}" COMPONENT tools)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/sweeps" "${PROJECT_SOURCE_DIR}/scripts/commands" "${PROJECT_SOURCE_DIR}/scripts/costmodel"
  DESTINATION "${scripts_dir}" COMPONENT tools FILES_MATCHING PATTERN "*.py")
file(RELATIVE_PATH scripts_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${scripts_dir}")
foreach(command "tessera-sweep:sweep" "tessera:tessera")
  string(REGEX MATCH "^(.*):(.*)$" unused "${command}")
  set(link "${PROJECT_BINARY_DIR}/package/bin/${CMAKE_MATCH_1}")
  set(script "${scripts_from_bin}/${CMAKE_MATCH_2}.py")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/package/bin")
  file(CREATE_LINK "${script}" "${link}" SYMBOLIC)
  install(PROGRAMS "${link}" DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endforeach()

# Executables carry their presets; these are for reading, and for --config.
file(GLOB presets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/platforms/*/presets/*.json")
install(FILES ${presets} DESTINATION "${data_dir}/presets" COMPONENT tools)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${data_dir}" COMPONENT tools)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/editors" DESTINATION "${data_dir}" COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/CITATION.cff" DESTINATION "${data_dir}" COMPONENT tools)  # for tessera info --cite
# Projects that build on Tessera, which the tests of consumers compile.
foreach(project IN ITEMS ascend_kernel capi cxx20 numesh vp wse)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/tests/consumer/${project}" DESTINATION "${data_dir}/examples/consumers" COMPONENT development)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CITATION.cff"
  "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" "${PROJECT_SOURCE_DIR}/SECURITY.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation)

# The SystemC library and ours were compiled with one C++ standard; SystemC's macro SC_CPLUSPLUS lets code of a newer
# one link with them (SystemCLinkProbe.cmake).
set(TESSERA_BUILT_SC_CPLUSPLUS "${TESSERA_SC_CPLUSPLUS}")
if(NOT TESSERA_BUILT_SC_CPLUSPLUS)
  set(value_of_17 201703L)
  set(value_of_20 202002L)
  set(TESSERA_BUILT_SC_CPLUSPLUS "${value_of_${CMAKE_CXX_STANDARD}}")
endif()
set(TESSERA_SC_CPLUSPLUS_FLAG "")
if(TESSERA_BUILT_SC_CPLUSPLUS)
  set(TESSERA_SC_CPLUSPLUS_FLAG "-DSC_CPLUSPLUS=${TESSERA_BUILT_SC_CPLUSPLUS}")
endif()

set(staged "${PROJECT_BINARY_DIR}/package")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/TesseraConfig.cmake.in" "${staged}/TesseraConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${staged}/TesseraConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${staged}/TesseraConfig.cmake" "${staged}/TesseraConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindTesseraSystemC.cmake" "${CMAKE_CURRENT_LIST_DIR}/SystemCLinkProbe.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindTesseraBoost.cmake" "${CMAKE_CURRENT_LIST_DIR}/TesseraAscendKernel.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# Where a .pc file lies below the prefix, so that the tree can be moved.
file(RELATIVE_PATH TESSERA_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(name tessera tessera-c tessera-ifaces)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in" "${staged}/${name}.pc" @ONLY)
  install(FILES "${staged}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()
