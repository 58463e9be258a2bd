# SPDX-License-Identifier: Apache-2.0
# sdk/bin: the commands cslc, cs_python, csdb and sdk_debug_shell under the names that scripts call (docs/csl-host.md). They lie in a folder of
# their own, which stands on PATH only where it is wanted, and find the rest of Tessera from where they are.
include(GNUInstallDirs)

# tessera_sdk(<folder of sdk/bin> <folder of executables> <folder of the Python package> <where to write>)
function(tessera_sdk folder bin python destination)
  file(RELATIVE_PATH TESSERA_SDK_TO_BIN "${folder}" "${bin}")
  file(RELATIVE_PATH TESSERA_SDK_TO_PYTHON "${folder}" "${python}")
  foreach(command cslc cs_python csdb sdk_debug_shell)
    configure_file("${PROJECT_SOURCE_DIR}/sdk/${command}.in" "${destination}/${command}" @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
endfunction()

tessera_sdk("${PROJECT_BINARY_DIR}/sdk/bin" "${PROJECT_BINARY_DIR}/bin" "${PROJECT_SOURCE_DIR}/python" "${PROJECT_BINARY_DIR}/sdk/bin")
# The command of a build, beside its executables; an installation has a link to the script (TesseraInstall.cmake).
configure_file("${PROJECT_SOURCE_DIR}/scripts/tessera.in" "${PROJECT_BINARY_DIR}/bin/tessera" @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(TESSERA_INSTALL)
  set(sdk_dir "${CMAKE_INSTALL_LIBEXECDIR}/tessera/sdk/bin")
  set(python_dir "${CMAKE_INSTALL_DATADIR}/tessera/python")
  set(staged_sdk "${PROJECT_BINARY_DIR}/package/sdk")
  tessera_sdk("/${sdk_dir}" "/${CMAKE_INSTALL_BINDIR}" "/${python_dir}" "${staged_sdk}")
  install(PROGRAMS "${staged_sdk}/cslc" "${staged_sdk}/cs_python" "${staged_sdk}/csdb" "${staged_sdk}/sdk_debug_shell"
    DESTINATION "${sdk_dir}" COMPONENT tools)
  # What cs_python adds to the path of Python, and beside it the package `tessera`, which a package for a system installs where
  # every Python finds it.
  set(TESSERA_PYTHON_DIR "${python_dir}" CACHE STRING "Folder of the Python package tessera, below the prefix")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/cerebras" "${PROJECT_SOURCE_DIR}/python/tessera_csl" DESTINATION "${python_dir}"
    COMPONENT tools FILES_MATCHING PATTERN "*.py")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/tessera" DESTINATION "${TESSERA_PYTHON_DIR}" COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
  install(FILES "${PROJECT_SOURCE_DIR}/python/tessera_csl/arguments.py" DESTINATION "${TESSERA_PYTHON_DIR}/tessera" COMPONENT python
    RENAME csl_arguments.py)
  install(FILES "${PROJECT_SOURCE_DIR}/python/tessera_csl/halves.py" DESTINATION "${TESSERA_PYTHON_DIR}/tessera" COMPONENT python)
endif()
