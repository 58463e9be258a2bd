// What host transfers take of the memory of a PE.
#pragma once

#include <cstdint>

namespace tessera::csl {

/// Beside the task table: 4,176 bytes of a minimal program with host transfers, of which the table, which every
/// program has, is 1,024 (wse.md 6.2).
inline constexpr std::uint32_t kHostTransferBytes = 4176 - 1024;

}  // namespace tessera::csl
