// A WSE fabric in one of two structures, as the host side sees it: a module for every block, or all
// tiles in one module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/host/edge.h"
#include "models/observe/diagnosis.h"
#include "models/observe/event_stream.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine_core.h"
#include "models/timing/clock_domain.h"
#include "platforms/wse/options.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::wse {

struct Replacements;

class Machine {
 public:
  virtual ~Machine() = default;
  /// "modules", "dense": the name of the structure in reports.
  virtual const char* structure() const = 0;
  /// Whether it may be destroyed before the process ends: the kernel finds what to unregister by
  /// linear search, which takes quadratic time when every block is a module.
  virtual bool is_quick_to_destroy() const = 0;
  virtual timing::ClockDomain& domain() = 0;
  /// Steps the blocks of a cycle in an order drawn from `seed`: results must not change.
  virtual void shuffle_step_order(std::uint64_t seed) = 0;

  /// Where the compute engines send their diagnoses; nullptr, the default: nowhere.
  virtual void set_diagnoses(observe::Diagnoses* diagnoses) = 0;
  /// The compute engine of a tile; nullptr where a tile is only a router, or has the engine of a
  /// user.
  virtual pe::ComputeEngineCore* engine(TileCoord tile) = 0;
  /// Runs `function` on the tile from cycle `at` on. Requires engine(tile) != nullptr.
  virtual void launch(TileCoord tile, const pe::Function& function,
                      const std::vector<std::uint32_t>& arguments, Cycle at) = 0;
  /// Has the tile take a command of the host as soon as its main thread is free, from cycle `at` on.
  /// Requires engine(tile) != nullptr.
  virtual void access(TileCoord tile, pe::HostAccess access, Cycle at) = 0;
  /// The host's end of a link. Requires that the machine was built with a host edge there.
  virtual host::Edge& edge(TileCoord tile, Direction side) = 0;

  /// Wavelets in routers, queues and ramps.
  virtual std::size_t wavelets_held() const = 0;
  /// Who is stuck now, tile by tile.
  virtual void describe_waits(observe::Waits& waits) const = 0;
};

/// Brings all compute engines up to date: they execute groups of operations late
/// (pe::ComputeEngineCore), here those that are due before cycle `end`.
void catch_up(Machine& machine, const layout::Layout& layout, Cycle end);

/// What --structure accepts. "auto": modules for up to kAutoModuleTiles tiles, or where only
/// modules have what the options ask for, else dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleTiles = 1024;
/// Tiles that `modules` is built for: about 4 GB.
inline constexpr std::size_t kMaxModuleTiles = 65536;

/// Throws UserError when the structure cannot hold the layout, cannot have the configuration, or
/// lacks a check that `options` ask for.
void check_structure(const std::string& structure, const FabricOptions& options,
                     const layout::Layout& layout, const WseConfig& config);

/// The machine of a workload. `events` may be nullptr; all arguments must outlive the machine.
/// `replacements`: the modules that FabricOptions::replace may name; nullptr: none. Throws UserError as
/// check_structure() and Replacements do.
std::unique_ptr<Machine> build_machine(const std::string& structure, const FabricOptions& options,
                                       const WseConfig& config, const Workload& workload,
                                       observe::EventStream* events,
                                       Replacements* replacements = nullptr);

}  // namespace tessera::wse
