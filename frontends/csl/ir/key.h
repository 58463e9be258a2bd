// Which modules are the same.
#pragma once

#include <string>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// All that a module has, as bytes: two modules with equal keys are equal, places in the sources included.
std::string key_of(const Module& module);

}  // namespace tessera::csl::ir
