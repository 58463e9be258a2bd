// Options of a program as a command line writes them (csl.md 15).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

using NamedNumbers = std::vector<std::pair<std::string, std::uint64_t>>;

/// An unsigned integer. All throw UserError; `option` is for the message: "--params".
std::uint64_t option_number(const std::string& text, const std::string& option);
/// Appends "a:1,b:2". No name may come twice.
void add_option_numbers(const std::string& text, const std::string& option, NamedNumbers& numbers);
/// Adds ".name:1024,.other:4096": where the variables of sections begin.
void add_option_sections(const std::string& text, const std::string& option, Options& options);
/// "W,H"
std::pair<unsigned, unsigned> option_pair(const std::string& text, const std::string& option);
/// "1.4" or "2.10"
Version option_version(const std::string& text);

/// CSL_IMPORT_PATH and, if `options` has no version, TESSERA_CSL_VERSION.
void add_environment(Options& options);

}  // namespace tessera::csl
