#include "models/wafer/plan/slot_graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "models/wafer/plan/plain_tiles.h"
#include "models/wafer/plan/route_shape.h"

namespace tessera::wafer {

namespace {

// Of a set that is not empty.
Direction first_of(DirectionSet set) {
  return *std::find_if(kAllDirections.begin(), kAllDirections.end(),
                       [set](Direction d) { return set.contains(d); });
}

/// The slots of one tile while they are numbered: bit i stands for its i-th route.
using RouteMask = std::uint32_t;
static_assert(kColorCount <= 32);

class Layout {
 public:
  explicit Layout(const Strip& strip) : strip_(strip), plan_(strip.plan) {
    graph_.plain = plain_tiles(strip);
    for (const fabric::ColorRoute& route : plan_.routes)
      shapes_.emplace_back(route, plan_.fabric.switch_positions);
    graph_.receivers.resize(strip.route_count());
    place_of_route_.reserve(strip.route_count());
    for (std::uint32_t place = strip.first_place; place < strip.end_place; ++place)
      place_of_route_.insert(place_of_route_.end(), end(place) - begin(place), place);
    for (const PortPlan& port : plan_.ports) {
      if (port.side != Direction::kRamp) ports_.insert({plan_.place_of(port.tile), port.side});
    }
    latencies_fit_ = latencies_fit();
  }

  SlotGraph run() {
    // Paths from where they begin; then what is left, closed rings. By tile, each path is one unit.
    for (const bool any : {strip_.by_tile, true}) {
      for (std::uint32_t r = strip_.first_route; r < strip_.end_route; ++r) {
        if (is_plain_tile(place_of_route(r)) && (any || begins_path(r))) follow(r);
      }
    }
    return std::move(graph_);
  }

 private:
  std::uint32_t begin(std::uint32_t place) const { return plan_.tile_routes_begin[place]; }
  std::uint32_t end(std::uint32_t place) const { return plan_.tile_routes_begin[place + 1]; }
  const RouteShape& shape(std::uint32_t r) const { return shapes_[plan_.tile_routes[r].route]; }
  bool is_switched(std::uint32_t r) const { return shape(r).kind == RouteShape::Kind::kSwitched; }

  std::uint32_t place_of_route(std::uint32_t r) const {
    return place_of_route_[r - strip_.first_route];
  }
  Ref& receiver(std::uint32_t r) { return graph_.receivers[r - strip_.first_route]; }
  bool is_plain_tile(std::uint32_t place) const { return graph_.plain[place - strip_.first_place]; }

  /// The route of the neighbour at `side` with the color of `r`, if it has slots.
  std::uint32_t neighbour_route(std::uint32_t r, Direction side) const {
    const TileCoord next = neighbour(plan_.tile_of(place_of_route(r)), side);
    if (side == Direction::kRamp || !plan_.on_wafer(next)) return kNoIndex;
    const std::uint32_t place = plan_.place_of(next);
    return strip_.has(place) && is_plain_tile(place)
               ? find_route(plan_, place, plan_.tile_routes[r].color)
               : kNoIndex;
  }
  bool begins_path(std::uint32_t r) const {
    const Direction in = first_of(shape(r).inputs);
    const std::uint32_t before = neighbour_route(r, in);
    return before == kNoIndex || !shape(before).outputs.contains(opposite(in));
  }

  // Numbers the unit of route `r`, then what lies behind its outputs, the first one first.
  void follow(std::uint32_t r) {
    pending_.push_back(r);
    while (!pending_.empty()) {
      const std::uint32_t next = pending_.back();
      pending_.pop_back();
      if (receiver(next).kind() == Ref::Kind::kNone) number_unit(next);
    }
  }

  void number_unit(std::uint32_t r) {
    const std::uint32_t first = begin(place_of_route(r));
    const RouteMask unit = competitors(r);
    const bool is_alone = (unit & (unit - 1)) == 0 && !is_switched(r);
    if (is_alone && is_pipe(r)) return add_pipe(r);
    const std::uint32_t group = is_alone ? kNoIndex : add_group(first, unit);
    const std::size_t mark = pending_.size();
    for (RouteMask bits = unit; bits != 0; bits &= bits - 1)
      add_slots(first + static_cast<std::uint32_t>(__builtin_ctz(bits)), group);
    std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(mark), pending_.end());
  }

  std::uint32_t add_group(std::uint32_t first, RouteMask routes) {
    Group& added = graph_.groups.emplace_back();
    added.first = static_cast<std::uint32_t>(graph_.slots.size());
    unsigned slots = 0;
    for (RouteMask bits = routes; bits != 0; bits &= bits - 1) {
      const std::uint32_t r = first + static_cast<std::uint32_t>(__builtin_ctz(bits));
      slots += shape(r).inputs.size();
      if (is_switched(r)) added.kind = Group::Kind::kSwitches;
    }
    added.slots = static_cast<std::uint8_t>(slots);
    if (added.kind == Group::Kind::kPlain && can_merge(first, routes)) {
      added.kind = Group::Kind::kMerges;
      added.busy = (1U << slots) - 1;
    }
    return static_cast<std::uint32_t>(graph_.groups.size() - 1);
  }

  // They share outputs, so one each means the same one. What comes through a port may come from further ahead.
  bool can_merge(std::uint32_t first, RouteMask routes) const {
    bool merges = latencies_fit_ && __builtin_popcount(routes) <= int{Group::kMaxMerged};
    for (; routes != 0; routes &= routes - 1) {
      const std::uint32_t r = first + static_cast<std::uint32_t>(__builtin_ctz(routes));
      merges &= shape(r).outputs.size() == 1 && !is_port(r, first_of(shape(r).inputs)) &&
                !is_port(r, first_of(shape(r).outputs));
    }
    return merges;
  }

  bool is_pipe(std::uint32_t r) const {
    const Direction in = first_of(shape(r).inputs);
    const Direction out = first_of(shape(r).outputs);
    return shape(r).outputs.size() == 1 && latencies_fit_ &&
           plan_.fabric.input_room(in) <= kPipeRoom && !is_port(r, in) && !is_port(r, out);
  }
  bool is_port(std::uint32_t r, Direction side) const {
    return ports_.count({place_of_route(r), side}) != 0;
  }
  // Whether the counts and masks of pipes are large enough for this machine.
  bool latencies_fit() const {
    const fabric::FabricTiming& t = plan_.fabric;
    unsigned room = 0;
    for (const unsigned length : plan_.input_queue_lengths)
      room = std::max(room, t.queue_room(length));
    return std::max({t.hop_latency, t.credit_latency, t.on_ramp_latency}) <= kPipeLatency &&
           room <= kPipeCredits;
  }

  void add_pipe(std::uint32_t r) {
    receiver(r) = Ref(Ref::Kind::kPipe, static_cast<std::uint32_t>(graph_.pipes.size()));
    const Direction out = first_of(shape(r).outputs);
    graph_.pipes.emplace_back(place_of_route(r), plan_.tile_routes[r].color, out);
    visit_later(r, out);
  }

  // What lies behind an output is numbered next.
  void visit_later(std::uint32_t r, Direction out) {
    if (strip_.by_tile) return;
    const std::uint32_t next = neighbour_route(r, out);
    if (next != kNoIndex && shape(next).inputs.contains(opposite(out))) pending_.push_back(next);
  }

  void add_slots(std::uint32_t r, std::uint32_t group) {
    const auto first = static_cast<std::uint32_t>(graph_.slots.size());
    const auto first_link = static_cast<std::uint32_t>(graph_.links.size());
    receiver(r) = Ref(Ref::Kind::kSlot, first);
    const DirectionSet outputs = shape(r).outputs;
    for (Direction in : kAllDirections) {
      if (!shape(r).inputs.contains(in)) continue;
      Slot& slot = graph_.slots.emplace_back();
      slot.first_link = first_link;
      slot.links = static_cast<std::uint8_t>(outputs.size());
      slot.place = place_of_route(r);
      slot.group = group;
      slot.unit = group == kNoIndex ? first : graph_.groups[group].first;
      slot.color = plan_.tile_routes[r].color;
      slot.in = in;
    }
    const auto slots = static_cast<std::uint32_t>(graph_.slots.size()) - first;
    for (Direction out : kAllDirections) {
      if (!outputs.contains(out)) continue;
      Link& link = graph_.links.emplace_back();
      link.slot = first;
      link.slot_of_group = static_cast<std::uint8_t>((first - graph_.slots[first].unit) & 0x7FU);
      link.is_shared = slots > 1;
      link.group = group;
      link.out = out;
      visit_later(r, out);
    }
    if (is_switched(r)) add_switch(r, first, slots);
  }

  void add_switch(std::uint32_t r, std::uint32_t first_slot, std::uint32_t slots) {
    Switch& added = graph_.switches.emplace_back();
    added.route = shape(r).filled;
    added.first_slot = first_slot;
    added.slots = static_cast<std::uint8_t>(slots);
    for (unsigned p = 0; p < fabric::kSwitchPositions; ++p) {
      unsigned bit = 1;
      for (Direction out : kAllDirections) {
        if (!shape(r).outputs.contains(out)) continue;
        if (added.route.positions[p].tx.contains(out))
          added.links[p] = static_cast<std::uint8_t>(added.links[p] | bit);
        bit <<= 1;
      }
    }
  }

  // Routes of the tile that share an output with `r`, directly or through others.
  RouteMask competitors(std::uint32_t r) const {
    const std::uint32_t first = begin(place_of_route(r));
    const std::uint32_t count = end(place_of_route(r)) - first;
    RouteMask unit = RouteMask{1} << (r - first);
    unsigned outputs = shape(r).outputs.bits();
    for (bool grew = true; grew;) {
      grew = false;
      for (std::uint32_t i = 0; i < count; ++i) {
        const unsigned other = shape(first + i).outputs.bits();
        if ((unit >> i & 1U) != 0 || (other & outputs) == 0) continue;
        unit |= RouteMask{1} << i;
        outputs |= other;
        grew = true;
      }
    }
    return unit;
  }

  const Strip& strip_;
  const Plan& plan_;
  std::vector<std::uint32_t> place_of_route_;  // by route of the strip
  std::set<std::pair<std::uint32_t, Direction>> ports_;
  bool latencies_fit_ = false;
  std::vector<RouteShape> shapes_;  // by route of the plan
  std::vector<std::uint32_t> pending_;
  SlotGraph graph_;
};

}  // namespace

SlotGraph lay_out_slots(const Strip& strip) {
  return Layout(strip).run();
}

std::uint32_t find_route(const Plan& plan, std::uint32_t place, Color color) {
  for (std::uint32_t r = plan.tile_routes_begin[place]; r < plan.tile_routes_begin[place + 1];
       ++r) {
    if (plan.tile_routes[r].color == color) return r;
  }
  return kNoIndex;
}

Direction input_of_route(const Plan& plan, std::uint32_t tile_route) {
  return first_of(plan.routes[plan.tile_routes[tile_route].route].positions[0].rx);
}

}  // namespace tessera::wafer
