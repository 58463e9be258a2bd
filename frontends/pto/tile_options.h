// Attributes of tile operations.
#pragma once

#include "frontends/pto/emitter.h"

namespace tessera::pto {

/// "hard" of "#pto.sync_all_mode<hard>", "#pto<sync_all_mode hard>", "\"hard\"" and "hard".
std::string word_of(const Attribute& attribute);

// These throw UserError at the attribute.
/// Rounding, saturation, comparison, activation and pattern, as far as the operation has them.
void set_options(const Operation& op, cluster::TileOperation& operation,
                 const Diagnostics& diagnostics);
/// pad = 0 to 3 of a tile type.
cluster::Pad pad_of(const Type& type, const Diagnostics& diagnostics);
/// accPhase of a multiplication and stPhase of a store (ascend.md 2.5): partial keeps the unit flag,
/// final toggles it. For the last instruction.
void set_unit_flag(const Operation& op, Emitter& emitter, const Diagnostics& diagnostics);

}  // namespace tessera::pto
