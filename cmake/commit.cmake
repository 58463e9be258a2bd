# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a header with the commit of the checkout SOURCE, which reports name; "-dirty" after it says that files
# had been changed. The header stays as it is while the commit does, so that nothing is compiled again.
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=40 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define TESSERA_COMMIT \"${commit}\"\n" @ONLY)
