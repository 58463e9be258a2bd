// A CSL program of several files in one text, as mutation tests and fuzz targets take it: before each file stands a line
// "//// NAME"; the first file is the layout, whose line "// cslc: OPTIONS" has the options of the compiler.
#pragma once

#include <string>

namespace tessera::test {

/// All CSL files of a folder below the sources that has a layout.csl.
std::string csl_bundle(const std::string& folder);

enum class CslEnd { kRefused, kLoads, kFault };

/// Compiles the program in `folder` and loads what the compiler has written. A fault is what a user should never see: the
/// loader refuses what the compiler accepts, or an error that is no UserError; `message` says which, or why it was refused.
CslEnd compile_and_load(const std::string& bundle, const std::string& arch,
                        const std::string& folder, std::string& message);

}  // namespace tessera::test
