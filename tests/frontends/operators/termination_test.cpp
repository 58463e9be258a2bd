// Which technique operators get, thresholds and delays (numesh.md 3.3 to 3.7, 4), and that the
// wrong ones are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera {
namespace {

using operators::Outcome;
using test::program_text;
using test::run_program;
using testing::HasSubstr;

/// `op` on four nodes, then a broadcast in a phase of its own.
std::string before_broadcast(const std::string& op, const std::string& more = "") {
  return program_text(
      "[4]", R"("a": )" + op + R"(, "then": {"kind": "broadcast", "from": 3, "nodes": "all"})",
      R"({"sequential": ["a", "then"], "phases": "separate"})", more);
}

std::string refusal(const std::string& text) {
  try {
    run_program(text);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

// S3, S4, V6: 8 words fit between two processors three hops apart, so 9 are long.
TEST(OperatorsTermination, ThresholdIsBuffersOfTheLongestPathPlusOne) {
  for (const unsigned words : {8U, 9U}) {
    const auto run = run_program(
        before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": )" +
                         std::to_string(words) + "}"));
    EXPECT_EQ(run.decision("a").threshold, 9U);
    EXPECT_TRUE(run.clean()) << run.problem();
  }
}
TEST(OperatorsTermination, ShortMessagesGetAnEcho) {
  const auto run = run_program(
      before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": 8})"));
  EXPECT_EQ(run.decision("a").outcome, Outcome::kProcessor);
  EXPECT_THAT(run.decision("a").why, HasSubstr("a message of 8 words is short"));
  EXPECT_TRUE(run.decision("a").delays.empty());
}
TEST(OperatorsTermination, LongMessagesGetADelayAtTheSource) {
  const auto run = run_program(
      before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": 90})"));
  EXPECT_EQ(run.decision("a").outcome, Outcome::kMessage);
  ASSERT_EQ(run.decision("a").delays.size(), 1U);
  EXPECT_EQ(run.decision("a").delays[0].first, 0U);
}
// 3.4: nodes that a stream crosses need branches, as they get no event otherwise.
TEST(OperatorsTermination, CrossedNodesGetBranches) {
  const auto run =
      run_program(before_broadcast(R"({"kind": "stream", "from": 0, "to": 3, "words": 2})"));
  EXPECT_THAT(run.decision("a").cost, HasSubstr("1 echo and 2 branches to crossed nodes"));
}
// S12: who has read word m of a ring knows that all have come, from n - 1 words on.
TEST(OperatorsTermination, RingIsLongFromOneWordLessThanNodes) {
  const auto run =
      run_program(before_broadcast(R"({"kind": "circular_shift", "nodes": "all", "words": 90})"));
  EXPECT_EQ(run.decision("a").threshold, 3U);
  EXPECT_EQ(run.decision("a").outcome, Outcome::kMessage);
  EXPECT_EQ(run.decision("a").delays.size(), 4U);  // intermediate nodes too
}
// 3.3: a prefix of any length synchronises its nodes.
TEST(OperatorsTermination, PrefixIsLongAtAnyLength) {
  const auto run = run_program(before_broadcast(
      R"({"kind": "prefix", "nodes": "all", "words": 1, "technique": "message"})"));
  EXPECT_EQ(run.decision("a").threshold, 1U);
  EXPECT_TRUE(run.clean()) << run.problem();
}
// 4.2: what is used before an operator that synchronises needs no technique of its own.
TEST(OperatorsTermination, AnOperatorBeforeAPrefixIsCovered) {
  const auto run = run_program(program_text(
      "[4]",
      R"("a": {"kind": "stream", "from": 0, "to": 3}, "b": {"kind": "prefix", "nodes": "all"})",
      R"({"sequential": [{"sequential": ["a", "b"], "phases": "shared"}, "b"], "phases": "separate"})"));
  EXPECT_EQ(run.decision("a").outcome, Outcome::kCovered);
  EXPECT_TRUE(run.clean()) << run.problem();
}
TEST(OperatorsTermination, TheLastPhaseNeedsNone) {
  const auto run =
      run_program(program_text("[4]", R"("a": {"kind": "stream", "from": 0, "to": 3})", R"("a")"));
  EXPECT_EQ(run.decision("a").outcome, Outcome::kLast);
}

TEST(OperatorsTermination, MessageBoundIsRefusedForShortMessages) {
  EXPECT_EQ(
      refusal(before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all",
                                         "words": 4, "technique": "message"})")),
      "test.json: operators.a.technique: message-bound termination needs messages of at least "
      "9 words here, but 4 are given; use auto, processor or barrier, or give a \"delay\" at "
      "your own risk");
}
TEST(OperatorsTermination, MessageBoundIsRefusedForOnlineRouting) {
  EXPECT_THAT(
      refusal(before_broadcast(R"({"kind": "online", "technique": "message",
                                           "messages": [{"from": 0, "to": 3, "words": 20}]})")),
      HasSubstr("message-bound termination is refused for online routing: its reads are not "
                "synchronous"));
}
TEST(OperatorsTermination, OnlineRoutingGetsABarrier) {
  const auto run = run_program(before_broadcast(
      R"({"kind": "online", "messages": [{"from": 0, "to": 3, "words": 20},
                                         {"from": 2, "to": 0, "words": 3}]})"));
  EXPECT_EQ(run.decision("a").outcome, Outcome::kBarrier);
  EXPECT_TRUE(run.compiled.phases[0].barrier);
  EXPECT_TRUE(run.clean()) << run.problem();
}

// Every technique carries every operator over a phase change, whoever is late.
TEST(OperatorsTermination, EveryTechniqueWorks) {
  const std::string kinds[] = {
      R"("stream", "from": 0, "to": 3)",      R"("broadcast", "from": 0, "nodes": "all")",
      R"("shift", "nodes": "all")",           R"("circular_shift", "nodes": "all")",
      R"("reduce", "to": 0, "nodes": "all")", R"("prefix", "nodes": "all")"};
  for (const std::string& kind : kinds) {
    for (const std::string technique : {"processor", "marker", "barrier", "message"}) {
      for (const char* late : {"0", "1", "2", "3"}) {
        const std::string text = before_broadcast(
            R"({"words": 40, "kind": )" + kind + R"(, "technique": ")" + technique + "\"}",
            std::string(R"("starts": [{"nodes": )") + late + R"(, "at": 300}])");
        const auto run = run_program(text);
        EXPECT_TRUE(run.clean()) << text << '\n' << run.problem();
      }
    }
  }
}

// S5: a writer that switches at its return strands words.
TEST(OperatorsTermination, NoTechniqueStrandsWords) {
  const auto run =
      run_program(before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": 4,
                           "technique": "none"})",
                                   R"("starts": [{"nodes": 3, "at": 300}])"));
  EXPECT_GT(run.findings, 0U);
}
// S8: with the echo before the other branches its return proves nothing.
TEST(OperatorsTermination, EchoFirstStrandsWords) {
  for (const char* place : {"first", "last"}) {
    const auto run = run_program(before_broadcast(
        std::string(R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": 4,
                        "technique": "processor", "echo": ")") +
            place + "\"}",
        R"("starts": [{"nodes": 1, "at": 300}, {"nodes": 2, "at": 500}, {"nodes": 3, "at": 700}])"));
    EXPECT_EQ(run.findings > 0, std::string(place) == "first") << run.problem();
  }
}
// S6: there is a least delay; one cycle less is found by the checker, the computed one is enough.
TEST(OperatorsTermination, ADelayBelowTheLeastIsFound) {
  const auto with_delay = [](unsigned delay) {
    return run_program(before_broadcast(R"({"kind": "broadcast", "from": 0, "nodes": "all",
                                            "words": 90, "compute": 9, "technique": "message",
                                            "delay": )" +
                                        std::to_string(delay) + "}"));
  };
  const auto computed = run_program(before_broadcast(
      R"({"kind": "broadcast", "from": 0, "nodes": "all", "words": 90, "compute": 9})"));
  ASSERT_EQ(computed.decision("a").outcome, Outcome::kMessage);
  unsigned least = 0;
  while (!with_delay(least).clean()) ++least;
  EXPECT_GT(least, 5U);
  EXPECT_LE(least, computed.decision("a").longest_delay());
  EXPECT_GT(with_delay(least - 1).findings, 0U);
}

// 3.7: a continuing operator is not waited for, and arrives all the same.
TEST(OperatorsTermination, ContinuingOperatorsGoOnThroughPhases) {
  const auto run = run_program(program_text(
      "[4]",
      R"("feed": {"kind": "stream", "from": 0, "to": 3, "words": 200, "bandwidth": "1/4"},
         "a": {"kind": "shift", "nodes": "all"}, "b": {"kind": "prefix", "nodes": "all"})",
      R"({"parallel": ["feed", {"loop": 3, "phases": "separate", "body": ["a", "b"]}]})"));
  EXPECT_EQ(run.decision("feed").outcome, Outcome::kContinuing);
  EXPECT_TRUE(run.clean()) << run.problem();
}
// 2.1: loops over disjoint regions are in different phases at one time.
TEST(OperatorsTermination, RegionsChangePhasesForThemselves) {
  const auto run = run_program(program_text(
      "[6]",
      R"("a": {"kind": "shift", "nodes": [0, 1, 2]}, "b": {"kind": "shift", "nodes": [2, 1, 0]},
         "c": {"kind": "prefix", "nodes": [3, 4, 5], "words": 20},
         "d": {"kind": "reduce", "to": 5, "nodes": [3, 4, 5]})",
      R"({"parallel": [{"loop": 4, "phases": "separate", "body": ["a", "b"]},
                       {"sequential": ["c", "d"], "phases": "separate"}]})"));
  EXPECT_EQ(run.compiled.plan.regions.size(), 2U);
  EXPECT_TRUE(run.clean()) << run.problem();
}

// S19, V3, V4: one phase or two; a change of 20 cycles, 50 words: 200 against 170.
TEST(OperatorsTermination, PhasesAreSharedBelowTheBreakEvenLength) {
  operators::Target target = test::default_target();
  target.rules.switch_cost = 20;
  target.rules.vfsm_buffer = 2;
  const auto text = [](unsigned words, const char* group) {
    const std::string stream = R"(, "bandwidth": "2/3", "words": )" + std::to_string(words) + "}";
    return program_text("[2]",
                        R"("a": {"kind": "stream", "from": 0, "to": 1)" + stream +
                            R"(, "b": {"kind": "stream", "from": 1, "to": 0)" + stream,
                        group);
  };
  const char* once = R"({"sequential": ["a", "b"], "phases": "auto"})";
  const char* loop = R"({"loop": 5, "body": ["a", "b"], "phases": "auto"})";
  const auto run = run_program(text(50, once), target);
  EXPECT_THAT(run.compiled.plan.notes.at(0),
              HasSubstr("one phase takes 200 cycles for its words, 2 phases take 150 and 1 change "
                        "of 20, 170: separate phases"));
  EXPECT_EQ(run_program(text(20, once), target).compiled.phases.size(), 1U);
  EXPECT_EQ(run_program(text(22, once), target).compiled.phases.size(), 2U);
  EXPECT_EQ(run_program(text(40, loop), target).compiled.phases.size(), 1U);
  EXPECT_EQ(run_program(text(42, loop), target).compiled.phases.size(), 2U);
}

}  // namespace
}  // namespace tessera
