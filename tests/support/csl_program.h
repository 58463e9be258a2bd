// Compiled CSL programs of the sources.
#pragma once

#include <iostream>
#include <string>
#include <utility>

#include "frontends/compiled/link.h"
#include "frontends/csl/option_text.h"

namespace tessera::test {

/// `file`: path below the sources. `params`: "a:1,b:2".
inline compiled::Program csl_program(const std::string& file, const std::string& arch,
                                     const std::string& params,
                                     std::pair<unsigned, unsigned> offsets = {4, 1}) {
  csl::Options options;
  options.arch = arch;
  options.offsets = offsets;
  csl::add_option_numbers(params, "--params", options.params);
  csl::Engine engine(options, std::cerr);
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/" + file;
  engine.evaluate(path);
  csl::Compiler compiler(engine);
  return compiled::link(engine, path, {}, std::ref(compiler));
}

}  // namespace tessera::test
