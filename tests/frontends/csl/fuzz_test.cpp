// Whatever a CSL text is, parsing it ends in a tree that is printed and read again as itself, or in
// a UserError. Deterministic mutations, so that a failure can be repeated.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "frontends/text/diagnostics.h"
#include "tests/support/csl_input.h"

namespace tessera::csl {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TESSERA_SOURCE_DIR) +
                                                               "/tests/frontends/csl/programs"))
    list.push_back(text::read_file(entry.path().string(), "CSL file"));
  std::sort(list.begin(), list.end());
  return list;
}

class CslTextMutator {
 public:
  explicit CslTextMutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count && !text.empty(); ++i) mutate_once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  void mutate_once(std::string& text) {
    static const std::array<const char*, 48> kPieces = {"(",      ")",       "{",
                                                        "}",      "[",       "]",
                                                        ".{",     ".*",      "->",
                                                        "=>",     "=",       "==",
                                                        ";",      ",",       ":",
                                                        "|",      "&",       "-",
                                                        "*",      "[*]",     "<<=",
                                                        "!",      "or",      "and",
                                                        "if (a)", "else",    "switch (a) {",
                                                        "fn",     "task",    "comptime",
                                                        "inline", "return",  "break :b",
                                                        "b: {",   "{}",      "struct {",
                                                        "enum",   "asm",     "extern",
                                                        "packed", "const",   "var a: u16",
                                                        "param",  "anytype", "0x",
                                                        "1.5e",   "\"",      "@as("};
    const std::size_t at = below(text.size());
    // Every random number is drawn in a statement of its own: the order of evaluation would be up
    // to the compiler.
    const std::size_t length = below(60);
    const std::string piece = kPieces[below(kPieces.size())];
    switch (below(7)) {
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
    case 4:
      text[at] = static_cast<char>(below(256));
      return;
    default:
      replace_word(text, at, piece);
    }
  }
  static void replace_word(std::string& text, std::size_t at, const std::string& with) {
    const char* const kBlanks = " \n,;()<>[]{}:=.|";
    const std::size_t start = text.find_first_not_of(kBlanks, at);
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    text.replace(start, end - start, with);
  }

  std::mt19937 random_;
};

TEST(CslFuzz, MutatedTextIsPrintedOrRefused) {
  const std::vector<std::string> texts = seeds();
  ASSERT_GE(texts.size(), 3u);
  unsigned accepted = 0, refused = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    const std::string text = CslTextMutator(seed).mutate(texts[seed % texts.size()]);
    std::string problem;
    ++(test::parses_csl(text, problem) ? accepted : refused);
    EXPECT_EQ(problem, "") << seed;
  }
  EXPECT_GT(accepted, 500u);
  EXPECT_GT(refused, 2000u);
}

}  // namespace
}  // namespace tessera::csl
