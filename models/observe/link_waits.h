// What the wavelets at the front of the buffers of routers waited for (docs/waits.md): room behind an
// output, the output itself, or a route.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::observe {

/// The waits of all routers of a machine. A wavelet waits from the cycle in which it has landed and is the oldest of its
/// buffer; in a cycle it waits once for each output that it has still to leave through. Whoever steps routers
/// tells of a wait when it ends. Counts wrap at 2^32.
class LinkWaits {
 public:
  struct Tile {
    std::array<std::uint32_t, kDirectionCount> waited{};  ///< cycles of waiting wavelets, by output
    /// Cycles of `waited` in which there was room behind the output, and another wavelet left through it.
    std::array<std::uint32_t, kDirectionCount> taken{};
    /// Cycles without an output: in teardown, or in a switch position that does not receive it or does not
    /// transmit (wse.md 1.4, 1.9).
    std::uint32_t route = 0;

    /// Cycles without room behind an output (wse.md 1.11).
    std::uint32_t credit(Direction out) const { return waited[index(out)] - taken[index(out)]; }
  };

  explicit LinkWaits(std::size_t places) : tiles_(places) {}

  void wait(std::uint32_t place, Direction out, Cycle cycles) {
    tiles_[place].waited[index(out)] += static_cast<std::uint32_t>(cycles);
  }
  /// One of the cycles that wait() counts. `by`: -1 takes it back.
  void take(std::uint32_t place, Direction out, int by = 1) {
    tiles_[place].taken[index(out)] += static_cast<std::uint32_t>(by);
  }
  void wait_for_route(std::uint32_t place, Cycle cycles) {
    tiles_[place].route += static_cast<std::uint32_t>(cycles);
  }

  const std::vector<Tile>& tiles() const { return tiles_; }
  /// Takes over what another process has counted for the tiles from place `first` on.
  void put(std::uint32_t first, const std::vector<Tile>& tiles) {
    for (const Tile& tile : tiles) tiles_[first++] = tile;
  }

 private:
  std::vector<Tile> tiles_;  // by place
};

}  // namespace tessera::observe
