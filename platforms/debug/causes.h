// Who waits for what in a whole machine, for the command `why`.
#pragma once

#include <string>
#include <vector>

#include "platforms/run/driver.h"

namespace tessera::debug {

/// Causes first, a line each. The view is up to date.
std::vector<std::string> causes_of(const run::View& view);

}  // namespace tessera::debug
