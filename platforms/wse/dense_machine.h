// The `dense` structure: all tiles in one wafer::Wafer, for scale. Only the host's edges are
// modules of their own.
#pragma once

#include <systemc>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/wafer/wafer.h"
#include "platforms/wse/host_edges.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class DenseMachine : public sc_core::sc_module, public Machine {
 public:
  /// Builds the grid of the workload, to be stepped by `threads`. `events` may be nullptr. Throws UserError when the configuration
  /// is beyond what the structure takes (wafer::WaferCore).
  DenseMachine(sc_core::sc_module_name name, const WseConfig& config, const Workload& workload,
               observe::EventStream* events, wafer::Threads threads);

  const char* structure() const override { return "dense"; }
  unsigned threads() const override { return static_cast<unsigned>(wafer_.core().count()); }
  unsigned thread_of(TileCoord tile) const override { return wafer_.core().strip_of(tile); }
  bool is_quick_to_destroy() const override { return true; }
  timing::ClockDomain& domain() override { return domain_; }
  void shuffle_step_order(std::uint64_t seed) override;
  pe::ComputeEngineCore* engine(TileCoord tile) override { return wafer_.core().engine(tile); }
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at) override {
    wafer_.launch(tile, function, arguments, at);
  }
  void access(TileCoord tile, pe::HostAccess access, Cycle at) override {
    wafer_.access(tile, std::move(access), at);
  }
  host::Edge& edge(TileCoord tile, Direction side) override { return edges_.at(tile, side); }
  std::size_t wavelets_held() const override { return wafer_.core().wavelets_held(); }
  void describe_waits(observe::Waits& waits) const override;

 private:
  void connect_diagnoses() override { wafer_.core().set_diagnoses(diagnoses()); }
  void rebuild(Memory memory) override;

  std::optional<std::uint64_t> shuffle_seed_;
  timing::ClockDomain domain_;
  wafer::Wafer wafer_;  // first, so that of several failures in a cycle its own ends the run
  HostEdges edges_;
};

}  // namespace tessera::wse
