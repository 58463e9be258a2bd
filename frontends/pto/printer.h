// Writes a module as PTO text: one operation a line, types in their long form. What it writes, read
// again, prints the same.
#pragma once

#include <string>

#include "frontends/pto/ast.h"

namespace tessera::pto {

std::string print(const Module& module);
std::string to_string(const Type& type);

}  // namespace tessera::pto
