// The configuration of AI-core clusters: presets against the model, sources.
#include "platforms/ascend/ascend_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/config/presets.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {
namespace {

// Presets and models/cluster/cluster_config.cpp say the same.
void expect_same(const char* preset, const cluster::ClusterConfig& machine) {
  AscendConfig loaded = load_ascend_config(preset, "");
  AscendConfig plain;
  plain.machine = machine;
  plain.overhead_ns = loaded.overhead_ns;  // only the platform has it
  plain.mix_overhead_ns = loaded.mix_overhead_ns;
  const config::Schema from_file = ascend_schema(loaded), from_code = ascend_schema(plain);
  ASSERT_EQ(from_file.size(), from_code.size());
  for (std::size_t i = 0; i < from_file.size(); ++i)
    EXPECT_EQ(config::to_string(from_file[i].get()), config::to_string(from_code[i].get()))
        << preset << ": " << from_file[i].path;
}

TEST(AscendConfig, PresetsAreTheMachinesOfTheModel) {
  expect_same("a2a3", cluster::a2a3_config());
  expect_same("a5", cluster::a5_config());
}

TEST(AscendConfig, EveryValueOfThePresetsHasASourceAndAKind) {
  for (const std::string& preset : config::preset_names("ascend")) {
    for (const auto& [path, origin] : load_ascend_config(preset, "").loaded.origins) {
      EXPECT_FALSE(origin.source.empty()) << path;
      EXPECT_THAT(origin.kind, testing::AnyOf("published", "calibrated", "assumed")) << path;
    }
  }
}

TEST(AscendConfig, WhatADeviceTakesFromAnotherIsAssumed) {
  for (const char* preset :
       {"a2a3_910b1", "a2a3_910b2", "a2a3_910b3", "a2a3_910b4", "a2a3_910c", "910c"}) {
    const AscendConfig c = load_ascend_config(preset, "");
    EXPECT_EQ(c.machine.profile, cluster::Profile::kA2A3) << preset;
    const config::Origin& origin = c.loaded.origins.at("sync.cluster_latency");
    EXPECT_EQ(origin.kind, "assumed") << preset;
    EXPECT_THAT(origin.note, testing::HasSubstr("inherited from a2a3, there calibrated")) << preset;
    EXPECT_EQ(c.loaded.origins.at("mad.rate.f16").kind, "published") << preset;
  }
  const AscendConfig c = load_ascend_config("a5_950dt", "");
  EXPECT_EQ(c.loaded.origins.at("mad.gap").kind, "assumed");
  EXPECT_EQ(load_ascend_config("a5", "").loaded.origins.at("mad.gap").kind, "calibrated");
}

TEST(AscendConfig, OverridesAndTheirLimits) {
  const AscendConfig c = load_ascend_config("a5", "", {"launch.clusters=36", "launch.ratio=1:1"});
  EXPECT_EQ(c.clusters, 36u);
  EXPECT_EQ(c.ratio, cluster::LaunchRatio::k1To1);
  EXPECT_THROW(load_ascend_config("a5", "", {"launch.clusters=37"}), UserError);
  EXPECT_THROW(load_ascend_config("a5", "", {"sync.nothing=1"}), UserError);
  EXPECT_THROW(load_ascend_config("wse3", ""), UserError);
}

}  // namespace
}  // namespace tessera::ascend
