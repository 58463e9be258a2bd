// Whole files are printed as text that is read as the same tree: those of programs/, and those of
// a folder of your own, such as a checkout of programs of others:
//
//   TESSERA_CSL_CORPUS=FOLDER[:FOLDER]... build/tests/bin/test.frontends --gtest_filter='Csl*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/text/diagnostics.h"
#include "tests/frontends/csl/csl_text.h"

namespace tessera::csl {
namespace {

std::vector<std::string> csl_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".csl") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::size_t expect_same_trees(const std::vector<std::string>& paths) {
  std::size_t same = 0;
  for (const std::string& path : paths) {
    const std::string problem = print_problem(text::read_file(path, "CSL file"));
    EXPECT_EQ(problem, "") << path;
    same += problem.empty() ? 1 : 0;
  }
  return same;
}

TEST(CslProgram, IsPrintedAndReadAsTheSameTree) {
  const auto paths = csl_files(std::string(TESSERA_SOURCE_DIR) + "/tests/frontends/csl/programs");
  EXPECT_GE(paths.size(), 3u);
  expect_same_trees(paths);
}

TEST(CslProgram, CorpusIsPrintedAndReadAsTheSameTree) {
  const char* const folders = std::getenv("TESSERA_CSL_CORPUS");
  if (folders == nullptr)
    GTEST_SKIP() << "TESSERA_CSL_CORPUS names no folder with CSL files of others";
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const auto paths = csl_files(folder);
    EXPECT_FALSE(paths.empty()) << folder << " has no CSL files";
    std::cout << folder << ": " << expect_same_trees(paths) << " of " << paths.size()
              << " files are printed and read as the same tree\n";
  }
}

TEST(CslProgram, MessagesNameTheFile) {
  const std::string path =
      std::string(TESSERA_SOURCE_DIR) + "/tests/frontends/csl/programs/layout.csl";
  EXPECT_EQ(parse_file(path)->name(), path);
  try {
    parse_file("/nowhere/a.csl");
    FAIL() << "a file that does not exist is read";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "/nowhere/a.csl: the CSL file cannot be opened: No such file or directory");
  }
}

}  // namespace
}  // namespace tessera::csl
