// Compiled CSL programs: those of the sources, and those in folders.
#pragma once

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/check.h"
#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "frontends/csl/option_text.h"
#include "frontends/tasm/assembler.h"

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

/// What a machine does before it is built: reads the folder of a compiled program, assembles and checks. Throws UserError.
inline compiled::Program load_folder(const std::string& folder, const std::string& version) {
  compiled::Program program = compiled::read_folder(folder, version);
  std::vector<std::shared_ptr<const pe::Image>> images;
  for (const layout::Program& code : program.layout.programs) {
    tasm::AssembleOptions options;
    options.generation = program.generation;
    options.file = code.code;
    options.params.insert(code.params.begin(), code.params.end());
    images.push_back(std::make_shared<const pe::Image>(tasm::assemble(*code.text, options)));
  }
  compiled::check_code(program, images);
  return program;
}

}  // namespace tessera::test
