// The configuration space as a program sees it: registers of the router, teardown, queue flush and
// rebinding (reference wse.md 1.9, 1.10, 2.2, 2.4; numesh.md S23).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/pe/bench.h"
#include "tests/models/pe/fake_config.h"

namespace tessera::pe::test {
namespace {

using config_space::kColorBase;
using config_space::kSwitchBase;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A program, a router made of plain registers, and the data it keeps what it read in.
class PeConfigTest : public testing::Test {
 protected:
  Bench& with(const std::string& code, Generation generation = Generation::kWse3,
              Bench::Stepping how = Bench::Stepping::kWhenDue) {
    bench_ = std::make_unique<Bench>(assembled("data got: u16[8]\n" + code, generation),
                                     wse3_timing(), how);
    bench_->core.set_config(&router);
    return *bench_;
  }
  FakeConfig router;

 private:
  std::unique_ptr<Bench> bench_;
};

TEST_F(PeConfigTest, LdcfgReadsColorAndSwitchRegistersOfEveryColor) {
  for (unsigned color : {0U, 5U, kColorCount - 1}) {
    router.initial[static_cast<config_space::Address>(kColorBase + color)] = 0x0123;
    router.initial[static_cast<config_space::Address>(kSwitchBase + color)] = 0x4567;
    Bench& bench = with("task main local 8 active\n"
                        "    ldcfg r0, 0x7f20 + " +
                        std::to_string(color) +
                        "\n"
                        "    mov16 r2, 0x7f40 + " +
                        std::to_string(color) +
                        "\n"
                        "    ldcfg r1, r2\n"
                        "    st16 [got], r0\n"
                        "    st16 [got + 2], r1\n"
                        "    end\n");
    bench.run();
    EXPECT_EQ(bench.bits("got", 0), 0x0123u) << color;
    EXPECT_EQ(bench.bits("got", 1), 0x4567u) << color;
  }
}

TEST_F(PeConfigTest, LoadsAndStoresReachRegistersAtTwiceTheirAddress) {
  router.initial[kColorBase + 5] = 0x0210;
  const std::string code = R"(task main local 8 active
    mov16 r1, 2 * 0x7f25
    ld16 r0, [r1]
    st16 [got], r0
    or16 r0, r0, 2
    st16 [r1], r0
    ldcfg r2, 0x7f25
    st16 [got + 2], r2
)";
  Bench& bench = with(code + "    stcfg 0x7f70, 0\n    end\n");
  bench.run();
  EXPECT_EQ(bench.bits("got", 0), 0x0210u);
  EXPECT_EQ(bench.bits("got", 1), 0x0212u);
  // A program that never writes registers has memory only.
  EXPECT_THAT(rule_broken_by(assembled("data got: u16[8]\n" + code + "    end\n")),
              Breaks(Illegal::kMemoryAccess, HasSubstr("address 65098")));
}

TEST_F(PeConfigTest, StcfgTakesTwoCyclesAndTheNextInstructionReadsTheNewValue) {
  Bench& bench = with(R"(task main local 8 active
    mov16 r1, 0x7f25
    mov16 r2, 0x0210
write: stcfg r1, r2
read:  ldcfg r0, 0x7f25
    st16 [got], r0
    stcfg 0x7f45, 0x5
    ldcfg r0, 0x7f45
    st16 [got + 2], r0
    end
)");
  bench.run();
  EXPECT_EQ(bench.issue("read"), bench.issue("write") + 2);
  EXPECT_EQ(bench.bits("got", 0), 0x0210u);
  EXPECT_EQ(bench.bits("got", 1), 5u);
  ASSERT_EQ(router.writes.size(), 2u);
  EXPECT_EQ(router.writes[0].address, 0x7F25u);
  EXPECT_EQ(router.writes[0].value, 0x0210u);
  EXPECT_EQ(router.writes[0].due, bench.issue("write") + 1);
}

constexpr const char* kTeardownHandler = R"(
task on_teardown local 29
read: ldcfg r0, 0x7f60
    ldcfg r1, 0x7f61
    ldcfg r2, 0x7f60
    ldcfg r3, 0x7f61
    st16 [got], r0
    st16 [got + 2], r1
    st16 [got + 4], r2
    st16 [got + 6], r3
    end
)";

TEST_F(PeConfigTest, TeardownActivatesTask29AtItsCycleAndTheReadClearsThePendingColors) {
  Bench& bench = with(kTeardownHandler);
  bench.teardown(Color(5), 50);
  bench.teardown(Color(20), 50);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(kTeardownTask));
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(50));
  EXPECT_EQ(bench.issue("read"), 53u);
  EXPECT_THAT(bench.contents("got"), ElementsAre(1u << 5, 1u << 4, 0, 0, 0, 0, 0, 0));
}

TEST_F(PeConfigTest, EachHalfOfThePendingColorsIsClearedByItself) {
  Bench& bench = with(R"(
task on_teardown local 29
    ldcfg r0, 0x7f60
    ldcfg r1, 0x7f60
    ldcfg r2, 0x7f61
    st16 [got], r0
    st16 [got + 2], r1
    st16 [got + 4], r2
    end
)");
  bench.teardown(Color(15), 9);
  bench.teardown(Color(16), 9);
  bench.run();
  EXPECT_THAT(bench.contents("got"), ElementsAre(0x8000, 0, 1, 0, 0, 0, 0, 0));
}

TEST_F(PeConfigTest, TeardownIsPendingOnlyFromItsCycleOn) {
  for (Cycle due : {2, 3, 4}) {
    Bench& bench = with(R"(task main local 8 active
a: ldcfg r0, 0x7f60
    st16 [got], r0
    end
)");
    bench.run(2);  // the task starts in cycle 0 and issues in 3
    bench.teardown(Color(3), due);
    bench.run();
    ASSERT_EQ(bench.issue("a"), 3u);
    EXPECT_EQ(bench.bits("got"), due <= 3 ? 8u : 0u) << due;
  }
}

TEST_F(PeConfigTest, SecondTeardownWhileTheHandlerRunsStartsItAgain) {
  Bench& bench = with(kTeardownHandler);
  bench.teardown(Color(1), 10);
  bench.teardown(Color(2), 16);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(kTeardownTask, kTeardownTask));
  EXPECT_EQ(bench.bits("got", 0), 1u << 2);
}

TEST_F(PeConfigTest, TeardownWithoutAHandlerOnlyBecomesPending) {
  Bench& bench = with(R"(task main local 8 active
    end
fn look
    ldcfg r0, 0x7f60
    st16 [got], r0
    end
)");
  bench.teardown(Color(7), 10);
  bench.launch("look", {}, 100);
  bench.run();
  EXPECT_EQ(bench.bits("got"), 1u << 7);
  EXPECT_THAT(bench.waits(), IsEmpty());
}

// --- bad addresses

struct BadAccess {
  const char* instruction;
  const char* words;
  bool wse2 = true;
  bool wse3 = true;
};
class PeConfigAddress : public testing::TestWithParam<BadAccess> {};

TEST_P(PeConfigAddress, IsIllegal) {
  for (Generation generation : {Generation::kWse2, Generation::kWse3}) {
    if (!(generation == Generation::kWse2 ? GetParam().wse2 : GetParam().wse3)) continue;
    Bench bench(assembled("queue out output 2 color=5\ntask main local 8 active\n    " +
                              std::string(GetParam().instruction) + "\n    end\n",
                          generation));
    FakeConfig router;
    bench.core.set_config(&router);
    EXPECT_THAT(rule_broken_by(bench),
                Breaks(Illegal::kConfigAddress,
                       AllOf(HasSubstr(GetParam().words), HasSubstr("test.tasm:3"))))
        << GetParam().instruction;
    EXPECT_THAT(router.writes, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PeConfigAddress,
    testing::Values(BadAccess{"ldcfg r0, 0", "word address 0"},
                    BadAccess{"ldcfg r0, 0x7f1f", "word address 32543"},
                    BadAccess{"ldcfg r0, 0x7f38", "word address 32568"},
                    BadAccess{"ldcfg r0, 0x7f3f", "word address 32575"},
                    BadAccess{"ldcfg r0, 0x7f58", "word address 32600", false, true},
                    BadAccess{"ldcfg r0, 0xffff", "word address 65535"},
                    BadAccess{"stcfg 0x7f1f, 0", "no register can be written"},
                    BadAccess{"stcfg 0x7f38, 0", "no register can be written"},
                    BadAccess{"stcfg 0x7f60, 0", "no register can be written"},
                    BadAccess{"stcfg 0x7f66, 0", "no register can be written"},
                    BadAccess{"ldcfg r0, 0x7f64", "no register can be read"},
                    BadAccess{"ldcfg r0, 0x7f6a", "no register can be read"},
                    BadAccess{"stcfg 0x7f77, 0", "word address 32631"},
                    BadAccess{"ldcfg r0, 0x7f70", "no register can be read"},
                    // WSE-2 has no flush and does not bind output queues.
                    BadAccess{"ldcfg r0, 0x7f62", "no register can be read", true, false},
                    BadAccess{"ldcfg r0, 0x7f63", "no register can be read", true, false},
                    BadAccess{"stcfg 0x7f62, 1", "no register can be written", true, false},
                    BadAccess{"stcfg 0x7f63, 1", "no register can be written", true, false},
                    BadAccess{"stcfg 0x7f64, 1", "no register can be written", true, false},
                    BadAccess{"stcfg 0x7f65, 1", "no register can be written", true, false},
                    BadAccess{"stcfg 0x7f6a, 6", "no register can be written", true, false},
                    // A queue that the program does not have; a color that does not exist.
                    BadAccess{"stcfg 0x7f6b, 6", "no register can be written", false, true},
                    BadAccess{"stcfg 0x7f6a, 24", "no register can be written", false, true}));

TEST_F(PeConfigTest, RegistersOfTheRouterNeedARouter) {
  for (const char* instruction : {"ldcfg r0, 0x7f20", "stcfg 0x7f40, 0"}) {
    Bench alone(
        assembled("task main local 8 active\n    " + std::string(instruction) + "\n    end\n"));
    EXPECT_THAT(rule_broken_by(alone), Breaks(Illegal::kConfigAddress)) << instruction;
  }
}

// --- status and flush

TEST_F(PeConfigTest, EmptyQueuesOfBothGenerations) {
  for (Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Bench& bench = with(R"(queue in input 3 color=1
queue out output 4 color=9
dsd to fabout out extent=1 )" +
                            std::string(generation == Generation::kWse2 ? "color=9" : "") +
                            R"(
dsr dds0 to
task main local 8 active
    ldcfg r0, 0x7f66
    ldcfg r1, 0x7f67
    mov32 dds0, 1
    ldcfg r2, 0x7f67
    st16 [got], r0
    st16 [got + 2], r1
    st16 [got + 4], r2
    end
)",
                        generation);
    bench.queues.sink(4, 4, kNever);
    bench.queues.arrive(3, 7, 1);
    bench.run();
    EXPECT_EQ(bench.bits("got", 0), 0xF7u);  // all but the input queue with a wavelet
    EXPECT_EQ(bench.bits("got", 1), 0xFFu);
    EXPECT_EQ(bench.bits("got", 2), 0xEFu);
  }
}

TEST_F(PeConfigTest, WaveletOnItsWayIsNotInTheQueue) {
  Bench& bench = with(R"(queue in input 3 color=1
task main local 8 active
    ldcfg r0, 0x7f66
    st16 [got], r0
    end
)");
  bench.queues.arrive(3, 7, 1000);
  bench.run();
  EXPECT_EQ(bench.bits("got"), 0xFFu);
}

/// Stepped when it asks for it and in every cycle, the engine must do the same.
class PeConfigFlush : public PeConfigTest, public testing::WithParamInterface<Bench::Stepping> {};
INSTANTIATE_TEST_SUITE_P(Stepping, PeConfigFlush,
                         testing::Values(Bench::Stepping::kWhenDue, Bench::Stepping::kEveryCycle),
                         [](const auto& how) {
                           return how.param == Bench::Stepping::kWhenDue ? "WhenDue" : "EveryCycle";
                         });

constexpr const char* kFlushHandler = R"(
task on_flush local 29
    ldcfg r0, 0x7f62
    ldcfg r1, 0x7f63
    stcfg 0x7f64, r0
    stcfg 0x7f65, r1
    ldcfg r2, 0x7f62
    ldcfg r3, 0x7f63
    st16 [got], r0
    st16 [got + 2], r1
    st16 [got + 4], r2
    st16 [got + 6], r3
    end
)";

TEST_P(PeConfigFlush, EmptyQueuesFireAtOnce) {
  // wse.md 2.4 pitfall: also an output queue that nothing was written to yet.
  Bench& bench = with(std::string(R"(queue in input 3 color=1
queue out output 4 color=9
task main local 8 active
    stcfg 0x7f62, 8
    stcfg 0x7f63, 16
    end
)") + kFlushHandler,
                      Generation::kWse3, GetParam());
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, kTeardownTask));
  EXPECT_THAT(bench.contents("got"), ElementsAre(8, 16, 0, 0, 0, 0, 0, 0));
}

TEST_P(PeConfigFlush, InputQueueFiresWhenItsLastWaveletIsTaken) {
  Bench& bench = with(std::string(R"(queue in input 3 color=1
dsd from fabin in extent=3
dsd to mem1d got extent=3
dsr dds0 to
dsr s1ds0 from
data count: u16[1]
task main local 8 active
    stcfg 0x7f62, 8
    ldcfg r0, 0x7f62            ; 0: not yet
    st16 [count], r0
    mov16 dds0, s1ds0 async
    end
)") + kFlushHandler,
                      Generation::kWse3, GetParam());
  bench.queues.arrive(3, 1, 1);
  bench.queues.arrive(3, 2, 40);
  bench.queues.arrive(3, 3, 41);
  bench.run();
  EXPECT_EQ(bench.bits("count"), 0u);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, kTeardownTask));
  // The first wavelet is gone before the others are there: empty, for a moment.
  ASSERT_FALSE(bench.queues.taken.empty());
  EXPECT_EQ(bench.cycles(EventKind::kTaskStart).back(), bench.queues.taken.front().cycle);
  EXPECT_EQ(bench.bits("got", 0), 8u);
}

TEST_P(PeConfigFlush, InputQueueFiresWhenADataTaskTakesTheLastWavelet) {
  // Empty from the start of the data task on; another wavelet that comes while it runs, before its
  // first instruction, changes nothing. The handler, which ends the flush, then has its turn first.
  Bench& bench = with(std::string(R"(queue in input 3 color=1
data seen: u16[2]
dsd to mem1d seen extent=1
dsr dds0 to save_address
task main local 8 active
    stcfg 0x7f62, 8
last: end
task word data in
    ldcfg r2, 0x7f62
    mov16 dds0, r2
    end
)") + kFlushHandler,
                      Generation::kWse3, GetParam());
  bench.queues.arrive(3, 1, 1);
  bench.queues.arrive(3, 2, 7);
  bench.run();
  ASSERT_EQ(bench.issue("last"), 5u);  // the data task takes its wavelet here and issues in 9
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 3, kTeardownTask, 3));
  EXPECT_THAT(bench.contents("seen"), ElementsAre(8, 0));
  EXPECT_EQ(bench.bits("got", 0), 8u);
}

constexpr const char* kSendThree = R"(queue out output 4 color=9
data v: u32[3] = 1, 2, 3
data w: u32[1] = 4
dsd from mem1d v extent=3
dsd to fabout out extent=3
dsd from1 mem1d w extent=1
dsd to1 fabout out extent=1
dsr s1ds0 from
dsr dds0 to
dsr s1ds1 from1
dsr dds1 to1
task main local 8 active
send: mov32 dds0, s1ds0
)";

TEST_P(PeConfigFlush, OutputQueueFiresWhenItBecomesEmpty) {
  Bench& bench = with(std::string(kSendThree) + R"(
    stcfg 0x7f63, 16
    ldcfg r0, 0x7f63
    end
)" + kFlushHandler,
                      Generation::kWse3, GetParam());
  bench.queues.sink(4, 4, 100, 10);  // leave in 100, 110, 120
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, kTeardownTask));
  EXPECT_EQ(bench.cycles(EventKind::kTaskStart).back(), 121u);
  EXPECT_THAT(bench.contents("got"), ElementsAre(0, 16, 0, 0, 0, 0, 0, 0));
}

// --- rebinding (numesh.md S23)

std::vector<unsigned> colors_sent(const Bench& bench) {
  std::vector<unsigned> colors;
  for (const auto& s : bench.queues.sent) colors.push_back(s.wavelet.color.value());
  return colors;
}

TEST_P(PeConfigFlush, S23QueueReboundInTheFlushHandlerSendsTheNewColor) {
  Bench& bench = with(std::string(kSendThree) + R"(
    stcfg 0x7f63, 16
    end
task on_flush local 29
    stcfg 0x7f65, 16
    stcfg 0x7f6c, 11
    mov32 dds1, s1ds1
    end
)",
                      Generation::kWse3, GetParam());
  bench.queues.sink(4, 4, 60, 5);
  bench.run();
  EXPECT_THAT(colors_sent(bench), ElementsAre(9, 9, 9, 11));
  EXPECT_THAT(bench.queues.payloads_sent(), ElementsAre(1, 2, 3, 4));
  EXPECT_GT(bench.queues.sent.back().cycle, 70u);
}

TEST_P(PeConfigFlush, S23QueueReboundRightBehindTheSendIsIllegal) {
  Bench& bench = with(std::string(kSendThree) + "    stcfg 0x7f6c, 11\n    end\n",
                      Generation::kWse3, GetParam());
  bench.queues.sink(4, 4, 60, 5);
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kQueueReuse, HasSubstr("output queue 4 is bound to color 11")));
}

TEST_P(PeConfigFlush, S23QueueThatAnOperationStillWritesCannotBeReboundThoughItIsEmpty) {
  Bench& bench = with(R"(queue in input 3 color=1
queue out output 4 color=9
dsd from fabin in extent=2
dsd to fabout out extent=2
dsr s1ds1 from
dsr dds1 to
task main local 8 active
    mov32 dds1, s1ds1 async
    end
fn later
    stcfg 0x7f6c, 11
    end
)",
                      Generation::kWse3, GetParam());
  bench.queues.arrive(3, 1, 1);
  bench.launch("later", {}, 100);
  EXPECT_THAT(
      rule_broken_by(bench),
      Breaks(Illegal::kQueueReuse,
             AllOf(HasSubstr("output queue 4 is bound to color 11 while it is still written by"),
                   HasSubstr("mov32"))));
}

TEST_P(PeConfigFlush, QueueThatWasNotUsedYetCanBeRebound) {
  Bench& bench = with(R"(queue out output 4 color=9
data w: u32[1] = 4
dsd from mem1d w extent=1
dsd to fabout out extent=1
dsr s1ds1 from
dsr dds1 to
task main local 8 active
    stcfg 0x7f6c, 0
    mov32 dds1, s1ds1
    end
)",
                      Generation::kWse3, GetParam());
  bench.run();
  EXPECT_THAT(colors_sent(bench), ElementsAre(0));
}

// An input queue stands for the queue of the color that the program binds it to.
const char* const kTwoColors = R"(queue first input 2 color=1
queue second input 5 color=3
data words: u32[4]
dsd in fabin first extent=1
dsd to mem1d words extent=1
dsr s1ds1 in
dsr dds1 to save_address
task main local 8 active
    mov32 dds1, s1ds1
)";

TEST_P(PeConfigFlush, InputQueueReadsTheColorThatItIsBoundTo) {
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Bench& bench = with(std::string(kTwoColors) + R"(
    stcfg 0x7f7a, 3
    mov32 dds1, s1ds1
    mov32 dds1, s1ds1
    stcfg 0x7f7a, 1
    mov32 dds1, s1ds1
    end
)",
                        generation, GetParam());
    bench.queues.arrive(5, 30, 1);
    bench.queues.arrive(2, 20, 1);
    bench.queues.arrive(5, 31, 40);
    bench.queues.arrive(2, 21, 80);
    bench.run();
    EXPECT_THAT(bench.contents("words"), ElementsAre(20, 30, 31, 21));
  }
}

TEST_P(PeConfigFlush, InputQueueThatHoldsWaveletsCannotBeRebound) {
  Bench& bench = with(std::string(kTwoColors) + "    stcfg 0x7f7a, 3\n    end\n", Generation::kWse3,
                      GetParam());
  bench.queues.arrive(2, 20, 1);
  bench.queues.arrive(2, 21, 2);
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kQueueReuse,
                     HasSubstr("input queue 2 is bound to color 3 while it holds wavelets")));
}

TEST_P(PeConfigFlush, InputQueueThatAnOperationStillReadsCannotBeRebound) {
  Bench& bench =
      with(std::string(kTwoColors) + "    mov32 dds1, s1ds1 async\n    stcfg 0x7f7a, 3\n    end\n",
           Generation::kWse3, GetParam());
  bench.queues.arrive(2, 20, 1);
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kQueueReuse, HasSubstr("while it is still read by")));
}

TEST_P(PeConfigFlush, InputQueueCannotBeBoundToAColorWithoutQueue) {
  Bench& bench = with(std::string(kTwoColors) + "    stcfg 0x7f7a, 4\n    end\n", Generation::kWse3,
                      GetParam());
  bench.queues.arrive(2, 20, 1);
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kConfigValue,
                     HasSubstr("color 4, which no input queue of the program receives")));
}

}  // namespace
}  // namespace tessera::pe::test
