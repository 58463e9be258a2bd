// Random fabrics for property tests. Every color is a tree without loops: a trunk of steps in one
// horizontal and one vertical direction, which ends in a fork, whose switch chooses among two
// straight branches and the RAMP of the fork. All tiles have several switch positions (with and
// without a copy for the CE), pop modes and filters of all kinds, and receive the color from one
// direction only: what each CE gets does not depend on time and can be said beforehand, by walking
// the tree with one wavelet after the other.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/models/fabric/bench.h"
#include "tests/models/fabric/choices.h"

namespace tessera::fabric::bench {

/// What happened in a walk.
struct WalkCounts {
  unsigned sent = 0, moves = 0, pops = 0, rejected = 0, ignored = 0, arrived = 0, flips = 0;
};

class RandomFabric {
 public:
  static constexpr int kSide = 6;
  static constexpr unsigned kMaxColors = 20;
  using Place = std::pair<int, unsigned>;  // linear index of the tile, color
  using Arrivals = std::map<Place, std::vector<link::Wavelet>>;

  RandomFabric(const Choices& choices, unsigned colors, unsigned per_color) : choices_(choices) {
    timing.hop_latency = pick(1, 3);
    timing.credit_latency = pick(1, 2);
    timing.buffer_depth = pick(1, 3);
    timing.off_ramp_latency = pick(1, 4);
    if (one_in(4)) timing.arbitration = Arbitration::kFixed;
    stall_percent_ = pick(0, 4) * 15;
    for (unsigned color = 0; color < colors; ++color) {
      const TileCoord source = grow_tree(color);
      for (std::uint32_t n = 0; n < per_color; ++n) {
        traffic_.emplace_back(source, draw_wavelet(source, color, n));
      }
    }
  }

  void build(Mesh& mesh) const {
    for (const auto& [place, route] : routes_) {
      const auto& [tile, color] = place;
      mesh.router(at(tile)).set_route(Color(color), route);
      for (const RoutePosition& p : route.positions) {
        if (p.tx.contains(kR)) mesh.endpoint(at(tile)).open(Color(color), 1 + (color + tile) % 5);
      }
    }
    mesh.for_each_tile([&](TileCoord tile) {
      const auto key = static_cast<std::uint64_t>(number(tile)) * 77;
      const unsigned percent = stall_percent_;
      mesh.endpoint(tile).stall([key, percent](Cycle now) {
        return (now * 0x9E3779B97F4A7C15 + key) % 1009 % 100 < percent;
      });
    });
    mesh.connect();
    for (const auto& [source, w] : traffic_) mesh.endpoint(source).send(w);
  }
  /// What the CE of every tile gets of every color, in order.
  Arrivals walk(WalkCounts& counts) {
    Arrivals arrivals;
    states_.clear();
    for (const auto& [place, route] : routes_) states_.emplace(place, State(route));
    for (const auto& [source, w] : traffic_) {
      ++counts.sent;
      pass(source, w, arrivals, counts);
    }
    return arrivals;
  }
  /// The routes of the configured colors, by place.
  const std::map<Place, ColorRoute>& routes() const { return routes_; }
  /// For a place that routes() has, after walk().
  unsigned position_after_walk(const Place& place) const { return states_.at(place).route.current; }
  static TileCoord at(int tile) { return {tile % kSide, tile / kSide}; }
  static int number(TileCoord t) { return t.y * kSide + t.x; }

  FabricTiming timing;

 private:
  struct State {
    explicit State(const ColorRoute& r) : route(r) {
      if (r.filter) filter.emplace(*r.filter);
    }
    ColorRoute route;
    std::optional<Filter> filter;
  };

  unsigned pick(unsigned from, unsigned to) { return choices_.pick(from, to); }
  bool one_in(unsigned n) { return choices_.one_in(n); }
  static bool inside(TileCoord t) { return t.x >= 0 && t.x < kSide && t.y >= 0 && t.y < kSide; }

  // --- trees ---

  TileCoord grow_tree(unsigned color) {
    const TileCoord source = at(static_cast<int>(pick(0, kSide * kSide - 1)));
    const Direction horizontal = source.x < kSide / 2 ? kE : kW;
    const Direction vertical = source.y < kSide / 2 ? kS : kN;
    TileCoord tile = source;
    Direction in = kR;
    for (unsigned steps = pick(0, 5); steps > 0; --steps) {
      const Direction out = one_in(2) ? horizontal : vertical;
      if (!inside(neighbour(tile, out))) break;
      set_tile(tile, color, in, {out}, {kR});
      tile = neighbour(tile, out);
      in = opposite(out);
    }
    DirectionSet branches;
    for (const Direction out : {horizontal, vertical}) {
      if (!inside(neighbour(tile, out))) continue;
      branches.insert(out);
      grow_branch(neighbour(tile, out), color, out);
    }
    DirectionSet any = branches;
    any.insert(kR);
    set_tile(tile, color, in, {}, any);
    return source;
  }
  void grow_branch(TileCoord tile, unsigned color, Direction along) {
    while (!one_in(3) && inside(neighbour(tile, along))) {
      set_tile(tile, color, opposite(along), {along}, {kR});
      tile = neighbour(tile, along);
    }
    set_tile(tile, color, opposite(along), {kR}, {});
  }
  /// Every position that sets its outputs transmits to `always` and to some of `maybe`.
  void set_tile(TileCoord tile, unsigned color, Direction in, DirectionSet always,
                DirectionSet maybe) {
    ColorRoute r;
    for (unsigned i = 0; i < kSwitchPositions; ++i) {
      r.positions[i].valid = i == 0 || one_in(2);
      r.positions[i].rx = {in};
      r.positions[i].sets_tx = i == 0 || !one_in(3);
      if (r.positions[i].sets_tx) r.positions[i].tx = draw_outputs(always, maybe);
      if (r.positions[i].valid && one_in(3)) r.current = i;
    }
    r.ring = !one_in(3);
    r.pop = static_cast<PopMode>(pick(0, 3));
    if (one_in(2)) r.filter = draw_filter();
    routes_[{number(tile), color}] = r;
  }
  DirectionSet draw_outputs(DirectionSet always, DirectionSet maybe) {
    DirectionSet tx = always;
    for (const Direction d : kAllDirections) {
      if (maybe.contains(d) && one_in(2)) tx.insert(d);
    }
    return tx.empty() ? DirectionSet{kR} : tx;
  }
  FilterConfig draw_filter() {
    FilterConfig f;
    f.kind = static_cast<FilterKind>(pick(0, 2));
    f.count_data = !one_in(4);
    f.count_control = one_in(2);
    f.limit1 = pick(0, 14);
    f.limit2 = pick(0, 30);
    f.init_counter = pick(0, f.limit1);
    f.max_counter = pick(0, f.limit1);
    f.filter_control = one_in(5);
    f.min_idx = static_cast<std::uint16_t>(pick(0, 7));
    f.max_idx = static_cast<std::uint16_t>(pick(4, 15));
    return f;
  }

  // --- traffic ---

  link::Wavelet draw_wavelet(TileCoord source, unsigned color, std::uint32_t n) {
    link::Wavelet w;
    w.color = Color(color);
    w.ident = static_cast<std::uint64_t>(number(source) + 1) << 32 | color << 24 | n;
    w.payload = pick(0, 15) << 16 | (n & 0xFFFF);
    w.local_flip = one_in(20);
    w.control = one_in(6);
    if (!w.control) return w;
    w.payload = pick(0, 63) << 16;
    const unsigned length = pick(1, link::kMaxCommands);
    for (unsigned i = 0; i < length; ++i) {
      // all commands but TEARDOWN, which holds a color for good
      w.payload =
          link::with_command(w.payload, i, {static_cast<link::Command>(pick(0, 2)), one_in(3)});
    }
    return w;
  }

  // --- the reference: wse.md 1.5 processing order, router after router ---

  void pass(TileCoord tile, link::Wavelet w, Arrivals& arrivals, WalkCounts& counts) {
    const Place place = {number(tile), w.color.value()};
    State& state = states_.at(place);
    const DirectionSet tx = outputs_of(state.route);
    const bool local = state.route.positions[0].rx.contains(kR);
    const bool flips = w.local_flip && local;
    w.local_flip = false;
    if (tx.contains(kR) && reaches_ce(state, w, counts)) {
      arrivals[place].push_back(w);
      ++counts.arrived;
    }
    const link::CommandEntry first =
        w.control ? link::command_at(w.payload, 0) : link::CommandEntry();
    if (w.control && loses_first(state.route, first.command)) {
      w.payload = link::pop_command(w.payload);
      ++counts.pops;
    }
    const unsigned before = state.route.current;
    if (flips) state.route.current = state.route.advanced();
    if (first.command == link::Command::kAdvance) state.route.current = state.route.advanced();
    if (first.command == link::Command::kReset) state.route.current = 0;
    counts.flips += flips ? 1 : 0;
    counts.moves += state.route.current != before ? 1 : 0;
    for (const Direction out : kCardinalDirections) {
      if (tx.contains(out)) pass(neighbour(tile, out), w, arrivals, counts);
    }
  }
  /// wse.md 1.4: positions add up.
  static DirectionSet outputs_of(const ColorRoute& route) {
    unsigned from = route.current;
    while (!route.positions[from].valid || !route.positions[from].sets_tx) --from;
    return route.positions[from].tx;
  }
  static bool reaches_ce(State& state, const link::Wavelet& w, WalkCounts& counts) {
    const bool ignored = w.control && link::command_at(w.payload, 0).ignore_at_ce;
    const bool accepted = !state.filter || state.filter->accept(w);
    counts.ignored += ignored ? 1 : 0;
    counts.rejected += accepted ? 0 : 1;
    return accepted && !ignored;
  }
  static bool loses_first(const ColorRoute& r, link::Command command) {
    const bool advance_moves = command == link::Command::kAdvance && r.advanced() != r.current;
    const bool reset_moves = command == link::Command::kReset && r.current != 0;
    if (r.pop == PopMode::kNoPop) return false;
    if (r.pop == PopMode::kAlwaysPop) return true;
    return advance_moves || reset_moves ||
           (r.pop == PopMode::kPopOnAdvanceNop && command == link::Command::kNop);
  }

  Choices choices_;
  std::map<Place, ColorRoute> routes_;
  std::vector<std::pair<TileCoord, link::Wavelet>> traffic_;  // in order per color
  std::map<Place, State> states_;
  unsigned stall_percent_ = 0;
};

}  // namespace tessera::fabric::bench
