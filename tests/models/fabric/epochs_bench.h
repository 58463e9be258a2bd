// Test bench of route epochs (reference numesh.md 7.4): six tiles, programs that send, write routes
// and handle teardowns, and what the epoch checker says of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/registers.h"
#include "tests/models/fabric/bench.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric::bench {

using config_space::kColorBase;
using config_space::kSwitchBase;
using config_space::kTeardownBit;

inline constexpr unsigned kColor = 5;
inline constexpr config_space::Address kRouteAt = kColorBase + kColor;
inline constexpr config_space::Address kSwitchAt = kSwitchBase + kColor;

inline unsigned way(DirectionSet rx, DirectionSet tx) {
  return color_register(route(rx, tx));
}
inline ColorRoute switched(DirectionSet rx, DirectionSet tx0, DirectionSet tx1) {
  ColorRoute r = route(rx, tx0);
  r.positions[1] = {rx, tx1, true, false, true};
  return r;
}

/// Three columns and two rows, a checker, and what it says.
class EpochsTest : public testing::Test {
 protected:
  static constexpr TileCoord kA{0, 0}, kX{1, 0}, kB{2, 0}, kC{1, 1};

  EpochsTest() {
    mesh.for_each_tile(
        [this](TileCoord at) { mesh.router(at).set_reconfigurable(Generation::kWse2); });
  }
  static FabricTiming merging() {
    FabricTiming timing = timing_1_1_2();
    timing.coincidence = Coincidence::kMerge;
    return timing;
  }
  static std::uint32_t place(TileCoord at) { return static_cast<std::uint32_t>(at.y * 3 + at.x); }
  /// From A over X to B.
  void set_row(const ColorRoute& x = route({kW}, {kE})) {
    set(kA, route({kR}, {kE}));
    set(kX, x);
    set(kB, route({kW}, {kR}));
    mesh.connect();
  }
  void set(TileCoord at, const ColorRoute& r, unsigned color = kColor) {
    mesh.router(at).set_route(Color(color), r);
    mesh.endpoint(at).open(Color(color));
  }
  /// Idents as the compute engines give them.
  link::Wavelet from(TileCoord at, link::Wavelet w) {
    w.ident = (std::uint64_t{place(at)} + 1) << 32 | count++;
    return w;
  }
  void send(TileCoord at, unsigned words) {
    for (unsigned i = 0; i < words; ++i) mesh.endpoint(at).send(from(at, data(kColor, i)));
  }
  void send_marker(TileCoord at) { mesh.endpoint(at).send(from(at, control(kColor, {kTeardown}))); }
  /// After what happens before `cycle`.
  void send_at(Cycle cycle, TileCoord at, unsigned words) {
    ASSERT_EQ(run(cycle), "");
    send(at, words);
    mesh.wake_endpoint(at, cycle);
  }
  /// Nothing leaves `at` through `out` until open().
  void block(TileCoord at, Direction out) {
    mesh.router(at).set_downstream_capacity(out, Color(kColor), 0);
  }
  void open(TileCoord at, Direction out, Cycle cycle) {
    mesh.router(at).set_downstream_capacity(out, Color(kColor), 1);
    mesh.write(at, kColorBase + kColor + 1, 0, cycle);  // wakes it; it has no such color
  }
  /// The handler of a tile writes these, `after` cycles after the notice; the last is the exit.
  void handle(TileCoord at, std::vector<unsigned> values, Cycle after = 5) {
    handlers_[place(at)] = {std::move(values), after};
    mesh.on_teardown = [this](TileCoord tile, const RouterCore::Teardown& t) {
      const auto handler = handlers_.find(place(tile));
      if (handler == handlers_.end()) return;
      Cycle due = t.due + handler->second.second;
      for (unsigned value : handler->second.first) mesh.write(tile, kRouteAt, value, due += 2);
    };
  }
  /// What is reported, "": nothing.
  std::string run(Cycle until = 1000) {
    try {
      mesh.run(until);
    } catch (const IllegalBehaviour& e) {
      id = e.id();
      return e.what();
    }
    return "";
  }
  std::size_t delivered(TileCoord at) { return mesh.endpoint(at).deliveries().size(); }

  Mesh mesh{3, 2, merging()};
  EpochChecker& epochs = mesh.epochs;
  std::string id;
  std::uint32_t count = 0;

 private:
  std::map<std::uint32_t, std::pair<std::vector<unsigned>, Cycle>> handlers_;
};

}  // namespace tessera::fabric::bench
