// Writes a tree as S-expressions, without places: two trees are equal if their texts are.
#pragma once

#include <string>

#include "frontends/csl/syntax/source_file.h"

namespace tessera::csl {

/// "(== (& x 1) 0)"
std::string dump(const Expr& expression);
/// One line for each declaration.
std::string dump(const SourceFile& file);

}  // namespace tessera::csl
