// From an evaluated CSL program to a compiled one: compiles the code of each variant and puts the
// tiles, with the routes of their colors, into the fabric.
#pragma once

#include <functional>
#include <string>

#include "frontends/compiled/program.h"
#include "frontends/csl/compile.h"

namespace tessera::compiled {

struct LinkOptions {
  bool has_memcpy = false;   ///< room for host transfers around the program (csl.md 15)
  unsigned west_buffer = 0;  ///< columns beside those of host transfers
  unsigned east_buffer = 0;
  unsigned channels = 1;    ///< of host transfers, 1 to 16
  std::vector<Port> ports;  ///< streams of the host at the rim of the fabric
};

/// The number of an option --channels. Throws UserError.
unsigned channels_of(const std::string& text);

/// The compiler of run-time code with its options bound; tests give images of their own.
using Compile = std::function<csl::CompiledVariant(csl::Variant&)>;

/// `engine` has evaluated `file`. The fabric is that of its options, else as large as the program
/// needs. Throws UserError if the program does not fit into the fabric, and what `compile` throws.
Program link(csl::Engine& engine, const std::string& file, const LinkOptions& options,
             const Compile& compile);

/// The part of link() that needs no code: checks where the program lies in the fabric.
layout::Rect place(const csl::Engine& engine, const std::string& file, const csl::Program& program,
                   const LinkOptions& options);

}  // namespace tessera::compiled
