#include "platforms/wse/machine.h"

#include "platforms/wse/dense_machine.h"
#include "platforms/wse/module_machine.h"
#include "platforms/wse/replacements.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

bool is_dense(const std::string& structure, const FabricOptions& options,
              const layout::Layout& layout) {
  if (structure != "auto") return structure == "dense";
  return layout.tile_count() > kAutoModuleTiles && !options.check_links && !options.check_epochs &&
         options.replace.empty();
}

}  // namespace

void catch_up(Machine& machine, const layout::Layout& layout, Cycle end) {
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x) {
      if (pe::ComputeEngineCore* engine = machine.engine({x, y})) engine->catch_up(end);
    }
  }
}

void check_structure(const std::string& structure, const FabricOptions& options,
                     const layout::Layout& layout, const WseConfig& config) {
  if (is_dense(structure, options, layout)) {
    if (options.check_epochs) {
      throw UserError("", "--check-epochs",
                      "structure 'dense' does not follow single wavelets; use --structure modules");
    }
    if (options.check_links) {
      throw UserError("", "--check-links",
                      "structure 'dense' has no links between its routers that could be checked; "
                      "use --structure modules");
    }
    if (!options.replace.empty()) {
      throw UserError("", "--replace",
                      "structure 'dense' has no blocks that could be replaced; use --structure "
                      "modules");
    }
    wafer::WaferCore::check_limits(config.fabric, config.queue_write_latency);
    return;
  }
  if (options.check_epochs && !options.replace.empty()) {
    throw UserError("", "--check-epochs",
                    "follows single wavelets through all routers, which it cannot through a module "
                    "of a user; leave --check-epochs or --replace out");
  }
  if (layout.tile_count() <= kMaxModuleTiles) return;
  throw UserError(layout.file, "grid",
                  std::to_string(layout.tile_count()) +
                      " tiles are too many for structure 'modules', which takes about 60 KB a "
                      "tile; expected at most " +
                      std::to_string(kMaxModuleTiles));
}

std::unique_ptr<Machine> build_machine(const std::string& structure, const FabricOptions& options,
                                       const WseConfig& config, const Workload& workload,
                                       observe::EventStream* events, Replacements* replacements) {
  check_structure(structure, options, workload.layout, config);
  if (is_dense(structure, options, workload.layout))
    return std::make_unique<DenseMachine>("wafer", config, workload, events);
  Replacements none;
  Replacements& registered = replacements == nullptr ? none : *replacements;
  for (const std::string& text : options.replace) registered.choose(text);
  auto modules = std::make_unique<ModuleMachine>("wafer", config, workload, events,
                                                 options.check_links, &registered);
  if (options.check_epochs) {
    fabric::EpochChecker& epochs = modules->check_epochs();
    if (events != nullptr) events->add(epochs);
  }
  return modules;
}

}  // namespace tessera::wse
