// Backpressure (reference wse.md 1.2, 1.11): what a full path holds, and that a color that cannot
// move costs the others nothing.
#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench {
namespace {

constexpr unsigned kQueue = 4;  // wavelets of the input queue at the end of a path

/// RAMP of the first tile to RAMP of the last, `hops` links.
void set_path(Mesh& mesh, unsigned color, int hops, unsigned room) {
  for (int x = 0; x <= hops; ++x) {
    mesh.router({x, 0}).set_route(Color(color), route({x == 0 ? kR : kW}, {x == hops ? kR : kE}));
  }
  mesh.endpoint({hops, 0}).open(Color(color), room);
}
void send(Mesh& mesh, TileCoord at, unsigned color, unsigned count) {
  for (std::uint32_t n = 0; n < count; ++n) mesh.endpoint(at).send(data(color, n));
}

/// Every router buffers `buffer_depth`, every register of a ramp or link one, the queue its length.
unsigned full_path(const FabricTiming& t, unsigned hops) {
  const unsigned routers = (hops + 1) * t.buffer_depth;
  const unsigned links = hops * (t.hop_latency - 1);
  const unsigned ramps = t.on_ramp_latency - 1 + t.off_ramp_latency - 1;
  return routers + links + ramps + kQueue;
}

/// Whether a path takes `count` wavelets while its sink is closed; afterwards all must arrive.
bool takes(const FabricTiming& timing, int hops, unsigned count) {
  Mesh mesh(hops + 1, 1, timing);
  set_path(mesh, 1, hops, timing.queue_room(kQueue));
  bool closed = true;
  mesh.endpoint({hops, 0}).stall([&closed](Cycle) { return closed; });
  mesh.connect();
  send(mesh, {0, 0}, 1, count);
  mesh.run(2000);
  const bool all_in = !mesh.endpoint({0, 0}).waiting(Color(1));
  EXPECT_LE(mesh.held() + timing.queue_room(kQueue),
            full_path(timing, static_cast<unsigned>(hops)));
  closed = false;
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({hops, 0}).deliveries();
  EXPECT_EQ(got.size(), count);
  for (unsigned i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].wavelet.payload, i);
  EXPECT_EQ(mesh.missing_credits(), "");
  return all_in;
}

class FabricBackpressure : public ::testing::TestWithParam<FabricTiming> {};

TEST_P(FabricBackpressure, wse_1_11_AFullPathHoldsWhatTheParametersPredict) {
  for (int hops = 1; hops <= 32; ++hops) {
    const unsigned expected = full_path(GetParam(), static_cast<unsigned>(hops));
    EXPECT_TRUE(takes(GetParam(), hops, expected)) << hops << " hops, " << expected;
    EXPECT_FALSE(takes(GetParam(), hops, expected + 1)) << hops << " hops, " << expected;
  }
}

TEST_P(FabricBackpressure, wse_1_11_InputRoomIsThatOfBuffersAndRegisters) {
  const FabricTiming& t = GetParam();
  for (unsigned hops = 1; hops <= 32; ++hops) {
    EXPECT_EQ(full_path(t, hops),
              t.input_room(kR) + hops * t.input_room(kW) + t.queue_room(kQueue));
  }
}

FabricTiming timing(unsigned hop, unsigned credit, unsigned depth, unsigned on, unsigned off) {
  FabricTiming t;
  t.hop_latency = hop;
  t.credit_latency = credit;
  t.buffer_depth = depth;
  t.on_ramp_latency = on;
  t.off_ramp_latency = off;
  return t;
}

INSTANTIATE_TEST_SUITE_P(Parameters, FabricBackpressure,
                         ::testing::Values(timing(1, 1, 2, 3, 3), timing(2, 1, 2, 3, 3),
                                           timing(2, 1, 1, 1, 1), timing(3, 2, 4, 2, 5),
                                           timing(1, 3, 1, 7, 1)));

/// Cycles in which the last tile takes color 1 when `stalled` other colors have filled the path.
std::vector<Cycle> arrivals(unsigned stalled, const FabricTiming& t) {
  constexpr int kHops = 6;
  Mesh mesh(kHops + 1, 1, t);
  set_path(mesh, 1, kHops, 16);
  for (unsigned c = 0; c < stalled; ++c) {
    const unsigned color = c < 1 ? 0 : c + 1;
    set_path(mesh, color, kHops, 0);  // nobody takes it
    send(mesh, {0, 0}, color, 100);
  }
  mesh.connect();
  mesh.run(2000);
  const std::size_t full = t.input_room(kR) + kHops * t.input_room(kW);
  EXPECT_EQ(mesh.held(), stalled * full);
  send(mesh, {0, 0}, 1, 200);
  mesh.wake_endpoint({0, 0}, 3000);
  mesh.run();
  EXPECT_EQ(mesh.held(), stalled * full);
  std::vector<Cycle> cycles;
  for (const Delivery& d : mesh.endpoint({kHops, 0}).deliveries()) {
    EXPECT_EQ(d.wavelet.color, Color(1));
    cycles.push_back(d.cycle);
  }
  return cycles;
}

TEST(FabricBackpressureOfColors, wse_1_2_StalledColorsCostTheOthersNoCycle) {
  for (const FabricTiming& t : {timing_1_1_2(), timing_2_1_2()}) {
    const std::vector<Cycle> alone = arrivals(0, t);
    ASSERT_EQ(alone.size(), 200U);
    EXPECT_EQ(alone.back() - alone.front(), 199U);
    for (const unsigned stalled : {1U, 5U, kColorCount - 1}) {
      EXPECT_EQ(arrivals(stalled, t), alone) << stalled;
    }
  }
}

// While both move they share the link; the stall of one gives all of it to the other.
TEST(FabricBackpressureOfColors, wse_1_2_AColorLosesOnlyWhatTheOtherUses) {
  Mesh mesh(3, 1, timing_2_1_2());
  set_path(mesh, 0, 2, 0);
  set_path(mesh, 1, 2, 16);
  mesh.connect();
  send(mesh, {0, 0}, 0, 100);
  send(mesh, {0, 0}, 1, 100);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({2, 0}).deliveries();
  ASSERT_EQ(got.size(), 100U);
  // The source itself sends one wavelet a cycle; color 0 gets as many as the path holds.
  EXPECT_EQ(got.back().cycle - got.front().cycle, 99U + mesh.held() - 1);
}

/// A tee at (1, 0) of colors 5 and 6: to EAST and its RAMP.
TEST(FabricBackpressureOfColors, wse_1_2_AStalledBranchOfAMulticastHoldsItsColorOnly) {
  for (const FabricTiming& t : {timing_1_1_2(), timing_2_1_2()}) {
    Mesh mesh(3, 1, t);
    for (const unsigned color : {5U, 6U}) {
      mesh.router({0, 0}).set_route(Color(color), route({kR}, {kE}));
      mesh.router({1, 0}).set_route(Color(color), route({kW}, {kE, kR}));
      mesh.router({2, 0}).set_route(Color(color), route({kW}, {kR}));
      mesh.endpoint({1, 0}).open(Color(color), 16);
    }
    mesh.endpoint({2, 0}).open(Color(6), 16);
    mesh.connect();
    send(mesh, {0, 0}, 5, 100);
    mesh.run(1000);
    // The branch to RAMP runs ahead by the wavelet whose other copy waits.
    EXPECT_EQ(mesh.endpoint({1, 0}).deliveries().size(), t.input_room(kW) + 1U);
    EXPECT_EQ(mesh.held(), t.input_room(kR) + 2U * t.input_room(kW));
    send(mesh, {0, 0}, 6, 100);
    mesh.wake_endpoint({0, 0}, 1000);
    mesh.run();
    for (const int x : {1, 2}) {
      std::vector<Cycle> cycles;
      for (const Delivery& d : mesh.endpoint({x, 0}).deliveries()) {
        if (d.wavelet.color == Color(6)) cycles.push_back(d.cycle);
      }
      ASSERT_EQ(cycles.size(), 100U) << x;
      EXPECT_EQ(cycles.back() - cycles.front(), 99U) << x;
    }
  }
}

// A switch position that receives from elsewhere stops a color like a full receiver does.
TEST(FabricBackpressureOfColors, wse_1_4_AColorThatWaitsForItsSwitchHoldsNoOther) {
  Mesh mesh(3, 1, timing_2_1_2());
  set_path(mesh, 6, 2, 16);
  ColorRoute waiting = route({kN}, {kE});
  waiting.positions[1] = {{kW}, {kE}, true};
  mesh.router({0, 0}).set_route(Color(5), route({kR}, {kE}));
  mesh.router({1, 0}).set_route(Color(5), waiting);
  mesh.connect();
  send(mesh, {0, 0}, 5, 50);
  mesh.run(1000);
  const FabricTiming t = timing_2_1_2();
  EXPECT_EQ(mesh.held(), t.input_room(kR) + t.input_room(kW) + 0U);
  send(mesh, {0, 0}, 6, 100);
  mesh.wake_endpoint({0, 0}, 1000);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({2, 0}).deliveries();
  ASSERT_EQ(got.size(), 100U);
  EXPECT_EQ(got.back().cycle - got.front().cycle, 99U);
}

}  // namespace
}  // namespace tessera::fabric::bench
