// The WSE configuration, its two presets and its page in the manual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <sstream>
#include <string>

#include "platforms/config/presets.h"
#include "platforms/wse/wse_config.h"
#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

using namespace tessera;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

pe::VectorRate rate(const wse::WseConfig& c, pe::Opcode op) {
  return c.pe.rate[static_cast<unsigned>(op)];
}
double elements_per_cycle(const wse::WseConfig& c, pe::Opcode op) {
  return static_cast<double>(rate(c, op).width) / rate(c, op).interval;
}

}  // namespace

TEST(ConfigWse, Wse2HasThePublishedSizes) {  // wse.md 1.12, 2.1
  const wse::WseConfig c = wse::load_wse_config("wse2", "");
  EXPECT_EQ(c.name, "wse2");
  EXPECT_EQ(c.generation, Generation::kWse2);
  EXPECT_EQ(c.max_width, 757U);
  EXPECT_EQ(c.max_height, 996U);
  EXPECT_THAT(c.input_queue_lengths, ElementsAre(6, 6, 4, 4, 2, 2, 2, 2));
  EXPECT_THAT(c.output_queue_lengths, ElementsAre(2, 2, 6, 6, 2, 2));
}

TEST(ConfigWse, Wse3HasThePublishedSizes) {  // wse.md 1.12, 2.1
  const wse::WseConfig c = wse::load_wse_config("wse3", "");
  EXPECT_EQ(c.name, "wse3");
  EXPECT_EQ(c.generation, Generation::kWse3);
  EXPECT_EQ(c.max_width, 762U);
  EXPECT_EQ(c.max_height, 1172U);
  EXPECT_THAT(c.input_queue_lengths, ElementsAre(8, 8, 4, 4, 4, 4, 4, 4));
  EXPECT_THAT(c.output_queue_lengths, ElementsAre(8, 8, 8, 8, 8, 8, 8, 8));
}

TEST(ConfigWse, HopsTakeOneCycleOnWse2AndTwoOnWse3) {  // wse.md 1.11, 10 no. 25
  EXPECT_EQ(wse::load_wse_config("wse2", "").fabric.hop_latency, 1U);
  EXPECT_EQ(wse::load_wse_config("wse3", "").fabric.hop_latency, 2U);
}

TEST(ConfigWse, ReceiveAddSendTakesFiveCyclesOnWse2) {  // wse_timing.md A2: 2 T_R + 1
  const wse::WseConfig c = wse::load_wse_config("wse2", "");
  EXPECT_EQ(c.fabric.off_ramp_latency + c.queue_write_latency + c.fabric.on_ramp_latency, 5U);
}

TEST(ConfigWse, AFabricOutOperationReachesTheRouterInSevenCyclesOnWse3) {  // wse.md 1.11
  const wse::WseConfig c = wse::load_wse_config("wse3", "");
  EXPECT_EQ(c.pe.vector_start + c.queue_write_latency + c.fabric.on_ramp_latency, 7U);
}

TEST(ConfigWse, BuffersKeepOneWaveletPerCycle) {  // wse.md 1.11: 1 wavelet per cycle on a link
  for (const char* preset : {"wse2", "wse3"}) {
    const wse::WseConfig c = wse::load_wse_config(preset, "");
    EXPECT_GT(c.fabric.buffer_depth, c.fabric.credit_latency) << preset;
  }
}

TEST(ConfigWse, VectorRatesFollowThePublishedTables) {  // wse.md 6.3, 6.4
  const wse::WseConfig w2 = wse::load_wse_config("wse2", "");
  const wse::WseConfig w3 = wse::load_wse_config("wse3", "");
  EXPECT_EQ(rate(w2, pe::Opcode::kAdd16).width, 4U);
  EXPECT_EQ(rate(w3, pe::Opcode::kAdd16).width, 8U);
  EXPECT_EQ(rate(w2, pe::Opcode::kFmaxs).width, 1U);
  EXPECT_EQ(rate(w3, pe::Opcode::kFmaxs).width, 4U);
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kFmovs), 4);  // copy f32
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kAdd16), 4);  // element-wise add i16
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kFmacs), 1);  // wse.md 10 no. 24
  EXPECT_DOUBLE_EQ(elements_per_cycle(w2, pe::Opcode::kFmacs), 1);
  EXPECT_DOUBLE_EQ(elements_per_cycle(w2, pe::Opcode::kFmuls), 1);
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kFmovh), 8);  // copy fp16
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kFaddh), 4);  // element-wise add fp16
  EXPECT_DOUBLE_EQ(elements_per_cycle(w3, pe::Opcode::kFmach), 4);
  EXPECT_EQ(rate(w2, pe::Opcode::kFmach).width, 4U);
  EXPECT_EQ(rate(w3, pe::Opcode::kFmachs).width, 4U);
  EXPECT_EQ(rate(w2, pe::Opcode::kFmaxh).width, 1U);
  EXPECT_EQ(rate(w3, pe::Opcode::kXp162fh).width, 8U);
  EXPECT_EQ(rate(w2, pe::Opcode::kFs2h).width, 1U);
  EXPECT_EQ(rate(w3, pe::Opcode::kPopcnt16).width, 1U);  // not listed
}

TEST(ConfigWse, EveryDsdOperationHasARateInBothPresets) {
  for (const char* preset : {"wse2", "wse3"}) {
    const auto document = boost::json::parse(std::string(*config::find_preset(preset)));
    const auto& rates = document.at("pe").at("rate").as_object();
    std::size_t expected = 0;
    for (unsigned n = 0; n < pe::kOpcodeCount; ++n) {
      const pe::OpcodeInfo& row = pe::info(static_cast<pe::Opcode>(n));
      if (!row.vector() || row.op == pe::Opcode::kDfilt) continue;
      EXPECT_TRUE(rates.contains(row.mnemonic)) << preset << " " << row.mnemonic;
      ++expected;
    }
    EXPECT_EQ(rates.size(), expected + 2) << preset;  // and "source" and "kind" of the widths
  }
}

TEST(ConfigWse, MemoryAndPriorities) {
  const wse::WseConfig c = wse::load_wse_config("wse3", "");
  EXPECT_TRUE(c.pe.bank_conflicts);
  EXPECT_EQ(c.pe.read_conflict_factor, 2U);
  EXPECT_EQ(c.pe.memory_errors, pe::MemoryErrors::kStop);
  EXPECT_EQ(c.pe.float_divide_latency, 50U);
  EXPECT_EQ(c.pe.priority_update, 4U);
  EXPECT_EQ(c.pe.microthread_priority, pe::Priority::kMedium);
  const wse::WseConfig other =
      wse::load_wse_config("wse2", "",
                           {"pe.bank_conflicts=false", "pe.memory_errors=report",
                            "pe.microthread_priority=high", "pe.integer_divide_latency=20"});
  EXPECT_FALSE(other.pe.bank_conflicts);
  EXPECT_EQ(other.pe.memory_errors, pe::MemoryErrors::kReport);
  EXPECT_EQ(other.pe.microthread_priority, pe::Priority::kHigh);
  EXPECT_EQ(other.pe.integer_divide_latency, 20U);
}

TEST(ConfigWse, RulesOfTheRouters) {  // wse.md 1.6, 1.7, 10 no. 6
  for (const char* preset : {"wse2", "wse3"}) {
    const wse::WseConfig c = wse::load_wse_config(preset, "");
    EXPECT_EQ(c.fabric.color_swap, fabric::ColorSwap::kBoth);
    EXPECT_EQ(c.fabric.switch_positions, fabric::SwitchPositions::kCumulative);
    EXPECT_EQ(c.pe.picker, pe::PickerRule::kRoundRobin);
    EXPECT_EQ(c.max_filters, 6U);
  }
  const wse::WseConfig other =
      wse::load_wse_config("wse2", "", {"fabric.color_swap=partner", "fabric.filters=24"});
  EXPECT_EQ(other.fabric.color_swap, fabric::ColorSwap::kPartner);
  EXPECT_EQ(other.max_filters, 24U);
  EXPECT_THAT([] { wse::load_wse_config("wse2", "", {"fabric.filters=25"}); },
              ThrowsMessage<UserError>(HasSubstr("0 to 24 filters")));
}

TEST(ConfigWse, AFileMayWriteTrueAndFalseWithoutQuotes) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("mine.json");
  const auto write = [&file](const std::string& pe) {
    test::write_file(file, R"({"schema": "tessera-config-1", "machine": "wse", "base": "wse3",
                               "pe": {)" +
                               pe + "}}");
  };
  write(R"("bank_conflicts": false)");
  EXPECT_FALSE(wse::load_wse_config("", file).pe.bank_conflicts);
  write(R"("picker": false)");
  EXPECT_THAT([&] { wse::load_wse_config("", file); },
              ThrowsMessage<UserError>(HasSubstr("pe.picker: false is not a name in quotes")));
}

TEST(ConfigWse, EveryValueOfAPresetHasASourceAndAKind) {
  for (const char* preset : {"wse2", "wse3"}) {
    for (const auto& [path, origin] : wse::load_wse_config(preset, "").loaded.origins) {
      EXPECT_FALSE(origin.source.empty()) << path;
      EXPECT_FALSE(origin.kind.empty()) << path;
    }
  }
}

TEST(ConfigWse, EveryKeyHasItsOwnPathAndADescription) {
  wse::WseConfig c;
  std::set<std::string> paths;
  for (const config::Field& field : wse::wse_schema(c)) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.description.empty()) << field.path;
    EXPECT_EQ(field.unit.empty(), field.type == config::Field::Type::kName) << field.path;
  }
}

TEST(ConfigWse, AnOverrideChangesWhatItNames) {
  const wse::WseConfig c = wse::load_wse_config(
      "wse3", "", {"fabric.hop_latency=5", "fabric.arbitration=fixed", "pe.rate.fadds.width=2"});
  EXPECT_EQ(c.fabric.hop_latency, 5U);
  EXPECT_EQ(c.fabric.arbitration, fabric::Arbitration::kFixed);
  EXPECT_EQ(rate(c, pe::Opcode::kFadds).width, 2U);
  EXPECT_EQ(rate(c, pe::Opcode::kFsubs).width, 4U);
}

TEST(ConfigWse, AConfigFileChangesItsBase) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("mine.json");
  test::write_file(file, R"({"schema": "tessera-config-1", "machine": "wse", "name": "mine",
                             "base": "wse2", "fabric": {"hop_latency": 4}})");
  const wse::WseConfig c = wse::load_wse_config("", file);
  EXPECT_EQ(c.name, "mine");
  EXPECT_EQ(c.fabric.hop_latency, 4U);
  EXPECT_EQ(c.max_width, 757U);
}

TEST(ConfigWse, AnUnknownBaseOrPresetNamesTheNearest) {
  EXPECT_THAT([] { wse::load_wse_config("wes3", ""); },
              ThrowsMessage<UserError>(
                  HasSubstr("unknown preset 'wes3' for machine wse; did you mean 'wse3'?")));
  const test::TemporaryFolder folder;
  const std::string file = folder.file("mine.json");
  test::write_file(file, R"({"schema": "tessera-config-1", "machine": "wse", "base": "wse4"})");
  EXPECT_THAT([&] { wse::load_wse_config("", file); },
              ThrowsMessage<UserError>(HasSubstr(file + ": base: unknown preset 'wse4'")));
}

TEST(ConfigWse, QueueCountsAreThoseOfTheGeneration) {  // wse.md 2.1
  EXPECT_THAT(
      [] { wse::load_wse_config("wse2", "", {"queues.output_lengths=2,2,6,6,2,2,2,2"}); },
      ThrowsMessage<UserError>("--set: queues.output_lengths: 8 lengths are given; wse2 has 6 "
                               "output queues"));
  EXPECT_THAT([] { wse::load_wse_config("wse2", "", {"generation=wse3"}); },
              ThrowsMessage<UserError>(HasSubstr("preset wse2: queues.output_lengths: 6 lengths")));
}

TEST(ConfigWse, PrintsValueUnitAndSource) {
  std::ostringstream out;
  config::print_config(out, wse::load_wse_config("wse3", "", {"fabric.buffer_depth=4"}),
                       wse::wse_schema);
  EXPECT_THAT(out.str(), HasSubstr("fabric.hop_latency = 2 cycles"));
  EXPECT_THAT(out.str(), HasSubstr("[preset wse3, published: wse.md 1.11; wse_timing.md A3]"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("fabric.buffer_depth = 4 wavelets +\\[--set\\]"));
}

TEST(ConfigPresets, AreListedPerMachine) {
  EXPECT_THAT(config::preset_names("wse"),
              ElementsAre("wse2", "wse2_silicon", "wse3", "wse3_silicon"));
  EXPECT_FALSE(config::find_preset("wse1").has_value());
}

TEST(ConfigManual, NamesEveryKeyWithUnitRangeAndMeaning) {
  const std::string page =
      test::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/configuration.md");
  wse::WseConfig c;
  for (const config::Field& field : wse::wse_schema(c)) {
    const std::string row =
        "| `" + field.path + "` | " + field.allowed() + " | " + field.description + " |";
    EXPECT_THAT(page, HasSubstr(row));
  }
}
