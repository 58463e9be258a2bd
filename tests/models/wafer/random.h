// Random wafers for property tests: plain tiles and whole routers, programs that send and read,
// ports at the rim and in between. Every color has a few trees without loops that do not touch.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/fabric/choices.h"
#include "tests/models/wafer/bench.h"
#include "tests/models/wafer/plan.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer::bench {

enum class Flavor {
  kDrains,    ///< all that is sent is taken in the end
  kTeardown,  ///< all is taken until a control wavelet suspends its color
  kChaos,     ///< routes that lead nowhere, color swap, injection, two directions at once
};

class RandomWafer {
 public:
  RandomWafer(const fabric::bench::Choices& choices, Flavor flavor, unsigned per_source,
              bool with_ports = true)
      : choices_(choices), flavor_(flavor), per_source_(per_source), builder_(1, 1) {
    const auto width = static_cast<int>(pick(1, 7));
    const auto height = static_cast<int>(pick(1, 6));
    builder_ = PlanBuilder(width, height);
    draw_timing(builder_.settings());
    if (with_ports) draw_ports();
    branching_ = any_of(std::array<unsigned, 3>{3, 6, 20});
    const unsigned colors = one_in(2) ? pick(1, 4) : pick(5, 14);
    for (unsigned n = 0; n < colors; ++n) {
      const unsigned color = pick(0, kColorCount - 1);
      for (unsigned trees = pick(1, 3); trees > 0; --trees) grow_tree(color);
    }
    if (flavor_ == Flavor::kChaos) draw_chaos();
    spice_tiles();
    write_programs();
    plan = builder_.build();
    for (PortScript& script : scripts) draw_script(script);
  }

  Plan plan;
  std::vector<PortScript> scripts;
  bool drains() const { return flavor_ == Flavor::kDrains; }

  /// One round of traffic: what ports send, and the programs.
  void load(Machine& machine, Cycle from) const {
    for (const Sent& sent : traffic_) machine.send(sent.port, sent.wavelet, from + sent.from);
    machine.launch_everywhere("main", from + 1);
  }
  std::size_t wavelets() const { return wavelets_; }

 private:
  using Place = std::pair<std::uint32_t, unsigned>;  // tile, color
  struct Sent {
    std::uint32_t port;
    Cycle from;
    link::Wavelet wavelet;
  };
  struct Leaf {
    TileCoord at;
    Direction in;
  };
  static constexpr std::size_t kMaxSources = 3;  // colors that a PE sends, at most
  static constexpr std::size_t kMaxSinks = 4;    // colors that a PE receives, at most

  unsigned pick(unsigned from, unsigned to) { return choices_.pick(from, to); }
  bool one_in(unsigned n) { return choices_.one_in(n); }
  Plan& settings() { return builder_.settings(); }
  template <class T, std::size_t N>
  T any_of(const std::array<T, N>& list) {
    return list[pick(0, N - 1)];
  }

  // --- machine ---

  void draw_timing(Plan& wafer) {
    if (one_in(2)) wafer.generation = Generation::kWse2;
    // Most machines are such that their routers have pipes (pipes.h).
    const bool small = !one_in(3);
    wafer.fabric.hop_latency = small ? pick(1, 3) : one_in(8) ? kMaxLatency : pick(1, 5);
    wafer.fabric.buffer_depth =
        small ? kPipeRoom + 1 - wafer.fabric.hop_latency - pick(0, 3 - wafer.fabric.hop_latency)
              : pick(1, 6);
    wafer.fabric.credit_latency = one_in(8) ? (small ? kPipeLatency : kMaxLatency) : pick(1, 3);
    wafer.fabric.on_ramp_latency = small ? pick(1, 3) : pick(1, 5);
    wafer.fabric.off_ramp_latency = one_in(8) ? kMaxLatency : pick(1, 5);
    wafer.queue_write_latency = one_in(8) ? kMaxLatency : pick(1, 3);
    if (wafer.fabric.off_ramp_latency == 4) wafer.fabric.ramp_run = 2 + wafer.fabric.buffer_depth;
    if (one_in(2)) wafer.fabric.arbitration = fabric::Arbitration::kFixed;
    if (one_in(2)) wafer.fabric.coincidence = fabric::Coincidence::kMerge;
    if (one_in(3)) wafer.fabric.color_swap = fabric::ColorSwap::kPartner;
    for (unsigned& length : wafer.input_queue_lengths) length = pick(1, 6);
    for (unsigned& length : wafer.output_queue_lengths) length = pick(1, 6);
  }
  void draw_ports() {
    const Plan& wafer = settings();
    for (int y = 0; y < wafer.height; ++y) {
      for (int x = 0; x < wafer.width; ++x) {
        for (Direction side : kCardinalDirections) {
          const bool rim = !wafer.on_wafer(neighbour({x, y}, side));
          if (!one_in(rim ? 2 : 12)) continue;
          port_of_[{wafer.place_of({x, y}), side}] = static_cast<std::uint32_t>(scripts.size());
          builder_.port({x, y}, side);
          scripts.emplace_back();
        }
      }
    }
  }
  void draw_script(PortScript& script) {
    script.latency = one_in(8) ? pick(kMaxLatency, 200) : pick(1, 5);
    script.credit_latency = one_in(8) ? pick(kMaxLatency, 200) : pick(1, 4);
    script.per_cycle = pick(1, 2);
    script.stall_percent = pick(0, 4) * 20;
    script.key = pick(0, 1000);
    for (unsigned& room : script.room) room = pick(1, 6);
  }

  // --- routes ---

  bool is_port(TileCoord at, Direction side) {
    return port_of_.count({settings().place_of(at), side}) != 0;
  }
  bool leads_to_free_tile(TileCoord at, Direction out, unsigned color) {
    const TileCoord next = neighbour(at, out);
    return settings().on_wafer(next) && !is_port(at, out) && !is_port(next, opposite(out)) &&
           !builder_.has_route(next, color) && reserved_.count(settings().place_of(next)) == 0 &&
           can_take(next);
  }
  bool can_take(TileCoord at) { return sinks_[settings().place_of(at)].size() < kMaxSinks; }
  void grow_tree(unsigned color) {
    const TileCoord at{static_cast<int>(pick(0, static_cast<unsigned>(settings().width) - 1)),
                       static_cast<int>(pick(0, static_cast<unsigned>(settings().height) - 1))};
    if (builder_.has_route(at, color) || !can_take(at)) return;
    const Direction side = any_of(kCardinalDirections);
    const Direction in = is_port(at, side) ? side : kR;
    const std::uint32_t place = settings().place_of(at);
    if (in == kR) {
      if (sources_[place].size() == kMaxSources) return;
      sources_[place].insert(color);
    }
    reserved_ = {place};
    bool only_ports = in != kR;
    std::vector<Leaf> leaves = {{at, in}};
    const unsigned length = pick(0, 12);
    for (unsigned steps = 0; !leaves.empty(); ++steps) {
      const Leaf leaf = leaves.back();
      leaves.pop_back();
      only_ports &= add_tile(leaf, color, steps < length, leaves);
    }
    reserved_.clear();
    if (in != kR) draw_traffic(port_of_[{place, in}], color, only_ports);
  }
  /// The route of a tile; new leaves where it leads. False: it may lead to a CE.
  bool add_tile(const Leaf& leaf, unsigned color, bool may_grow, std::vector<Leaf>& leaves) {
    const std::uint32_t place = settings().place_of(leaf.at);
    std::vector<Direction> ways;
    for (Direction out : kCardinalDirections) {
      if (out != leaf.in && may_grow &&
          (is_port(leaf.at, out) || leads_to_free_tile(leaf.at, out, color)))
        ways.push_back(out);
    }
    DirectionSet tx;
    for (unsigned n = 0; !ways.empty() && one_in(n == 0 ? 1 : branching_); ++n) {
      const auto way = ways.begin() + pick(0, static_cast<unsigned>(ways.size()) - 1);
      const Direction out = *way;
      ways.erase(way);
      tx.insert(out);
      if (is_port(leaf.at, out)) continue;
      reserved_.insert(settings().place_of(neighbour(leaf.at, out)));
      leaves.push_back({neighbour(leaf.at, out), opposite(out)});
    }
    if (tx.empty() || (one_in(branching_) && can_take(leaf.at))) {
      tx.insert(kR);
      sinks_[place].insert(color);
    }
    builder_.route_of(leaf.at, color, route({leaf.in}, tx));
    return !tx.contains(kR);
  }
  DirectionSet any_directions() { return DirectionSet::from_bits(pick(1, 31)); }
  void draw_chaos() {
    const Plan& wafer = settings();
    for (unsigned n = pick(1, 8); n > 0; --n) {
      const TileCoord at =
          wafer.tile_of(pick(0, static_cast<unsigned>(wafer.width * wafer.height) - 1));
      fabric::ColorRoute drawn = route({any_of(kAllDirections)}, any_directions());
      if (one_in(2)) drawn.positions[0].rx = any_directions();
      builder_.route_of(at, pick(0, kColorCount - 1), drawn);
    }
  }
  void spice_tiles() {
    const unsigned of_ten = any_of(std::array<unsigned, 4>{0, 1, 3, 10});
    std::map<Place, fabric::ColorRoute> routes = builder_.routes();
    enum class Spice { kNone, kSwitches, kAll };
    std::map<std::uint32_t, Spice> spices;
    for (auto& [place, drawn] : routes) {
      if (spices.count(place.first) == 0) {
        const bool any = pick(0, 9) < of_ten;
        spices[place.first] = !any ? Spice::kNone : one_in(2) ? Spice::kSwitches : Spice::kAll;
      }
      if (spices[place.first] == Spice::kNone) continue;
      add_switch(drawn);
      if (flavor_ != Flavor::kDrains && one_in(2)) turn(drawn, place);
      if (spices[place.first] == Spice::kAll) {
        add_filter(drawn);
        if (flavor_ == Flavor::kChaos) spice_more(drawn);
      }
      builder_.route_of(settings().tile_of(place.first), place.second, drawn);
    }
  }
  // Switch positions, filters: what is sent is taken all the same.
  void add_switch(fabric::ColorRoute& drawn) {
    for (unsigned p = 1; p < fabric::kSwitchPositions; ++p) {
      if (!one_in(2)) continue;
      drawn.positions[p] = drawn.positions[0];
      if (drawn.positions[p].tx.size() > 1 && one_in(2)) drawn.positions[p].tx.erase(kR);
      if (one_in(3)) drawn.current = p;
    }
    drawn.ring = one_in(2);
    drawn.pop = static_cast<fabric::PopMode>(pick(0, 3));
  }
  void add_filter(fabric::ColorRoute& drawn) {
    if (!drawn.positions[0].tx.contains(kR) || !one_in(3)) return;
    fabric::FilterConfig filter;
    filter.kind = static_cast<fabric::FilterKind>(pick(0, 2));
    filter.count_control = one_in(2);
    filter.limit1 = pick(0, 9);
    filter.init_counter = pick(0, filter.limit1);
    filter.max_counter = pick(0, filter.limit1);
    filter.max_idx = static_cast<std::uint16_t>(pick(0, 0xFFFF));
    drawn.filter = filter;
  }
  // Positions that receive from another port, mostly from the PE: what comes from there waits until the switch is turned.
  void turn(fabric::ColorRoute& drawn, const Place& at) {
    std::set<unsigned>& sent = sources_[at.first];
    for (unsigned p = 1; p < fabric::kSwitchPositions; ++p) {
      if (one_in(3)) continue;
      const Direction in = one_in(3) ? any_of(kAllDirections) : kR;
      drawn.positions[p] = {{in}, drawn.positions[0].tx, true};
      if (flavor_ == Flavor::kChaos && one_in(3)) drawn.positions[p].tx = any_directions();
      if (in == kR && sent.size() < kMaxSources) sent.insert(at.second);
    }
  }
  void spice_more(fabric::ColorRoute& drawn) {
    drawn.swap_x = one_in(3);
    drawn.swap_y = one_in(3);
    drawn.suspended = one_in(20);
    if (one_in(6)) drawn.injection = static_cast<fabric::Injection>(pick(1, 2));
    if (one_in(3)) drawn.positions[pick(1, 3)] = {any_directions(), any_directions(), true};
  }

  // --- traffic ---

  std::uint32_t draw_control() {
    const unsigned last = flavor_ == Flavor::kDrains ? 2 : 3;
    std::uint32_t payload = (flavor_ == Flavor::kChaos && one_in(10) ? pick(0, 63) : 31U) << 16;
    for (unsigned i = pick(1, link::kMaxCommands); i > 0; --i) {
      const auto command = one_in(3) ? pick(0, last) : pick(0, 2);
      payload =
          link::with_command(payload, i - 1, {static_cast<link::Command>(command), one_in(3)});
    }
    return payload;
  }
  void draw_traffic(std::uint32_t port, unsigned color, bool only_ports) {
    Cycle from = pick(0, 200);
    for (unsigned n = pick(1, per_source_); n > 0; --n) {
      link::Wavelet w;
      w.color = Color(color);
      w.control = one_in(8);
      w.payload = w.control ? draw_control() : pick(0, 0xFFFFFFFE);
      w.half = only_ports && one_in(8);
      w.local_flip = one_in(20);
      w.ident = ++wavelets_;
      if (one_in(20)) from += pick(0, 150);
      traffic_.push_back({port, from, w});
    }
  }

  // --- programs ---

  void write_programs() {
    const Plan& wafer = settings();
    for (std::uint32_t place = 0; place < static_cast<std::uint32_t>(wafer.width * wafer.height);
         ++place) {
      if (sources_[place].empty() && sinks_[place].empty()) {
        if (one_in(4)) builder_.program(wafer.tile_of(place), "fn main\n    ret\n");
        continue;
      }
      builder_.program(wafer.tile_of(place), program(place));
    }
  }
  std::string program(std::uint32_t place) {
    declarations_.clear();
    tasks_.clear();
    unsigned queue = 0;
    unsigned register_number = 0;
    std::string senders;
    std::string readers;
    for (const unsigned color : sources_[place]) {
      const std::string q = std::to_string(queue++);
      declarations_ += "queue o" + q + " output " + q + " color=" + std::to_string(color) + "\n";
      const bool waits = flavor_ != Flavor::kDrains && one_in(2);
      for (unsigned parts = waits ? pick(1, 3) : 1; parts > 0; --parts)
        senders += sender(q, std::to_string(register_number++), waits);
    }
    queue = 4;
    for (const unsigned color : sinks_[place]) {
      const std::string q = std::to_string(queue++);
      declarations_ += "queue i" + q + " input " + q + " color=" + std::to_string(color) + "\n";
      readers += reader(q, std::to_string(register_number++));
    }
    if (flavor_ == Flavor::kChaos && one_in(3)) tasks_ += teardown_task();
    // A second launch finds the readers at work.
    return declarations_ + "data started: u16[1]\n" + tasks_ +
           "fn main\n    ld16 r0, [started]\n    eq16 r0, 0\n    jmpf again\n    movri r0, 1\n"
           "    st16 [started], r0\n" +
           readers + "again:\n" + delay() + senders + "    ret\n";
  }
  /// `waits`: it keeps the main thread, and so the data tasks of the PE, until all is sent.
  std::string sender(const std::string& queue, const std::string& number, bool waits) {
    const bool control = one_in(4);
    const unsigned count = pick(1, control ? 4 : std::min(per_source_, 60U));
    const std::string n = std::to_string(count);
    wavelets_ += count;
    declarations_ += "data p" + number + ": u32[" + n + "] = ";
    for (unsigned i = 0; i < count; ++i) {
      declarations_ +=
          (i == 0 ? "" : ", ") + std::to_string(control ? draw_control() : pick(0, 0xFFFFFFFE));
    }
    declarations_ += "\ndsd m" + number + " mem1d p" + number + "\ndsd f" + number + " fabout o" +
                     queue + " extent=" + n + (control ? " control" : "") +
                     (one_in(5) ? " advance_switch" : "") + "\n";
    return "    lddsr dds" + number + ", f" + number + "\n    lddsr s1ds" + number + ", m" +
           number + "\n    mov32 dds" + number + ", s1ds" + number + (waits ? "\n" : " async\n") +
           delay();
  }
  std::string reader(const std::string& queue, const std::string& number) {
    if (one_in(2)) {
      tasks_ += "task t" + queue + " data i" + queue + "\n";
      for (unsigned n = pick(0, 3); n > 0; --n) {
        tasks_ += "    ";
        tasks_ += any_of(std::array<const char*, 3>{"fdivs d8, d8, 3.0", "add32 d8, d8, d0",
                                                    "fadds d10, d8, 1.0"});
        tasks_ += "\n";
      }
      tasks_ += "    end\n";
      return "";
    }
    const bool endless = flavor_ != Flavor::kChaos || one_in(2);
    declarations_ += "data w" + queue + ": u32[1]\ndsd a" + queue + " mem1d w" + queue +
                     " stride=0 extent=64\ndsd i" + number + "in fabin i" + queue +
                     " extent=" + (endless ? "32767" : std::to_string(pick(1, 40))) + "\n";
    return "    lddsr s1ds" + number + ", i" + number + "in\n    lddsr dds" + number + ", a" +
           queue + "\n    mov32 dds" + number + ", s1ds" + number + " async\n";
  }
  std::string delay() {
    if (!one_in(4)) return "";
    return "    fdivs d8, d8, 2.0\n    fadds d8, d8, 1.0\n";  // 50 cycles
  }
  std::string teardown_task() {
    std::string text = "task t29 local 29\n    ldcfg r0, 0x7f60\n    ldcfg r1, 0x7f61\n";
    for (unsigned n = pick(1, 4); n > 0; --n) {
      const std::string address = std::to_string(0x7F20 + pick(0, kColorCount - 1));
      text += "    ldcfg r2, " + address + "\n    eq16 r2, 0\n    jmpt l" + std::to_string(n) +
              "\n    and16 r2, r2, 0xbfff\n    stcfg " + address + ", r2\nl" + std::to_string(n) +
              ":\n";
    }
    return text + "    end\n";
  }

  fabric::bench::Choices choices_;
  Flavor flavor_;
  unsigned per_source_;
  unsigned branching_ = 2;
  PlanBuilder builder_;
  std::map<std::pair<std::uint32_t, Direction>, std::uint32_t> port_of_;
  std::set<std::uint32_t> reserved_;  // tiles of the tree that grows
  std::map<std::uint32_t, std::set<unsigned>> sources_;
  std::map<std::uint32_t, std::set<unsigned>> sinks_;
  std::vector<Sent> traffic_;
  std::string declarations_;
  std::string tasks_;
  std::size_t wavelets_ = 0;
};

}  // namespace tessera::wafer::bench
