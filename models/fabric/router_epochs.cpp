// What the router tells an epoch checker of its heads.
#include <algorithm>

#include "models/fabric/epoch_checker.h"
#include "models/fabric/router_core.h"

namespace tessera::fabric {

void RouterCore::tell_route_of(const Buffer& buffer, unsigned variant) const {
  const Color color = color_of(buffer, variant);
  epochs_->take_route({probe_.place(), buffer.in, color, buffer.entries.front().wavelet},
                      position_of(channel(color)).tx, now_);
}

// Heads that no switch position takes, as none of their colors.
void RouterCore::tell_who_stays() const {
  if (!epochs_->is_reconfigured(probe_.place())) return;
  const auto takes = [this](const Buffer& buffer, unsigned variant) {
    const Color color = color_of(buffer, variant);
    if (!takes_variant(buffer, variant) || !configured(color)) return false;
    const auto& positions = channel(color).route.positions;
    return std::any_of(positions.begin(), positions.end(), [&buffer](const RoutePosition& p) {
      return p.valid && p.rx.contains(buffer.in);
    });
  };
  occupied_.for_each([&](unsigned pair) {
    const Buffer& buffer = buffer_of(pair);
    const Entry& head = buffer.entries.front();
    if (head.due > now_ || buffer.departures[kOwn].started || is_suspended(buffer)) return;
    if (takes(buffer, kOwn) || takes(buffer, kPartner)) return;
    epochs_->stay({probe_.place(), buffer.in, buffer.color, head.wavelet});
  });
}

}  // namespace tessera::fabric
