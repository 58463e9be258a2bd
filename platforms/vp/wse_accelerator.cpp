#include "platforms/vp/wse_accelerator.h"

namespace tessera::vp {

namespace {

wse::WseConfig config_of(const Options& options) {
  const bool is_named = !options.preset.empty() || !options.config_file.empty();
  return wse::load_wse_config(is_named ? options.preset : "wse3", options.config_file,
                              options.sets);
}

}  // namespace

WseAccelerator::WseAccelerator(const Options& options, const std::string& layout)
    : config_(config_of(options)), workload_(layout, options.whole_params(), config_),
      observed_(options, options.fabric, config_, workload_),
      device_(workload_, observed_.machine(), observed_.events()) {}

std::optional<std::uint32_t> WseAccelerator::find_symbol(TileCoord tile,
                                                         const std::string& name) const {
  const auto& image = workload_.programs.image_of(tile);
  if (image == nullptr) return std::nullopt;
  const pe::Symbol* const symbol = image->find_symbol(name);
  if (symbol == nullptr) return std::nullopt;
  return symbol->address;
}

}  // namespace tessera::vp
