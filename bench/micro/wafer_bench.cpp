// WaferCore::step: what a hop costs in the `dense` structure, its wavelets in rows from port to port.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "models/wafer/wafer_core.h"

namespace tessera::wafer {
namespace {

constexpr int kSide = 64;

fabric::ColorRoute eastward() {
  fabric::ColorRoute route;
  route.positions[0] = {{Direction::kWest}, {Direction::kEast}, true};
  return route;
}

/// `colors` colors on every row, from a port in the west to one in the east.
Plan rows(unsigned colors) {
  Plan plan;
  plan.width = plan.height = kSide;
  plan.routes = {eastward()};
  plan.image_of_tile.assign(std::size_t{kSide} * kSide, -1);
  for (std::size_t tile = 0; tile < plan.tile_count(); ++tile) {
    plan.tile_routes_begin.push_back(static_cast<std::uint32_t>(plan.tile_routes.size()));
    for (unsigned c = 0; c < colors; ++c) plan.tile_routes.push_back({Color(c), 0});
  }
  plan.tile_routes_begin.push_back(static_cast<std::uint32_t>(plan.tile_routes.size()));
  for (int y = 0; y < kSide; ++y) plan.ports.push_back({{0, y}, Direction::kWest});
  for (int y = 0; y < kSide; ++y) plan.ports.push_back({{kSide - 1, y}, Direction::kEast});
  return plan;
}

/// Sends as long as there is room, and takes everything at once.
class Rim final : public Outside {
 public:
  Rim(const Plan& plan, unsigned colors)
      : wafer_(Strip(plan), *this, &stream_), colors_(colors), room_(kSide * colors) {
    wafer_.start();
    for (unsigned port = 0; port < kSide; ++port) {
      for (unsigned c = 0; c < colors; ++c)
        room_[port * colors + c] = wafer_.ports().capacity(port, Color(c));
    }
  }
  void run_cycle(Cycle now) {
    for (const Returned& r : returned_) wafer_.ports().credit(r.port, r.color, now);
    returned_.clear();
    for (unsigned port = 0; port < kSide; ++port) {
      const auto color = static_cast<unsigned>(now % colors_);
      unsigned& room = room_[port * colors_ + color];
      if (room == 0) continue;
      --room;
      link::Wavelet w;
      w.payload = static_cast<std::uint32_t>(now);
      w.color = Color(color);
      wafer_.ports().put(port, w, now);
    }
    wafer_.step(now);
  }
  std::uint64_t hops() const { return stream_.counters().total(observe::Counter::kHops); }

 private:
  struct Returned {
    std::uint32_t port;
    Color color;
  };
  unsigned capacity(std::uint32_t port, Color) const override { return port < kSide ? 0 : 4; }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle) override {
    returned_.push_back({port, w.color});
  }
  void credit(std::uint32_t port, Color color, Cycle) override {
    ++room_[port * colors_ + color.value()];
  }

  observe::EventStream stream_{kSide, kSide, false};
  WaferCore wafer_;
  const unsigned colors_;
  std::vector<unsigned> room_;
  std::vector<Returned> returned_;
};

/// Items are hops, of full rows.
void run_rows(benchmark::State& state, unsigned colors) {
  const Plan plan = rows(colors);
  Rim rim(plan, colors);
  Cycle now = 1;
  while (now < 4 * kSide) rim.run_cycle(now++);
  const std::uint64_t before = rim.hops();
  for (auto _ : state) rim.run_cycle(now++);
  state.SetItemsProcessed(static_cast<std::int64_t>(rim.hops() - before));
}

void wafer_rows(benchmark::State& state) {
  run_rows(state, 1);
}
/// Two colors compete for every output.
void wafer_merging_rows(benchmark::State& state) {
  run_rows(state, 2);
}
BENCHMARK(wafer_rows);
BENCHMARK(wafer_merging_rows);

}  // namespace
}  // namespace tessera::wafer
