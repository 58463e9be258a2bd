// Fabric under random traffic: nothing is lost, doubled or reordered, and the step order does not
// matter.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "models/observe/digest.h"
#include "tests/models/fabric/mesh.h"

namespace tessera::fabric {
namespace {

using bench::Mesh;
using bench::route;

constexpr int kSide = 6;
constexpr unsigned kColors = 20;

FabricTiming merging(FabricTiming timing) {
  timing.coincidence = Coincidence::kMerge;
  return timing;
}

/// Random streams, one a color: a source in a corner region sends along its row, turns, and goes
/// down a column; every tile on the way drops a copy into its RAMP with probability 1/4. Even
/// colors get a second source that joins the last tile from the other side (wse.md 1.2 same-color
/// merge, WSE-2).
class Traffic {
 public:
  Traffic(std::uint64_t seed, const FabricTiming& timing, observe::Sink* sink)
      : mesh(kSide, kSide, merging(timing), sink), random_(seed) {
    for (unsigned c = 0; c < kColors; ++c) add_stream(Color(c));
    mesh.connect();
  }

  void send(unsigned per_source) {
    for (const auto& [color, source] : sources_) {
      const auto tile = static_cast<std::uint64_t>(source.y * kSide + source.x + 1);
      for (std::uint32_t i = 0; i < per_source; ++i) {
        mesh.endpoint(source).send({i, Color(color), false, false, false, tile << 32 | i});
      }
    }
    sent += per_source * sources_.size();
  }
  void stall_randomly(unsigned percent) {
    mesh.for_each_tile([&](TileCoord at) {
      const std::uint64_t key = random_();
      mesh.endpoint(at).stall([key, percent](Cycle now) {
        return (now * 0x9E3779B97F4A7C15 + key) % 1009 % 100 < percent;
      });
    });
  }
  /// Every sink got every wavelet of each source that reaches it, in order.
  void expect_complete(unsigned per_source) {
    std::map<std::pair<std::uint64_t, std::size_t>, std::uint32_t>
        next;  // (source and color, sink) -> payload
    mesh.for_each_tile([&](TileCoord at) {
      const auto sink = static_cast<std::size_t>(at.y * kSide + at.x);
      for (const bench::Delivery& d : mesh.endpoint(at).deliveries()) {
        const std::uint64_t source =
            (d.wavelet.ident >> 32) * kColorCount + d.wavelet.color.value();
        ASSERT_EQ(d.wavelet.payload, (next[{source, sink}]++));
      }
    });
    EXPECT_EQ(next.size(), paths_);
    for (const auto& [path, count] : next) EXPECT_EQ(count, per_source);
    EXPECT_EQ(mesh.held(), 0U);
    EXPECT_EQ(mesh.missing_credits(), "");
  }

  Mesh mesh;
  std::size_t sent = 0;

 private:
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1));
  }

  void add_stream(Color color) {
    const int y0 = pick(0, kSide - 2);
    const int x0 = pick(0, kSide - 2);
    const int x1 = pick(x0 + 1, kSide - 1);
    const int y1 = pick(y0 + 1, kSide - 1);
    const TileCoord end = {x1, y1};
    Direction in = Direction::kRamp;
    for (TileCoord at = {x0, y0}; at != end;) {
      const Direction out = at.x < x1 ? Direction::kEast : Direction::kSouth;
      DirectionSet tx = {out};
      if (random_() % 4 == 0) drop(at, color, tx);
      mesh.router(at).set_route(color, route({in}, tx));
      in = opposite(out);
      at = neighbour(at, out);
    }
    sources_.push_back({color.value(), {x0, y0}});
    finish(end, color, in);
  }
  void drop(TileCoord at, Color color, DirectionSet& tx) {
    tx.insert(Direction::kRamp);
    mesh.endpoint(at).open(color, static_cast<unsigned>(pick(1, 5)));
    ++paths_;
  }
  void finish(TileCoord end, Color color, Direction in) {
    DirectionSet rx = {in};
    DirectionSet tx;
    drop(end, color, tx);
    if (color.value() % 2 == 0 && end.x > 0 && in == Direction::kNorth) {
      const TileCoord second = neighbour(end, Direction::kWest);
      mesh.router(second).set_route(color, route({Direction::kRamp}, {Direction::kEast}));
      sources_.push_back({color.value(), second});
      rx.insert(Direction::kWest);
      ++paths_;
    }
    mesh.router(end).set_route(color, route(rx, tx));
  }

  std::mt19937_64 random_;
  std::vector<std::pair<unsigned, TileCoord>> sources_;
  std::size_t paths_ = 0;  // (source, sink) pairs
};

TEST(FabricProperty, HundredThousandWaveletsArriveOnceAndInOrder) {
  constexpr unsigned kPerSource = 600;
  std::size_t sent = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    FabricTiming timing = seed % 2 == 0 ? bench::timing_1_1_2() : bench::timing_2_1_2();
    if (seed % 3 == 0) timing.arbitration = Arbitration::kFixed;
    Traffic traffic(seed, timing, nullptr);
    traffic.stall_randomly(seed == 1 ? 0 : 10 * static_cast<unsigned>(seed));
    traffic.send(kPerSource);
    traffic.mesh.run();
    traffic.expect_complete(kPerSource);
    sent += traffic.sent;
  }
  EXPECT_GE(sent, 100000U);
}

enum class Order { kAsWoken, kShuffled, kEverythingEveryCycle };

std::uint64_t digest_of(std::uint64_t seed, const FabricTiming& timing, Order order,
                        std::uint64_t shuffle = 0) {
  observe::Digest digest;
  Traffic traffic(seed, timing, &digest);
  traffic.stall_randomly(30);
  traffic.send(100);
  if (order == Order::kShuffled) traffic.mesh.scheduler().shuffle_step_order(shuffle);
  if (order == Order::kEverythingEveryCycle) traffic.mesh.step_everything_every_cycle();
  traffic.mesh.run();
  traffic.expect_complete(100);
  return digest.value();
}

TEST(FabricProperty, StepOrderInsideACycleDoesNotMatter) {
  for (const FabricTiming& timing : {bench::timing_1_1_2(), bench::timing_2_1_2()}) {
    const std::uint64_t expected = digest_of(11, timing, Order::kAsWoken);
    for (std::uint64_t shuffle = 1; shuffle <= 5; ++shuffle) {
      EXPECT_EQ(digest_of(11, timing, Order::kShuffled, shuffle), expected);
    }
    EXPECT_NE(digest_of(12, timing, Order::kAsWoken), expected);
  }
}

TEST(FabricProperty, SpuriousStepsChangeNothing) {
  const FabricTiming timing = bench::timing_2_1_2();
  EXPECT_EQ(digest_of(21, timing, Order::kEverythingEveryCycle),
            digest_of(21, timing, Order::kAsWoken));
}

}  // namespace
}  // namespace tessera::fabric
