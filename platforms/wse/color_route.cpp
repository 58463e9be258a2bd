#include "platforms/wse/color_route.h"

namespace tessera::wse {

namespace {

fabric::PopMode to_pop(layout::PopMode mode) {
  switch (mode) {
  case layout::PopMode::kNoPop:
    return fabric::PopMode::kNoPop;
  case layout::PopMode::kAlwaysPop:
    return fabric::PopMode::kAlwaysPop;
  case layout::PopMode::kPopOnAdvance:
    return fabric::PopMode::kPopOnAdvance;
  case layout::PopMode::kPopOnAdvanceNop:
    return fabric::PopMode::kPopOnAdvanceNop;
  }
  return fabric::PopMode::kNoPop;
}

fabric::FilterKind to_kind(layout::FilterSpec::Kind kind) {
  switch (kind) {
  case layout::FilterSpec::Kind::kCounter:
    return fabric::FilterKind::kCounter;
  case layout::FilterSpec::Kind::kSparseCounter:
    return fabric::FilterKind::kSparseCounter;
  case layout::FilterSpec::Kind::kRange:
    return fabric::FilterKind::kRange;
  }
  return fabric::FilterKind::kCounter;
}

fabric::FilterConfig to_filter(const layout::FilterSpec& spec) {
  fabric::FilterConfig filter;
  filter.kind = to_kind(spec.kind);
  filter.count_data = spec.count_data;
  filter.count_control = spec.count_control;
  filter.init_counter = spec.init_counter;
  filter.limit1 = spec.limit1;
  filter.limit2 = spec.limit2;
  filter.max_counter = spec.max_counter;
  filter.filter_control = spec.filter_control;
  filter.min_idx = spec.min_idx;
  filter.max_idx = spec.max_idx;
  return filter;
}

}  // namespace

fabric::ColorRoute to_route(const layout::RouteSpec& spec) {
  static_assert(layout::kSwitchPositions == fabric::kSwitchPositions);
  fabric::ColorRoute route;
  for (unsigned p = 0; p < fabric::kSwitchPositions; ++p) {
    const layout::SwitchPosition& from = spec.positions[p];
    route.positions[p] = {from.rx, from.tx, from.valid, from.sets_rx, from.sets_tx};
  }
  route.current = spec.initial;
  route.ring = spec.ring_mode;
  route.pop = to_pop(spec.pop_mode);
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

}  // namespace tessera::wse
