// wse_platform as a function, for executables that bring modules of their own (docs/rtl-in-the-loop.md).
#pragma once

#include <string>

#include "platforms/wse/replacements.h"

namespace tessera::wse {

/// Reads the command line, builds the machine, runs the program and writes the report. Answers the
/// exit code. Call it from sc_main(). `commit`: that of the executable's sources, for the report.
int run_platform(int argc, char* argv[], Replacements& replacements,
                 const std::string& commit = {});

}  // namespace tessera::wse
