// docs/undefined-behaviour.md against the rules of the fabric: a row for every rule with its words,
// and no rule that does not exist. docs/route-epochs.md names those of the epochs.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "models/fabric/illegal.h"

namespace tessera::fabric {
namespace {

const std::string kPrefix = "/tessera/fabric/";

std::string page(const std::string& name) {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/" + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> named(const std::string& text) {
  std::set<std::string> ids;
  for (std::size_t at = text.find(kPrefix); at != std::string::npos;
       at = text.find(kPrefix, at + 1)) {
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + kPrefix.size());
    ids.insert(text.substr(at, end - at));
  }
  return ids;
}

TEST(UndefinedBehaviourOfTheFabricPage, HasTheRowOfEveryRuleAndNamesNoOther) {
  const std::string text = page("undefined-behaviour.md");
  std::set<std::string> ids;
  for (const FabricRule& rule : kFabricRules) {
    ids.emplace(rule.id);
    std::ostringstream row;
    row << "\n| `" << rule.id << "` | " << rule.rule << " | " << rule.reference
        << " | wse2, wse3 |\n";
    EXPECT_NE(text.find(row.str()), std::string::npos) << "expected on the page:" << row.str();
  }
  EXPECT_EQ(ids.size(), kFabricRules.size()) << "ids are not unique";
  EXPECT_EQ(named(text), ids);
}

TEST(RouteEpochsPage, NamesItsRules) {
  EXPECT_EQ(named(page("route-epochs.md")),
            (std::set<std::string>{kEpochMisroutedId, kEpochStrandedId, kEpochEarlyId}));
}

}  // namespace
}  // namespace tessera::fabric
