#include "models/fabric/route_registers.h"

#include "tlm_ifaces/config/config_space.h"

namespace tessera::fabric {
namespace {

constexpr unsigned kInputShift = 5;
constexpr unsigned kMask = 0x1F;
constexpr unsigned kSwapY = 1U << 10;
constexpr unsigned kSwapX = 1U << 11;
constexpr unsigned kPopShift = 12;
constexpr unsigned kInput = 8;  // of a position's four bits
constexpr unsigned kRing = 1U << 12;
constexpr unsigned kCurrentShift = 13;

unsigned first_of(DirectionSet set) {
  for (Direction d : kAllDirections) {
    if (set.contains(d)) return static_cast<unsigned>(index(d));
  }
  return config_space::kInvalidDirection;
}

unsigned position_bits(const RoutePosition& position) {
  if (!position.valid) return config_space::kInvalidDirection;
  const bool input = position.sets_rx && !position.sets_tx;
  return input ? first_of(position.rx) | kInput : first_of(position.tx);
}

void set_position(RoutePosition& position, unsigned bits, const RoutePosition& base) {
  position = base;
  const unsigned direction = bits & 7U;
  position.valid = direction < kDirectionCount;
  if (!position.valid) return;
  const DirectionSet only{static_cast<Direction>(direction)};
  position.sets_rx = (bits & kInput) != 0;
  position.sets_tx = !position.sets_rx;
  (position.sets_rx ? position.rx : position.tx) = only;
}

}  // namespace

std::uint16_t color_register(const ColorRoute& route) {
  const RoutePosition& base = route.positions[0];
  unsigned value = base.tx.bits() | base.rx.bits() << kInputShift;
  if (route.swap_y) value |= kSwapY;
  if (route.swap_x) value |= kSwapX;
  value |= static_cast<unsigned>(route.pop) << kPopShift;
  if (route.suspended) value |= config_space::kTeardownBit;
  return static_cast<std::uint16_t>(value);
}

void set_color_register(ColorRoute& route, std::uint16_t value) {
  RoutePosition& base = route.positions[0];
  base.tx = DirectionSet::from_bits(value & kMask);
  base.rx = DirectionSet::from_bits(value >> kInputShift & kMask);
  base.valid = true;
  for (unsigned p = 1; p < kSwitchPositions; ++p) {
    RoutePosition& position = route.positions[p];
    if (!position.sets_rx) position.rx = base.rx;
    if (!position.sets_tx) position.tx = base.tx;
  }
  route.swap_y = (value & kSwapY) != 0;
  route.swap_x = (value & kSwapX) != 0;
  route.pop = static_cast<PopMode>(value >> kPopShift & 3U);
  route.suspended = (value & config_space::kTeardownBit) != 0;
}

std::uint16_t switch_register(const ColorRoute& route) {
  unsigned value = 0;
  for (unsigned p = 1; p < kSwitchPositions; ++p)
    value |= position_bits(route.positions[p]) << 4 * (p - 1);
  if (route.ring) value |= kRing;
  return static_cast<std::uint16_t>(value | route.current << kCurrentShift);
}

void set_switch_register(ColorRoute& route, std::uint16_t value) {
  for (unsigned p = 1; p < kSwitchPositions; ++p)
    set_position(route.positions[p], value >> 4 * (p - 1) & 15U, route.positions[0]);
  route.ring = (value & kRing) != 0;
  route.current = value >> kCurrentShift & 3U;
}

}  // namespace tessera::fabric
