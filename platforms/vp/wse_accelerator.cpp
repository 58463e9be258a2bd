#include "platforms/vp/wse_accelerator.h"

#include <algorithm>
#include <utility>

#include "frontends/layout/layout_reader.h"
#include "platforms/wse/layout_check.h"
#include "platforms/wse/report_counters.h"
#include "platforms/wse/structure.h"

namespace tessera::vp {

namespace {

layout::Layout read_checked(const cli::Options& options, const std::string& file,
                            const wse::WseConfig& config) {
  layout::Layout layout = layout::read_layout(file, options.params);
  wse::check_grid(layout, config);
  return layout;
}

}  // namespace

WseAccelerator::WseAccelerator(const cli::Options& options, wse::WseConfig config,
                               const std::string& layout)
    : options_(options), config_(std::move(config)),
      layout_(read_checked(options, layout, config_)), programs_(layout_, config_.generation),
      streams_(wse::resolve_streams(layout_)), recorders_(options, layout_, programs_, config_) {
  wse::check_structure(options, layout_, config_);
  wse::check_layout(layout_, config_, programs_, streams_);
  machine_ = wse::build_machine(options, layout_, config_, programs_, streams_, recorders_.sink());
  machine_->set_diagnoses(&diagnoses_);
  if (options.shuffle_step_order) machine_->shuffle_step_order(options.seed);
  device_ =
      std::make_unique<WseDevice>(layout_, programs_, streams_, *machine_, *recorders_.sink());
}

std::optional<std::uint32_t> WseAccelerator::find_symbol(TileCoord tile,
                                                         const std::string& name) const {
  const auto& image = programs_.image_of(tile);
  if (image == nullptr) return std::nullopt;
  const pe::Symbol* const symbol = image->find_symbol(name);
  if (symbol == nullptr) return std::nullopt;
  return symbol->address;
}

// Engines execute groups late; what was due before the end of the run is part of it.
void WseAccelerator::finish(report::Report& report) {
  const Cycle end = std::min(domain().next_free_cycle(), options_.max_cycles.value_or(kNever));
  for (std::size_t i = 0; i < layout_.tile_count(); ++i) {
    const auto width = static_cast<std::size_t>(layout_.width);
    const TileCoord tile{static_cast<int>(i % width), static_cast<int>(i / width)};
    if (pe::ComputeEngineCore* engine = machine_->engine(tile)) engine->catch_up(end);
  }
  report.preset = config_.name;
  report.structure = machine_->structure();
  report.clock_period_ps = config_.clock_period_ps;
  const observe::Counters& counters = recorders_.counters();
  if (recorders_.digest().value() != 0)
    report.cycles = counters.total(observe::Counter::kLastEventCycle) + 1;
  report.digest = recorders_.digest().hex();
  report.wall.tiles = layout_.tile_count();
  report.wall.hops = counters.total(observe::Counter::kHops);
  wse::add_counters(counters, report);
  if (options_.report_detail) wse::add_places(counters, layout_, report.places);
  report.diagnoses = wse::report_of(diagnoses_, layout_);
  recorders_.finish();
}

}  // namespace tessera::vp
