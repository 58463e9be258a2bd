// A tile of the `modules` structure: a router and, where a program runs, input queues, output
// queues, on-ramp and compute engine, each its own SC_MODULE, bound by sockets:
//
//   router -> input queues -> compute engine -> output queues -> on-ramp -> router
//
// Only the queues that the program declares are built.
#pragma once

#include <systemc>

#include <cstddef>
#include <memory>
#include <vector>

#include "models/fabric/on_ramp.h"
#include "models/fabric/router.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine.h"
#include "models/queue/input_queue.h"
#include "models/queue/output_queue.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class Tile : public sc_core::sc_module {
 public:
  /// `image`: the program of the tile, or nullptr for a tile that is only a router.
  Tile(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
       const WseConfig& config, const std::shared_ptr<const pe::Image>& image,
       observe::Probe probe);

  fabric::Router router;

  /// nullptr where no program runs.
  pe::ComputeEngine* engine() { return engine_.get(); }
  const pe::ComputeEngine* engine() const { return engine_.get(); }

  std::size_t wavelets_held() const;
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  void build_queues(const WseConfig& config, const pe::Image& image, observe::Probe probe);

  std::vector<std::unique_ptr<queue::InputQueue>> input_queues_;
  std::vector<std::unique_ptr<queue::OutputQueue>> output_queues_;
  std::unique_ptr<fabric::OnRamp> on_ramp_;
  std::unique_ptr<pe::ComputeEngine> engine_;
};

}  // namespace tessera::wse
