// How wavelets come to a place by the routes of a layout, for the causes of a deadlock.
#pragma once

#include "models/observe/wait_causes.h"
#include "platforms/wse/workload.h"

namespace tessera::wse {

/// All switch positions count, as at the start of the run: what programs write into routers later is not known.
class RouteFlows final : public observe::Flows {
 public:
  /// `workload` must outlive the object.
  explicit RouteFlows(const Workload& workload) : workload_(workload) {}

  Upstream upstream(const observe::Resource& wavelet) const override;
  observe::Resource beyond(const observe::Resource& output) const override;

 private:
  TileCoord tile_of(std::uint32_t place) const;
  const layout::RouteSpec* route_at(TileCoord tile, Color color) const;
  bool pe_sends(TileCoord tile, Color color) const;
  bool host_may_send(TileCoord tile, Direction side) const;

  const Workload& workload_;
};

}  // namespace tessera::wse
