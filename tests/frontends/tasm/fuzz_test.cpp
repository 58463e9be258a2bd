// Damaged programs: whatever the text, the assembler answers with an image or a UserError, and
// every image it makes round-trips.
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/declarations.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

constexpr unsigned kRounds = 4000;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    const unsigned changes = 1 + below(4);
    for (unsigned i = 0; i < changes && !text.empty(); ++i) change(text);
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its results differ between libraries.
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text.erase(at, 1 + below(20));
      break;
    case 2:
      text.insert(at, text.substr(below(text.size()), below(30)));
      break;
    case 3:
      text.insert(at, piece());
      break;
    case 4:
      text.resize(at);
      break;
    default:
      std::swap(text[at], text[below(text.size())]);
      break;
    }
  }

  const char* piece() {
    static constexpr const char* kPieces[] = {
        "(",
        ")",
        "-",
        "/ 0",
        " % ",
        "0x",
        "99999999999999999999",
        "1e999",
        "[",
        "]",
        "==",
        "bits(",
        " async",
        " ut=1",
        " on_control_activate=reduce",
        " index=r3",
        " single_step",
        " [y + 4], ",
        " ut3",
        "0.1, ",
        "\n",
        "\n    end\n",
        ";",
        ":",
        " d3",
        "r15",
        "s0ds0, ",
        " extent=32767",
        " offset=-1",
        " stride=-128",
        " color=3",
        " extent=2,3,4,5",
        " step=1,-2",
        " simd=32_or_64",
        " priority=high",
        " dsr=1 xdsr=2",
        " align=64",
        " control_table=1",
        " unblocked",
        " xdsr=3 sr=1,2",
        "control_table\n",
        "half cb16\n",
        "microthread 1 blocked\n",
        " active",
        "fn x\n",
        "task y local 30\n",
        "data z: i16[70000]\n",
        " - 0x7fffffffffffffff",
        "\nmacro m x\n",
        "\nendmacro\n",
        "\nrepeat 3 i\n",
        "\nendrepeat\n",
        "\nif 1 < 2\n",
        "\nelse\n",
        "\nendif\n",
        "include \"t.tasm\"\n",
        "#",
        "\"",
    };
    return kPieces[below(std::size(kPieces))];
  }

  std::mt19937 random_;
};

constexpr std::string_view kMacros = R"(param N = 2
data a: i16[4 * N]
macro add reg, at
    ld16 r1, [at]
    add16 reg, reg, r1
    if N > 1
again:
    sub16 r2, r2, 1
    jmpt again
    endif
endmacro
repeat N k
dsd row#k mem1d a offset=4 * k extent=4
endrepeat
fn main
    repeat N k
    add r3, a + 2 * k
    endrepeat
    ret
)";

/// True if the text was a program.
bool survives(const std::string& text, Generation generation) {
  try {
    const pe::Image image = assemble(text, options_for(generation));
    const std::string printed = disassemble(image);
    EXPECT_EQ(dump(assemble(printed, options_for(generation))), dump(image)) << text << "----\n"
                                                                             << printed;
    return true;
  } catch (const UserError& e) {
    EXPECT_FALSE(e.place().empty()) << text;
    return false;
  }
}

class TasmFuzz : public ::testing::TestWithParam<Generation> {};

TEST_P(TasmFuzz, DamagedProgramsEndInAUserErrorOrRoundTrip) {
  Mutator mutate(20240501);
  unsigned programs = 0;
  for (unsigned i = 0; i < kRounds; ++i) {
    const std::string texts[] = {std::string(kGemv), std::string(declarations_of(GetParam())),
                                 std::string(kMacros)};
    programs += survives(mutate(texts[i % 3]), GetParam()) ? 1 : 0;
  }
  EXPECT_GT(programs,
            kRounds / 50);  // the damage leaves some programs whole, or little would be tested
  EXPECT_LT(programs, kRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(Both, TasmFuzz, ::testing::Values(Generation::kWse2, Generation::kWse3),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace tessera::tasm
