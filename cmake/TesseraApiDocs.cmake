# SPDX-License-Identifier: Apache-2.0
# Target api_docs: the API documentation of the public headers, in build/api/html. It exists where Doxygen does; a warning
# of Doxygen fails it. `cmake --install` takes the pages along if they were made (docs/building-on-tessera.md).
set(TESSERA_API_DOCS_DIR "${PROJECT_BINARY_DIR}/api")
configure_file("${CMAKE_CURRENT_LIST_DIR}/Doxyfile.in" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)

find_program(DOXYGEN_EXECUTABLE doxygen)
if(DOXYGEN_EXECUTABLE)
  add_custom_target(api_docs
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${TESSERA_API_DOCS_DIR}"
    COMMAND "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile"
    COMMENT "Writing the API documentation to ${TESSERA_API_DOCS_DIR}/html"
    VERBATIM)
endif()

install(DIRECTORY "${TESSERA_API_DOCS_DIR}/html/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/api" COMPONENT documentation OPTIONAL)
