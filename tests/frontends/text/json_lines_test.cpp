// The lines of members and elements of a JSON file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "frontends/text/json_lines.h"

namespace tessera::text {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(JsonLines, MembersStandWhereTheirKeysDo) {
  EXPECT_THAT(lines_of_json("{\n  \"a\": 1, \"b\":\n  [true, {\"c\": \"x\"},\n   null]\n}"),
              UnorderedElementsAre(Pair("a", 2), Pair("b", 2), Pair("b[0]", 3), Pair("b[1]", 3),
                                   Pair("b[1].c", 3), Pair("b[2]", 4)));
}

TEST(JsonLines, BracketsAndQuotesInTextCountForNothing) {
  EXPECT_THAT(lines_of_json("{\"a\": \"{[\\\"}]: ,\",\n \"b\": [[], {}, -1.5e3],\n\"c\\\"d\": {}}"),
              UnorderedElementsAre(Pair("a", 1), Pair("b", 2), Pair("b[0]", 2), Pair("b[1]", 2),
                                   Pair("b[2]", 2), Pair("c\\\"d", 3)));
}

TEST(JsonLines, WhatIsNoObjectHasNone) {
  EXPECT_TRUE(lines_of_json("").empty());
  EXPECT_TRUE(lines_of_json("3").empty());
  EXPECT_TRUE(lines_of_json("{}").empty());
}

}  // namespace
}  // namespace tessera::text
