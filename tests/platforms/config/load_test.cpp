// Schema-driven configuration: order of sources, checks and messages (docs/architecture.md#errors).
#include "platforms/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera {
namespace {

using testing::HasSubstr;

enum class Rule { kFirst, kLast };

struct Machine {
  unsigned hop = 0;
  unsigned depth = 0;
  Rule rule = Rule::kLast;
  std::vector<unsigned> lengths;
};

config::Schema schema_of(Machine& m) {
  return {
      config::number("fabric.hop_latency", m.hop, "cycles", 1, 64, "one hop"),
      config::number("fabric.buffer_depth", m.depth, "wavelets", 1, 16, "room"),
      config::name("fabric.rule", m.rule, {{"first", Rule::kFirst}, {"last", Rule::kLast}}, "r"),
      config::numbers("queues.lengths", m.lengths, "wavelets", 1, 32, 4, "room")};
}

constexpr const char* kComplete = R"({
  "schema": "tessera-config-1", "name": "toy", "machine": "toy",
  "fabric": {"hop_latency": {"value": 2, "source": "a book", "kind": "published"},
             "buffer_depth": 3, "rule": "first"},
  "queues": {"lengths": [4, 5]}
})";

/// Loads a config file with this text.
class ConfigLoad : public testing::Test {
 protected:
  config::Loaded load(const std::string& text, const std::vector<std::string>& sets = {}) {
    test::write_file(file_, text);
    return config::load(schema_of(machine_), "toy", {"", file_, sets});
  }
  /// Message of the UserError that loading ends in.
  std::string error(const std::string& text, const std::vector<std::string>& sets = {}) {
    try {
      load(text, sets);
    } catch (const UserError& e) {
      const std::string message = e.what();
      return message.compare(0, file_.size(), file_) == 0 ? "FILE" + message.substr(file_.size())
                                                          : message;
    }
    return "no error";
  }
  /// kComplete with one piece of text replaced.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = kComplete;
    return text.replace(text.find(from), from.size(), to);
  }

  test::TemporaryFolder folder_;
  std::string file_ = folder_.file("toy.json");
  Machine machine_;
};

TEST_F(ConfigLoad, SetsEveryFieldOfTheStruct) {
  const config::Loaded loaded = load(kComplete);
  EXPECT_EQ(loaded.name, "toy");
  EXPECT_EQ(machine_.hop, 2U);
  EXPECT_EQ(machine_.depth, 3U);
  EXPECT_EQ(machine_.rule, Rule::kFirst);
  EXPECT_EQ(machine_.lengths, (std::vector<unsigned>{4, 5}));
}

TEST_F(ConfigLoad, OverridesWinAndTheLastOneWins) {
  load(kComplete, {"fabric.hop_latency=7", "fabric.rule=last", "fabric.hop_latency=9",
                   "queues.lengths=1,2,3"});
  EXPECT_EQ(machine_.hop, 9U);
  EXPECT_EQ(machine_.rule, Rule::kLast);
  EXPECT_EQ(machine_.lengths, (std::vector<unsigned>{1, 2, 3}));
  load(kComplete, {"queues.lengths=[8]"});
  EXPECT_EQ(machine_.lengths, (std::vector<unsigned>{8}));
}

TEST_F(ConfigLoad, SaysOfEveryValueWhereItComesFrom) {
  const config::Loaded loaded = load(kComplete, {"queues.lengths=6"});
  EXPECT_EQ(loaded.origins.at("fabric.hop_latency").source, "a book");
  EXPECT_EQ(loaded.origins.at("fabric.hop_latency").kind, "published");
  EXPECT_EQ(config::blame(loaded, "fabric.buffer_depth"), file_);
  EXPECT_EQ(config::blame(loaded, "queues.lengths"), "--set");
}

TEST_F(ConfigLoad, WhatAGroupSaysOfItsOriginHoldsForValuesThatDoNotSayIt) {
  const std::string group = "\"fabric\": {\"source\": \"a talk\", \"kind\": \"assumed\", ";
  const config::Loaded loaded = load(with("\"fabric\": {", group));
  EXPECT_EQ(loaded.origins.at("fabric.buffer_depth").source, "a talk");
  EXPECT_EQ(loaded.origins.at("fabric.buffer_depth").kind, "assumed");
  EXPECT_EQ(loaded.origins.at("fabric.hop_latency").source, "a book");
  EXPECT_EQ(loaded.origins.at("queues.lengths").source, "");
  EXPECT_THAT(error(with("\"fabric\": {", "\"fabric\": {\"kind\": \"guessed\", ")),
              HasSubstr("fabric.kind: unknown kind 'guessed'"));
}

TEST_F(ConfigLoad, PrintsTheEffectiveConfigWithSources) {
  const config::Loaded loaded = load(kComplete, {"queues.lengths=6,7"});
  std::ostringstream out;
  config::print_config(out, schema_of(machine_), loaded);
  EXPECT_THAT(out.str(), HasSubstr("# toy\n"));
  EXPECT_THAT(out.str(),
              HasSubstr("fabric.hop_latency = 2 cycles     [" + file_ + ", published: a book]\n"));
  EXPECT_THAT(out.str(), HasSubstr("queues.lengths = 6,7 wavelets     [--set]\n"));
}

TEST_F(ConfigLoad, UnknownKeyNamesTheNearestAndTheAllowedOnes) {
  EXPECT_EQ(error(with("buffer_depth", "bufer_depth")),
            "FILE: fabric.bufer_depth: unknown key; did you mean 'fabric.buffer_depth'? (keys in "
            "'fabric': hop_latency, buffer_depth, rule)");
  EXPECT_THAT(error(kComplete, {"farbic.rule=last"}),
              HasSubstr("--set: farbic.rule: unknown key; did you mean 'fabric.rule'?"));
}

TEST_F(ConfigLoad, AKeyWithoutItsGroupIsRecognised) {
  EXPECT_THAT(error(kComplete, {"hop_latency=3"}), HasSubstr("'fabric.hop_latency'"));
  EXPECT_THAT(error(kComplete, {"lengths=3"}), HasSubstr("'queues.lengths'"));
}

TEST_F(ConfigLoad, AGroupIsNoValue) {
  EXPECT_EQ(error(kComplete, {"fabric=3"}),
            "--set: fabric: this is a group of keys, not a value; its keys are hop_latency, "
            "buffer_depth, rule");
  EXPECT_THAT(error(with(R"({"lengths": [4, 5]})", "4")),
              HasSubstr("FILE: queues: this is a group"));
}

TEST_F(ConfigLoad, ValuesOutOfRangeSayUnitAndRange) {
  EXPECT_EQ(error(kComplete, {"fabric.hop_latency=65"}),
            "--set: fabric.hop_latency: 65 cycles is out of range; allowed: 1 to 64 cycles");
  EXPECT_EQ(error(with("\"buffer_depth\": 3", "\"buffer_depth\": -3")),
            "FILE: fabric.buffer_depth: -3 wavelets is out of range; allowed: 1 to 16 wavelets");
  EXPECT_EQ(error(with("[4, 5]", "[4, 0]")),
            "FILE: queues.lengths[1]: 0 wavelets is out of range; allowed: 1 to 4 numbers of 1 to "
            "32 wavelets");
}

TEST_F(ConfigLoad, ValuesOfTheWrongTypeSayWhatIsAllowed) {
  EXPECT_EQ(
      error(with("\"buffer_depth\": 3", "\"buffer_depth\": \"three\"")),
      "FILE: fabric.buffer_depth: \"three\" is not a whole number; allowed: 1 to 16 wavelets");
  EXPECT_THAT(error(with("\"buffer_depth\": 3", "\"buffer_depth\": 2.5")),
              HasSubstr("is not a whole number"));
  EXPECT_THAT(error(kComplete, {"fabric.hop_latency=2x"}), HasSubstr("'2x' is not a whole number"));
  EXPECT_THAT(error(kComplete, {"fabric.hop_latency="}), HasSubstr("'' is not a whole number"));
  EXPECT_THAT(error(kComplete, {"fabric.hop_latency=99999999999999999999"}),
              HasSubstr("is not a whole number"));
  EXPECT_THAT(error(with("[4, 5]", "7")), HasSubstr("7 is not a list of whole numbers"));
}

TEST_F(ConfigLoad, ListsHaveALength) {
  EXPECT_EQ(
      error(kComplete, {"queues.lengths=1,2,3,4,5"}),
      "--set: queues.lengths: a list of 5 numbers; allowed: 1 to 4 numbers of 1 to 32 wavelets");
  EXPECT_THAT(error(with("[4, 5]", "[]")), HasSubstr("a list of 0 numbers"));
}

TEST_F(ConfigLoad, UnknownNamesNameTheNearest) {
  EXPECT_EQ(
      error(kComplete, {"fabric.rule=frist"}),
      "--set: fabric.rule: unknown name 'frist'; did you mean 'first'? (allowed: first, last)");
  EXPECT_THAT(error(with("\"first\"", "1")), HasSubstr("1 is not a name in quotes"));
}

TEST_F(ConfigLoad, AnOverrideNeedsKeyAndValue) {
  EXPECT_EQ(error(kComplete, {"fabric.hop_latency"}),
            "--set: 'fabric.hop_latency' is not of the form KEY=VALUE, for example "
            "fabric.hop_latency=2");
}

TEST_F(ConfigLoad, WithoutABaseEveryKeyMustBeThere) {
  EXPECT_THAT(
      error(R"({"schema": "tessera-config-1", "machine": "toy", "fabric": {"rule": "last"}})"),
      HasSubstr("FILE: fabric.hop_latency: this key is missing (and 2 more keys)"));
}

TEST_F(ConfigLoad, BrokenJsonIsReportedWithLineAndColumn) {
  EXPECT_THAT(error("{\n  \"schema\": ,\n}"), AllOf(HasSubstr("FILE:2:13: "), HasSubstr("JSON")));
  EXPECT_THAT(error(std::string(kComplete) + " x"), HasSubstr("JSON"));
  EXPECT_THAT(error("{"), HasSubstr("JSON"));
  EXPECT_THAT(error(""), HasSubstr("JSON"));
  EXPECT_THAT(error("[1]"), HasSubstr("a configuration is a JSON object"));
}

TEST_F(ConfigLoad, AKeyMayOccurOnce) {
  EXPECT_THAT(error(with("\"hop_latency\"", "\"hop_latency\": 3, \"hop_latency\"")),
              HasSubstr("hop_latency"));
}

TEST_F(ConfigLoad, AFileOfAnotherKindIsRefused) {
  EXPECT_EQ(error(with("tessera-config-1", "tessera-layout-1")),
            "FILE: schema: 'tessera-layout-1' does not fit here; it must be 'tessera-config-1'");
  EXPECT_EQ(error("{}"), "FILE: schema: missing; it must be 'tessera-config-1'");
  EXPECT_THAT(error(with("\"machine\": \"toy\"", "\"machine\": \"car\"")),
              HasSubstr("machine: 'car' does not fit here"));
}

TEST_F(ConfigLoad, AnAnnotatedValueHasKnownKeysOnly) {
  EXPECT_THAT(error(with("\"source\"", "\"sauce\"")),
              HasSubstr("fabric.hop_latency.sauce: unknown key; did you mean 'source'?"));
  EXPECT_THAT(error(with("published", "guessed")), HasSubstr("unknown kind 'guessed'"));
  EXPECT_THAT(error(with("\"value\": 2, ", "")), HasSubstr("needs the key 'value'"));
}

TEST_F(ConfigLoad, AMissingFileIsNamed) {
  EXPECT_THAT(
      [&] {
        config::load(schema_of(machine_), "toy", {"", "nowhere/toy.json", {}});
      },
      testing::ThrowsMessage<UserError>("nowhere/toy.json: the configuration file cannot be read"));
}

TEST_F(ConfigLoad, PresetOrFileButNotBothAndNotNone) {
  EXPECT_THAT(
      [&] { config::load(schema_of(machine_), "wse", {}); },
      testing::ThrowsMessage<UserError>(HasSubstr(
          "give either --preset NAME (wse2, wse2_silicon, wse3, wse3_silicon) or --config FILE")));
  EXPECT_THAT(
      [&] {
        config::load(schema_of(machine_), "wse", {"wse2", "x.json", {}});
      },
      testing::ThrowsMessage<UserError>(HasSubstr("are both given")));
}

}  // namespace
}  // namespace tessera
