// Routers of a wafer that need more than pipes and slots: each has a fabric::RouterCore, and knows
// who is at the other end of its links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/fabric/router_core.h"
#include "models/observe/event_stream.h"
#include "models/wafer/units/units.h"
#include "models/wafer/units/visit.h"
#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/vocabulary/fixed_array.h"

namespace tessera::wafer {

struct Blocks;

struct WholeRouter {
  WholeRouter(std::uint32_t at_place, TileCoord at, const fabric::FabricTiming& timing,
              observe::EventStream* events)
      : place(at_place), core(at, timing, observe::Probe(events, at_place)),
        receivers(kDirectionCount * kColorCount), senders(receivers.size()) {}

  static std::size_t index_of(Direction d, Color color) {
    return index(d) * kColorCount + color.value();
  }
  Ref& receiver(Direction out, Color color) { return receivers[index_of(out, color)]; }
  Ref& sender(Direction in, Color color) { return senders[index_of(in, color)]; }

  const std::uint32_t place;
  fabric::RouterCore core;
  std::vector<Ref> receivers;  ///< [output][color]
  std::vector<Ref> senders;    ///< [input][color]
};

class Routers {
 public:
  /// `blocks` must outlive it. `plain`: tiles without such a router (SlotGraph).
  Routers(Blocks& blocks, const std::vector<bool>& plain);

  void step(Cycle now, FirstFailure& failure);
  /// The next cycle in which a router is due, after `now`.
  Cycle next_due(Cycle now) const { return due_.next_due(now); }
  /// As those of FarActiveSet.
  void bring_near(Cycle last) { due_.bring_near(last); }
  void forget(Cycle now) { due_.forget(now); }
  /// fabric::RouterCore::put, credit and write_register.
  void put(Ref input, const link::Wavelet& w, Cycle due);
  void credit(Ref output, Color color, Cycle due);
  void write_register(std::uint32_t place, config_space::Address address, std::uint16_t value,
                      Cycle due);

  FixedArray<WholeRouter>& all() { return routers_; }
  const FixedArray<WholeRouter>& all() const { return routers_; }
  /// Index of the router of a tile; kNoIndex: it is plain.
  std::uint32_t index_at(std::uint32_t place) const { return of_tile_[place - first_place_]; }
  /// The core of a router that is not plain.
  const fabric::RouterCore& core_at(std::uint32_t place) const {
    return routers_[index_at(place)].core;
  }
  /// All of them, in the order of their tiles.
  void visit(const Visit& visit);

 private:
  void step_one(std::uint32_t router, Cycle now);

  Blocks& blocks_;
  FixedArray<WholeRouter> routers_;
  const std::uint32_t first_place_;
  std::vector<std::uint32_t> of_tile_;  // by tile of the strip
  FarActiveSet due_;
};

}  // namespace tessera::wafer
