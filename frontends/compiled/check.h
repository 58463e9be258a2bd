// Whether a compiled program that was read from a folder is one: everything that later parts take for
// granted, so that a folder with a mistake is refused when it is loaded.
#pragma once

#include <memory>
#include <vector>

#include "frontends/compiled/program.h"

namespace tessera::compiled {

/// Checks places, colors, links, streams and names against the grid. `file` is that of tessera.json for
/// messages. Throws UserError.
void check_program(const Program& program, const std::string& file);

/// Checks what the host may name against the code: `images` are those of Layout::programs. Throws UserError.
void check_code(const Program& program,
                const std::vector<std::shared_ptr<const pe::Image>>& images);

}  // namespace tessera::compiled
