// RouterCore::step: what a router costs in a cycle.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "models/fabric/router_core.h"

namespace tessera::fabric {
namespace {

link::Wavelet wavelet(Color color, std::uint32_t payload) {
  return {payload, color, false, false, false, 0};
}

ColorRoute route(Direction from, DirectionSet to) {
  ColorRoute r;
  r.positions[0] = {{from}, to, true};
  return r;
}

/// One color from west to `to`, a wavelet a cycle. Items are cycles.
void stream(benchmark::State& state, DirectionSet to) {
  RouterCore router({0, 0}, FabricTiming(), {});
  router.set_route(Color(0), route(Direction::kWest, to));
  for (Direction out : kAllDirections) router.set_downstream_capacity(out, Color(0), 4);
  Cycle now = 0;
  for (auto _ : state) {
    router.put(Direction::kWest, wavelet(Color(0), static_cast<std::uint32_t>(now)), now + 1);
    const RouterCore::Step step = router.step(now);
    for (const RouterCore::Send& s : step.sends) router.credit(s.out, s.wavelet.color, now + 1);
    benchmark::DoNotOptimize(step.next);
    ++now;
  }
  state.SetItemsProcessed(state.iterations());
}
void router_one_color(benchmark::State& state) {
  stream(state, {Direction::kEast});
}
void router_multicast(benchmark::State& state) {
  stream(state, {Direction::kEast, Direction::kSouth, Direction::kNorth, Direction::kRamp});
}
BENCHMARK(router_one_color);
BENCHMARK(router_multicast);

/// Four colors from four sides that all want to leave to the east. Items are cycles, and wavelets.
void router_four_colors(benchmark::State& state) {
  constexpr std::array<Direction, 4> kFrom{Direction::kWest, Direction::kSouth, Direction::kNorth,
                                           Direction::kRamp};
  RouterCore router({0, 0}, FabricTiming(), {});
  std::array<unsigned, 4> room{};
  for (unsigned c = 0; c < kFrom.size(); ++c) {
    router.set_route(Color(c), route(kFrom[c], {Direction::kEast}));
    router.set_downstream_capacity(Direction::kEast, Color(c), 4);
    room[c] = router.input_capacity(kFrom[c], Color(c));
  }
  Cycle now = 0;
  for (auto _ : state) {
    for (unsigned c = 0; c < kFrom.size(); ++c) {
      if (room[c] == 0) continue;
      --room[c];
      router.put(kFrom[c], wavelet(Color(c), static_cast<std::uint32_t>(now)), now + 1);
    }
    const RouterCore::Step step = router.step(now);
    for (const RouterCore::Send& s : step.sends) router.credit(s.out, s.wavelet.color, now + 1);
    for (const RouterCore::CreditReturn& c : step.credits) ++room[c.color.value()];
    benchmark::DoNotOptimize(step.next);
    ++now;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(router_four_colors);

}  // namespace
}  // namespace tessera::fabric
