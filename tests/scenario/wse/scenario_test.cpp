// One test for each file of tests/scenario/wse and each generation that it names:
// `wse.3.3.high_priority_first.wse3`. README.md in this folder describes the files.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/scenario/scenario.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scenario {
namespace {

class ScenarioTest : public testing::Test {
 public:
  ScenarioTest(std::shared_ptr<const Scenario> scenario, Generation generation)
      : scenario_(std::move(scenario)), generation_(generation) {}
  void TestBody() override {
    for (const Problem& problem : run_scenario(*scenario_, generation_)) {
      ADD_FAILURE_AT(scenario_->path.c_str(), static_cast<int>(problem.line)) << problem.text;
    }
  }

 private:
  std::shared_ptr<const Scenario> scenario_;
  Generation generation_;
};

/// Stands for a file that cannot be read, or for a folder without files.
class UnusableTest : public testing::Test {
 public:
  explicit UnusableTest(std::string problem) : problem_(std::move(problem)) {}
  void TestBody() override { ADD_FAILURE() << problem_; }

 private:
  std::string problem_;
};

void add_unusable(const std::string& suite, const std::string& problem) {
  testing::RegisterTest(suite.c_str(), "unusable", nullptr, nullptr, __FILE__, __LINE__,
                        [problem]() -> testing::Test* { return new UnusableTest(problem); });
}

void add_file(const std::filesystem::path& file) {
  try {
    const auto scenario = std::make_shared<const Scenario>(read_scenario(file.string()));
    for (Generation generation : scenario->machines) {
      testing::RegisterTest(("wse." + scenario->name).c_str(), to_string(generation), nullptr,
                            nullptr, scenario->path.c_str(), 1,
                            [scenario, generation]() -> testing::Test* {
                              return new ScenarioTest(scenario, generation);
                            });
    }
  } catch (const UserError& e) {
    add_unusable("wse." + file.stem().string(), e.what());
  }
}

bool add_all() {
  const auto files = wse_scenario_files();
  for (const auto& file : files) add_file(file);
  if (files.empty()) add_unusable("wse", "tests/scenario/wse has no scenarios");
  return !files.empty();
}

// Before main(), as TEST() does, so that gtest_discover_tests sees them.
const bool kAdded = add_all();

}  // namespace
}  // namespace tessera::scenario
