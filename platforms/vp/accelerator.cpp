#include "platforms/vp/accelerator.h"

#include "platforms/ascend/session.h"
#include "platforms/vp/ascend_accelerator.h"
#include "platforms/vp/wse_accelerator.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

/// Options of other platforms; saying nothing would be a promise.
void refuse_options(const cli::Options& options) {
  const auto refuse = [](bool given, const char* option, const char* instead) {
    if (given)
      throw UserError("", option, std::string("vp_platform does not have this; ") + instead);
  };
  refuse(!options.inputs.empty(), "--input", "the host script writes what goes in");
  refuse(!options.outputs.empty(), "--output", "the host script reads what comes out");
  refuse(options.progress, "--progress", "the host script can print");
  refuse(options.print_config, "--print-config", "ask the platform of the device");
}

}  // namespace

std::unique_ptr<Accelerator> build_accelerator(const cli::Options& options,
                                               const DeviceStatement& device) {
  refuse_options(options);
  if (device.kind == "wse") {
    if (options.no_data)
      throw UserError("", "--no-data", "only AI-core clusters have it, found device 'wse'");
    const bool is_named = !options.preset.empty() || !options.config_file.empty();
    wse::WseConfig config =
        wse::load_wse_config(is_named ? options.preset : "wse3", options.config_file, options.sets);
    return std::make_unique<WseAccelerator>(options, std::move(config), device.file);
  }
  if (device.kind == "ascend") {
    cli::Options own = options;
    own.program = device.file;
    return std::make_unique<AscendAccelerator>(own, ascend::config_of(own));
  }
  throw UserError(options.program, device.place,
                  "expected device 'wse' or 'ascend', found '" + device.kind + "'");
}

}  // namespace tessera::vp
