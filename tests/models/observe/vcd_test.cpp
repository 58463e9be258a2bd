// Value change dump (IEEE 1364): read back by a small reader written from the format, not from the
// writer.
#include "models/observe/vcd.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace tessera;
using namespace tessera::observe;

namespace {

/// Signals by path, each with its changes (time in ps, value).
struct Dump {
  std::string timescale;
  std::map<std::string, unsigned> widths;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> changes;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : in_(text) {}

  Dump read() {
    std::string word;
    while (in_ >> word) {
      if (word == "$dumpvars" || word == "$end") continue;
      if (word[0] == '$') {
        declaration(word);
      } else {
        change(word);
      }
    }
    EXPECT_EQ(depth_, 0);
    return dump_;
  }

 private:
  std::vector<std::string> until_end() {
    std::vector<std::string> words;
    for (std::string word; in_ >> word && word != "$end";) words.push_back(word);
    return words;
  }
  void declaration(const std::string& keyword) {
    const auto words = until_end();
    if (keyword == "$timescale") dump_.timescale = words.at(0) + words.at(1);
    if (keyword == "$scope") scope_.push_back(words.at(1)), ++depth_;
    if (keyword == "$upscope") scope_.pop_back(), --depth_;
    if (keyword != "$var") return;
    std::string path;
    for (const std::string& name : scope_) path += name + ".";
    path += words.at(3);
    EXPECT_TRUE(paths_.emplace(words.at(2), path).second) << "code used twice: " << words.at(2);
    dump_.widths[path] = static_cast<unsigned>(std::stoul(words.at(1)));
  }
  void change(const std::string& word) {
    if (word[0] == '#') {
      const std::uint64_t time = std::stoull(word.substr(1));
      EXPECT_TRUE(!timed_ || time > now_) << "time stamps must grow: " << word;
      now_ = time;
      timed_ = true;
      return;
    }
    std::string code, value;
    if (word[0] == 'b' || word[0] == 's') {
      value = word.substr(1);
      in_ >> code;
    } else {
      value = word.substr(0, 1);
      code = word.substr(1);
    }
    ASSERT_EQ(paths_.count(code), 1U) << "undeclared code " << code;
    dump_.changes[paths_[code]].emplace_back(now_, value);
  }

  std::istringstream in_;
  Dump dump_;
  std::vector<std::string> scope_;
  std::map<std::string, std::string> paths_;
  std::uint64_t now_ = 0;
  bool timed_ = false;
  int depth_ = 0;
};

Dump dump(const std::vector<Event>& events, unsigned width = 2, unsigned height = 1,
          const Scope& scope = {}) {
  std::ostringstream out;
  Names names;
  names.task = [](std::uint32_t, unsigned task) { return "my task " + std::to_string(task); };
  VcdTrace trace(out, width, height, 1000, names, scope);
  for (const Event& e : events) trace.on_event(e);
  trace.finish();
  return Reader(out.str()).read();
}

Event east(Cycle cycle, unsigned color) {
  return {cycle, 1, EventKind::kHop, color | index(Direction::kEast) << 8, 0};
}

using Changes = std::vector<std::pair<std::uint64_t, std::string>>;

}  // namespace

TEST(ObserveVcd, DeclaresTaskAndOutputsOfEveryTile) {
  const Dump d = dump({}, 3, 2);
  EXPECT_EQ(d.timescale, "1ps");
  EXPECT_EQ(d.widths.size(), 1U + 3U * 2U * 12U);
  EXPECT_EQ(d.widths.at("wafer.tile_2_1.task"), 8U);
  EXPECT_EQ(d.widths.at("wafer.tile_2_1.out_e"), 1U);
  EXPECT_EQ(d.widths.at("wafer.tile_0_0.color_r"), 5U);
}

TEST(ObserveVcd, IdentifierCodesStayUniqueBeyondOneCharacter) {
  EXPECT_EQ(dump({}, 40, 40).widths.size(), 1U + 40U * 40U * 12U);  // Reader checks the codes
}

TEST(ObserveVcd, ATaskIsShownWhileItRuns) {
  const Dump d = dump({{3, 0, EventKind::kTaskStart, 9, 0}, {8, 0, EventKind::kTaskEnd, 9, 0}});
  const Changes expected = {{0, "z"}, {3000, "00001001"}, {8000, "z"}};
  EXPECT_EQ(d.changes.at("wafer.tile_0_0.task"), expected);
}

TEST(ObserveVcd, AWaveletIsAPulseOfOneCycle) {
  const Dump d = dump({east(4, 5), east(9, 5)});
  const Changes pulses = {{0, "0"}, {4000, "1"}, {5000, "0"}, {9000, "1"}, {10000, "0"}};
  EXPECT_EQ(d.changes.at("wafer.tile_1_0.out_e"), pulses);
  const Changes colors = {{0, "x"}, {4000, "00101"}};
  EXPECT_EQ(d.changes.at("wafer.tile_1_0.color_e"), colors);
}

TEST(ObserveVcd, BackToBackWaveletsKeepThePulseHigh) {
  const Dump d = dump({east(4, 5), east(5, 6), east(6, 5)});
  const Changes pulses = {{0, "0"}, {4000, "1"}, {7000, "0"}};
  EXPECT_EQ(d.changes.at("wafer.tile_1_0.out_e"), pulses);
  const Changes colors = {{0, "x"}, {4000, "00101"}, {5000, "00110"}, {6000, "00101"}};
  EXPECT_EQ(d.changes.at("wafer.tile_1_0.color_e"), colors);
}

TEST(ObserveVcd, AnEventInCycleZeroIsShown) {
  const Changes pulses = {{0, "0"}, {0, "1"}, {1000, "0"}};
  EXPECT_EQ(dump({east(0, 5)}).changes.at("wafer.tile_1_0.out_e"), pulses);
}

TEST(ObserveVcd, TheNameOfATaskIsAStringWithoutBlanks) {
  Dump d = dump({{10, 1, EventKind::kTaskStart, 5, 0}, {20, 1, EventKind::kTaskEnd, 5, 0}});
  EXPECT_EQ(d.changes["wafer.tile_1_0.name"],
            (Changes{{0, "-"}, {10'000, "my_task_5"}, {20'000, "-"}}));
}

TEST(ObserveVcd, TheCycleIsASignal) {
  Dump d = dump({{10, 1, EventKind::kTaskStart, 5, 0}});
  EXPECT_EQ(d.changes["wafer.cycle"], (Changes{{0, "0"}, {10'000, "1010"}, {11'000, "1011"}}));
}

TEST(ObserveVcd, AScopeHasItsTilesAndCyclesOnly) {
  Scope scope;
  scope.from = 8;
  scope.to = 15;
  scope.rect = {1, 0, 1, 1};
  Dump d = dump({{2, 0, EventKind::kTaskStart, 3, 0},
                 {3, 1, EventKind::kTaskStart, 5, 0},
                 {9, 0, EventKind::kHop, 4U, 0},
                 east(9, 4),
                 {14, 1, EventKind::kTaskEnd, 5, 0},
                 {16, 1, EventKind::kTaskStart, 6, 0}},
                2, 1, scope);
  EXPECT_EQ(d.widths.count("wafer.tile_0_0.task"), 0U);
  EXPECT_EQ(d.changes["wafer.tile_1_0.task"],
            (Changes{{8'000, "z"}, {8'000, "00000101"}, {14'000, "z"}}));
  EXPECT_EQ(d.changes["wafer.tile_1_0.out_e"],
            (Changes{{8'000, "0"}, {9'000, "1"}, {10'000, "0"}}));
}

TEST(ObserveVcd, ATaskThatAResetInterruptsEndsThere) {
  std::ostringstream out;
  VcdTrace trace(out, 2, 1, 1000);
  trace.on_event({10, 0, EventKind::kTaskStart, 3, 0});
  trace.on_event({12, 1, EventKind::kTaskStart, 4, 0});
  trace.on_event({14, 1, EventKind::kTaskEnd, 4, 0});
  trace.on_event({40, 0, EventKind::kTaskEnd, 3, 0});  // announced; does not happen
  trace.on_reset(30);
  trace.on_event({5, 1, EventKind::kTaskStart, 6, 0});
  trace.finish();
  Dump d = Reader(out.str()).read();
  EXPECT_EQ(d.changes["wafer.tile_0_0.task"],
            (Changes{{0, "z"}, {10'000, "00000011"}, {30'000, "z"}}));
  EXPECT_EQ(d.changes["wafer.tile_1_0.task"],
            (Changes{{0, "z"}, {12'000, "00000100"}, {14'000, "z"}, {35'000, "00000110"}}));
}
