#include "platforms/vp/accelerator.h"

#include "platforms/vp/ascend_accelerator.h"
#include "platforms/vp/wse_accelerator.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

std::unique_ptr<Accelerator> build_accelerator(const Options& options,
                                               const DeviceStatement& device) {
  const std::string found = ", found device '" + device.kind + "'";
  if (device.kind == "wse") {
    options.refuse(Options::kClusterHeading, "only AI-core clusters have it" + found);
    return std::make_unique<WseAccelerator>(options, device.file);
  }
  if (device.kind == "ascend") {
    options.refuse(wse::FabricOptions::kHeading, "only a fabric has it" + found);
    return std::make_unique<AscendAccelerator>(options, device.file);
  }
  throw UserError(options.program, device.place,
                  "expected device 'wse' or 'ascend', found '" + device.kind + "'");
}

}  // namespace tessera::vp
