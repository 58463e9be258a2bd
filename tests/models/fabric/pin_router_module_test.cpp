// Pins of a link, and a router behind pins: here a RouterCore behind ports, in Verilog in tests/rtl.
// One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "tests/models/fabric/pin_bench.h"
#include "tests/support/sc_reports.h"
#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/kit/process.h"
#include "tlm_ifaces/link/pins.h"

namespace tessera::fabric::bench {
namespace {

using sc_core::sc_in;
using sc_core::sc_out;
using ::testing::HasSubstr;

struct Defect {
  unsigned wrong_data_after = ~0U;  ///< wavelets
  bool stuck = false;               ///< nothing leaves
};

/// The pins of a router as verilator --sc makes them, with a RouterCore inside.
class CorePins : public sc_core::sc_module {
 public:
  struct Side {
    explicit Side(const std::string& side)
        : valid((side + "_in_valid").c_str()), control((side + "_in_control").c_str()),
          half((side + "_in_half").c_str()), color((side + "_in_color").c_str()),
          data((side + "_in_data").c_str()), freed((side + "_in_credit").c_str()),
          out_valid((side + "_out_valid").c_str()), out_control((side + "_out_control").c_str()),
          out_half((side + "_out_half").c_str()), out_color((side + "_out_color").c_str()),
          out_data((side + "_out_data").c_str()), credit((side + "_out_credit").c_str()),
          capacity((side + "_out_capacity").c_str()) {}
    sc_in<bool> valid, control, half;
    sc_in<std::uint32_t> color, data;
    sc_out<sc_dt::sc_bv<96>> freed;
    sc_out<bool> out_valid, out_control, out_half;
    sc_out<std::uint32_t> out_color, out_data;
    sc_in<sc_dt::sc_bv<96>> credit;
    sc_in<sc_dt::sc_bv<192>> capacity;
  };

  sc_in<bool> clock{"clock"};
  sc_in<bool> reset{"reset"};
  std::vector<std::unique_ptr<Side>> sides;

  CorePins(sc_core::sc_module_name name, const FabricTiming& timing, const LockStep::Routes& routes,
           Defect defect = {})
      : sc_core::sc_module(name), timing_(merging(timing)), routes_(routes), defect_(defect) {
    for (const char* side : {"west", "east", "south", "north", "ramp"})
      sides.push_back(std::make_unique<Side>(side));
    TESSERA_HAS_PROCESS(CorePins);
    SC_METHOD(rise);
    dont_initialize();
    sensitive << clock.pos();
  }
  unsigned edges = 0;

 private:
  static FabricTiming merging(FabricTiming timing) {
    timing.coincidence = Coincidence::kMerge;
    return timing;
  }
  void rise() {
    if (reset.read()) {
      core_.emplace(TileCoord{0, 0}, timing_, observe::Probe());
      for (const auto& [color, route] : routes_) core_->set_route(color, route);
      for (auto& side : sides) side->out_valid.write(false);
      edges = 0;
      return;
    }
    ++edges;
    for (Direction d : kAllDirections) take(d);
    const RouterCore::Step step = defect_.stuck ? RouterCore::Step{} : core_->step(edges);
    for (auto& side : sides) side->out_valid.write(false);
    for (const RouterCore::Send& send : step.sends) {
      Side& side = *sides[index(send.out)];
      side.out_valid.write(true);
      side.out_color.write(send.wavelet.color.value());
      side.out_data.write(send.wavelet.payload ^ (++sent_ > defect_.wrong_data_after ? 1U : 0U));
      side.out_control.write(send.wavelet.control);
      side.out_half.write(send.wavelet.half);
    }
    std::array<sc_dt::sc_bv<96>, kDirectionCount> freed;
    for (auto& bits : freed) bits = 0;
    for (const RouterCore::CreditReturn& credit : step.credits)
      freed[index(credit.in)][static_cast<int>(credit.color.value() * 4)] = true;
    for (Direction d : kAllDirections) sides[index(d)]->freed.write(freed[index(d)]);
  }
  void take(Direction d) {
    Side& side = *sides[index(d)];
    for (unsigned c = 0; c < kColorCount; ++c) {
      const auto capacity =
          side.capacity.read().range(static_cast<int>(c * 8 + 7), static_cast<int>(c * 8));
      if (edges == 1) core_->set_downstream_capacity(d, Color(c), capacity.to_uint());
      const auto credits =
          side.credit.read().range(static_cast<int>(c * 4 + 3), static_cast<int>(c * 4));
      for (unsigned n = credits.to_uint(); n > 0; --n) core_->credit(d, Color(c), edges);
    }
    if (side.valid.read())
      core_->put(d,
                 {side.data.read(), Color(side.color.read()), side.control.read(), side.half.read(),
                  false, 0},
                 edges);
  }

  const FabricTiming timing_;
  const LockStep::Routes routes_;
  std::optional<RouterCore> core_;
  const Defect defect_;
  unsigned sent_ = 0;
};

FabricTiming timing_of(unsigned seed) {
  FabricTiming timing;
  timing.hop_latency = 1 + seed % 3;
  timing.off_ramp_latency = 1 + seed % 4;
  timing.credit_latency = 1 + seed % 2;
  timing.buffer_depth = 1 + seed % 4;
  if (seed % 2 == 1) timing.arbitration = Arbitration::kFixed;
  return timing;
}

class PinRouterBySeed : public ::testing::TestWithParam<unsigned> {};

TEST_P(PinRouterBySeed, IsInLockStepAndComesToRest) {
  const FabricTiming timing = timing_of(GetParam());
  PinBench bench(GetParam(), 20000, timing);
  CorePins module("module", timing, bench.routes);
  bench.router.connect(module);
  sc_core::sc_start();
  EXPECT_GT(bench.sent(), 5000U);
  EXPECT_GE(bench.received(), bench.sent() / 2);
  EXPECT_EQ(bench.router.held(), 0U);
  EXPECT_FALSE(bench.router.clock().running());
  EXPECT_LT(module.edges, 19000U) << "the clock stops in the pauses";
}
INSTANTIATE_TEST_SUITE_P(Seeds, PinRouterBySeed, ::testing::Range(1U, 6U));

TEST(PinRouter, IsResetInTheMiddleOfItsTrafficAndIsInLockStepAgain) {
  PinBench bench(4, 3000, timing_of(4));
  CorePins module("module", timing_of(4), bench.routes);
  bench.router.connect(module);
  for (unsigned n = 0; n < 20; ++n) {
    sc_core::sc_start(sc_core::sc_time(100 + n * 77, sc_core::SC_NS));  // often inside a cycle
    bench.domain.reset();
    bench.router.restart();
    for (auto& side : bench.traffic) side->restart();
    bench.router.start();
    EXPECT_EQ(bench.router.held(), 0U);
  }
  const std::size_t sent = bench.sent();
  sc_core::sc_start();
  EXPECT_GT(bench.sent(), sent + 500);
  EXPECT_EQ(bench.router.held(), 0U);
}

/// Simulates and answers what the report `id` says.
std::string report_of(const std::string& id) {
  const test::ExpectReport expected(id);
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return {};
}

TEST(PinRouter, TheFirstDifferenceIsToldAndItsCyclesWritten) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("difference.vcd");
  PinBench bench(3, 2000, timing_of(3), file);
  CorePins module("module", timing_of(3), bench.routes, {100, false});
  bench.router.connect(module);
  const std::string text = report_of(PinRouter::kLockStepId);
  EXPECT_THAT(text, HasSubstr("tile (2, 1), cycle "));
  EXPECT_THAT(text, HasSubstr("the core sends C"));
  EXPECT_THAT(text, HasSubstr(file));
  const std::string waves = test::read_file(file);
  EXPECT_THAT(waves, HasSubstr("$scope module core"));
  EXPECT_THAT(waves, HasSubstr("$var wire 32 "));
  EXPECT_THAT(waves, HasSubstr("WEST_in_data"));
  EXPECT_GT(waves.size(), 4000U);
}

TEST(PinRouter, AModuleThatKeepsItsWaveletsIsNamedInTheWaits) {
  FabricTiming timing;
  const LockStep::Routes routes = {{Color(3), plain_route({Direction::kWest}, {Direction::kEast})}};
  timing::ClockDomain domain("clock", 1000);
  PinRouter router("router", domain, {0, 0}, timing, routes, {}, {});
  CorePins module("module", timing, routes, {~0U, true});
  router.connect(module);
  Traffic west("west", domain, 1, 400);
  Traffic east("east", domain, 2, 0);
  link::Stub north("north");
  link::Stub south("south");
  west.out.bind(router.in[index(Direction::kWest)]);
  router.out[index(Direction::kWest)].bind(west.in);
  east.out.bind(router.in[index(Direction::kEast)]);
  router.out[index(Direction::kEast)].bind(east.in);
  router.out[index(Direction::kNorth)].bind(north.in);
  north.out.bind(router.in[index(Direction::kNorth)]);
  router.out[index(Direction::kSouth)].bind(south.in);
  south.out.bind(router.in[index(Direction::kSouth)]);
  sc_core::sc_start();  // returns: the clock stops
  ASSERT_GT(router.held(), 0U);
  observe::Waits waits;
  router.describe_waits(waits, domain.now());
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].who, "router, color 3 from WEST");
  EXPECT_THAT(waits[0].what, HasSubstr("has not changed a pin for 64 cycles"));
}

TEST(PinRouter, ARouteThatPinsDoNotCarryIsRefused) {
  timing::ClockDomain domain("clock", 1000);
  ColorRoute switched = plain_route({Direction::kWest}, {Direction::kEast});
  switched.positions[1] = {{Direction::kWest}, {Direction::kRamp}, true};
  try {
    const PinRouter router("router", domain, {2, 1}, {}, {{Color(3), switched}}, {}, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "router of tile (2, 1): its color 3 has switch positions; the pins of a router carry "
        "routes of one position only");
  }
}

// --- mistakes at the pins ---

/// A module with some of the pins of a router.
struct Wrong : sc_core::sc_module {
  explicit Wrong(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  sc_in<bool> clock{"clock"};
  sc_in<bool> valid{"in_valid"};
  sc_in<std::uint32_t> color{"in_color"};
  sc_in<std::uint64_t> data{"in_data"};  // 33 to 64 bits
  sc_in<bool> spare{"spare"};
};

std::string message_of(const char* id, const std::function<void()>& call) {
  const test::ExpectReport expected(id);
  try {
    call();
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return {};
}

TEST(LinkPins, AWrongWidthAMissingAndAnOpenPinAreToldByName) {
  Wrong module("rtl");
  link::Pins pins;
  EXPECT_EQ(
      message_of("/tessera/link/pin", [&] { link::bind_pin(module, "in_data", pins.data, 32); }),
      "rtl: its pin 'in_data' has 33 to 64 bits, expected 32 bits");
  EXPECT_EQ(message_of("/tessera/link/pin",
                       [&] { link::bind_pin(module, "in_control", pins.control, 1); }),
            "rtl has no pin 'in_control', 1 bit wide");
  link::bind_pin(module, "in_half", pins.half, 1, true);  // optional
  link::bind_pin(module, "in_valid", pins.valid, 1);
  EXPECT_THAT(message_of("/tessera/link/unbound", [&] { link::require_pins_bound(module); }),
              HasSubstr("rtl.clock is a pin that nothing is bound to"));
}

/// One wavelet a cycle into pins that nothing reads.
struct Feed {
  explicit Feed(const sc_core::sc_time& period)
      : pins(
            "pins", period, [](Color) { return 100U; }, 1) {
    traffic.out.bind(pins.in);
    stub.out.bind(traffic.in);
    pins.clock.bind(clock);
  }
  timing::ClockDomain domain{"domain", 1000};
  sc_core::sc_signal<bool> clock{"clock_signal"};
  link::ToPins pins;
  Traffic traffic{"traffic", domain, 1, 50};
  link::Stub stub{"stub"};
};

/// Toggles a signal: a clock of the user.
struct UserClock : sc_core::sc_module {
  UserClock(sc_core::sc_module_name name, sc_core::sc_signal<bool>& to, double start_ps,
            double half_ps)
      : sc_core::sc_module(name), to_(to), start_(start_ps, sc_core::SC_PS),
        half_(half_ps, sc_core::SC_PS) {
    TESSERA_HAS_PROCESS(UserClock);
    SC_METHOD(toggle);
  }
  void toggle() {
    if (sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME && !started_) {
      started_ = true;
      return next_trigger(start_);
    }
    to_.write(!to_.read());
    if (sc_core::sc_time_stamp() < sc_core::sc_time(100, sc_core::SC_NS)) next_trigger(half_);
  }
  sc_core::sc_signal<bool>& to_;
  const sc_core::sc_time start_, half_;
  bool started_ = false;
};

constexpr const char* kClockId = "/tessera/link/pin_clock";

TEST(LinkPins, AClockOfTheUserWithThePeriodOfTheFabricIsTaken) {
  Feed feed(sc_core::sc_time(1, sc_core::SC_NS));
  const UserClock clock("user", feed.clock, 300, 500);
  sc_core::sc_start();
  EXPECT_GT(feed.traffic.sent, 10U);
}
TEST(LinkPins, AClockThatIsTwiceTooFastIsTold) {
  Feed feed(sc_core::sc_time(1, sc_core::SC_NS));
  const UserClock clock("user", feed.clock, 300, 250);
  EXPECT_EQ(report_of(kClockId), "pins: its clock rises twice in cycle 1; it must rise once in "
                                 "each cycle of the fabric, which "
                                 "takes 1 ns");
}
TEST(LinkPins, AClockThatIsTooSlowIsTold) {
  Feed feed(sc_core::sc_time(1, sc_core::SC_NS));
  const UserClock clock("user", feed.clock, 300, 1000);
  EXPECT_THAT(report_of(kClockId), HasSubstr("does not rise in cycle "));
}
TEST(LinkPins, AClockThatRisesWhereThePinsChangeIsTold) {
  Feed feed(sc_core::sc_time(1, sc_core::SC_NS));
  const UserClock clock("user", feed.clock, 1000, 500);
  EXPECT_THAT(report_of(kClockId), HasSubstr("rises where cycle 1 begins and the pins change"));
}
TEST(LinkPins, AClockThatIsNotBoundIsTold) {
  const link::ToPins pins(
      "pins", sc_core::sc_time(1, sc_core::SC_NS), [](Color) { return 1U; }, 1);
  EXPECT_THAT(report_of("/tessera/link/unbound"), HasSubstr("pins.clock is not bound"));
}

}  // namespace
}  // namespace tessera::fabric::bench
