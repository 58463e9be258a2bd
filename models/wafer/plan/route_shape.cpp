#include "models/wafer/plan/route_shape.h"

namespace tessera::wafer {

namespace {

// In a position that receives from several ports two wavelets may land at once, and one without outputs takes what it
// receives; both have rules of their own.
bool receives_from_one(const fabric::RoutePosition& position) {
  return position.rx.size() == 1 && !position.tx.empty();
}

}  // namespace

RouteShape::RouteShape(const fabric::ColorRoute& route, fabric::SwitchPositions rule)
    : filled(route) {
  filled.fill_in(rule);
  bool has_own_rules = filled.injection != fabric::Injection::kNone || filled.swap_x ||
                       filled.swap_y || filled.suspended || filled.messages ||
                       filled.filter.has_value();
  unsigned positions = 0;
  for (const fabric::RoutePosition& position : filled.positions) {
    if (!position.valid) continue;
    ++positions;
    has_own_rules |= !receives_from_one(position);
    inputs = DirectionSet::from_bits(inputs.bits() | position.rx.bits());
    outputs = DirectionSet::from_bits(outputs.bits() | position.tx.bits());
  }
  // A RESET goes to position 0.
  if (has_own_rules || !filled.positions[0].valid || !filled.positions[filled.current].valid)
    return;
  const bool is_fixed = positions == 1 && filled.pop == fabric::PopMode::kNoPop;
  kind = is_fixed ? Kind::kFixed : Kind::kSwitched;
}

}  // namespace tessera::wafer
