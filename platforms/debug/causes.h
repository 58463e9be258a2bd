// Who waits for what in a whole machine, for the command `why`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platforms/debug/words.h"
#include "platforms/run/driver.h"

namespace tessera::debug {

/// Causes first, a line each; `name`: what a place is called by its coordinates. The view is up to date.
std::vector<std::string>
causes_of(const run::View& view,
          const std::function<std::string(const std::vector<int>&)>& name = in_parentheses);

}  // namespace tessera::debug
