// The IR as text, for tests and for people who look at what the compiler does.
#pragma once

#include <string>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// "%3:i16 = add %1, 5".
std::string to_string(const Module& module, const Function& function, const Instruction& in);
std::string print(const Module& module, const Function& function);
std::string print(const Module& module);

}  // namespace tessera::csl::ir
