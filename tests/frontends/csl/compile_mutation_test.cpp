// Whatever a CSL program is, it compiles and loads, or it is refused with a message: the programs of scenario/csl with some
// tokens changed. Deterministic, so that a failure can be repeated.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/csl_bundle.h"
#include "tests/support/csl_mutator.h"
#include "tests/support/number_from.h"
#include "tests/support/temporary_folder.h"

namespace tessera::csl {
namespace {

const std::string kPrograms = "tests/scenario/csl";

std::vector<std::string> bundles() {
  std::vector<std::string> list;
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/" + kPrograms;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (std::filesystem::exists(entry.path() / "layout.csl"))
      list.push_back(test::csl_bundle(kPrograms + "/" + entry.path().filename().string()));
  }
  std::sort(list.begin(), list.end());
  return list;
}

/// The lines of a mutant that its program does not have.
std::string changed_lines(const std::string& program, const std::string& mutant) {
  std::string found;
  std::istringstream in(mutant);
  for (std::string line; std::getline(in, line);) {
    if (program.find(line + "\n") == std::string::npos) found += "\n  " + line;
  }
  return found;
}

// TESSERA_CSL_MUTANTS says how many, TESSERA_CSL_MUTANT with which seed they begin; a single one is shown.
TEST(CslMutation, WhatCompilesLoads) {
  const std::vector<std::string> list = bundles();
  ASSERT_GT(list.size(), 50U);
  const test::TemporaryFolder folder;
  const auto first = test::number_from("TESSERA_CSL_MUTANT", 1),
             count = test::number_from("TESSERA_CSL_MUTANTS", 5000);
  unsigned loaded = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const std::string& program = list[seed % list.size()];
    const std::string text = test::CslMutator(seed).mutate(program);
    std::string message;
    const test::CslEnd end = test::compile_and_load(
        text, seed / list.size() % 2 == 0 ? "wse3" : "wse2", folder.path().string(), message);
    loaded += end == test::CslEnd::kLoads ? 1 : 0;
    EXPECT_NE(end, test::CslEnd::kFault)
        << "seed " << seed << ": " << message
        << (count == 1 ? "\n" + text : changed_lines(program, text));
  }
  // Otherwise the mutants show only what the parser refuses.
  if (count > 100) {
    EXPECT_GT(loaded, count / 20);
  }
  RecordProperty("loaded", static_cast<int>(loaded));
}

}  // namespace
}  // namespace tessera::csl
