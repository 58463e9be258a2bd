// Switch positions add up (wse.md 1.4), from a layout to the values that arrive: three tiles in a row
// on both generations, in both structures.
//
// Tile (0, 0) sends pieces of two words, 0 1, 2 3 and so on, with an advance after each. Tile (1, 0)
// sends 100 101, 102 103 and so on in the same way, as soon as its router takes something from the
// RAMP. Its router has the chain of the public programs and a third position after it:
//
//   position  sets                         receives from  transmits to
//   0         rx WEST, tx RAMP and EAST    WEST           RAMP, EAST
//   1         tx EAST                      WEST           EAST
//   2         rx RAMP                      RAMP           EAST
//   3         tx RAMP                      RAMP           RAMP
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "platforms/data/npy.h"
#include "tests/support/run_executable.h"

namespace tessera::test::switch_positions_executable_test {
namespace {

using ::testing::ElementsAre;

constexpr const char* kChain = R"("pos1": {"tx": "EAST"}, "pos2": {"rx": "RAMP"})";
constexpr const char* kThird = R"(, "pos3": {"tx": "RAMP"})";
constexpr const char* kRing = R"(, "ring_mode": true)";
constexpr const char* kReset = "0x019F0000";  // not for compute engines, no task (wse.md 1.5)

/// Sends its pieces on a microthread and stores what comes; before that, if so told, rewrites a
/// register of its route in position 2.
constexpr const char* kMiddle = R"(param NEAR
param PIECES
param CONTROL
param REGISTER                           ; 0: none
param VALUE
data  got: u32[NEAR]
data  next: u32[1] = 100
queue in  input 2 color=4
queue out output 2 color=4
dsd   source fabin in extent=NEAR
dsd   sink   mem1d got
dsd   word   fabout out extent=1
dsd   mark   fabout out extent=1 control
dsr   dds1 sink
dsr   s1ds1 source
dsr   dds2 word
dsr   dds3 mark

fn main
    movri r4, PIECES
    movri r6, REGISTER
    mov32 dds1, s1ds1 async
    eq16  r4, 0
    jmpt  done
    eq16  r6, 0
    jmpt  send
wait:
    ldcfg r5, 0x7f44                     ; color 4
    slr16 r5, r5, 13
    eq16  r5, 2
    jmpf  wait
    stcfg r6, VALUE
send:
    ld32  d0, [next]
    mov32 dds2, d0
    add32 d0, d0, 1
    mov32 dds2, d0
    add32 d0, d0, 1
    st32  [next], d0
    mov32 dds3, CONTROL
    sub16 r4, r4, 1
    eq16  r4, 0
    jmpf  send
done:
    ret
)";

struct Chain {
  std::string positions = std::string(kChain) + kThird;
  unsigned start = 0;
  int pieces = 2;                      ///< pieces that tile (0, 0) sends
  int own = 2;                         ///< pieces that tile (1, 0) sends
  int near = 4;                        ///< words that tile (1, 0) stores
  int far = 6;                         ///< words that tile (2, 0) stores
  std::string control = "0x015F0000";  ///< after the pieces of tile (1, 0); an advance
  std::string address = "0";           ///< address of the register that tile (1, 0) rewrites
  std::string value = "0";
};

struct Outcome {
  Finished run;
  std::vector<std::uint32_t> near;
  std::vector<std::uint32_t> far;
};

std::string layout_of(const Chain& c) {
  return R"~({"schema": "tessera-wse-layout-1", "grid": [3, 1],
    "params": {"PIECES": )~" +
         std::to_string(c.pieces) + R"~(, "OWN": )~" + std::to_string(c.own) + R"~(, "NEAR": )~" +
         std::to_string(c.near) + R"~(, "FAR": )~" + std::to_string(c.far) + R"~(},
    "arrays": {"sent": {"dtype": "u32", "shape": ["2 * PIECES"], "init": "iota()"},
      "near": {"dtype": "u32", "shape": ["NEAR"]}, "far": {"dtype": "u32", "shape": ["FAR"]}},
    "tiles": [
      {"rect": [0, 0, 1, 1], "code": "sender.tasm",
       "params": {"B": 2, "LINE": 4, "PIECES": "PIECES"}},
      {"rect": [1, 0, 1, 1], "code": "middle.tasm",
       "params": {"NEAR": "NEAR", "PIECES": "OWN", "CONTROL": ")~" +
         c.control + R"~(", "REGISTER": ")~" + c.address + R"~(", "VALUE": ")~" + c.value +
         R"~("}},
      {"rect": [2, 0, 1, 1], "code": "receiver.tasm", "params": {"B": "FAR", "LINE": 4}}],
    "routes": [{"rect": [0, 0, 1, 1], "color": 4, "rx": "RAMP", "tx": "EAST"},
      {"rect": [1, 0, 1, 1], "color": 4, "rx": "WEST", "tx": ["RAMP", "EAST"],
       "switches": {"current_switch_pos": )~" +
         std::to_string(c.start) + ", " + c.positions + R"~(}},
      {"rect": [2, 0, 1, 1], "color": 4, "rx": "WEST", "tx": "RAMP"}],
    "symbols": {"sent": {"symbol": "words", "rect": [0, 0, 1, 1]},
      "near": {"symbol": "got", "rect": [1, 0, 1, 1]},
      "far": {"symbol": "words", "rect": [2, 0, 1, 1]}},
    "host": [{"copy_in": "sent"}, {"launch": "main"}, {"wait": "idle"}, {"copy_out": "near"},
      {"copy_out": "far"}]})~";
}

std::vector<std::uint32_t> words_of(const std::string& file) {
  const data::HostArray array = data::read_npy(file);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < array.size(); ++i) words.push_back(array.bits(i));
  return words;
}

/// Generation, structure.
class WseSwitchPositions : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static Outcome run(const Chain& chain, const std::vector<std::string>& options = {}) {
    const TemporaryFolder folder;
    folder.copy_from("tests/platforms/wse/programs/scatter");
    write_file(folder.file("layout.json"), layout_of(chain));
    write_file(folder.file("middle.tasm"), kMiddle);
    const auto& [preset, structure] = GetParam();
    std::vector<std::string> arguments = {folder.file("layout.json"),
                                          "--preset",
                                          preset,
                                          "--structure",
                                          structure,
                                          "--output",
                                          "near=" + folder.file("near.npy"),
                                          "--output",
                                          "far=" + folder.file("far.npy")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Outcome outcome;
    outcome.run = run_executable("wse_platform", arguments);
    if (outcome.run.exit_code != 0) return outcome;
    outcome.near = words_of(folder.file("near.npy"));
    outcome.far = words_of(folder.file("far.npy"));
    return outcome;
  }
};
INSTANTIATE_TEST_SUITE_P(Machines, WseSwitchPositions,
                         ::testing::Combine(::testing::Values("wse2", "wse3"),
                                            ::testing::Values("modules", "dense")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param);
                         });

TEST_P(WseSwitchPositions, wse_1_4_ThroughTheChain) {
  const Outcome outcome = run({});
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 102, 103));
}

// The two positions of the public programs. Position 2 must not copy to the RAMP.
TEST_P(WseSwitchPositions, wse_1_4_TheLastPositionStays) {
  Chain chain;
  chain.positions = kChain;
  chain.near = 2;
  chain.far = 8;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 102, 103)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1));
}

TEST_P(WseSwitchPositions, wse_1_4_StartAtPosition1) {
  Chain chain;
  chain.start = 1;
  chain.pieces = 1;
  chain.near = 2;
  chain.far = 4;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 100, 101)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(102, 103));
}

// Positions 1 and 2 count though the switch never stood in position 1. The third piece passes in
// position 1, after the ring.
TEST_P(WseSwitchPositions, wse_1_4_StartAtPosition2InARing) {
  Chain chain;
  chain.positions += kRing;
  chain.start = 2;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(100, 101, 0, 1, 2, 3)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(102, 103, 0, 1));
}

TEST_P(WseSwitchPositions, wse_1_4_StartAtPosition3InARing) {
  Chain chain;
  chain.positions += kRing;
  chain.start = 3;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 102, 103)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(100, 101, 0, 1));
}

TEST_P(WseSwitchPositions, wse_1_4_ARingReturnsToPosition0) {
  Chain chain;
  chain.positions += kRing;
  chain.pieces = 3;
  chain.near = 6;
  chain.far = 8;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 4, 5)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 102, 103, 4, 5));
}

TEST_P(WseSwitchPositions, wse_1_4_AResetReturnsToPosition0) {
  Chain chain;
  chain.pieces = 4;
  chain.control = kReset;  // in position 2, twice
  chain.near = 4;
  chain.far = 12;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 4, 5, 6, 7, 102, 103))
      << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 4, 5));
}

// Position 3 then adds to position 1.
TEST_P(WseSwitchPositions, wse_1_4_AnInvalidPositionSetsNothing) {
  Chain chain;
  chain.positions = R"("pos1": {"tx": "EAST"}, "pos2": {"invalid": true}, "pos3": {"rx": "RAMP"})";
  chain.near = 2;
  chain.far = 8;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 102, 103)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1));
}

// wse.md 1.10: what positions 1 and 2 set holds, also in position 2. Position 0 receives from WEST
// and transmits to RAMP only, which shows after the reset.
TEST_P(WseSwitchPositions, wse_1_10_ColorRegisterRewrittenInPosition2) {
  Chain chain;
  chain.pieces = 4;
  chain.own = 1;
  chain.control = kReset;
  chain.address = "0x7f24";
  chain.value = "0x0030";
  chain.far = 8;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 6, 7)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 4, 5));
}

// Position 1 transmits to the RAMP now, position 2 still receives from there and the switch stands in
// it: so the words of the tile come back.
TEST_P(WseSwitchPositions, wse_1_10_SwitchRegisterRewrittenInPosition2) {
  Chain chain;
  chain.own = 1;
  chain.address = "0x7f44";
  chain.value = "0x45c4";
  chain.far = 4;
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 100, 101));
}

// Without position 1, position 2 adds to position 0.
TEST_P(WseSwitchPositions, wse_1_10_Position1MadeInvalidInPosition2) {
  Chain chain;
  chain.own = 1;
  chain.address = "0x7f44";
  chain.value = "0x45c5";
  const Outcome outcome = run(chain);
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 100, 101));
}

// By position 0 the words of the tile come back to itself, too.
TEST_P(WseSwitchPositions, wse_1_4_FromZeroIsASetting) {
  Chain chain;
  chain.positions = kChain;
  chain.near = 6;
  chain.far = 8;
  const Outcome outcome = run(chain, {"--set", "fabric.switch_positions=from_zero"});
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 100, 101, 102, 103)) << outcome.run.err;
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 100, 101, 102, 103));
}

}  // namespace
}  // namespace tessera::test::switch_positions_executable_test
