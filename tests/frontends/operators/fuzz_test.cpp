// Whatever a user writes: a communication program is compiled and lowered, or refused with a
// UserError.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "models/scheduled/program.h"
#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {
namespace {

std::string example(const std::string& name) {
  std::ifstream in(TESSERA_SOURCE_DIR "/examples/numesh/" + name + ".json");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Whether the text was accepted.
bool try_text(const std::string& text) {
  try {
    const Program program = read_program_text(text, "fuzz.json");
    Target target;
    target.rules.skew = scheduled::SkewPolicy::kTag;
    const Compiled compiled = compile(program, target);
    scheduled::validate(lower(program, compiled, target, map_memory(program)));
    return true;
  } catch (const UserError&) {
    return false;
  }
}

/// The text with one of its values (numbers, words in quotes) replaced by another.
std::string with_other_value(const std::string& text, std::mt19937& random) {
  static const std::vector<std::string> kValues = {"0",
                                                   "-1",
                                                   "1",
                                                   "3",
                                                   "70000",
                                                   "1e9",
                                                   "0.5",
                                                   "true",
                                                   "null",
                                                   "[]",
                                                   "{}",
                                                   "\"\"",
                                                   "\"all\"",
                                                   "\"x\"",
                                                   "\"N\"",
                                                   "[0, 1]",
                                                   "[[0]]",
                                                   "[0,0]",
                                                   "\"send\"",
                                                   "\"1/0\"",
                                                   "\"M % 0\"",
                                                   "\"auto\"",
                                                   "{\"box\": [0, 1]}"};
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text[i] == '"') {
      end = text.find('"', i + 1) + 1;
    } else {
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    }
    if (end == i) continue;
    if (text.compare(end, 1, ":") != 0) places.emplace_back(i, end - i);
    i = end - 1;
  }
  const auto [at, length] = places[random() % places.size()];
  std::string changed = text;
  return changed.replace(at, length, kValues[random() % kValues.size()]);
}

std::string with_other_characters(std::string text, std::mt19937& random) {
  for (unsigned i = 0; i < 1 + random() % 3; ++i) {
    const std::size_t at = random() % text.size();
    if (random() % 2 == 0) {
      text.erase(at, 1 + random() % 4);
    } else {
      text[at] = "0123456789[]{},:\"-aNMxyz"[random() % 23];
    }
  }
  return text;
}

class OperatorsFuzz : public testing::TestWithParam<const char*> {};

TEST_P(OperatorsFuzz, ValuesAreAcceptedOrRefused) {
  std::mt19937 random(1);
  const std::string text = example(GetParam());
  ASSERT_TRUE(try_text(text));
  for (int i = 0; i < 300; ++i) try_text(with_other_value(text, random));
}
TEST_P(OperatorsFuzz, CharactersAreAcceptedOrRefused) {
  std::mt19937 random(2);
  const std::string text = example(GetParam());
  for (int i = 0; i < 300; ++i) try_text(with_other_characters(text, random));
}

INSTANTIATE_TEST_SUITE_P(Examples, OperatorsFuzz,
                         testing::Values("tour", "jacobi", "online", "continuing", "ring_right",
                                         "two_phases"),
                         [](const auto& example) { return std::string(example.param); });

}  // namespace
}  // namespace tessera::operators
