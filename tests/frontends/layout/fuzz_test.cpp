// Whatever the text of a layout is, reading it ends in a layout or in a UserError. Deterministic
// mutations, so that a failure can be repeated.
#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "frontends/text/expression.h"
#include "tests/frontends/layout/test_support.h"

namespace tessera::layout {
namespace {

// clang-format off
const char* const kSeed = R"~({
 "schema": "tessera-wse-layout-1", "grid": ["W", "H"], "params": {"W": 4, "H": 3, "M": "W * 2"},
 "arrays": {"y": {"dtype": "f32", "shape": ["M", 3], "init": "random(1)"}, "k": {"dtype": "i32", "shape": [3]}},
 "tiles": [{"rect": [0, 0, "W", "H"], "code": "a.tasm", "params": {"e": "x == W - 1"}}, {"rect": [1, 1, 1, 1]}],
 "routes": [{"rect": [0, 0, "W", "H"], "color": "(x + y) % 2", "rx": "WEST", "tx": ["RAMP", "EAST"],
   "switches": {"pos1": {"tx": ["EAST"]}, "current_switch_pos": 1, "pop_mode": "no_pop"},
   "filter": {"kind": "counter", "count_data": true, "init_counter": "x", "limit1": 3}, "teardown": true}],
 "symbols": {"y": {"symbol": "acc", "rect": [0, 0, "W", 1], "dtype": "f32", "order": "row"}},
 "host": [{"copy_in": "y"}, {"launch": "f", "args": [1, 0.5]},
   {"stream_in": {"color": 3, "rect": [0, 0, 1, 3], "name": "k"}}, {"wait": "k"}, {"copy_out": "y"},
   {"check": {"name": "y", "value": "zeros()", "rtol": 1e-3}}]})~";
// clang-format on

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    const unsigned count = 1 + below(3);
    for (unsigned i = 0; i < count && !text.empty(); ++i) mutate_once(text);
    return text;
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  void mutate_once(std::string& text) {
    static const std::array<const char*, 16> kPieces = {
        "-1",    "\"x\"", "null", "{}", "[]",   "/0",          "1e999", "9223372036854775807",
        "\"W\"", "%",     "==",   "(",  "true", "\"\\u0000\"", "0x",    "99999999"};
    const std::size_t at = below(text.size());
    // Every random number is drawn in a statement of its own: the order of evaluation would be up
    // to the compiler.
    const std::string piece = kPieces[below(kPieces.size())];
    const unsigned length = below(40);
    switch (below(12)) {
    case 0:
      text[at] = static_cast<char>(length * 6);
      break;
    case 1:
      text.erase(at, 1 + length / 4);
      break;
    case 2:
      text.insert(at, piece);
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      text.insert(at, text.substr(at / 2, length));
      break;
    case 5:
      text.erase(at, 1);
      break;
    default:
      replace_token(text, at, piece);
    }
  }
  /// Replaces the number or string around `at`, which leaves the text valid JSON more often.
  static void replace_token(std::string& text, std::size_t at, const std::string& with) {
    const std::size_t start = text.find_first_of("0123456789\"", at);
    if (start == std::string::npos) return;
    std::size_t end = text[start] == '"' ? text.find('"', start + 1)
                                         : text.find_first_not_of("0123456789", start);
    if (end == std::string::npos) return;
    if (text[start] == '"') ++end;
    text.replace(start, end - start, with);
  }

  std::mt19937 random_;
};

TEST(LayoutFuzz, OnlyUserErrorsEscape) {
  const test::Folder folder;
  unsigned accepted = 0;
  unsigned refused = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    const std::string text = Mutator(i).mutate(kSeed);
    try {
      const Layout layout = read_layout_text(text, "t.json", folder.path(), {{"W", 4}});
      ++accepted;
      ASSERT_EQ(layout.tile_routes_begin.size(), layout.tile_count() + 1);
    } catch (const UserError& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()).size(), 0U);
    } catch (const std::exception& error) {
      FAIL() << "seed " << i << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, 200U);  // else the mutations never get past the JSON parser
  EXPECT_GT(refused, 1000U);
}

TEST(LayoutFuzz, ExpressionsOnlyThrowExpressionErrors) {
  std::mt19937 random(1);
  const std::string letters = "0123456789xyWH+-*/%=() ";
  const text::Constants constants = {{"W", 4}, {"H", 3}};
  const std::array<std::int64_t, 2> values = {2, 1};
  unsigned valid = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    try {
      text::Expression::parse(text, constants, {"x", "y"}).evaluate(values.data());
      ++valid;
    } catch (const text::ExpressionError& error) {
      ASSERT_GE(error.position(), 1U);
      ASSERT_LE(error.position(), text.size() + 1);
    }
  }
  EXPECT_GT(valid, 500U);
}

}  // namespace
}  // namespace tessera::layout
