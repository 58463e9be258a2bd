// One test for each file of tests/scenario/wse and each generation that it names:
// `wse.3.3.high_priority_first.wse3`. README.md in this folder describes the files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/scenario/scenario.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scenario {
namespace {

class ScenarioTest : public testing::Test {
 public:
  ScenarioTest(std::string path, Generation generation)
      : path_(std::move(path)), generation_(generation) {}
  void TestBody() override {
    try {
      for (const Problem& problem : run_scenario(read_scenario(path_), generation_)) {
        ADD_FAILURE_AT(path_.c_str(), static_cast<int>(problem.line)) << problem.text;
      }
    } catch (const UserError& e) {
      ADD_FAILURE() << e.what();
    }
  }

 private:
  std::string path_;
  Generation generation_;
};

/// Stands for a file that does not say for which machines it is, or for a folder without files.
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

// ctest starts a process for each test, so only the one that runs reads its whole file.
void add_file(const std::filesystem::path& file) {
  try {
    for (Generation generation : machines_of(file.string())) {
      testing::RegisterTest(("wse." + file.stem().string()).c_str(), to_string(generation), nullptr,
                            nullptr, file.c_str(), 1,
                            [path = file.string(), generation]() -> testing::Test* {
                              return new ScenarioTest(path, generation);
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
