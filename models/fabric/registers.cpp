#include "models/fabric/registers.h"

#include <algorithm>

namespace tessera::fabric {

namespace {

using config_space::FilterWord;

// --- routes

constexpr unsigned kInputShift = 5;
constexpr unsigned kMask = 0x1F;
constexpr unsigned kSwapY = 1U << 10;
constexpr unsigned kSwapX = 1U << 11;
constexpr unsigned kPopShift = 12;
constexpr unsigned kInput = 8;  // the bit of a position's four that sets the input
constexpr unsigned kRing = 1U << 12;
constexpr unsigned kCurrentShift = 13;

unsigned first_of(DirectionSet set) {
  for (Direction d : kAllDirections) {
    if (set.contains(d)) return static_cast<unsigned>(index(d));
  }
  return config_space::kInvalidDirection;
}

unsigned position_bits(const RoutePosition& position) {
  const bool input = position.sets_rx && !position.sets_tx;
  if (!position.valid) return config_space::kInvalidDirection | (input ? kInput : 0);
  return input ? first_of(position.rx) | kInput : first_of(position.tx);
}

RoutePosition position_of(unsigned bits) {
  const unsigned direction = bits & 7U;
  const bool input = (bits & kInput) != 0;  // programs read it back, also for invalid positions
  if (direction >= kDirectionCount) return {{}, {}, false, input, !input};
  const DirectionSet only{static_cast<Direction>(direction)};
  if (input) return {only, {}, true, true, false};
  return {{}, only, true, false, true};
}

// --- filters

constexpr unsigned kKindShift = 5;
constexpr unsigned kKindMask = 3;
constexpr unsigned kCountData = 1U << 8;
constexpr unsigned kCountControl = 1U << 9;
constexpr unsigned kFilterControl = 1U << 10;
constexpr unsigned kDisabled = 1U << 15;

unsigned kind_of(std::uint16_t control) {
  return control >> kKindShift & kKindMask;
}

std::uint16_t control_word(const Filter& filter, Color color) {
  unsigned value = color.value() | static_cast<unsigned>(filter.mode.kind) << kKindShift;
  if (filter.mode.count_data) value |= kCountData;
  if (filter.mode.count_control) value |= kCountControl;
  if (filter.mode.filter_control) value |= kFilterControl;
  if (filter.mode.disabled) value |= kDisabled;
  return static_cast<std::uint16_t>(value);
}

/// A number in two words.
struct Number {
  FilterWord word;
  std::uint32_t (FilterCounter::*get)() const;
  void (FilterCounter::*set)(std::uint32_t value);
};
constexpr Number kNumbers[] = {
    {FilterWord::kLimit, &FilterCounter::limit, &FilterCounter::set_limit},
    {FilterWord::kLimit2, &FilterCounter::limit2, &FilterCounter::set_limit2},
    {FilterWord::kMaxCounter, &FilterCounter::max_counter, &FilterCounter::set_max_counter},
    {FilterWord::kCounter, &FilterCounter::value, &FilterCounter::set_value},
    {FilterWord::kStateCounter, &FilterCounter::state_counter, &FilterCounter::set_state_counter},
    {FilterWord::kPassCount, &FilterCounter::pass_count, &FilterCounter::set_pass_count},
    {FilterWord::kDropCount, &FilterCounter::drop_count, &FilterCounter::set_drop_count},
};

/// The number that `offset` is the low or high half of; nullptr: there is none.
const Number* number_at(unsigned offset) {
  for (const Number& number : kNumbers) {
    if (static_cast<unsigned>(number.word) == (offset & ~1U)) return &number;
  }
  return nullptr;
}

std::uint32_t with_half(std::uint32_t number, unsigned offset, std::uint16_t half) {
  return offset % 2 == 0 ? (number & 0xFFFF0000U) | half
                         : (number & 0xFFFFU) | std::uint32_t{half} << 16;
}

// --- rules

// A WSE-2 has no filter registers: there their addresses are refused before they come here.
bool is_filter(config_space::Address address) {
  return config_space::is_filter(address, Generation::kWse3);
}

bool is_filter_kind(std::uint16_t control) {
  return kind_of(control) <= static_cast<unsigned>(FilterKind::kRange);
}

std::string color_register_problem(Color color, std::uint16_t value, Generation generation) {
  if (generation != Generation::kWse3) return "";
  ColorRoute route;
  set_color_register(route, value);
  const DirectionSet rx = route.positions[0].rx;
  if (rx.size() > 1)
    return "receives from " + to_string(rx) + "; a WSE-3 color has exactly one rx direction";
  if (route.swap_x || route.swap_y) return "has no color swap; only a WSE-2 has it";
  if (route.pop != PopMode::kNoPop && !is_switchable(color, generation))
    return "has no switch, and no pop mode";
  return "";
}

std::string switch_register_problem(Color color, std::uint16_t value, Generation generation) {
  if (is_switchable(color, generation)) return "";
  ColorRoute route;
  set_switch_register(route, value);
  const bool moves = std::any_of(route.positions.begin() + 1, route.positions.end(),
                                 [](const RoutePosition& position) { return position.valid; });
  return moves || route.ring || route.current != 0 ? "has no switch" : "";
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
    route.positions[p] = position_of(value >> 4 * (p - 1) & 15U);
  route.ring = (value & kRing) != 0;
  route.current = value >> kCurrentShift & 3U;
}

std::uint16_t filter_register(const Filter& filter, Color color, unsigned offset) {
  switch (static_cast<FilterWord>(offset)) {
  case FilterWord::kControl:
    return control_word(filter, color);
  case FilterWord::kMinIndex:
    return filter.min_index;
  case FilterWord::kMaxIndex:
    return filter.max_index;
  case FilterWord::kState:
    return filter.counter.dropping() && !filter.mode.disabled ? 1 : 0;
  default:
    break;
  }
  const Number* number = number_at(offset);
  if (number == nullptr) return 0;
  return static_cast<std::uint16_t>((filter.counter.*number->get)() >> (offset % 2 == 0 ? 0 : 16));
}

void set_filter_register(Filter& filter, unsigned offset, std::uint16_t value) {
  switch (static_cast<FilterWord>(offset)) {
  case FilterWord::kControl:
    filter.mode = {static_cast<FilterKind>(kind_of(value)), (value & kCountData) != 0,
                   (value & kCountControl) != 0, (value & kFilterControl) != 0,
                   (value & kDisabled) != 0};
    return;
  case FilterWord::kMinIndex:
    filter.min_index = value;
    return;
  case FilterWord::kMaxIndex:
    filter.max_index = value;
    return;
  case FilterWord::kState:
    filter.counter.set_dropping(value != 0);
    return;
  default:
    break;
  }
  const Number* number = number_at(offset);
  if (number == nullptr) return;
  (filter.counter.*number->set)(with_half((filter.counter.*number->get)(), offset, value));
}

bool is_switchable(Color color, Generation generation) {
  const unsigned c = color.value();
  return generation == Generation::kWse2 || c <= 9 || c == 12 || c == 13 || c == 16 || c == 17 ||
         c == 20 || c == 21;
}

std::string why_illegal(config_space::Address address, std::uint16_t value, Generation generation) {
  if (config_space::is_filter(address, generation)) {
    const bool control = config_space::filter_offset_of(address) == 0;
    return control && !is_filter_kind(value) ? "3 is no kind of filter" : "";
  }
  const Color color = config_space::color_of(address);
  const std::string problem = config_space::is_color(address)
                                  ? color_register_problem(color, value, generation)
                                  : switch_register_problem(color, value, generation);
  return problem.empty() ? "" : "color " + std::to_string(color.value()) + " " + problem;
}

// Filters are numbered by rising color (config_space.h). nullptr: the tile has no such color or
// filter.
RouteTable::Channel* RouterRegisters::channel_at(config_space::Address address) const {
  if (!is_filter(address)) {
    const Color color = config_space::color_of(address);
    return routes_.configured(color) ? &routes_.at(color) : nullptr;
  }
  unsigned before = config_space::filter_of(address);
  for (unsigned c = 0; c < kColorCount; ++c) {
    if (!routes_.configured(Color(c)) || !routes_.at(Color(c)).filter) continue;
    if (before-- == 0) return &routes_.at(Color(c));
  }
  return nullptr;
}

std::uint16_t RouterRegisters::read(config_space::Address address, Cycle now) const {
  const RouteTable::Channel* channel = channel_at(address);
  if (channel == nullptr) return 0;
  if (is_filter(address)) {
    return filter_register(routes_.filter_before(*channel, now), channel->color,
                           config_space::filter_offset_of(address));
  }
  const ColorRoute& route = routes_.route_before(*channel, now);
  return config_space::is_color(address) ? color_register(route) : switch_register(route);
}

bool RouterRegisters::write(config_space::Address address, std::uint16_t value, Cycle due) {
  if (channel_at(address) == nullptr) return false;
  writes_.push_back({due, address, value});
  return true;
}

std::string RouterRegisters::why_illegal(config_space::Address address, std::uint16_t value) const {
  if (channel_at(address) != nullptr)
    return fabric::why_illegal(address, value, routes_.generation());
  if (config_space::is_filter(address, routes_.generation()))
    return "no color has filter " + std::to_string(config_space::filter_of(address));
  return "color " + std::to_string(config_space::color_of(address).value()) +
         " has no route in the layout";
}

void RouterRegisters::apply_due(Cycle now) {
  auto write = writes_.begin();
  for (; write != writes_.end() && write->due <= now; ++write) {
    RouteTable::Channel& channel = *channel_at(write->address);
    if (is_filter(write->address)) {
      set_filter_register(routes_.change_filter(channel, now),
                          config_space::filter_offset_of(write->address), write->value);
      continue;
    }
    ColorRoute route = channel.route;
    if (config_space::is_color(write->address)) {
      set_color_register(route, write->value);
    } else {
      set_switch_register(route, write->value);
    }
    routes_.rewrite(channel, route, now);
  }
  writes_.erase(writes_.begin(), write);
}

}  // namespace tessera::fabric
