// Whether a compiled folder still stands for its CSL files.
#pragma once

#include <string>
#include <vector>

#include "frontends/compiled/program.h"

namespace tessera::compiled {

/// The CSL files that have changed since the folder was compiled, as the compiler named them. They are looked for where the
/// top file is, beside the folder or in the working directory; without a top file nothing is known, and nothing is named.
std::vector<std::string> changed_sources(const Program& program, const std::string& folder);

}  // namespace tessera::compiled
