// Writes a tree as CSL text. What it writes, parsed again, is the same tree.
#pragma once

#include <string>

#include "frontends/csl/syntax/source_file.h"

namespace tessera::csl {

std::string print(const SourceFile& file);
std::string print(const Expr& expression);

}  // namespace tessera::csl
