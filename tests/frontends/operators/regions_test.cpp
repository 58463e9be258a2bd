// Continuing operators, regions and late starts (numesh.md 3.7, 4.5), and lengths and slots that
// are asked for and do not exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "models/scheduled/program.h"
#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators::regions_test {
namespace {

using test::program_text;

std::string problem(const std::string& text, const Target& target = test::default_target()) {
  try {
    test::run_program(text, target);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

Target under(scheduled::SkewPolicy policy) {
  Target target = test::default_target();
  target.rules.skew = policy;
  return target;
}

/// A stream over nodes 0 to 2 that goes on while 1 and 2 change phases; 0 has no phases.
const char* const kBeside = R"("c": {"kind": "stream", "from": 0, "to": 2, "words": 30},
    "a": {"kind": "circular_shift", "nodes": [1, 2]}, "b": {"kind": "shift", "nodes": [1, 2]})";
const char* const kInParallel =
    R"({"parallel": ["c", {"sequential": ["a", "b", "a"], "phases": "separate"}]})";

// 4.5: a node that only continuing operators use has part in no barrier. It came to one of others,
// which opened too early.
TEST(OperatorsRegions, NodesWithoutPhasesHaveNoBarrier) {
  for (const unsigned latency : {1U, 7U}) {
    Target target = under(scheduled::SkewPolicy::kBarrier);
    target.rules.barrier_latency = latency;
    const auto run = test::run_program(program_text("[3]", kBeside, kInParallel), target);
    EXPECT_TRUE(run.clean()) << run.problem();
  }
  const auto early = test::run_program(
      program_text("[2, 4]", R"("o0": {"kind": "reduce", "nodes": [[1, 0], [0, 1]], "to": [[0, 1]]},
          "o3": {"kind": "circular_shift", "nodes": [[1, 1], [1, 2]]},
          "o5": {"kind": "shift", "nodes": [[1, 1], [1, 2]]})",
                   R"({"parallel": ["o0", {"sequential": ["o3", "o5"], "phases": "separate"}]})"),
      under(scheduled::SkewPolicy::kBarrier));
  EXPECT_TRUE(early.clean()) << early.problem();
}
TEST(OperatorsRegions, StrangersToABarrierAreRefused) {
  const Target target = under(scheduled::SkewPolicy::kBarrier);
  const Program program = read_program_text(program_text("[3]", kBeside, kInParallel), "t.json");
  scheduled::Program lowered =
      lower(program, compile(program, target), target, map_memory(program));
  EXPECT_NO_THROW(scheduled::validate(lowered));
  lowered.nodes[0].phases[0].extent = 0;
  EXPECT_THROW(scheduled::validate(lowered), std::invalid_argument);
}

// 4.4: what a continuing operator delivers proves nothing about the phase of its sender. Node 0 was
// taken for one that knows where node 1 is, and came to the second reduce while 1 waited in the first.
TEST(OperatorsRegions, ContinuingWordsDoNotTellPhasesApart) {
  const char* const kOperators = R"("c": {"kind": "circular_shift", "words": 19, "nodes": [0, 1]},
      "a": {"kind": "shift", "words": 62, "technique": "marker", "nodes": [1, 2], "by": -1},
      "b": {"kind": "reduce", "words": 1, "nodes": "all", "to": 2})";
  const char* const kLoop =
      R"({"parallel": [{"loop": 2, "body": ["a", "b"], "phases": "separate"}, "c"]})";
  for (const auto policy : {scheduled::SkewPolicy::kTag, scheduled::SkewPolicy::kCheck}) {
    const auto run = test::run_program(program_text("[3]", kOperators, kLoop), under(policy));
    EXPECT_TRUE(run.clean()) << run.problem();
    EXPECT_TRUE(std::any_of(run.compiled.phases.begin(), run.compiled.phases.end(),
                            [](const CompiledPhase& phase) { return phase.barrier; }));
  }
}

// A node that has nothing to do in the first phase starts late as well.
TEST(OperatorsRegions, NodesWithoutATaskInTheFirstPhaseStartLate) {
  const char* const kTwo =
      R"("a": {"kind": "shift", "nodes": [0, 1]}, "b": {"kind": "shift", "nodes": [2, 3]})";
  for (const char* order : {R"({"sequential": ["a", "b"], "phases": "separate"})",
                            R"({"sequential": ["b", "a"], "phases": "separate"})"}) {
    const auto late = test::run_program(
        program_text("[4]", kTwo, order, R"("starts": [{"nodes": [2, 3], "at": 1000}])"));
    EXPECT_TRUE(late.clean()) << late.problem();
    EXPECT_GT(late.cycles, 1000U) << order;
    const auto at_once = test::run_program(program_text("[4]", kTwo, order));
    EXPECT_LT(at_once.cycles, 100U);
  }
}
TEST(OperatorsRegions, OfTwoStartsTheLaterCounts) {
  const auto run = test::run_program(
      program_text("[2]", R"("a": {"kind": "stream", "from": 0, "to": 1})", R"("a")",
                   R"("starts": [{"nodes": 0, "at": 500}, {"nodes": "all", "at": 20}])"));
  EXPECT_GT(run.cycles, 500U);
  EXPECT_LT(run.cycles, 520U);
}

// Streams whose slots were decided before take the links as well: no other VFSM sends there.
TEST(OperatorsRegions, FixedStreamsTakeTheirLinks) {
  for (const unsigned per_cycle : {1U, 2U, 3U, 4U, 6U}) {
    Target target = test::default_target();
    target.rules.vfsms_per_cycle = per_cycle;
    const auto run = test::run_program(
        program_text("[4]", R"("c": {"kind": "stream", "from": 0, "to": 3, "words": 30},
            "a": {"kind": "shift", "nodes": "all", "words": 5},
            "b": {"kind": "broadcast", "from": 0, "nodes": "all", "words": 5})",
                     kInParallel),
        target);
    EXPECT_TRUE(run.clean()) << per_cycle << ": " << run.problem();
  }
}

const char* const kShift = R"("a": {"kind": "shift", "nodes": "all"})";

TEST(OperatorsDiagnostics, LengthThatNoScheduleHas) {
  Target target = test::default_target();
  target.max_length = 64;
  EXPECT_EQ(problem(program_text("[4]", kShift, R"({"sequential": ["a"], "length": 100})"), target),
            "test.json: program.length: a schedule of 100 slots is asked for, but the longest may "
            "have 64 (schedule.max_length)");
}
TEST(OperatorsDiagnostics, SlotThatNoScheduleHas) {
  const char* const kSlot = R"("a": {"kind": "shift", "nodes": "all", "slot": 500})";
  Target target = test::default_target();
  target.max_length = 64;
  EXPECT_EQ(problem(program_text("[4]", kSlot, R"("a")"), target),
            "test.json: operators.a.slot: slot 500 is asked for, but the schedule has at most 64 "
            "slots; expected 0 to 63");
  EXPECT_EQ(problem(program_text("[4]", kSlot, R"({"sequential": ["a"], "length": 8})"), target),
            "test.json: operators.a.slot: slot 500 is asked for, but the schedule has 8 slots; "
            "expected 0 to 7");
}
TEST(OperatorsDiagnostics, SlotsThatStandInTheWay) {
  EXPECT_EQ(problem(program_text("[2]", R"("a": {"kind": "stream", "from": 0, "to": 1, "slot": 1},
                                           "b": {"kind": "stream", "from": 0, "to": 1, "slot": 1})",
                                 R"({"parallel": ["a", "b"], "length": 4})")),
            "test.json: program: the streams of phase 'a+b' do not fit in a schedule of 4 slots, "
            "as asked for: a word of each takes 2 slots on node (0), and operators.a.slot is 1, "
            "operators.b.slot is 1; use shorter ways, more phases or a longer schedule");
}
// Beside a continuing operator this was taken for a lack of slots.
TEST(OperatorsDiagnostics, RegionsThatShareNodes) {
  EXPECT_EQ(
      problem(program_text("[4]", kBeside,
                           R"({"parallel": ["c", {"sequential": ["a", "b"], "phases": "separate"},
                    {"sequential": ["b", "a"], "phases": "separate"}]})")),
      "test.json: program: members of the parallel group change phases for themselves, but "
      "both use node (1); only a member with one phase may share nodes with others");
}
TEST(OperatorsDiagnostics, NoCommonSlotsInTheLengthThatIsAskedFor) {
  const char* const kInTheWay = R"("c": {"kind": "stream", "from": 0, "to": 2},
      "a": {"kind": "stream", "from": 0, "to": 1, "slot": 0},
      "b": {"kind": "stream", "from": 1, "to": 2})";
  EXPECT_EQ(problem(program_text("[3]", kInTheWay,
                                 R"({"parallel": ["c", {"sequential": ["a", "b"],
                                     "phases": "separate", "length": 5}]})")),
            "test.json: program: there is no schedule of 5 slots, as asked for, in which the "
            "continuing operators have the same slots in all phases");
}

// No word that is lost may look like one that came.
TEST(OperatorsReader, DefaultWordsAreNeverThoseOfEmptyArrays) {
  for (const char* how : {"replace", "sum", "max", "min"}) {
    const Program program = read_program_text(
        program_text("[3]",
                     R"("a": {"kind": "shift", "nodes": "all", "words": 4, "combine": ")" +
                         std::string(how) + "\"}",
                     R"("a")"),
        "t.json");
    const MemoryMap map = map_memory(program);
    const Memory before = initial_memory(program, map);
    const Memory after = expected_memory(
        program, plan_phases(program, 0, [](const Phase&) { return 0; }), map, before);
    const std::size_t out = map.array[program.operators[0].out];
    for (const NodeIndex reader : {1U, 2U}) {
      for (std::size_t k = out; k < out + 4; ++k)
        EXPECT_NE(after[reader][k], before[reader][k]) << how;
    }
  }
}

}  // namespace
}  // namespace tessera::operators::regions_test
