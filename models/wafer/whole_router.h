// A router of a wafer that needs more than slots, and who is at the other end of its links.
#pragma once

#include <cstdint>
#include <vector>

#include "models/fabric/router_core.h"
#include "models/wafer/slot.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

struct WaferCore::WholeRouter {
  WholeRouter(std::uint32_t at, fabric::RouterCore router)
      : place(at), core(std::move(router)), receivers(kDirectionCount * kColorCount),
        senders(kDirectionCount * kColorCount) {}

  static std::size_t index_of(Direction d, Color color) {
    return index(d) * kColorCount + color.value();
  }
  Ref& receiver(Direction out, Color color) { return receivers[index_of(out, color)]; }
  Ref& sender(Direction in, Color color) { return senders[index_of(in, color)]; }

  std::uint32_t place;
  fabric::RouterCore core;
  std::vector<Ref> receivers;  ///< [output][color]
  std::vector<Ref> senders;    ///< [input][color]
};

}  // namespace tessera::wafer
