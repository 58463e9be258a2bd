// The table of messages: every id once, in order, and its section of docs/csl-errors.md with the same title and sentence.
// What the programs of the page give is tested by messages_test.py.
#include "frontends/csl/messages/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "frontends/csl/messages/page.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl {
namespace {

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(CslMessages, EveryIdHasItsSection) {
  std::set<std::string_view> names;
  unsigned before = 0;
  for (const MessageRow& row : message_rows()) {
    EXPECT_LT(before, static_cast<unsigned>(row.id));
    before = static_cast<unsigned>(row.id);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    const std::string head = "## " + to_string(row.id) + ": " + std::string(row.name) + "\n\n";
    const std::string section = explanation(to_string(row.id));
    EXPECT_EQ(section.substr(0, head.size()), head);
    EXPECT_EQ(on_one_line(section).substr(head.size(), row.about.size()), row.about);
  }
  std::size_t sections = 0;
  const std::string_view page = errors_page();
  for (std::size_t at = page.find("\n## csl-"); at != std::string_view::npos;
       at = page.find("\n## csl-", at + 1))
    ++sections;
  EXPECT_EQ(sections, message_rows().size());
  EXPECT_GT(sections, 100U);
}

TEST(CslMessages, AnIdIsTakenWithAndWithoutItsLetters) {
  const std::string wanted = explanation("csl-0201");
  EXPECT_EQ(explanation("0201"), wanted);
  EXPECT_EQ(explanation("201"), wanted);
  for (const char* id : {"csl-9999", "csl-0000", "", "name", "csl-02011"})
    EXPECT_THROW(explanation(id), UserError) << id;
}

TEST(CslMessages, ATagEndsTheFirstLine) {
  EXPECT_EQ(tag(Id::kUnknownName), " [csl-0201]");
  EXPECT_TRUE(has_tag("a.csl:1:2: nothing is called 'b' [csl-0201]\n  b\n  ^"));
  EXPECT_FALSE(has_tag("a.csl:1:2: nothing is called 'b'\n  b [csl-0201]"));
  EXPECT_FALSE(has_tag("[a list]"));
  EXPECT_FALSE(has_tag(""));
}

}  // namespace
}  // namespace tessera::csl
