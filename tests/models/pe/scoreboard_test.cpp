// When registers may be used again (models/pe/scoreboard.h), against an array of cycles.
#include "models/pe/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace tessera::pe::test {
namespace {

constexpr std::uint32_t kAll = (1U << (kRegisterCount + 1)) - 1;

TEST(PeScoreboard, NothingIsBusyAtFirst) {
  const Scoreboard board;
  EXPECT_EQ(board.ready_at(kAll, 0), 0u);
  EXPECT_EQ(board.ready_at(kAll, 77), 77u);
}

TEST(PeScoreboard, AnInstructionWaitsForWhatItNames) {
  Scoreboard board;
  board.write(Scoreboard::bit(3), 150, 101);
  EXPECT_EQ(board.ready_at(Scoreboard::bit(2), 101), 101u);
  EXPECT_EQ(board.ready_at(Scoreboard::bit(3), 101), 150u);
  EXPECT_EQ(board.ready_at(Scoreboard::bit(3), 200), 200u);
}

TEST(PeScoreboard, TheLastWriterCounts) {
  Scoreboard board;
  board.write(Scoreboard::bit(3), 150, 101);
  board.write(Scoreboard::bit(3), 102, 102);
  EXPECT_EQ(board.ready_at(Scoreboard::bit(3), 102), 102u);
}

// Writers that keep the board busy without a pause for long: old entries must not come back when the
// low bits of their cycles do.
TEST(PeScoreboard, OldWritersAreForgotten) {
  Scoreboard board;
  board.write(Scoreboard::bit(3), 40, 2);
  for (Cycle now = 3; now < 3'000'000; ++now) {
    board.write(Scoreboard::bit(5), now + 50, now + 1);
    if (now > 40) {
      ASSERT_EQ(board.ready_at(Scoreboard::bit(3), now + 1), now + 1);
    }
  }
}

TEST(PeScoreboard, AgreesWithAnArrayOfCycles) {
  std::mt19937 random(5);
  for (const unsigned longest : {2U, 60U, 1000U, Scoreboard::kMaxLatency}) {
    Scoreboard board;
    std::array<Cycle, kRegisterCount + 1> ready{};
    Cycle issue = 0;
    for (int i = 0; i < 100'000; ++i) {
      const std::uint32_t items = random() & random() & random() & kAll;
      const Cycle ready_at = issue + 1 + random() % longest;
      board.write(items, ready_at, issue + 1);
      for (unsigned item = 0; item < ready.size(); ++item) {
        if ((items >> item & 1U) != 0) ready[item] = ready_at;
      }
      const std::uint32_t named = random() & random() & random() & kAll;
      issue += 1 + (random() % 50 == 0 ? random() % 100'000 : 0);  // the thread may be held up
      Cycle expected = issue;
      for (unsigned item = 0; item < ready.size(); ++item) {
        if ((named >> item & 1U) != 0) expected = std::max(expected, ready[item]);
      }
      ASSERT_EQ(board.ready_at(named, issue), expected) << i;
      if (random() % 2 == 0) issue = expected;
    }
  }
}

}  // namespace
}  // namespace tessera::pe::test
