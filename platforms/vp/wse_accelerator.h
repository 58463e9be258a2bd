// A WSE fabric as the accelerator of vp_platform: the machine of a layout. Its tiles, programs,
// routes and streams count; its "host" steps do not, but for the edges that the streams name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/vp/accelerator.h"
#include "platforms/vp/wse_device.h"
#include "platforms/wse/diagnosis_log.h"
#include "platforms/wse/recorders.h"
#include "platforms/wse/wse_config.h"

namespace tessera::vp {

class WseAccelerator : public Accelerator {
 public:
  /// Throws UserError. `options` must outlive it.
  WseAccelerator(const cli::Options& options, wse::WseConfig config, const std::string& layout);

  timing::ClockDomain& domain() override { return machine_->domain(); }
  host::Device& device() override { return *device_; }
  std::optional<std::uint32_t> find_symbol(TileCoord tile, const std::string& name) const override;
  void finish(report::Report& report) override;
  void describe_waits(observe::Waits& waits) const override { machine_->describe_waits(waits); }

 private:
  const cli::Options& options_;
  const wse::WseConfig config_;
  const layout::Layout layout_;
  const wse::Programs programs_;
  const std::vector<wse::HostStream> streams_;
  wse::Recorders recorders_;
  wse::DiagnosisLog diagnoses_;
  std::unique_ptr<wse::Machine> machine_;
  std::unique_ptr<WseDevice> device_;
};

}  // namespace tessera::vp
