// Which modules, functions and the like are the same.
#pragma once

#include <string>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// All that a module has, as bytes: two modules with equal keys are equal, places in the sources included.
std::string key_of(const Module& module);

/// The same of a part of it, behind what `key` has.
void append_key(std::string& key, const Function& function);
void append_key(std::string& key, const Descriptor& descriptor);

}  // namespace tessera::csl::ir
