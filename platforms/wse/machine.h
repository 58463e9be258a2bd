// What the host side sees of a WSE fabric, whatever its structure is (docs/architecture.md#two-structures).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/host/edge.h"
#include "models/observe/diagnosis.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::wse {

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
  /// The compute engine of a tile; nullptr where a tile is only a router.
  virtual pe::ComputeEngineCore* engine(TileCoord tile) = 0;
  /// Runs `function` on the tile from cycle `at` on. Requires engine(tile) != nullptr.
  virtual void launch(TileCoord tile, const pe::Function& function,
                      const std::vector<std::uint32_t>& arguments, Cycle at) = 0;
  /// The host's end of a rim link. Requires that the machine was built with a host edge there.
  virtual host::Edge& edge(TileCoord tile, Direction side) = 0;

  /// Wavelets in routers, queues and ramps.
  virtual std::size_t wavelets_held() const = 0;
  /// Who is stuck now, tile by tile.
  virtual void describe_waits(observe::Waits& waits) const = 0;
};

}  // namespace tessera::wse
