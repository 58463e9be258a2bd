// Names of other languages that programs use by habit (csl.md 1), and what CSL has in their place.
#pragma once

#include <string>
#include <string_view>

namespace tessera::csl {

/// "; .." for a name of a type or value that other languages have; empty for any other name.
std::string advice_on_name(std::string_view name);
/// "; .." for a builtin that other languages have, or that is a function of a library here.
std::string advice_on_builtin(std::string_view name);

}  // namespace tessera::csl
