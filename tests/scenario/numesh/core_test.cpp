// Scenarios S23 and S24 of numesh.md on cores, with the timing of the presets: routers without
// programs, and a compute engine without routers. executable_test.cpp has them on the whole
// machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/fabric/illegal.h"
#include "models/fabric/registers.h"
#include "platforms/wse/wse_config.h"
#include "tests/models/fabric/bench.h"
#include "tests/models/pe/bench.h"

namespace tessera {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kPresets[] = {"wse2", "wse3"};

// --- S24. Tile 0 sends kOld words through tile 1 to tile 2, a teardown marker, and kNew words that
// are for tile 1. So tile 1 must turn its route between the two: when the marker has passed and its
// local operation (here: a cycle) is complete.

constexpr unsigned kOld = 60, kNew = 8;
constexpr Color kColor{5};

struct S24 {
  explicit S24(const std::string& preset) : mesh(3, 1, wse::load_wse_config(preset, "").fabric) {
    using namespace fabric;
    using namespace fabric::bench;
    for (int x = 0; x < 3; ++x) {
      mesh.router({x, 0}).set_reconfigurable(Generation::kWse2);
      mesh.router({x, 0}).set_route(kColor, route({x == 0 ? kR : kW}, {x == 2 ? kR : kE}));
      mesh.endpoint({x, 0}).open(kColor);
    }
    mesh.connect();
    std::uint32_t count = 0;
    const auto send = [&](link::Wavelet w) {
      w.ident = std::uint64_t{1} << 32 | count++;  // tile 0 sends it
      mesh.endpoint({0, 0}).send(w);
    };
    for (unsigned i = 0; i < kOld; ++i) send(data(kColor.value(), i));
    send(control(kColor.value(), {fabric::bench::kTeardown}));
    for (unsigned i = 0; i < kNew; ++i) send(data(kColor.value(), kOld + i));
    mesh.on_teardown = [this](TileCoord tile, const RouterCore::Teardown& t) {
      if (tile.x == 0) turn(0, route({kR}, {kE}), t.due + 1);  // stays as it is
      if (tile.x == 1) marker_passed = t.due;
    };
  }
  /// The program of a tile writes its route, out of teardown, in cycle `due`.
  void turn(int x, const fabric::ColorRoute& route, Cycle due) {
    mesh.write({x, 0}, config_space::kColorBase + kColor.value(), fabric::color_register(route),
               due);
  }
  void turn_tile_1(Cycle due) {
    turn(1, fabric::bench::route({Direction::kWest}, {Direction::kRamp}), due);
  }
  /// Tile 1 turns its route as soon as both have happened.
  void run_with_both(Cycle local_completion) {
    mesh.run(local_completion);
    while (marker_passed == kNever && mesh.scheduler().next_due() != kNever)
      mesh.run(mesh.scheduler().next_due() + 1);
    turn_tile_1(std::max(marker_passed, local_completion) + 2);
    mesh.run();
  }
  unsigned delivered(int x) {
    unsigned words = 0;
    for (const auto& d : mesh.endpoint({x, 0}).deliveries()) words += d.wavelet.control ? 0 : 1;
    return words;
  }
  fabric::bench::Mesh mesh;
  Cycle marker_passed = kNever;
};

TEST(numesh, S24_core_route_rewritten_before_the_marker_misroutes_late_data) {
  for (const char* preset : kPresets) {
    S24 scenario(preset);
    scenario.turn_tile_1(30);  // its local operation is complete, the marker has not passed
    try {
      scenario.mesh.run();
      FAIL() << preset << ": nothing was reported";
    } catch (const IllegalBehaviour& e) {
      EXPECT_EQ(e.id(), fabric::kEpochMisroutedId);
      EXPECT_THAT(
          e.what(),
          AllOf(HasSubstr("tile (1, 0), color 5: a wavelet from tile (0, 0), sent in epoch 0"),
                HasSubstr("goes from WEST to RAMP in epoch 1 here"), HasSubstr("to go to EAST"),
                HasSubstr("changed in cycle 30")));
    }
    EXPECT_EQ(scenario.marker_passed, kNever);
  }
}

TEST(numesh, S24_core_route_rewritten_when_both_have_happened_is_silent) {
  for (const char* preset : kPresets) {
    for (const Cycle local_completion : {10U, 400U}) {  // before and after the marker
      S24 scenario(preset);
      EXPECT_NO_THROW(scenario.run_with_both(local_completion)) << preset;
      EXPECT_EQ(scenario.marker_passed < local_completion, local_completion == 400);
      EXPECT_EQ(scenario.delivered(2), kOld);
      EXPECT_EQ(scenario.delivered(1), kNew);
    }
  }
}

// --- S23. A program sends three words through a queue and, when the move has ended, one word of
// another color through the same queue. The sink behind the queue is slow to start.

constexpr const char* kTwoParts = R"(
data v: u32[3] = 1, 2, 3
data w: u32[1] = 4
dsd first mem1d v
dsd second mem1d w
dsr s1ds0 first
dsr s1ds1 second
dsr dds0 to_9
dsr dds1 to_11
)";
const std::string kWse2 = std::string(R"(
queue out output 2
dsd to_9  fabout out extent=3 color=9
dsd to_11 fabout out extent=1 color=11
)") + kTwoParts + "task main local 8 active\n    mov32 dds0, s1ds0 async activate=sent\n    end\n";
const std::string kWse3 = std::string(R"(
queue out output 2 color=9
dsd to_9  fabout out extent=3
dsd to_11 fabout out extent=1
)") + kTwoParts + "task main local 8 active\n    mov32 dds0, s1ds0 async activate=sent\n    end\n";

const std::string kWse2AtOnce = R"(
task sent local 10
    mov32 dds1, s1ds1
    end
)";
const std::string kWse2WhenEmpty = R"(
task sent local 10
wait:
    ldcfg r0, 0x7f67                 ; output queues that are empty
    and16 r0, r0, 4
    eq16  r0, 0
    jmpt  wait
    mov32 dds1, s1ds1
    end
)";
const std::string kWse3AtOnce = R"(
task sent local 10
    stcfg 0x7f6a, 11
    mov32 dds1, s1ds1
    end
)";
const std::string kWse3WhenFlushed = R"(
task sent local 10
    stcfg 0x7f63, 4                  ; flush output queue 2
    end
task flushed local 29
    stcfg 0x7f65, 4
    stcfg 0x7f6a, 11
    mov32 dds1, s1ds1
    end
)";

struct S23 {
  S23(const std::string& program, Generation generation)
      : bench(pe::test::assembled(program, generation),
              wse::load_wse_config(to_string(generation), "", {"pe.queue_colors=one"}).pe) {
    bench.queues.sink(2, 4, 60, 5);
    broken = pe::test::rule_broken_by(bench);
  }
  std::string sent() const {
    std::string text;
    for (const auto& s : bench.queues.sent)
      text +=
          std::to_string(s.wavelet.payload) + "@" + std::to_string(s.wavelet.color.value()) + " ";
    return text;
  }
  pe::test::Bench bench;
  pe::test::Broken broken;
};

TEST(numesh, S23_core_queue_used_for_another_color_at_once_is_reported) {
  EXPECT_THAT(S23(kWse2 + kWse2AtOnce, Generation::kWse2).broken,
              pe::test::Breaks(pe::Illegal::kQueueReuse,
                               HasSubstr("output queue 2 still holds wavelets of color 9 and is "
                                         "used for color 11")));
  EXPECT_THAT(S23(kWse3 + kWse3AtOnce, Generation::kWse3).broken,
              pe::test::Breaks(pe::Illegal::kQueueReuse,
                               HasSubstr("output queue 2 is bound to color 11 while it holds "
                                         "wavelets of color 9, which would go out on color 11")));
}

TEST(numesh, S23_core_queue_used_for_another_color_when_it_is_empty_is_silent) {
  const S23 wse2(kWse2 + kWse2WhenEmpty, Generation::kWse2);
  EXPECT_THAT(wse2.broken, pe::test::BreaksNothing());
  EXPECT_EQ(wse2.sent(), "1@9 2@9 3@9 4@11 ");
  const S23 wse3(kWse3 + kWse3WhenFlushed, Generation::kWse3);
  EXPECT_THAT(wse3.broken, pe::test::BreaksNothing());
  EXPECT_EQ(wse3.sent(), "1@9 2@9 3@9 4@11 ");
}

}  // namespace
}  // namespace tessera
