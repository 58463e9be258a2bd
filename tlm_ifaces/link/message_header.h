// The first wavelet of a message on a color that carries messages: where the message goes, and how many wavelets follow. The
// library `<message_passing>` writes it, routers read it; the format is our own.
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::link {

struct MessageHeader {
  TileCoord to;
  unsigned length = 0;
};

/// Bits 0 to 5: wavelets that follow. 6 to 16: column, 17 to 27: row of the tile.
inline MessageHeader message_header(std::uint32_t payload) {
  constexpr unsigned kLengthBits = 6, kCoordinateBits = 11;
  constexpr std::uint32_t kLength = (1U << kLengthBits) - 1,
                          kCoordinate = (1U << kCoordinateBits) - 1;
  const auto column = static_cast<int>(payload >> kLengthBits & kCoordinate);
  const auto row = static_cast<int>(payload >> (kLengthBits + kCoordinateBits) & kCoordinate);
  return {{column, row}, payload & kLength};
}

}  // namespace tessera::link
