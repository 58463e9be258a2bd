#include "platforms/wse/workload.h"

#include <ostream>

#include "frontends/layout/layout_reader.h"
#include "frontends/tasm/assembler.h"
#include "frontends/tasm/disassembler.h"
#include "platforms/wse/layout_check.h"
#include "platforms/wse/tile_copy.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

// What concerns layout and config alone comes before the programs are assembled: a grid that is too
// large or an array that cannot be cut would show there as something odd.
layout::Layout read_checked(const std::string& file,
                            const std::map<std::string, std::int64_t>& params,
                            const WseConfig& config) {
  layout::Layout layout = layout::read_layout(file, params);
  check_grid(layout, config);
  for (const layout::Symbol& symbol : layout.symbols) mapping_of(layout, symbol);
  return layout;
}

fabric::FilterConfig to_filter(const layout::FilterSpec& spec) {
  return {static_cast<fabric::FilterKind>(spec.kind),
          spec.count_data,
          spec.count_control,
          spec.init_counter,
          spec.limit1,
          spec.limit2,
          spec.max_counter,
          spec.filter_control,
          spec.min_idx,
          spec.max_idx};
}

// Layouts and fabric number their modes and kinds alike.
template <class To, class From>
constexpr bool same(To to, From from) {
  return to == static_cast<To>(from);
}
using layout::PopMode, fabric::FilterKind;
static_assert(same(fabric::PopMode::kNoPop, PopMode::kNoPop) &&
              same(fabric::PopMode::kAlwaysPop, PopMode::kAlwaysPop) &&
              same(fabric::PopMode::kPopOnAdvance, PopMode::kPopOnAdvance) &&
              same(fabric::PopMode::kPopOnAdvanceNop, PopMode::kPopOnAdvanceNop));
static_assert(same(FilterKind::kCounter, layout::FilterSpec::Kind::kCounter) &&
              same(FilterKind::kSparseCounter, layout::FilterSpec::Kind::kSparseCounter) &&
              same(FilterKind::kRange, layout::FilterSpec::Kind::kRange));

}  // namespace

fabric::ColorRoute to_route(const layout::RouteSpec& spec) {
  static_assert(layout::kSwitchPositions == fabric::kSwitchPositions);
  fabric::ColorRoute route;
  for (unsigned p = 0; p < fabric::kSwitchPositions; ++p) {
    const layout::SwitchPosition& from = spec.positions[p];
    route.positions[p] = {from.rx, from.tx, from.valid, !from.rx.empty(), !from.tx.empty()};
  }
  route.current = spec.initial;
  route.ring = spec.ring_mode;
  route.pop = static_cast<fabric::PopMode>(spec.pop_mode);
  if (spec.ce_inject) {
    route.injection = *spec.ce_inject == layout::CeInject::kLow ? fabric::Injection::kLow
                                                                : fabric::Injection::kHigh;
  }
  route.swap_x = spec.color_swap_x;
  route.swap_y = spec.color_swap_y;
  route.suspended = spec.teardown;
  if (spec.filter) route.filter = to_filter(*spec.filter);
  return route;
}

Programs::Programs(const layout::Layout& layout, Generation generation) : layout_(layout) {
  for (const layout::Program& program : layout.programs) {
    tasm::AssembleOptions options;
    options.generation = generation;
    options.params.insert(program.params.begin(), program.params.end());
    try {
      images_.push_back(
          std::make_shared<const pe::Image>(tasm::assemble_file(program.code, options)));
    } catch (const UserError& e) {
      // A message without a line is about the parameters, which the layout gives.
      if (!e.place().empty()) throw;
      throw UserError(layout.file, program.place, e.what());
    }
  }
}

const std::shared_ptr<const pe::Image>& Programs::image_of(TileCoord tile) const {
  const std::int32_t program = layout_.program_of_tile[layout_.tile_index(tile)];
  return program < 0 ? none_ : images_[static_cast<std::size_t>(program)];
}

void Programs::print(std::ostream& out) const {
  for (const auto& image : images_)
    out << "; " << image->file << '\n' << tasm::disassemble(*image) << '\n';
}

Workload::Workload(const std::string& file, const std::map<std::string, std::int64_t>& params,
                   const WseConfig& config)
    : layout(read_checked(file, params, config)), programs(layout, config.generation),
      streams(resolve_streams(layout)) {
  check_layout(layout, config, programs, streams);
}

}  // namespace tessera::wse
