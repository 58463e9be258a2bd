// Colors that carry messages: the header chooses the output, and nothing comes between the wavelets of a message.
#include "models/fabric/messages.h"

#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench {
namespace {

constexpr unsigned kMessageColor = 14;
constexpr DirectionSet kEverywhere = {kW, kE, kS, kN, kR};

/// The bench is tile (0, 0).
std::uint32_t header(unsigned column, unsigned row, unsigned length) {
  return row << 17 | column << 6 | length;
}

ColorRoute messages() {
  ColorRoute r = route(kEverywhere, kEverywhere);
  r.messages = true;
  return r;
}

class FabricMessages : public testing::Test {
 protected:
  FabricMessages() { router.set(kMessageColor, messages()); }
  void send(Direction in, std::initializer_list<std::uint32_t> payloads) {
    for (const std::uint32_t payload : payloads) router.send(in, data(kMessageColor, payload));
  }
  Alone router;
};

TEST_F(FabricMessages, GoAlongTheRowBeforeTheColumn) {
  EXPECT_EQ(way_to({3, 2}, {1, 1}), Direction::kEast);
  EXPECT_EQ(way_to({0, 2}, {1, 1}), Direction::kWest);
  EXPECT_EQ(way_to({1, 2}, {1, 1}), Direction::kSouth);
  EXPECT_EQ(way_to({1, 0}, {1, 1}), Direction::kNorth);
  EXPECT_EQ(way_to({1, 1}, {1, 1}), Direction::kRamp);
}

TEST_F(FabricMessages, KeepTheOutputOfTheirHeader) {
  send(kR, {header(0, 1, 2), 0xa1, 0xa2, header(1, 0, 1), 0xb1});
  EXPECT_EQ(router.run(), "S20002 Sa1 Sa2 E41 Eb1");
}

TEST_F(FabricMessages, EndWithAControlWaveletAtTheReceiver) {
  send(kW, {header(0, 0, 2), 0xa1, 0xa2});
  EXPECT_EQ(router.run(), "R2 Ra1 R*a2");
}

TEST_F(FabricMessages, DoNotMix) {
  send(kW, {header(0, 0, 3), 0xa1, 0xa2, 0xa3});
  send(kN, {header(0, 0, 2), 0xb1, 0xb2});
  const std::string found = router.run();
  const std::string a = "R3 Ra1 Ra2 R*a3", b = "R2 Rb1 R*b2";
  EXPECT_TRUE(found == a + " " + b || found == b + " " + a) << found;
}

TEST_F(FabricMessages, WithoutElementsAreOneWavelet) {
  send(kW, {header(0, 0, 0), header(0, 0, 1), 0xa1});
  EXPECT_EQ(router.run(), "R*0 R1 R*a1");
}

// The commands of control wavelets are nothing to routers of messages: an element may look like any.
TEST_F(FabricMessages, TakeNoCommands) {
  send(kW, {header(0, 0, 1), commands({kTeardown})});
  router.run();
  EXPECT_TRUE(router.teardowns.empty());
  EXPECT_EQ(router.core.held(), 0U);
}

}  // namespace
}  // namespace tessera::fabric::bench
