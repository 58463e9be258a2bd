// Tells which wavelet an event is about. Events carry color and payload but no serial number;
// traces want one that stays constant along all hops (wse.md 1.1 "ident"). Because every buffer on
// the way is a FIFO per port and color, and a multicast head stays until all its copies have left,
// the numbers can be worked out behind the models.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "models/observe/event_fields.h"

namespace tessera::observe {

/// A wavelet at a router, waiting to leave or leaving.
struct TrackedWavelet {
  std::uint64_t ident = 0;
  std::uint32_t payload = 0;
  Direction from = Direction::kRamp;  ///< port through which it came
  Cycle since = 0;                    ///< landed; from the ramp: written to the output queue
  unsigned queue = 0;                 ///< output queue, when it came from the ramp
  DirectionSet left;                  ///< ports through which copies have left
};

class WaveletTracker {
 public:
  /// `width`, `height`: tiles of the machine. `hop_latency`: landing to landing, in cycles.
  WaveletTracker(unsigned width, unsigned height, unsigned hop_latency);

  /// kQueueOut: from now on the wavelet waits at the router of its tile. Numbers as link::Wavelet
  /// gives them.
  void written(const Event& e);
  /// kEdgeIn: the wavelet lands at the rim tile one hop later.
  const TrackedWavelet& entered(const Event& e);
  /// kHop: which wavelet left. The copy is from now on under way to the neighbour. `first` tells
  /// whether this is its first copy to leave this router.
  struct Departure {
    TrackedWavelet wavelet;
    bool first = true;
  };
  Departure departed(const Event& e);

  /// Linear index of the tile behind port `d` of `place`; nothing at the rim.
  std::optional<std::uint32_t> neighbour_of(std::uint32_t place, Direction d) const;

 private:
  using Fifo = std::deque<TrackedWavelet>;
  static std::uint64_t key(std::uint32_t place, Direction port, unsigned color);
  TrackedWavelet* find(const Event& e);

  unsigned width_;
  unsigned height_;
  unsigned hop_latency_;
  std::unordered_map<std::uint64_t, Fifo> waiting_;        ///< by tile, port and color
  std::unordered_map<std::uint32_t, std::uint32_t> sent_;  ///< wavelets numbered so far, per tile
  std::uint32_t entered_ = 0;
};

}  // namespace tessera::observe
