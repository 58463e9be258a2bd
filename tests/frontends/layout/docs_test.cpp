// The layout on the user's page (docs/layout.md) is one that is read.
#include <gtest/gtest.h>

#include "tests/frontends/layout/test_support.h"

namespace tessera::layout {
namespace {

/// The text of the first ```json block of the page.
std::string example() {
  const std::string text = tessera::test::read_file(TESSERA_SOURCE_DIR "/docs/layout.md");
  const std::size_t start = text.find("```json\n");
  const std::size_t end = text.find("```\n", start + 8);
  if (start == std::string::npos || end == std::string::npos) return "";
  return text.substr(start + 8, end - start - 8);
}

Layout read_example(const ParamOverrides& overrides) {
  const test::Folder folder;
  tessera::test::write_file(folder.file("add.tasm"), "\n");
  return read_layout_text(example(), "docs/layout.md", folder.path(), overrides);
}

TEST(LayoutDocs, ExampleIsRead) {
  const Layout layout = read_example({});
  EXPECT_EQ(layout.width, 4);
  EXPECT_EQ(layout.programs.size(), 2U);
  EXPECT_EQ(layout.host.size(), 5U);
}
TEST(LayoutDocs, ExampleIsReadForOtherSizes) {
  const Layout layout = read_example({{"W", 16}, {"B", 100}});
  EXPECT_EQ(layout.width, 16);
  EXPECT_EQ(layout.arrays[0].shape, (std::vector<std::size_t>{2, 100}));
}
TEST(LayoutDocs, ExampleLeavesTheGridOnlyWhereItStreamsOut) {
  const std::vector<OffGridRoute> found = off_grid_routes(read_example({}));
  EXPECT_EQ(found.size(), 2U);  // one a row
  for (const OffGridRoute& route : found) {
    EXPECT_EQ(route.color, Color(3));
    EXPECT_EQ(route.direction, Direction::kEast);
  }
}

// tests/platforms/wse/routes_executable_test.cpp runs it.
TEST(LayoutDocs, ExampleOfASwitchIsTheProgramThatIsTested) {
  const std::string page = tessera::test::read_file(TESSERA_SOURCE_DIR "/docs/layout.md");
  for (const char* name : {"layout.json", "sender.tasm"}) {
    const std::string text = tessera::test::read_file(
        std::string(TESSERA_SOURCE_DIR "/tests/platforms/wse/programs/scatter/") + name);
    ASSERT_FALSE(text.empty()) << name;
    EXPECT_NE(page.find("\n" + text + "```"), std::string::npos) << name;
  }
}
/// The route of the page that begins so, read.
Layout route_of_the_page(const std::string& beginning) {
  const std::string page = tessera::test::read_file(TESSERA_SOURCE_DIR "/docs/layout.md");
  const std::size_t start = page.find(beginning);
  const std::string route = page.substr(start, page.find("\n```", start) - start);
  return test::read({{"routes", "[" + route + "]"}});
}
TEST(LayoutDocs, ExampleOfAFilterIsRead) {
  const Layout layout = route_of_the_page("{\"rect\": [1, 0, 3, 1]");
  ASSERT_EQ(layout.routes.size(), 3U);
  EXPECT_EQ(layout.routes[0].route.filter->init_counter, 0U);
  EXPECT_EQ(layout.routes[1].route.filter->init_counter, 4U);
  EXPECT_EQ(layout.routes[2].route.filter->init_counter, 2U);
}
TEST(LayoutDocs, ExampleOfPositionsThatAddUpIsRead) {
  const Layout layout = route_of_the_page("{\"rect\": [1, 0, 1, 1], \"color\": 4");
  ASSERT_EQ(layout.routes.size(), 1U);
  fabric::ColorRoute route = layout.routes[0].route;
  route.fill_in(fabric::SwitchPositions::kCumulative);
  EXPECT_EQ(route.positions[2].rx, DirectionSet{Direction::kRamp});
  EXPECT_EQ(route.positions[2].tx, DirectionSet{Direction::kEast});
}

}  // namespace
}  // namespace tessera::layout
