// Whatever a PTO text is, reading and lowering it ends in a program or in a UserError. Deterministic
// mutations, so that a failure can be repeated.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/pto_input.h"
#include "tests/support/run_executable.h"

namespace tessera::pto {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(TESSERA_SOURCE_DIR) + "/examples/ascend"))
    if (entry.path().extension() == ".pto") list.push_back(test::read_file(entry.path().string()));
  std::sort(list.begin(), list.end());
  return list;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t count = 1 + below(2);
    for (std::size_t i = 0; i < count && !text.empty(); ++i) mutate_once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  void mutate_once(std::string& text) {
    static const std::array<const char*, 28> kPieces = {
        "-1",        "0",         "99999999999999999999",
        "0x",        "?",         "%c0",
        "%nothing",  "}",         "{",
        "<",         ">",         "(",
        ")",         "[",         "\"",
        "#pto.x<",   "!pto.pipe", "memref",
        "split",     "= 3",       ": i32",
        "scf.yield", "func.call", "1e999",
        "loc(",      "^bb0",      "f32>",
        "16x16xf32"};
    const std::size_t at = below(text.size());
    // Every random number is drawn in a statement of its own: the order of evaluation would be up
    // to the compiler.
    const std::size_t length = below(60);
    const std::string piece = kPieces[below(kPieces.size())];
    switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(32 + length);
      return;
    case 1:
      text.erase(at, length);
      return;
    case 2:
      text.insert(at, piece);
      return;
    case 3:
      text.insert(at, text.substr(below(text.size()), length));
      return;
    default:
      replace_word(text, at, piece);
    }
  }
  static void replace_word(std::string& text, std::size_t at, const std::string& with) {
    const char* const kBlanks = " \n,()<>[]{}:=";
    const std::size_t start = text.find_first_not_of(kBlanks, at);
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    text.replace(start, end - start, with);
  }

  std::mt19937 random_;
};

TEST(PtoFuzz, MutatedTextIsLoweredOrRefused) {
  const std::vector<std::string> texts = seeds();
  ASSERT_GE(texts.size(), 40u);
  unsigned accepted = 0, refused = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const std::string text = Mutator(seed).mutate(texts[seed % texts.size()]);
    std::string problem;
    ++(test::lowers(text, seed, problem) ? accepted : refused);
    EXPECT_EQ(problem, "") << seed;
  }
  EXPECT_GT(accepted, 60u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace tessera::pto
