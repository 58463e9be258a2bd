// Arguments of a kernel in C++ from a file, as launchers that are generated write them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tessera::ascend {

/// Adds to `args` what `file` gives and `args` has not: a JSON object with names and values, or a list of values in the order of
/// `names`. A value is a number, null, or a text as of --arg; an .npy file is relative to `file`. Throws UserError.
void add_arguments_of(const std::string& file, const std::vector<std::string>& names,
                      std::map<std::string, std::string>& args);

}  // namespace tessera::ascend
