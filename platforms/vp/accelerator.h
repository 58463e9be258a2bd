// What vp_platform knows of its accelerator: a machine with the face that the host port asks for,
// names for scripts, and what it says at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/host/device.h"
#include "models/observe/wait.h"
#include "models/timing/clock_domain.h"
#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/vp/script.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::vp {

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual timing::ClockDomain& domain() = 0;
  virtual host::Device& device() = 0;
  /// Address of a symbol in the memory of a tile; no value: it has none of that name.
  virtual std::optional<std::uint32_t> find_symbol(TileCoord tile,
                                                   const std::string& name) const = 0;
  /// After the run: cycles, digest, counters, what is left to say; completes traces.
  virtual void finish(report::Report& report) = 0;
  /// Who is stuck.
  virtual void describe_waits(observe::Waits& waits) const = 0;
};

/// The accelerator that a script names, "wse" or "ascend"; also what --print-config needs to know.
/// Throws UserError. `options` must outlive it.
std::unique_ptr<Accelerator> build_accelerator(const cli::Options& options,
                                               const DeviceStatement& device);

}  // namespace tessera::vp
