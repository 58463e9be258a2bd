// A compiled CSL program whose codes are assembled: FILE.tasm beside each FILE.csl. A variable of CSL
// that is exported has its initial pointer from the variable of the assembly that it names.
#pragma once

#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/link.h"
#include "frontends/csl/option_text.h"
#include "frontends/tasm/assembler.h"

namespace tessera::test {

inline csl::CompiledVariant assembled(const csl::Variant& variant, Generation generation) {
  tasm::AssembleOptions options;
  options.generation = generation;
  csl::CompiledVariant made;
  made.image = tasm::assemble_file(
      std::filesystem::path(variant.file).replace_extension(".tasm").string(), options);
  for (const csl::ExportedSymbol& symbol : variant.tile.exports) {
    if (!symbol.variable) {
      made.symbols.push_back({symbol.name, symbol.type, true, 0, symbol.name});
      continue;
    }
    const std::string& name = symbol.variable->name;
    for (pe::Symbol& pointer : made.image.symbols) {
      if (pointer.name != name) continue;
      made.symbols.push_back({symbol.name, symbol.type, false, pointer.address, {}});
      const pe::Symbol* target = made.image.find_symbol(name.substr(name.find('_') + 1));
      if (target != nullptr) pointer.init = {target->address};
    }
  }
  return made;
}

inline compiled::Program program_of(const std::string& file, const std::string& arch,
                                    const std::string& params,
                                    std::pair<unsigned, unsigned> offsets = {4, 1}) {
  csl::Options options;
  options.arch = arch;
  options.offsets = offsets;
  csl::add_option_numbers(params, "--params", options.params);
  csl::Engine engine(options, std::cerr);
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/" + file;
  engine.evaluate(path);
  const Generation generation = arch == "wse2" ? Generation::kWse2 : Generation::kWse3;
  return compiled::link(engine, path, {},
                        [&](csl::Variant& variant) { return assembled(variant, generation); });
}

}  // namespace tessera::test
