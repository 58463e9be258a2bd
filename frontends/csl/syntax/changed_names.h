// Which names a file may give another value: what LLVM finds out when it asks who stores to a variable.
#pragma once

#include <string_view>
#include <unordered_set>

#include "frontends/csl/syntax/source_file.h"

namespace tessera::csl {

/// Names that stand before an assignment somewhere in the file, but for their declaration, or after '&'. A local variable of the same
/// name counts too; names after a point do not, they are members of something else. Valid as long as the file.
std::unordered_set<std::string_view> changed_names(const SourceFile& file);

}  // namespace tessera::csl
