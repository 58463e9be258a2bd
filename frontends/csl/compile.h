// The compiler of run-time code: from the code of a tile with its bindings to a tile program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

struct CodeOptions {
  codegen::Locals locals = codegen::Locals::kMemory;
  bool optimize = true;
};

/// What the host reaches on the tiles of a variant.
struct HostSymbol {
  std::string name;
  const Type* type = nullptr;
  bool is_function = false;
  std::uint32_t address = 0;  ///< of the pointer variable whose value counts at the copy (csl.md 5)
};

struct CompiledVariant {
  pe::Image image;
  std::vector<HostSymbol> symbols;  ///< functions are functions of the image of the same name
};

/// Throws UserError(file, "LINE:COLUMN", problem).
CompiledVariant compile(Engine& engine, Variant& variant, const CodeOptions& options);

}  // namespace tessera::csl
