// What the scenarios of tests/scenario/wse leave out: every rule of undefined behaviour, every
// opcode and every section of wse.md 3 to 5 occurs in some scenario of each generation that has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/pe/illegal.h"
#include "models/pe/isa.h"
#include "tests/scenario/scenario.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scenario {
namespace {

using Kind = MessageExpectation::Kind;

/// wse.md 3 to 5 without their headings 3 and 5.
const std::vector<std::string> kSections = {"3.1", "3.2", "3.3", "3.4",  "3.5", "4",
                                            "5.1", "5.2", "5.3", "5.4",  "5.5", "5.6",
                                            "5.7", "5.8", "5.9", "5.10", "5.11"};

/// What the scenarios of one generation have.
struct Coverage {
  std::set<std::string> sections;
  std::set<std::string> illegal;
  std::set<std::string> diagnoses;
  std::set<std::string> mnemonics;  ///< mnemonics of programs that are not refused
};

bool is_refused(const Plan& plan) {
  return std::any_of(plan.messages.begin(), plan.messages.end(),
                     [](const MessageExpectation& m) { return m.kind == Kind::kRefused; });
}

void add_mnemonics(const std::string& program, std::set<std::string>& mnemonics) {
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    std::string word;
    std::istringstream(line) >> word;
    if (pe::find_opcode(word) != nullptr) mnemonics.insert(word);
  }
}

void add(const Scenario& scenario, Generation generation, Coverage& coverage) {
  const Plan& plan = scenario.plan(generation);
  coverage.sections.insert(scenario.section);
  for (const MessageExpectation& message : plan.messages) {
    if (message.kind == Kind::kIllegal) coverage.illegal.insert(message.id);
    if (message.kind == Kind::kDiagnosis) coverage.diagnoses.insert(message.id);
  }
  if (!is_refused(plan)) add_mnemonics(scenario.program, coverage.mnemonics);
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& file : wse_scenario_files()) {
    try {
      all.push_back(read_scenario(file.string()));
    } catch (const UserError&) {  // a failure of its own in scenario_test.cpp
    }
  }
  return all;
}

class WseCoverage : public testing::TestWithParam<Generation> {
 protected:
  void SetUp() override {
    for (const Scenario& scenario : all_scenarios()) {
      const auto& machines = scenario.machines;
      if (std::find(machines.begin(), machines.end(), GetParam()) != machines.end())
        add(scenario, GetParam(), coverage_);
    }
  }

  Coverage coverage_;
};

INSTANTIATE_TEST_SUITE_P(Scenarios, WseCoverage,
                         testing::Values(Generation::kWse2, Generation::kWse3),
                         [](const auto& generation) { return to_string(generation.param); });

TEST(WseScenarioFiles, NamesAreUnique) {
  std::set<std::string> names;
  for (const auto& file : wse_scenario_files())
    EXPECT_TRUE(names.insert(file.filename().string()).second) << "twice: " << file;
}

TEST_P(WseCoverage, EveryRuleOfUndefinedBehaviourIsBroken) {
  for (unsigned i = 0; i < pe::kIllegalCount; ++i) {
    const pe::IllegalInfo& rule = pe::info(static_cast<pe::Illegal>(i));
    if (rule.machines.find(to_string(GetParam())) == std::string_view::npos) continue;
    EXPECT_EQ(coverage_.illegal.count(std::string(rule.id)), 1U)
        << "no scenario of section " << rule.reference << " expects illegal " << rule.id;
  }
}

TEST_P(WseCoverage, MemoryErrorsAreReportedToo) {
  const std::string id(pe::info(pe::Illegal::kMemoryAccess).id);
  EXPECT_EQ(coverage_.diagnoses.count(id), 1U) << "no scenario expects diagnosis " << id;
}

TEST_P(WseCoverage, EveryOpcodeOccurs) {
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    const std::string mnemonic(pe::info(static_cast<pe::Opcode>(i)).mnemonic);
    EXPECT_EQ(coverage_.mnemonics.count(mnemonic), 1U) << "no scenario has " << mnemonic;
  }
}

TEST_P(WseCoverage, EverySectionHasScenarios) {
  for (const std::string& section : kSections) {
    EXPECT_EQ(coverage_.sections.count(section), 1U) << "no scenario of section " << section;
  }
}

}  // namespace
}  // namespace tessera::scenario
