// The host's streams of a layout: at which sides of which rim tiles they enter and leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontends/layout/layout.h"
#include "platforms/data/host_array.h"

namespace tessera::wse {

/// A stream_in or stream_out step with its side decided.
struct HostStream {
  const layout::Stream* step = nullptr;
  std::size_t step_index = 0;  ///< index in Layout::host
  bool into_fabric = true;
  Direction side = Direction::kWest;
  std::vector<TileCoord> tiles;  ///< in the order in which the array is cut
  std::size_t elements_per_tile = 0;
  /// 2 when two 16-bit elements share a wavelet, the first one in the low half.
  std::size_t elements_per_wavelet = 1;

  /// An odd last element has a wavelet of its own.
  std::size_t wavelets_per_tile() const {
    return (elements_per_tile + elements_per_wavelet - 1) / elements_per_wavelet;
  }
};

/// All streams of the layout, in the order of the host steps. A side that the layout leaves open is
/// the one rim side of the rect that the routes of all its tiles use. Throws UserError when there
/// is none, or more than one, when a tile does not route the color there, or when the array cannot
/// be cut into equal pieces.
std::vector<HostStream> resolve_streams(const layout::Layout& layout);

/// The links at the rim of the grid that streams use, each once: row-major by tile, then by side.
std::vector<layout::HostLink> rim_links(const layout::Layout& layout,
                                        const std::vector<HostStream>& streams);

/// Payloads of the wavelets that carry the piece of `array` of tile number `tile`, in order. Bits
/// that no element takes are zero.
std::vector<std::uint32_t> pack(const HostStream& stream, const data::HostArray& array,
                                std::size_t tile);
/// Puts the elements of wavelet number `wavelet` of that piece into `array`.
void unpack(const HostStream& stream, std::size_t tile, std::size_t wavelet, std::uint32_t payload,
            data::HostArray& array);

}  // namespace tessera::wse
