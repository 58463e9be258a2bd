// The locals of the function in which a PE stands, as a debugger sees them. The compiler says where they are at each
// instruction (compiled::Local).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/compiled/program.h"
#include "models/pe/compute_engine_core.h"
#include "platforms/debug/target.h"

namespace tessera::wse {

/// A local that a line of the source may name.
struct LocalHere {
  const compiled::Local* local = nullptr;
  const compiled::Local::Place* at = nullptr;  ///< nullptr: it has no value here

  bool is_in_memory() const { return at != nullptr && at->kind == 'm'; }
  /// As symbols of the image. Requires that it is in memory.
  pe::Symbol symbol() const;
};

/// Those of the block around the line at which a frame stands; of two with one name the inner one.
std::vector<LocalHere> locals_at(const compiled::Locals& locals, const debug::Frame& frame);
/// Numbers of variables of the file that are not in memory at an instruction.
std::vector<LocalHere> globals_elsewhere(const compiled::Locals& locals, std::uint32_t pc);

/// The bits of a number. Requires that it has a place.
std::uint32_t bits_of(const LocalHere& here, const pe::EngineState& pe);
/// The value of a local in a register, or of a constant. Throws UserError for one without a value.
debug::Value value_of(const LocalHere& here, const pe::EngineState& pe);
/// Throws UserError for one that is in no register.
void set_value(const LocalHere& here, pe::EngineState& pe, const debug::Value& value);
/// The first is said where the second has no place.
debug::Variable variable_of(const LocalHere& here, const pe::EngineState& pe);
/// "the local 'i' has no value here: ..".
[[noreturn]] void refuse_local(const LocalHere& here);

}  // namespace tessera::wse
