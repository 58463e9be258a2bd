// The warning of a `ret` that goes to the place after a call which has returned already (wse.md
// 6.1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(std::string_view text) {
  return assemble_wse3(text).warnings;
}

const std::string kCallee = "fn step\n ret\n";
const std::string kDone = "fn done\n mov16 r0, 1\n ret\n";

TEST(TasmLinkCheck, WarnsOfAJumpIntoAFunctionWhoseRetGoesBehindAnEarlierCall) {
  EXPECT_THAT(warnings_of("fn main\n call step\n jmp done\n" + kCallee + kDone),
              ElementsAre("t.tasm:3:2: this jump reaches the ret of line 8, which returns after "
                          "the call of line 2 once more, because r15 still holds that address; "
                          "save r15 before a call and load it afterwards"));
}

TEST(TasmLinkCheck, WarnsOfARetOfTheCallerItself) {
  EXPECT_THAT(warnings_of("fn main\n call step\n mov16 r0, 1\n ret\n" + kCallee),
              ElementsAre("t.tasm:4:2: this ret returns after the call of line 2 once more, "
                          "because r15 still holds that address; save r15 before a call and load "
                          "it afterwards"));
}

TEST(TasmLinkCheck, NamesThePlaceOfAMacroAndOfItsUse) {
  EXPECT_THAT(
      warnings_of("macro leave to\n jmp to\n endmacro\nfn main\n call step\n leave done\n" +
                  kCallee + kDone),
      ElementsAre("t.tasm:2:2: this jump reaches the ret of line 11, which returns after "
                  "the call of line 5 once more, because r15 still holds that address; "
                  "save r15 before a call and load it afterwards; in macro 'leave', used at "
                  "t.tasm:6:2"));
}

TEST(TasmLinkCheck, IsSilentWhereR15IsLoadedOrTheTaskEnds) {
  const std::string saved = "data s: u16[2]\n";
  for (const std::string& text : std::vector<std::string>{
           saved + "fn main\n call step\n ld16 r15, [s]\n jmp done\n" + kCallee + kDone,
           saved + "fn main\n call step\n ld32 d14, [s]\n ret\n" + kCallee,
           saved + "fn main\n call step\n jmp over\n" + kCallee + "fn over\n ld16 r15, [s]\n ret\n",
           "fn main\n call step\n jmp last\n" + kCallee + "fn last\n end\n",
           "fn main\n call step\n end\n" + kCallee,
           "fn main\n call stop\n ret\nfn stop\n end\n",  // the call does not return
           "fn main\n jmp done\n" + kDone,
       }) {
    EXPECT_THAT(warnings_of(text), IsEmpty()) << text;
  }
}

TEST(TasmLinkCheck, FollowsConditionalJumpsAndLoopsOnce) {
  EXPECT_THAT(
      warnings_of("fn main\nagain:\n call step\n eq16 r0, 1\n jmpf again\n jmpt done\n end\n" +
                  kCallee + kDone),
      ::testing::SizeIs(1));
}

/// A program with a value for every param that has no default.
AssembleOptions options_of(const std::string& text, Generation generation) {
  static const std::regex kParam("(?:^|\n) *param +([A-Za-z_0-9]+) *(?=;|\r|\n)");
  AssembleOptions options = options_for(generation);
  for (std::sregex_iterator i(text.begin(), text.end(), kParam), end; i != end; ++i)
    options.params.emplace((*i)[1], 4 + static_cast<std::int64_t>(options.params.size()));
  return options;
}

TEST(TasmLinkCheck, IsSilentOnEveryProgramOfTheTree) {
  unsigned programs = 0;
  for (const char* folder : {"examples", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(TESSERA_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".tasm") continue;
      // The program whose subject is the warning.
      if (entry.path().filename() == "6.1.return_behind_an_earlier_call.tasm") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
        AssembleOptions options = options_of(text.str(), generation);
        options.file = entry.path().string();
        try {
          EXPECT_THAT(assemble(text.str(), options).warnings, IsEmpty()) << entry.path();
          ++programs;
        } catch (const UserError&) {  // for the other generation, or for other params
        }
      }
    }
  }
  EXPECT_GT(programs, 900U);
}

}  // namespace
}  // namespace tessera::tasm
