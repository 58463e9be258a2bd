// The `dense` structure: all tiles in one wafer::Wafer, for scale. Only the host's edges are
// modules of their own.
#pragma once

#include <systemc>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/wait_book.h"
#include "models/wafer/wafer.h"
#include "platforms/wse/host_edges.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// What the wafer of a workload is built from.
wafer::Plan plan_of(const WseConfig& config, const Workload& workload);

class DenseMachine : public sc_core::sc_module, public Machine {
 public:
  /// Builds the grid of the workload, to be stepped by `threads`. `events` may be nullptr. Throws UserError when the configuration
  /// is beyond what the structure takes (wafer::WaferCore).
  DenseMachine(sc_core::sc_module_name name, const WseConfig& config, const Workload& workload,
               observe::EventStream* events, wafer::Threads threads,
               std::vector<wafer::Channel*> others = {});

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
  unsigned ranks() const override {
    return static_cast<unsigned>(wafer_.core().remotes().size() + 1);
  }
  void read_memory(TileCoord tile, std::uint32_t address, std::vector<std::byte>& bytes) override;
  void write_memory(TileCoord tile, std::uint32_t address,
                    const std::vector<std::byte>& bytes) override;
  std::vector<std::uint16_t>
  read_half_words(const std::vector<wafer::RemotePart::HalfWord>& places) override;
  bool is_elsewhere(TileCoord tile) const override { return wafer_.core().remote(tile) != nullptr; }
  void order(TileCoord tile, const wafer::HostOrder& order, Cycle at,
             wafer::TakenListener listener) override {
    wafer_.order(tile, order, at, std::move(listener));
  }
  void catch_up_others(Cycle end) override;
  void observe_others(const wafer::ObservedParts& what, const std::vector<std::uint32_t>& shown,
                      const wafer::TraceListeners& listeners) override;
  std::string state_elsewhere(std::uint32_t place, Cycle now) override;
  void collect(observe::EventStream& events) override;
  void collect_waits(observe::WaitBook& book, observe::LinkWaits* links, Cycle cycles) override;
  void go_on_with_waits(std::uint32_t place, observe::TileWaits& waits) override;
  void go_on_with_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles) override;
  void set_link_waits(observe::LinkWaits& waits) override { wafer_.core().set_link_waits(waits); }
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const override {
    wafer_.core().add_lasting_waits(waits, end);
  }
  bool knows_waits() const override { return wafer_.core().knows_waits(); }
  std::size_t wavelets_held() const override { return wafer_.core().wavelets_held(); }
  void visit(state::Archive& archive, Cycle next) override;
  void describe_waits(observe::Waits& waits) const override;

 private:
  TileCoord tile_of(std::uint32_t place) const;
  void connect_diagnoses() override { wafer_.core().set_diagnoses(diagnoses()); }
  void rebuild(Memory memory) override;

  std::optional<std::uint64_t> shuffle_seed_;
  timing::ClockDomain domain_;
  wafer::Wafer wafer_;  // first, so that of several failures in a cycle its own ends the run
  HostEdges edges_;
};

}  // namespace tessera::wse
