// A WSE fabric as the accelerator of vp_platform: the machine of a layout. Its tiles, programs,
// routes and streams count; its "host" steps do not, but for the edges that the streams name.
#pragma once

#include <string>

#include "platforms/vp/accelerator.h"
#include "platforms/vp/wse_device.h"
#include "platforms/wse/observed_machine.h"

namespace tessera::vp {

class WseAccelerator final : public Accelerator {
 public:
  /// Throws UserError. `options` must outlive it.
  WseAccelerator(const Options& options, const std::string& layout);

  timing::ClockDomain& domain() override { return observed_.machine().domain(); }
  const char* structure() const override { return observed_.machine().structure(); }
  run::View& view() override { return observed_; }
  host::Device& device() override { return device_; }
  std::optional<std::uint32_t> find_symbol(TileCoord tile, const std::string& name) const override;

 private:
  const wse::WseConfig config_;
  const wse::Workload workload_;
  wse::ObservedMachine observed_;
  WseDevice device_;
};

}  // namespace tessera::vp
