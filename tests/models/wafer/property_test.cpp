// Random wafers (random.h) as one strip, as several, and as the blocks of the other structure: the same
// events in the same cycles, nothing lost or doubled, every credit back, in any step order, with several threads. 3 * 10^5
// wavelets in a run of all tests.
//
// TESSERA_WAFER_WAVELETS: wavelets of each test instead (soak).
// TESSERA_WAFER_CASE: only this wafer of each test.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/observe/event_fields.h"
#include "models/observe/wait_book.h"
#include "models/wafer/plan/slot_graph.h"
#include "tests/models/wafer/random.h"
#include "tests/models/wafer/reference.h"
#include "tests/support/number_from.h"

namespace tessera::wafer::bench {
namespace {

constexpr unsigned kSeeds = 4;
constexpr unsigned kWavelets = 300'000 / (3 * kSeeds);
constexpr unsigned kPerSource = 60;

std::string to_text(const observe::Event& e) {
  return "cycle " + std::to_string(e.cycle) + " place " + std::to_string(e.place) + " " + "kind " +
         std::to_string(static_cast<unsigned>(e.kind)) + " a " + std::to_string(e.a) + " b " +
         std::to_string(e.b) + " ident " + std::to_string(e.ident);
}

/// The first difference; empty: none. Machines that are not traced have a digest instead of events
/// and wavelets without serial numbers.
std::string difference(const Outcome& expected, const Outcome& found, bool traced) {
  if (expected.failure != found.failure)
    return "failure: \"" + expected.failure + "\" against \"" + found.failure + "\"";
  for (std::size_t i = 0; traced && i < expected.events.size(); ++i) {
    if (i == found.events.size()) return "missing: " + to_text(expected.events[i]);
    if (as_tuple(expected.events[i]) != as_tuple(found.events[i]))
      return to_text(expected.events[i]) + " against " + to_text(found.events[i]);
  }
  if (traced && found.events.size() > expected.events.size())
    return "too much: " + to_text(found.events[expected.events.size()]);
  if (expected.digest != found.digest) return "digest";
  if (expected.held != found.held) return "wavelets held";
  if (expected.asleep_at != found.asleep_at) {
    return "asleep at " + std::to_string(expected.asleep_at) + " against " +
           std::to_string(found.asleep_at);
  }
  if (!expected.link_waits.empty() && !found.link_waits.empty() &&
      expected.link_waits != found.link_waits)
    return "waits of links:\n" + expected.link_waits + "against\n" + found.link_waits;
  if (expected.waits != found.waits) return "waits:\n" + expected.waits + "against\n" + found.waits;
  if (expected.deliveries.size() != found.deliveries.size()) return "wavelets taken by ports";
  for (std::size_t i = 0; i < expected.deliveries.size(); ++i) {
    const Delivery& a = expected.deliveries[i];
    link::Wavelet w = found.deliveries[i].wavelet;
    if (!traced) w.ident = a.wavelet.ident;
    if (!(a.wavelet == w) || a.cycle != found.deliveries[i].cycle)
      return "port " + std::to_string(a.port);
  }
  return "";
}

/// Traffic; the same with ports that take nothing, until all is full; what was held up.
std::vector<Outcome> outcomes(Machine& machine, const RandomWafer& wafer) {
  std::vector<Outcome> stages;
  wafer.load(machine, 0);
  machine.run();
  stages.push_back(machine.outcome());
  const Cycle again = 200000;  // by then it is idle
  machine.close_ports();
  wafer.load(machine, again);
  machine.run(again + 5000);
  stages.push_back(machine.outcome());
  machine.open_ports(again + 5000);
  machine.run(again + 200000);
  stages.push_back(machine.outcome());
  return stages;
}

void expect_equal(const std::vector<Outcome>& expected, const std::vector<Outcome>& found,
                  bool traced, const char* what) {
  for (std::size_t stage = 0; stage < expected.size(); ++stage)
    EXPECT_EQ(difference(expected[stage], found[stage], traced), "") << what << ", stage " << stage;
}

void compare(const RandomWafer& wafer, std::uint64_t seed, unsigned long number_of_wafer) {
  ReferenceMachine reference(wafer.plan, wafer.scripts, true);
  const std::vector<Outcome> expected = outcomes(reference, wafer);
  if (wafer.drains()) {
    EXPECT_EQ(expected.back().failure, "");
    EXPECT_EQ(expected.back().held + reference.waiting_at_ports(), 0U) << expected.back().waits;
    EXPECT_EQ(reference.missing_credits(), "");
  }
  DenseMachine traced(wafer.plan, wafer.scripts, true);
  expect_equal(expected, outcomes(traced, wafer), true, "traced");
  DenseMachine fast(wafer.plan, wafer.scripts, false);
  expect_equal(expected, outcomes(fast, wafer), false, "not traced");
  DenseMachine shuffled(wafer.plan, wafer.scripts, seed % 2 == 0, seed + 1);
  expect_equal(expected, outcomes(shuffled, wafer), seed % 2 == 0, "shuffled");
  // Cycles this short are stepped by one thread, strip by strip.
  const unsigned count = 2 + static_cast<unsigned>(seed % 4);
  DenseMachine strips(wafer.plan, wafer.scripts, seed % 3 == 0, seed % 2 * seed, {count, true});
  expect_equal(expected, outcomes(strips, wafer), seed % 3 == 0, "strips");
  if (number_of_wafer % 16 != 0) return;
  DenseMachine threads(wafer.plan, wafer.scripts, false, 0, {count, false});
  expect_equal(expected, outcomes(threads, wafer), false, "threads");
}

/// What all engines of a machine do with their cycles.
class Accounts {
 public:
  Accounts(DenseMachine& machine, const Plan& plan)
      : machine_(machine), plan_(plan), book_(plan.tile_count(), nullptr) {
    for_all_engines([this](std::uint32_t place, pe::ComputeEngineCore& engine) {
      const std::size_t strip = machine_.core().strip_of(plan_.tile_of(place));
      const auto image = static_cast<std::size_t>(plan_.image_of_tile[place]);
      engine.set_waits(&book_.open(place, image + strip * plan_.images.size()));
    });
  }
  /// By tile, and by program and line. Once.
  std::map<std::vector<std::uint64_t>, std::uint64_t> finish(Cycle cycles) {
    std::map<std::vector<std::uint64_t>, std::uint64_t> all;
    for_all_engines([cycles](std::uint32_t, pe::ComputeEngineCore& engine) {
      engine.catch_up(cycles);
      engine.finish_waits(cycles);
    });
    book_.finish(cycles, machine_.now() + 1);
    for_all_engines([&](std::uint32_t place, const pe::ComputeEngineCore&) {
      const auto& sums = book_.tile(place)->all_cycles();
      for (std::size_t reason = 0; reason < sums.size(); ++reason)
        all[{place, reason}] = sums[reason];
    });
    for (std::size_t program = 0; program < book_.programs(); ++program) {
      for (const observe::LineWaits::Entry& e : book_.lines(program).entries()) {
        const auto reason = static_cast<std::uint64_t>(e.reason);
        all[{program % plan_.images.size(), e.pc, e.thread, reason, e.number}] += e.cycles;
      }
    }
    return all;
  }

 private:
  template <class Visit>
  void for_all_engines(Visit visit) {
    for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) {
      if (pe::ComputeEngineCore* const engine = machine_.engine(plan_.tile_of(place)))
        visit(place, *engine);
    }
  }
  DenseMachine& machine_;
  const Plan& plan_;
  observe::WaitBook book_;
};

// Tiles are stepped ahead of others in blocks of any size, by one thread or several. The state after a failure is not compared: it has
// no reader.
void compare_skewed(const RandomWafer& wafer, std::uint64_t seed, std::size_t& failures,
                    std::size_t& ahead) {
  constexpr Cycle kEnd = 400000;  // as in outcomes()
  DenseMachine level(wafer.plan, wafer.scripts, false);
  Accounts accounts_of_level(level, wafer.plan);
  std::vector<Outcome> expected = outcomes(level, wafer);
  const auto accounts = accounts_of_level.finish(kEnd);
  failures += expected.back().failure.empty() ? 0 : 1;
  for (const unsigned depth : {2U, 3U, 8U, kMaxDepth}) {
    const Skew skew{depth, static_cast<int>(1 + seed % 5), static_cast<int>(1 + seed / 5 % 6),
                    false};
    // Threads of their own in a few cases only: cycles this short wait for them.
    const unsigned strips = depth > 2 && depth <= 8 ? 1 + static_cast<unsigned>(seed % 4) : 1;
    DenseMachine skewed(wafer.plan, wafer.scripts, false, seed % 2 * seed,
                        {strips, seed % 64 != 1, skew});
    Accounts accounts_of_skewed(skewed, wafer.plan);
    std::vector<Outcome> found = outcomes(skewed, wafer);
    ahead += skewed.runs_ahead() ? 1 : 0;
    if (skewed.core().knows_waits()) {
      EXPECT_EQ(accounts, accounts_of_skewed.finish(kEnd));
    } else {
      EXPECT_NE(found.back().failure, "");
    }
    for (std::size_t stage = 0; stage < expected.size(); ++stage) {
      if (expected[stage].failure.empty()) continue;
      expected[stage].held = found[stage].held;
      expected[stage].waits = found[stage].waits;
      expected[stage].link_waits = "";
    }
    expect_equal(expected, found, false, ("depth " + std::to_string(depth)).c_str());
  }
}

TEST(WaferPropertySkew, AgreesWithTilesThatAreLevel) {
  std::size_t failures = 0;
  std::size_t ahead = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto flavor = static_cast<Flavor>(seed % 3);
    const RandomWafer wafer(fabric::bench::Choices(seed), flavor, kPerSource, false);
    compare_skewed(wafer, seed, failures, ahead);
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 3U);
  EXPECT_GT(ahead, 800U);
}

class WaferProperty : public ::testing::TestWithParam<std::tuple<Flavor, std::uint64_t>> {};

TEST_P(WaferProperty, AgreesWithRoutersQueuesAndRampsOfTheirOwn) {
  const auto [flavor, seed] = GetParam();
  const unsigned long wanted = tessera::test::number_from("TESSERA_WAFER_WAVELETS", kWavelets);
  constexpr unsigned long kAll = ~0UL;
  const unsigned long only = tessera::test::number_from("TESSERA_WAFER_CASE", kAll);
  std::size_t sent = 0;
  for (unsigned long number = only == kAll ? 0 : only; sent < wanted; ++number) {
    SCOPED_TRACE("TESSERA_WAFER_CASE=" + std::to_string(number));
    const std::uint64_t key = seed * 0x9E3779B97F4A7C15 + number;
    const RandomWafer wafer(fabric::bench::Choices(key), flavor, kPerSource);
    sent += 2 * wafer.wavelets();
    compare(wafer, key, number);
    if (HasFailure() || only != kAll) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WaferProperty,
                         ::testing::Combine(::testing::Values(Flavor::kDrains, Flavor::kTeardown,
                                                              Flavor::kChaos),
                                            ::testing::Range<std::uint64_t>(1, kSeeds + 1)));

// --- what the wafers are made of ---

struct Drawn {
  std::size_t pipes = 0, slots = 0, multicasts = 0, groups = 0, large_groups = 0, whole_tiles = 0,
              ports = 0, inner_ports = 0, failures = 0, stuck = 0, controls = 0, halves = 0,
              flips = 0, teardowns = 0, switches = 0, credits = 0, taken = 0, no_route = 0,
              slots_with_switch = 0, shared_links = 0, plain_switches = 0;
};

void count_units(const Plan& plan, Drawn& drawn) {
  const SlotGraph graph = lay_out_slots(Strip(plan));
  const std::vector<bool>& plain = graph.plain;
  drawn.pipes += graph.pipes.size();
  drawn.slots += graph.slots.size();
  drawn.groups += graph.groups.size();
  for (const Slot& slot : graph.slots) drawn.multicasts += slot.links > 1 ? 1 : 0;
  for (const Switch& at : graph.switches) drawn.slots_with_switch += at.slots;
  for (const Link& link : graph.links) drawn.shared_links += link.is_shared ? 1 : 0;
  for (const Group& group : graph.groups) drawn.large_groups += group.slots > 2 ? 1 : 0;
  for (const bool is_plain : plain) drawn.whole_tiles += is_plain ? 0 : 1;
  drawn.ports += plan.ports.size();
  for (const PortPlan& port : plan.ports)
    drawn.inner_ports += plan.on_wafer(neighbour(port.tile, port.side)) ? 1 : 0;
}

Drawn draw(Flavor flavor) {
  Drawn drawn;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomWafer wafer(fabric::bench::Choices(seed), flavor, kPerSource);
    count_units(wafer.plan, drawn);
    DenseMachine machine(wafer.plan, wafer.scripts, true);
    wafer.load(machine, 0);
    machine.run();
    const Outcome outcome = machine.outcome();
    const std::vector<bool> plain = lay_out_slots(Strip(wafer.plan)).plain;
    const observe::LinkWaits waits = machine.link_waits();
    for (const observe::LinkWaits::Tile& tile : waits.tiles()) {
      for (Direction out : kAllDirections) {
        drawn.credits += tile.credit(out) > 0 ? 1 : 0;
        drawn.taken += tile.taken[index(out)] > 0 ? 1 : 0;
      }
      drawn.no_route += tile.route > 0 ? 1 : 0;
    }
    drawn.failures += outcome.failure.empty() ? 0 : 1;
    drawn.stuck += outcome.failure.empty() && outcome.held > 0 ? 1 : 0;
    for (const observe::Event& e : outcome.events) {
      drawn.teardowns += e.kind == observe::EventKind::kTeardown ? 1 : 0;
      drawn.switches += e.kind == observe::EventKind::kSwitch ? 1 : 0;
      drawn.plain_switches += e.kind == observe::EventKind::kSwitch && plain[e.place] ? 1 : 0;
      if (e.kind != observe::EventKind::kHop) continue;
      drawn.controls += observe::control_of(e) ? 1 : 0;
      drawn.halves += observe::half_of(e) ? 1 : 0;
      drawn.flips += observe::local_flip_of(e) ? 1 : 0;
    }
  }
  return drawn;
}

void expect_variety(const Drawn& drawn) {
  EXPECT_GT(drawn.pipes, 150U);
  EXPECT_GT(drawn.credits, 1000U);
  EXPECT_GT(drawn.taken, 200U);
  EXPECT_GT(drawn.slots, 500U);
  EXPECT_GT(drawn.multicasts, 150U);
  EXPECT_GT(drawn.groups, 150U);
  EXPECT_GT(drawn.large_groups, 60U);
  EXPECT_GT(drawn.whole_tiles, 40U);
  EXPECT_GT(drawn.slots_with_switch, 100U);
  EXPECT_GT(drawn.plain_switches, 30U);
  EXPECT_GT(drawn.ports, 500U);
  EXPECT_GT(drawn.inner_ports, 100U);
  EXPECT_GT(drawn.controls, 1000U);
  EXPECT_GT(drawn.halves, 200U);
  EXPECT_GT(drawn.flips, 200U);
}

TEST(WaferPropertyTraffic, DrawsEverything) {
  const Drawn drains = draw(Flavor::kDrains);
  expect_variety(drains);
  EXPECT_GT(drains.switches, 200U);
  EXPECT_EQ(drains.teardowns + drains.failures + drains.stuck, 0U);
  const Drawn teardown = draw(Flavor::kTeardown);
  expect_variety(teardown);
  EXPECT_GT(teardown.teardowns, 100U);
  EXPECT_GT(teardown.no_route, 30U);
  EXPECT_GT(teardown.shared_links, 100U);
  EXPECT_GT(teardown.stuck, 30U);
  const Drawn chaos = draw(Flavor::kChaos);
  expect_variety(chaos);
  EXPECT_GT(chaos.failures, 5U);
  EXPECT_LT(chaos.failures, 50U);
  EXPECT_GT(chaos.shared_links, 100U);
  EXPECT_GT(chaos.stuck, 30U);
}

}  // namespace
}  // namespace tessera::wafer::bench
