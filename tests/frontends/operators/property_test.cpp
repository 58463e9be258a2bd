// Random communication programs (numesh.md 3, 4): up to 8 operators on up to 64 nodes, random
// starts and machines. With the analysis on, nothing is ever stranded or misrouted, all words are
// right and every program ends; with a delay taken away or an echo served first, the checker finds
// it.
//
// TESSERA_NUMESH_PROGRAMS: programs of each test instead (soak).
#include <gtest/gtest.h>

#include "tests/support/number_from.h"
#include "tests/support/random_program.h"
#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera {
namespace {

using scheduled::SkewPolicy;

unsigned count_or(unsigned otherwise) {
  return static_cast<unsigned>(tessera::test::number_from("TESSERA_NUMESH_PROGRAMS", otherwise));
}

using Make = test::RandomProgram (*)(std::uint64_t seed);

/// Runs `count` programs, which are made from the seeds `seed`, `seed` + 1, ..
void expect_clean(unsigned seed, unsigned count, SkewPolicy policy,
                  Make make = test::random_program) {
  for (unsigned ran = 0; ran < count && !testing::Test::HasFailure(); ++seed) {
    test::RandomProgram random = make(seed);
    random.target.rules.skew = policy;
    try {
      const test::ProgramRun run = test::run_program(random.text, random.target);
      EXPECT_TRUE(run.clean()) << "seed " << seed << ": " << run.problem() << '\n' << random.text;
      ++ran;
    } catch (const UserError&) {  // message-bound as told, where it is impossible
    }
  }
}

TEST(OperatorsProperty, PolicyTagKeepsAllWords) {
  expect_clean(0, count_or(400), SkewPolicy::kTag);
}
TEST(OperatorsProperty, PolicyBarrierKeepsAllWords) {
  expect_clean(1000000, count_or(150), SkewPolicy::kBarrier);
}
TEST(OperatorsProperty, PolicyHoldKeepsAllWords) {
  expect_clean(2000000, count_or(60), SkewPolicy::kHold);
}
TEST(OperatorsProperty, PolicyCheckRefusesNoCompiledProgram) {
  expect_clean(3000000, count_or(60), SkewPolicy::kCheck);
}

// Everything that a program can have: continuing operators, regions, messages, work, techniques.
TEST(OperatorsProperty, PolicyTagKeepsMixedPrograms) {
  expect_clean(5000000, count_or(250), SkewPolicy::kTag, test::random_mixed_program);
}
TEST(OperatorsProperty, PolicyBarrierKeepsMixedPrograms) {
  expect_clean(6000000, count_or(250), SkewPolicy::kBarrier, test::random_mixed_program);
}
TEST(OperatorsProperty, PolicyHoldKeepsMixedPrograms) {
  expect_clean(7000000, count_or(60), SkewPolicy::kHold, test::random_mixed_program);
}
TEST(OperatorsProperty, PolicyCheckRefusesNoMixedProgram) {
  expect_clean(8000000, count_or(60), SkewPolicy::kCheck, test::random_mixed_program);
}

/// Takes the delay of the last node that has one away.
bool take_delay(operators::Compiled& compiled) {
  for (operators::CompiledPhase& phase : compiled.phases) {
    for (operators::Decision& d : phase.decisions) {
      if (d.delays.empty()) continue;
      d.delays.back().second = 0;
      return true;
    }
  }
  return false;
}

// Not every delay matters in every run, but many do, and what goes wrong is always found.
TEST(OperatorsProperty, AMissingDelayIsFound) {
  unsigned changed = 0;
  unsigned found = 0;
  for (unsigned seed = 4000000; changed < 60; ++seed) {
    const test::RandomProgram random = test::random_program(seed);
    try {
      bool taken = false;
      const test::ProgramRun run = test::run_program(
          random.text, random.target, [&](operators::Compiled& c) { taken = take_delay(c); });
      changed += taken ? 1 : 0;
      found += run.findings > 0 ? 1 : 0;
      EXPECT_TRUE(run.clean() || run.findings > 0) << run.problem();
    } catch (const UserError&) {
    }
  }
  EXPECT_GT(found, 10U);
}

}  // namespace
}  // namespace tessera
