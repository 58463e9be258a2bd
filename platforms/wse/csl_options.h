// Options of wse_platform for CSL programs.
#pragma once

#include <string>
#include <vector>

#include "frontends/compiled/program.h"
#include "frontends/csl/option_text.h"
#include "platforms/cli/options.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

struct CslOptions {
  static constexpr const char* kHeading = "CSL programs";

  csl::Options program;
  std::string style = "vendor";
  std::string locals = "memory";
  std::string arch;                   ///< of the command line; the preset says what runs
  unsigned channels = 1;              ///< of host transfers
  std::vector<std::string> launches;  ///< "FUNCTION" or "FUNCTION:ARGUMENT,ARGUMENT"

  cli::OptionGroup group();
};

/// --arch: the preset of that generation, unless `preset` is given, which must be one of it.
cli::Option arch_option(std::string& preset, std::string& arch);

/// Whether `program` is a CSL file, or the folder of a compiled program.
bool is_csl(const std::string& program);

/// Compiles a CSL file for the machine of `config`, or reads the folder of a program that was compiled
/// for it. --param NAME=VALUE is taken as --params NAME:VALUE is. Throws UserError.
compiled::Program load_csl(const cli::Options& options, const CslOptions& given,
                           const WseConfig& config);

}  // namespace tessera::wse
