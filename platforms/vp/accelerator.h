// What vp_platform knows of its accelerator: a machine with the interface that the host port asks
// for, names for scripts, and what a report says of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/host/device.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"
#include "platforms/debug/target.h"
#include "platforms/run/checkpoint_file.h"
#include "platforms/run/driver.h"
#include "platforms/vp/options.h"
#include "platforms/vp/script.h"
#include "platforms/wse/command_stream.h"
#include "platforms/wse/csl_options.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::vp {

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual timing::ClockDomain& domain() = 0;
  /// "modules" or "dense".
  virtual const char* structure() const = 0;
  virtual run::View& view() = 0;
  virtual host::Device& device() = 0;
  /// The machine does not outlive this object, for a process that builds many
  /// (wse::ObservedMachine).
  virtual void destroy_with_this() {}
  /// The host of a CSL program, whose commands let the machine run through `control`. Throws UserError
  /// for any other program.
  virtual std::unique_ptr<wse::CommandStream> open_commands(run::RunControl& control);
  /// Where a CSL program lies on the tiles; no value: it is another program.
  virtual std::optional<layout::Rect> csl_rectangle() const { return std::nullopt; }
  /// Functions that a CSL program exports, with the types of their parameters.
  virtual std::map<std::string, std::vector<std::string>> csl_functions() const { return {}; }
  /// What has to be the same where a saved machine goes on. Throws UserError where it cannot be saved: it says why.
  virtual run::CheckpointHeader saved_header() const = 0;
  /// Saves the machine as it is between two cycles, of which `next` is the second, and what observes it; or restores it
  /// where it has been reset. Only after saved_header(). Throws state::Mismatch.
  virtual void visit(state::Archive& archive, Cycle next) = 0;
  /// What a debugger sees. Throws UserError for a machine that has none: it says why.
  virtual std::unique_ptr<debug::Target> debug_target();
  /// What the device shows when it runs this program, one of DeviceInfo::programs.
  virtual const host::DeviceInfo& info_of(std::uint32_t program) const = 0;
  /// Address of a symbol in the memory of a tile that runs `program`; no value: it has none of that name.
  virtual std::optional<std::uint32_t> find_symbol(TileCoord tile, const std::string& name,
                                                   std::uint32_t program = 0) const = 0;
};

/// The accelerator that a script names, "wse", "ascend" or "numesh". Throws UserError, and IllegalBehaviour
/// for a program that cannot run. `options` must outlive it. `csl`: with them the program of "wse" may
/// be a CSL file or the folder of a compiled one; it is then that of `options`.
std::unique_ptr<Accelerator> build_accelerator(const Options& options,
                                               const DeviceStatement& device,
                                               const wse::CslOptions* csl = nullptr);
/// The same for "ascend": AI-core clusters that run the kernel of a PTO program.
std::unique_ptr<Accelerator> build_ascend_accelerator(const Options& options,
                                                      const DeviceStatement& device);
/// The same for "numesh": a scheduled mesh that runs a communication program.
std::unique_ptr<Accelerator> build_numesh_accelerator(const Options& options,
                                                      const std::string& program);

}  // namespace tessera::vp
