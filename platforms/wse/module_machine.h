// The `modules` structure: every router, queue, ramp and compute engine an SC_MODULE of its own.
// For reading, for probing, for putting another model in place of one block.
#pragma once

#include <systemc>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/fabric/epoch_checker.h"
#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "platforms/wse/host_edges.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/tile.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::wse {

class ModuleMachine : public sc_core::sc_module, public Machine {
 public:
  /// Builds the grid of the workload. Rim links with a host stream get a host::Edge, the others a
  /// link::Stub. `sink` may be nullptr. With `check_links` a link::Checker sits in every link
  /// between routers. `replacements`: modules in place of ours; nullptr: none. Throws UserError for a
  /// block that the machine does not have.
  ModuleMachine(sc_core::sc_module_name name, const WseConfig& config, const Workload& workload,
                observe::Sink* sink, bool check_links, Replacements* replacements = nullptr);
  ~ModuleMachine() override;

  /// Before the simulation starts: watches for wavelets that a change of a route catches under way.
  /// Let the checker hear all events of the machine.
  fabric::EpochChecker& check_epochs();

  const char* structure() const override { return "modules"; }
  bool is_quick_to_destroy() const override { return false; }
  timing::ClockDomain& domain() override { return domain_; }
  void shuffle_step_order(std::uint64_t seed) override { domain_.shuffle_step_order(seed); }
  pe::ComputeEngineCore* engine(TileCoord tile) override;
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at) override;
  void access(TileCoord tile, pe::HostAccess access, Cycle at) override;
  host::Edge& edge(TileCoord tile, Direction side) override { return edges_->at(tile, side); }
  std::size_t wavelets_held() const override;
  void visit(state::Archive& archive, Cycle next) override;
  void describe_waits(observe::Waits& waits) const override;
  void set_link_waits(observe::LinkWaits& waits) override;
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const override;

 private:
  std::size_t tile_index(TileCoord t) const {
    return static_cast<std::size_t>(t.y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(t.x);
  }
  observe::Probe probe_of(TileCoord t) const {
    return {events(), static_cast<std::uint32_t>(tile_index(t))};
  }
  Tile& tile_at(TileCoord t) { return *tiles_[tile_index(t)]; }
  void connect_diagnoses() override;
  void require_blocks(const Workload& next) const override;
  void rebuild(Memory memory) override;
  void build_tiles(Replacements* replacements);
  Site site_of(TileCoord at);
  /// The same for all tiles with `image`. nullptr for nullptr.
  std::shared_ptr<const pe::DecodedImage> decoded(const std::shared_ptr<const pe::Image>& image);
  void bind_links();
  void bind_output(TileCoord at, Direction out);
  void connect(link::InitiatorSocket& from, link::TargetSocket& to);

  const int width_;
  const int height_;
  const bool check_links_;
  std::unique_ptr<fabric::EpochChecker> epochs_;
  timing::ClockDomain domain_;
  std::map<const pe::Image*, std::shared_ptr<const pe::DecodedImage>> programs_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  std::unique_ptr<HostEdges> edges_;
  std::vector<std::unique_ptr<link::Stub>> stubs_;
  std::vector<std::unique_ptr<link::Checker>> checkers_;
};

}  // namespace tessera::wse
