// What stands where on the bus of vp_platform.
#pragma once

#include <cstdint>

namespace tessera::vp {

using Address = std::uint64_t;

inline constexpr Address kMemoryOnBus = 0;
inline constexpr Address kMemoryBytes = 0x10'0000;
inline constexpr Address kDmaOnBus = 0x20'0000;
/// Address of the first accelerator; the others follow, kPortBytes each.
inline constexpr Address kPortOnBus = 0x10'0000'0000;
/// Space for registers, streams and 64 KB for each tile of the largest wafer.
inline constexpr Address kPortBytes = 0x10'0000'0000;
inline constexpr unsigned kMaxAccelerators = 2;

}  // namespace tessera::vp
