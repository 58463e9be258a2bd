// What a package says of a command line outside of --help: its man page, and the completion of bash. Both are made from
// the same table of options as --help.
#pragma once

#include <string>
#include <vector>

#include "platforms/cli/options.h"

namespace tessera::cli {

/// The manual page of section 1, in the man macros of roff.
std::string man_page(const Executable& executable, const std::vector<OptionGroup>& groups);

/// A script for bash: options, files, and the words that an option takes. The keys of --set come from
/// `--print-config` of the executable, with the preset that stands on the line.
std::string bash_completion(const Executable& executable, const std::vector<OptionGroup>& groups);

}  // namespace tessera::cli
