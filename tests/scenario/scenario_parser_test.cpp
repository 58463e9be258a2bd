// Directives of scenarios: what they give, and that mistakes are refused with file and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scenario {
namespace {

using testing::HasSubstr;

constexpr const char* kPath = "wse/3.3.some_rule.tasm";

Scenario parsed(const std::string& lines, const std::string& path = kPath) {
  return parse_scenario(path, "; wse.md 3.3: a rule\n" + lines);
}

/// The message of the UserError, "" if there is none.
std::string refusal_of(const std::string& text, const std::string& path = kPath) {
  try {
    parse_scenario(path, text);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

/// One directive in line 2, after it something to expect.
std::string refusal_of_line(const std::string& line) {
  return refusal_of("; wse.md 3.3: a rule\n" + line + "\n;! expect x = 1\n");
}

TEST(ScenarioParser, ReadsEveryDirective) {
  const Scenario s = parsed(R"(;! machine wse3
;! launch go 1 0x10 at=7
;! arrive in at=5 every=3 1 c:0x20 h:0xffff 1.5
;! sink out capacity=2 open=never interval=4   ; a remark
;! teardown 7 at=40
;! set pe.picker=round_robin
;! until 70
;! expect x = -1, 2.5, 0x3
;! expect sent out = 0x1@5, cf:0x2
;! expect tasks a b
;! expect issue a#2 - end b = -3
;! expect illegal /tessera/pe/queue_busy "one" "two"
)");
  EXPECT_EQ(s.name, "3.3.some_rule");
  EXPECT_EQ(s.section, "3.3");
  EXPECT_EQ(s.machines, std::vector<Generation>{Generation::kWse3});
  const Plan& plan = s.plan(Generation::kWse3);
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].at, 7u);
  EXPECT_EQ(plan.launches[0].arguments, (std::vector<std::uint32_t>{1, 16}));
  ASSERT_EQ(plan.arrivals.size(), 1u);
  EXPECT_EQ(plan.arrivals[0].at, 5u);
  EXPECT_EQ(plan.arrivals[0].every, 3u);
  ASSERT_EQ(plan.arrivals[0].wavelets.size(), 4u);
  EXPECT_TRUE(plan.arrivals[0].wavelets[1].control);
  EXPECT_TRUE(plan.arrivals[0].wavelets[2].half);
  EXPECT_EQ(plan.arrivals[0].wavelets[3].payload, 0x3fc00000u);
  ASSERT_EQ(plan.sinks.size(), 1u);
  EXPECT_EQ(plan.sinks[0].open, kNever);
  EXPECT_EQ(plan.sinks[0].interval, 4u);
  EXPECT_EQ(plan.teardowns.at(0).color, Color(7));
  EXPECT_EQ(plan.teardowns[0].at, 40u);
  EXPECT_EQ(plan.overrides.at(0).setting, "pe.picker=round_robin");
  EXPECT_EQ(plan.until, 70u);
  ASSERT_EQ(plan.memory.at(0).values.size(), 3u);
  EXPECT_EQ(plan.memory[0].values[0].integer, -1);
  EXPECT_EQ(plan.memory[0].values[1].real, 2.5);
  EXPECT_EQ(plan.memory[0].values[2].bits, 3u);
  ASSERT_EQ(plan.sent.at(0).wavelets.size(), 2u);
  EXPECT_EQ(plan.sent[0].wavelets[0].color, Color(5));
  EXPECT_TRUE(plan.sent[0].wavelets[1].wavelet.local_flip);
  EXPECT_EQ(plan.tasks.at(0).names, (std::vector<std::string>{"a", "b"}));
  const TimeExpectation& time = plan.times.at(0);
  EXPECT_EQ(time.moment.number, 2u);
  EXPECT_EQ(time.since->kind, Moment::Kind::kEnd);
  EXPECT_EQ(time.cycles, -3);
  EXPECT_EQ(plan.messages.at(0).texts.size(), 2u);
  EXPECT_EQ(plan.messages[0].line, 13u);
}

TEST(ScenarioParser, DirectivesOfOneGeneration) {
  const Scenario s = parsed(";! wse2: expect x = 1\n;! wse3: expect y = 2\n;! expect z = 3\n");
  EXPECT_EQ(s.machines.size(), 2u);
  EXPECT_EQ(s.plan(Generation::kWse2).memory.at(0).symbol, "x");
  EXPECT_EQ(s.plan(Generation::kWse3).memory.at(0).symbol, "y");
  EXPECT_EQ(s.plan(Generation::kWse2).memory.at(1).symbol, "z");
}

TEST(ScenarioParser, NothingExpectedIsRefused) {
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! until 9\n"), HasSubstr("nothing is expected"));
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! wse2: expect x = 1\n"),
              HasSubstr("nothing is expected of wse3"));
}

TEST(ScenarioParser, FirstLineNamesTheSectionOfTheFileName) {
  const std::string rest = "\n;! expect x = 1\n";
  EXPECT_THAT(refusal_of("; wse.md 3.4: a rule" + rest), HasSubstr("section 3.4, but"));
  for (const char* head : {"; a rule", "", "; wse.md 3.3:", "; wse.md 3.3: ", ";wse.md 3.3: x"})
    EXPECT_THAT(refusal_of(head + rest), HasSubstr("tasm:1: the first line must be")) << head;
  EXPECT_THAT(refusal_of(""), HasSubstr("the first line must be"));
}

TEST(ScenarioParser, FileNameIsSectionAndRule) {
  for (const char* path : {"wse/rule.tasm", "wse/3.rule.txt", "wse/3.3.Rule.tasm", "wse/3.3.tasm"})
    EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! expect x = 1\n", path),
                HasSubstr("SECTION.rule_in_words.tasm"))
        << path;
  EXPECT_EQ(refusal_of("; wse.md 4: a rule\n;! expect x = 1\n", "wse/4.rule.tasm"), "");
}

struct Mistake {
  const char* line;
  const char* message;
};
class ScenarioMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ScenarioMistake, IsRefusedWithItsLine) {
  const std::string message = refusal_of_line(GetParam().line);
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(message, HasSubstr("3.3.some_rule.tasm:2"));
}

INSTANTIATE_TEST_SUITE_P(
    All, ScenarioMistake,
    testing::Values(
        Mistake{";! expct x = 1", "there is no directive 'expct'; did you mean 'expect'?"},
        Mistake{";!", "expected a directive"}, Mistake{"; expect x = 1", "begins with `;!`"},
        Mistake{"; ! expect x = 1", "begins with `;!`"},
        Mistake{"    end ;! expect x = 1", "a line of its own"},
        Mistake{";! machine wse4", "found 'wse4'"}, Mistake{";! machine wse2 wse2", "twice"},
        Mistake{";! machine", "expected wse2 or wse3"},
        Mistake{";! wse4: until 5", "expected wse2: or wse3:"},
        Mistake{";! wse2: machine wse2", "there is no directive 'machine'"},
        Mistake{";! launch", "expected the name of a function"},
        Mistake{";! launch go 1 2 3 4 5", "at most 4"},
        Mistake{";! launch go at 5", "expected '='"}, Mistake{";! launch go at=x", "found 'x'"},
        Mistake{";! arrive in", "expected a wavelet"},
        Mistake{";! arrive in every=0 1", "1..1000000"}, Mistake{";! arrive in f:1", "no flag"},
        Mistake{";! arrive in c: 1", "expected a number after"},
        Mistake{";! arrive in h:0x10000", "16 bits"},
        Mistake{";! arrive in 1,2", "expected a wavelet, found ','"},
        Mistake{";! arrive in 4294967296", "32 bits"},
        Mistake{";! arrive in 0x123456789", "hexadecimal"},
        Mistake{";! arrive in 0xfg", "hexadecimal"},
        Mistake{";! arrive in 5x", "expected a number"},
        Mistake{";! sink out", "expected capacity="},
        Mistake{";! sink out capacity=0", "1..1000000"},
        Mistake{";! sink out capacity=1 opn=5", "expected 'open'"},
        Mistake{";! teardown", "expected a color"},
        Mistake{";! teardown 24", "expected a color 0..23, found '24'"},
        Mistake{";! teardown 3 at=never", "expected at, 0..1000000"},
        Mistake{";! set pe.picker", "expected '='"}, Mistake{";! until", "expected a cycle"},
        Mistake{";! until 5 6", "expected the end of the line"},
        Mistake{";! expect", "what is expected"},
        Mistake{";! expect isue a = 3", "expected SYMBOL = .. or one of"},
        Mistake{";! expect x = ", "expected a value"},
        Mistake{";! expect x = 1 2", "end of the line"},
        Mistake{";! expect x = 1,", "expected a value"},
        Mistake{";! expect x = one", "expected a number, found 'one'"},
        Mistake{";! expect x = -", "expected a number"},
        Mistake{";! expect sent out 1", "expected '='"},
        Mistake{";! expect sent out = x:1", "no flag"},
        Mistake{";! expect sent out = 1@24", "0..23"},
        Mistake{";! expect tasks", "expected the name of a task"},
        Mistake{";! expect issue a", "expected '='"},
        Mistake{";! expect issue a#0 = 3", "from 1 on"},
        Mistake{";! expect issue a - = 3", "expected a label"},
        Mistake{";! expect end a = 0x10", "whole numbers"},
        Mistake{";! expect illegal /tessera/pe/queue_bsy",
                "did you mean '/tessera/pe/queue_busy'?"},
        Mistake{";! expect illegal /tessera/pe/queue_busy text", "end of the line"},
        Mistake{";! expect diagnosis \"text\"", "the id of a rule"},
        Mistake{";! expect waits text", "in quotes"}, Mistake{";! expect waits \"text", "no end"},
        Mistake{";! expect refused \"\"", "empty"}));

TEST(ScenarioParser, MachineIsTheFirstDirective) {
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! expect x = 1\n;! machine wse2\n"),
              HasSubstr(":3:"));
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! machine wse2\n;! wse3: expect x = 1\n"),
              HasSubstr("leaves out wse3"));
}

TEST(ScenarioParser, RunEndsOnce) {
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! expect refused \"a\"\n;! expect x = 1\n"),
              HasSubstr("does nothing else"));
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! expect illegal /tessera/pe/break\n"
                         ";! expect illegal /tessera/pe/break\n"),
              HasSubstr("ends once"));
  EXPECT_THAT(refusal_of_line(";! until 5\n;! until 6"), HasSubstr("`until` above"));
  EXPECT_THAT(refusal_of("; wse.md 3.3: a rule\n;! expect tasks a\n;! expect tasks a\n"),
              HasSubstr("`expect tasks` above"));
}

}  // namespace
}  // namespace tessera::scenario
