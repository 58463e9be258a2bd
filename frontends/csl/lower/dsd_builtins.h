// Builtins that make and change descriptors with operands of the running program (csl.md 8.3).
#pragma once

#include <optional>

#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {

/// `@get_dsd`; nothing: all operands are known, or it is no case of these.
std::optional<Result> live_get_dsd(const BuiltinCall& call);
/// `@set_dsd_length`, `@set_dsd_base_addr`, `@increment_dsd_offset` and the like.
std::optional<Result> live_change_dsd(const BuiltinCall& call);

}  // namespace tessera::csl
