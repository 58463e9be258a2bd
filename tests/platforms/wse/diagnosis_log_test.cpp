// Which diagnoses of a run its report shows, and in which order.
#include "platforms/wse/diagnosis_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tessera::wse {
namespace {

std::vector<std::string> texts_of(const DiagnosisLog& log) {
  std::vector<std::string> texts;
  for (const observe::Diagnosis& d : log.first()) texts.push_back(d.text);
  return texts;
}

TEST(DiagnosisLog, SortsByCycleThenPlaceAndKeepsTheOrderOfAPlace) {
  DiagnosisLog log;
  log.on_diagnosis({7, 3, "/id", "7 at 3"});
  log.on_diagnosis({7, 1, "/id", "7 at 1, first"});
  log.on_diagnosis({7, 1, "/id", "7 at 1, second"});
  log.on_diagnosis({8, 0, "/id", "8 at 0"});
  log.on_diagnosis({6, 9, "/id", "6 at 9"});
  EXPECT_THAT(texts_of(log), testing::ElementsAre("6 at 9", "7 at 1, first", "7 at 1, second",
                                                  "7 at 3", "8 at 0"));
  EXPECT_EQ(log.count(), 5U);
}

TEST(DiagnosisLog, KeepsTheSameFirstHundredInWhateverOrderTheyCome) {
  std::vector<observe::Diagnosis> all;
  for (std::uint32_t i = 0; i < 250; ++i) {
    all.push_back({i / 10, i % 10, "/id", std::to_string(i)});
  }
  std::vector<std::string> expected;
  for (unsigned i = 0; i < 100; ++i) expected.push_back(std::to_string(i));
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    DiagnosisLog log;
    for (const observe::Diagnosis& d : all) log.on_diagnosis(d);
    EXPECT_EQ(texts_of(log), expected);
    EXPECT_EQ(log.count(), 250U);
  }
}

TEST(DiagnosisLog, CountsWhatAPlaceSaysOnce) {
  DiagnosisLog log;
  for (const Cycle cycle : {4, 6, 9}) log.on_diagnosis({cycle, 2, "/once", "said", true});
  log.on_diagnosis({5, 3, "/once", "said", true});
  log.on_diagnosis({7, 2, "/id", "said", false});
  ASSERT_EQ(log.first().size(), 3U);
  EXPECT_EQ(log.first()[0].cycle, 4U);
  EXPECT_EQ(log.first()[0].times, 3U);
  EXPECT_EQ(log.first()[1].times, 1U);
  EXPECT_EQ(log.count(), 5U);
}

}  // namespace
}  // namespace tessera::wse
