# SPDX-License-Identifier: Apache-2.0
# tessera_embed_rows(ROWS ROOT FILE...): sets ROWS to the rows {"name", "text"} of a C++ table, a row for each file; the name is the
# path from ROOT. A changed file makes CMake configure again. A literal may have 64 KB; none of the files is that long.
function(tessera_embed_rows rows root)
  set(found "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(RELATIVE_PATH name "${root}" "${file}")
    file(READ "${file}" text)
    string(APPEND found "      {\"${name}\", R\"tessera(${text})tessera\"},\n")
  endforeach()
  set(${rows} "${found}" PARENT_SCOPE)
endfunction()
