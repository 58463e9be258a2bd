// That a run of a scenario finds what is not as expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario.h"

namespace tessera::scenario {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Lines 2 to 10 are directives.
constexpr const char* kProgram = R"(
data x: i16[2] = -1, 7
data h: f16[1] = 1.5
data f: f32[1] = 0.25
queue in input 2 color=1
queue out output 3 color=5
dsd from fabin in extent=4
dsd east fabout out extent=1
dsr s1ds0 from
dsr dds0 east

task main local 8 active
send:
    mov32 dds0, 17
next:
    jmp last
last:
    end

fn receive
    mov32 dds0, s1ds0
    ret

fn wild
    movri r2, -2
    ld16 r3, [r2]
    brk
)";

/// Problems of the program with `directives`, "LINE: TEXT" each.
std::vector<std::string> problems(const std::string& directives) {
  const std::string text = "; wse.md 3.3: a rule\n" + directives + kProgram;
  std::vector<std::string> found;
  for (const Problem& p :
       run_scenario(parse_scenario("wse/3.3.rule.tasm", text), Generation::kWse3))
    found.push_back(std::to_string(p.line) + ": " + p.text);
  return found;
}

std::string only_problem(const std::string& directives) {
  const std::vector<std::string> found = problems(directives);
  EXPECT_EQ(found.size(), 1u) << directives << testing::PrintToString(found);
  return found.empty() ? "" : found.front();
}

TEST(ScenarioRun, WhatIsAsExpectedIsNoProblem) {
  EXPECT_THAT(problems(";! expect x = -1, 7\n;! expect x = 0xffff\n;! expect h = 1.5\n"
                       ";! expect f = 0.25\n;! expect f = 0x3e800000\n"
                       ";! expect sent out = 0x11@5\n;! expect tasks main\n"
                       ";! expect issue main = 1\n;! expect end send - send = 3\n"
                       ";! expect group send#1 - issue send = 3\n;! expect issue next - end send = "
                       "4\n"),
              IsEmpty());
}

struct Wrong {
  const char* directive;
  const char* problem;
};
class ScenarioWrong : public testing::TestWithParam<Wrong> {};

TEST_P(ScenarioWrong, IsFoundAtItsLine) {
  EXPECT_THAT(only_problem(std::string(";! until 900\n") + GetParam().directive + "\n"),
              testing::AllOf(HasSubstr("3: "), HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    All, ScenarioWrong,
    testing::Values(Wrong{";! expect x = -1, 8", "found x = -1, 7"},
                    Wrong{";! expect x = 0xfffe", "found x = -1"},
                    Wrong{";! expect x = 65536", "does not fit into i16"},
                    Wrong{";! expect x = 1.0", "does not fit"},
                    Wrong{";! expect x = -1, 7, 0", "has 2 elements"},
                    Wrong{";! expect h = 1.25", "found h = 1.5 (0x3e00)"},
                    Wrong{";! expect f = 0.5", "found f = 0.25"},
                    Wrong{";! expect y = 1", "no data y"},
                    Wrong{";! expect sent out = none", "sent: 0x11"},
                    Wrong{";! expect sent out = 0x11, 0x11", "sent: 0x11"},
                    Wrong{";! expect sent out = 0x12", "sent: 0x11"},
                    Wrong{";! expect sent out = c:0x11", "sent: 0x11"},
                    Wrong{";! expect sent out = h:0x11", "sent: 0x11"},
                    Wrong{";! expect sent out = f:0x11", "sent: 0x11"},
                    Wrong{";! expect sent out = 0x11@6", "sent: 0x11@5"},
                    Wrong{";! expect sent in = none", "no output queue in"},
                    Wrong{";! expect tasks none", "started: main"},
                    Wrong{";! expect tasks main main", "started: main"},
                    Wrong{";! expect issue main = 4", "found 1"},
                    Wrong{";! expect issue send - last = 4", "found -"},
                    Wrong{";! expect issue elsewhere = 4", "no label elsewhere"},
                    Wrong{";! expect issue main#2 = 4", "has issued 1 times"},
                    Wrong{";! expect end next = 4", "starts no DSD operation"},
                    Wrong{";! expect group send#2 = 4", "fewer groups"},
                    Wrong{";! expect illegal /tessera/pe/break", "has run to its end"},
                    Wrong{";! expect diagnosis /tessera/pe/break", "no such diagnosis"},
                    Wrong{";! expect waits \"x\"", "no one waits so; there are: none"},
                    Wrong{";! expect refused \"no such words\"", "the assembler accepts it"}));

TEST(ScenarioRun, WhoIsStuckIsAProblemUnlessExpected) {
  const std::string stuck = ";! launch receive at=50\n";
  EXPECT_THAT(only_problem(stuck + ";! expect tasks main receive\n"),
              HasSubstr("not expected at the end: main thread, mov32"));
  EXPECT_THAT(problems(stuck + ";! expect waits \"main thread\" \"input queue 2\"\n"), IsEmpty());
}

TEST(ScenarioRun, IllegalBehaviourIsAProblemUnlessExpected) {
  const std::string breaks = ";! set pe.memory_errors=report\n;! launch wild at=50\n";
  const std::string diagnosed = breaks + ";! expect diagnosis /tessera/pe/memory_access\n";
  EXPECT_THAT(only_problem(diagnosed), HasSubstr("an assertion of the program failed"));
  EXPECT_THAT(problems(diagnosed + ";! expect illegal /tessera/pe/break \"assertion\"\n"),
              IsEmpty());
  EXPECT_THAT(only_problem(diagnosed + ";! expect illegal /tessera/pe/break \"other\"\n"),
              HasSubstr("5: found: "));
  EXPECT_THAT(only_problem(breaks + ";! expect illegal /tessera/pe/break\n"),
              HasSubstr("not expected: PE (3, 2)"));
}

TEST(ScenarioRun, MistakesOfNamesAreProblems) {
  const std::string rest = "\n;! expect tasks main\n";
  EXPECT_THAT(only_problem(";! launch nothing" + rest),
              HasSubstr("2: the program has no function"));
  EXPECT_THAT(only_problem(";! arrive out 1" + rest), HasSubstr("2: the program has no input"));
  EXPECT_THAT(only_problem(";! sink in capacity=1" + rest), HasSubstr("no output queue in"));
  EXPECT_THAT(only_problem(";! set pe.pickr=x" + rest), HasSubstr("2: "));
  EXPECT_THAT(only_problem(";! arrive in at=9 1 2\n;! arrive in at=9 3" + rest),
              HasSubstr("3: wavelets arrive in the order of the text"));
}

TEST(ScenarioRun, RefusalOfTheAssembler) {
  const auto run = [](const std::string& text) {
    return run_scenario(
        parse_scenario("wse/3.3.rule.tasm", "; wse.md 3.3: a rule\n" + text + "\n    end\n"),
        Generation::kWse2);
  };
  EXPECT_THAT(run(";! expect refused \"3.3.rule.tasm:3:\""), IsEmpty());
  ASSERT_EQ(run(";! expect refused \"no such words\"").size(), 1u);
  EXPECT_EQ(run(";! expect refused \"no such words\"")[0].line, 2u);
  EXPECT_EQ(run(";! expect x = 1").size(), 1u);
}

}  // namespace
}  // namespace tessera::scenario
