# SPDX-License-Identifier: Apache-2.0
# CPack runs this between installation and packing: what the rules of Debian want of files. Each component lies in a folder of
# its own below CPACK_TEMPORARY_DIRECTORY.

function(tessera_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed ERROR_VARIABLE message OUTPUT_QUIET)
  if(failed)
    message(FATAL_ERROR "${ARGN} failed: ${message}")
  endif()
endfunction()

# The date of the version, not of this day: the same sources make the same package.
set(source "${CMAKE_CURRENT_LIST_DIR}/..")
file(STRINGS "${source}/CITATION.cff" released REGEX "^date-released: ")
string(REGEX REPLACE ".*: " "" released "${released}")
execute_process(COMMAND date -u -R -d "${released}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tessera

Files: *
Copyright: 2026 The Tessera authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
set(changes "tessera (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packages of this version; changelog.gz says what is new in it.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" name)
  set(package "${CPACK_DEBIAN_${name}_PACKAGE_NAME}")
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  set(documents "${root}/usr/share/doc/${package}")
  file(WRITE "${documents}/copyright" "${copyright}")
  file(WRITE "${documents}/changelog.Debian" "${changes}")
  file(COPY_FILE "${source}/CHANGELOG.md" "${documents}/changelog")
  tessera_run(gzip -9nf "${documents}/changelog.Debian" "${documents}/changelog")

  file(GLOB pages "${root}/usr/share/man/man*/*.[1-9]")
  if(pages)
    tessera_run(gzip -9nf ${pages})
  endif()
  file(GLOB_RECURSE archives "${root}/usr/lib/*.a")
  if(archives)
    tessera_run(strip --strip-debug --enable-deterministic-archives ${archives})
  endif()
  # Python is that of the system.
  file(GLOB_RECURSE scripts "${root}/usr/*.py")
  if(scripts)
    tessera_run(sed -i "1s|^#!/usr/bin/env python3|#!/usr/bin/python3|" ${scripts})
  endif()
  if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/debian/${component}.lintian-overrides")
    file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/debian/${component}.lintian-overrides" "${root}/usr/share/lintian/overrides/${package}")
  endif()
endforeach()
