// docs/undefined-behaviour.md against the table of rules: a row for every rule with its words, and
// no rule that does not exist.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "models/pe/illegal.h"

namespace tessera::pe {
namespace {

std::string page() {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/undefined-behaviour.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string row_for(const IllegalInfo& rule) {
  std::ostringstream row;
  row << "\n| `" << rule.id << "` | " << rule.rule << " | " << rule.reference << " | "
      << rule.machines << " |\n";
  return row.str();
}

TEST(UndefinedBehaviourPage, HasTheRowOfEveryRule) {
  const std::string text = page();
  for (unsigned i = 0; i < kIllegalCount; ++i) {
    const std::string row = row_for(info(static_cast<Illegal>(i)));
    EXPECT_NE(text.find(row), std::string::npos) << "expected on the page:" << row;
  }
}

TEST(UndefinedBehaviourPage, NamesNoOtherRule) {
  std::set<std::string> known;
  for (unsigned i = 0; i < kIllegalCount; ++i) known.emplace(info(static_cast<Illegal>(i)).id);
  EXPECT_EQ(known.size(), kIllegalCount) << "ids are not unique";

  const std::string text = page();
  const std::string prefix = "/tessera/pe/";
  std::set<std::string> named;
  for (std::size_t at = text.find(prefix); at != std::string::npos;
       at = text.find(prefix, at + 1)) {
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + prefix.size());
    named.insert(text.substr(at, end - at));
  }
  EXPECT_EQ(named, known);
}

}  // namespace
}  // namespace tessera::pe
