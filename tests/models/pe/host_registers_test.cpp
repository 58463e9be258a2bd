// Registers of the configuration space with which a program speaks to the host: the next command, printing
// (docs/configuration-space.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "models/observe/print_log.h"
#include "tests/models/pe/bench.h"

namespace tessera::pe::test::host_registers_test {
namespace {

std::unique_ptr<Bench> machine(const std::string& code, Generation generation = Generation::kWse3) {
  return std::make_unique<Bench>(assembled(code, generation));
}

class Prints final : public observe::Diagnoses {
 public:
  void on_diagnosis(const observe::Diagnosis&) override {}
  void on_print(const observe::Print& print) override { log.add(print); }
  std::string text() {
    log.finish();
    return out.str();
  }
  std::ostringstream out;
  observe::PrintLog log{out};
};

TEST(PeHostRegisters, CommandsAskedForAreCounted) {
  const auto bench = machine("fn ask\n    stcfg 0x7f70, 0\n    stcfg 0x7f70, 1\n    ret\n");
  EXPECT_EQ(bench->core.commands_asked_for(), 0u);
  bench->launch("ask", {}, 0);
  bench->launch("ask", {}, 100);
  bench->run();
  EXPECT_EQ(bench->core.commands_asked_for(), 4u);
}

TEST(PeHostRegisters, ACommandIsTakenBetweenTwoTasks) {
  const auto bench = machine(R"(task first local 8 active
    mov16 r0, 100
again:
    sub16 r0, r0, 1
    eq16 r0, 0
    jmpf again
    actvt next
    ret
task next local 9
    ret
)");
  bench->access(50, 10);
  bench->run();
  const std::vector<Cycle> starts = bench->cycles(EventKind::kTaskStart);
  const std::vector<Cycle> ends = bench->cycles(EventKind::kTaskEnd);
  ASSERT_EQ(bench->accesses.size(), 1U);
  EXPECT_GT(bench->accesses[0], 100U);
  EXPECT_THAT(bench->tasks_started(), testing::ElementsAre(8, observe::kHostAccess, 9));
  // It goes before the active task, and holds the main thread.
  EXPECT_EQ(starts.at(1), bench->accesses[0]);
  EXPECT_GE(ends.at(1), bench->accesses[0] + 50);
  const std::vector<Cycle> issues = bench->cycles(EventKind::kIssue);
  EXPECT_GE(issues.back(), ends.at(1));
}

TEST(PeHostRegisters, CommandsAndLaunchesAreTakenInTheirOrder) {
  const auto bench = machine("fn f\n    ret\n");
  bench->access(5, 30);
  bench->launch("f", {}, 20);
  bench->access(5, 20);
  EXPECT_EQ(bench->core.launches_open(), 3U);
  bench->run();
  EXPECT_THAT(
      bench->tasks_started(),
      testing::ElementsAre(observe::kLaunchedTask, observe::kHostAccess, observe::kHostAccess));
  EXPECT_EQ(bench->accesses.at(1), 30U);
  EXPECT_EQ(bench->core.launches_open(), 0U);
}

TEST(PeHostRegisters, PrintsStringsValuesAndCharacters) {
  for (Generation generation : {Generation::kWse2, Generation::kWse3}) {
    const auto bench = machine(R"(half bf16
string a "x \\= "
string b ", \x22\n"
task main local 8 active
    stcfg 0x7f71, a
    stcfg 0x7f72, 0xfffe
    stcfg 0x7f73, 0x3fc0
    stcfg 0x7f74, 0
    stcfg 0x7f75, 32
    stcfg 0x7f74, 1
    stcfg 0x7f75, 32
    stcfg 0x7f74, 2
    stcfg 0x7f75, 32
    stcfg 0x7f74, 3
    stcfg 0x7f71, b
    stcfg 0x7f74, 5
    stcfg 0x7f75, 32
    stcfg 0x7f74, 6
    stcfg 0x7f75, 32
    stcfg 0x7f74, 7
    stcfg 0x7f75, 10
    stcfg 0x7f74, 8
    stcfg 0x7f75, 32
    stcfg 0x7f72, 0
    stcfg 0x7f74, 9
    stcfg 0x7f75, 10
    stcfg 0x7f72, 0xbfc0
    stcfg 0x7f74, 4
    stcfg 0x7f75, 10
    stcfg 0x7f75, 65
    end
)",
                               generation);
    Prints prints;
    bench->core.set_diagnoses(&prints);
    bench->run();
    EXPECT_EQ(prints.text(), "@23 x \\= 65534 -2 fffe 1111111111111110, \"\n"
                             "@35 1069613054 1069613054 3fc0fffe\n"
                             "@45 00111111110000001111111111111110 1.5\n"
                             "@51 -1.5\n");
  }
}

TEST(PeHostRegisters, PrintedValuesOutOfRangeAreIllegal) {
  for (const char* instruction : {"stcfg 0x7f71, 1", "stcfg 0x7f74, 10", "stcfg 0x7f76, 1"}) {
    const auto bench = machine("string only \"text\"\ntask main local 8 active\n    " +
                               std::string(instruction) + "\n    end\n");
    EXPECT_THAT(rule_broken_by(*bench), Breaks(Illegal::kConfigValue)) << instruction;
  }
}

}  // namespace
}  // namespace tessera::pe::test::host_registers_test
