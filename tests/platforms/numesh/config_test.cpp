// The configuration of a scheduled mesh: preset, manual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/config/presets.h"
#include "platforms/numesh/numesh_config.h"
#include "tests/support/run_executable.h"

namespace tessera::numesh {
namespace {

TEST(NumeshConfig, PresetIsSetP0WithTags) {
  const NumeshConfig config = load_numesh_config("numesh", "");
  EXPECT_EQ(config.name, "numesh");
  const scheduled::Rules& rules = config.target.rules;
  EXPECT_EQ(rules.vfsm_buffer, 1U);
  EXPECT_EQ(rules.output_depth, 2U);
  EXPECT_EQ(rules.input_depth, 2U);
  EXPECT_EQ(rules.schedule_memory, 2U);
  EXPECT_EQ(rules.skew, scheduled::SkewPolicy::kTag);
  EXPECT_EQ(rules.switch_cost, 20U);
}
TEST(NumeshConfig, EveryValueOfThePresetHasASource) {
  const NumeshConfig config = load_numesh_config("numesh", "");
  for (const auto& [path, origin] : config.loaded.origins) {
    EXPECT_FALSE(origin.source.empty()) << path;
    EXPECT_FALSE(origin.kind.empty()) << path;
  }
}
TEST(NumeshConfig, TheManualNamesEveryKeyWithUnitRangeAndMeaning) {
  NumeshConfig config;
  const std::string manual =
      test::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/configuration.md");
  for (const config::Field& field : numesh_schema(config)) {
    const std::string row =
        "| `" + field.path + "` | " + field.allowed() + " | " + field.description + " |";
    EXPECT_THAT(manual, testing::HasSubstr(row));
  }
}

}  // namespace
}  // namespace tessera::numesh
