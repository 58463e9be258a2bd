// include, macro, repeat and if: what they expand to, their bounds, and the places in messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/mistake.h"
#include "tests/support/temporary_folder.h"

namespace tessera::tasm::expand_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string dump_of(std::string_view text) {
  return dump(assemble_wse3(text));
}

/// What the user reads: with the file.
std::string message_of(const std::string& text, const std::string& file = "t.tasm") {
  try {
    assemble(text, {file, Generation::kWse3, {}});
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(TasmMacro, IsItsLinesWithTheArguments) {
  EXPECT_EQ(dump_of("data a: i16[4]\n"
                    "macro bump reg, at, by\n ld16 reg, at\n add16 reg, reg, 2 * by\n endmacro\n"
                    "fn f\n bump r3, [a + 2], 1 + 1\n bump r4, [r2], -1\n ret\n"),
            dump_of("data a: i16[4]\nfn f\n ld16 r3, [a + 2]\n add16 r3, r3, 4\n"
                    " ld16 r4, [r2]\n add16 r4, r4, -2\n ret\n"));
}

TEST(TasmMacro, DeclaresNamesAndKeepsOptionWords) {
  EXPECT_EQ(dump_of("macro sender name, color, extent\n queue name output 1 color=color\n"
                    " dsd to_#name fabout name extent=extent\n const n#name = extent\n endmacro\n"
                    " sender east, 5, 3\nfn f\n lddsr dds0, to_east\n movri r0, neast\n ret\n"),
            dump_of("queue east output 1 color=5\ndsd to_east fabout east extent=3\n"
                    "fn f\n lddsr dds0, to_east\n movri r0, 3\n ret\n"));
}

TEST(TasmMacro, LabelsAreItsOwnInEveryExpansion) {
  const pe::Image image =
      assemble_wse3("macro skip reg\n eq16 reg, 0\n jmpt over\n add16 reg, reg, 1\nover:\n"
                    " endmacro\nfn f\n skip r1\n skip r2\nover:\n jmp over\n");
  ASSERT_EQ(image.labels.size(), 3U);
  EXPECT_EQ(image.labels[0].name, "over__1");
  EXPECT_EQ(image.labels[1].name, "over__2");
  EXPECT_EQ(image.code[1].operands[0].value, 3);
  EXPECT_EQ(image.code[4].operands[0].value, 6);
  EXPECT_EQ(image.code[6].operands[0].value, 6);
  EXPECT_EQ(dump_of(disassemble(image)), dump(image));
}

TEST(TasmMacro, MayUseItselfAsLongAsAnIfEndsIt) {
  EXPECT_EQ(dump_of("macro count n\n if n > 0\n mov16 r0, n\n count n - 1\n endif\n endmacro\n"
                    "fn f\n count 3\n ret\n"),
            dump_of("fn f\n mov16 r0, 3\n mov16 r0, 2\n mov16 r0, 1\n ret\n"));
}

TEST(TasmRepeat, CountsFromZeroAndNests) {
  EXPECT_EQ(dump_of("param N = 2\nrepeat N i\n queue q#i input i color=4 + i\n endrepeat\n"
                    "fn f\n repeat N i\n repeat 2 j\n mov16 r0, 10 * i + j\n endrepeat\n"
                    " endrepeat\n repeat 0\n brk\n endrepeat\n ret\n"),
            dump_of("queue q0 input 0 color=4\nqueue q1 input 1 color=5\nfn f\n mov16 r0, 0\n"
                    " mov16 r0, 1\n mov16 r0, 10\n mov16 r0, 11\n ret\n"));
}

TEST(TasmIf, ChoosesByParamsAndConstsAbove) {
  const std::string text =
      "param N = 1\nconst BIG = N > 4\nfn f\n if BIG\n mov16 r0, 1\n else\n if N == 1\n"
      " mov16 r0, 2\n else\n mov16 r0, 3\n endif\n endif\n ret\n";
  EXPECT_EQ(dump_of(text), dump_of("fn f\n mov16 r0, 2\n ret\n"));
  for (const auto& [n, expected] : std::map<std::int64_t, int>{{5, 1}, {1, 2}, {0, 3}}) {
    const pe::Image image = assemble(text, options_for(Generation::kWse3, {{"N", n}}));
    EXPECT_EQ(image.code[0].operands[1].value, expected) << n;
  }
}

class TasmExpansionMessage : public ::testing::TestWithParam<Mistake> {};
TEST_P(TasmExpansionMessage, NamesThePlaceInTheMacroAndOfItsUse) {
  EXPECT_EQ(message_of(GetParam().text), std::string("t.tasm:") + GetParam().message);
}

const Mistake kMistakes[] = {
    {"InAMacro", "macro inc reg\n add16 reg, reg, 1\n endmacro\nfn f\n inc d2\n ret\n",
     "2:8: expected r0..r15; dds0..dds15 or s0ds0..s0ds15, found 'd2'; in macro 'inc', used at "
     "t.tasm:5:2"},
    {"InAMacroOfAMacro",
     "macro inner\n jmp nowhere\n endmacro\nmacro outer\n inner\n endmacro\nfn f\n outer\n",
     "2:6: expected a label of fn f or a function, found 'nowhere'; in macro 'inner', used at "
     "t.tasm:5:2; in macro 'outer', used at t.tasm:8:2"},
    {"TextOfAnOperand", "macro m x\n imul16 r0, x, 1\n endmacro\nfn f\n m [r1 + 2]\n ret\n",
     "2:13: expected r0..r15 or an immediate, found '[r1 + 2]'; in macro 'm', used at t.tasm:5:2"},
    {"NameOfAMacroLine", "macro m x\n const x = 1\n endmacro\n m a\n m a\n",
     "2:8: expected a new name, found 'a', which is the const of line 2; in macro 'm', used at "
     "t.tasm:5:2"},
    {"Arguments", "macro m x, y\n endmacro\nfn f\n m r1\n ret\n",
     "4:2: expected 2 arguments of macro 'm' of line 1, found 1"},
    {"ArgumentMissing", "macro m x, y\n endmacro\nfn f\n m r1,\n ret\n",
     "4:7: expected an argument, found the end of the line"},
    {"MacroTwice", "macro m\n endmacro\nmacro m\n endmacro\n",
     "3:7: expected a new name, found 'm', which is the macro of line 1"},
    {"MacroIsInstruction", "macro add16\n endmacro\n",
     "1:7: expected the name of a macro, found 'add16', which is an instruction"},
    {"MacroIsKeyword", "macro if\n endmacro\n",
     "1:7: expected the name of a macro, found 'if', which is a keyword"},
    {"ParameterIsRegister", "macro m r1\n endmacro\n",
     "1:9: expected the name of a parameter, found 'r1', which reads as a register; r, d, dds, "
     "s0ds, s1ds and ut with a number are no free names"},
    {"ParameterTwice", "macro m x, x\n endmacro\n",
     "1:12: expected each parameter once, found 'x' again"},
    {"MacroBelowItsUse", "fn f\n m\n ret\nmacro m\n endmacro\n",
     "2:2: expected an instruction, a declaration or a label, found 'm'"},
    {"MacroOpen", "fn f\n ret\nmacro m\n",
     "3:1: expected endmacro below, found the end of the text"},
    {"WrongEnd", "if 1\n repeat 2\n endif\n endrepeat\n",
     "3:2: expected endrepeat for the repeat of line 2, found 'endif'"},
    {"ElseTwice", "if 0\n else\n else\n endif\n",
     "3:2: expected endif for the if of line 1, found 'else'"},
    {"ElseTwiceInAChoiceThatHolds", "fn f\n ret\nif 1\n else\n else\n endif\n",
     "5:2: expected endif for the if of line 3, found 'else'"},
    {"ElseAlone", "else\n", "1:1: expected a block above that it belongs to, found 'else'"},
    {"JoinedToANumber", "repeat 2 k\n data x#k: i16[k#5]\n endrepeat\n",
     "2:17: expected ']', found '#'"},
    {"EndAlone", "fn f\n endif\n ret\n",
     "2:2: expected a block above that it belongs to, found 'endif'"},
    {"EndOfRepeatWithMore", "repeat 2\n endrepeat 2\n",
     "2:12: expected the end of the line, found '2'"},
    {"CountIsNegative", "repeat 1 - 2\n endrepeat\n",
     "1:8: expected a number of repetitions 0..1000000, found -1"},
    {"CountOfDataSymbol", "data a: i16[1]\nrepeat a\n endrepeat\n",
     "2:8: expected a number, or a param or const of a line above, found 'a'"},
    {"ConditionBelow", "if N\n endif\nconst N = 1\n",
     "1:4: expected a number, or a param or const of a line above, found 'N'"},
    {"ParamWithoutValue", "param N\nif N\n endif\n",
     "1:7: expected a value for param 'N', found none; give one in the layout or a default after "
     "'='"},
    {"FileIsNoWord", "include words\n",
     "1:9: expected the name of a file in quotes, found 'words'"},
    {"FileUnclosed", "include \"words.tasm\n",
     "1:9: expected '\"' after the text, found the end of the line"},
};
INSTANTIATE_TEST_SUITE_P(Expansion, TasmExpansionMessage, ::testing::ValuesIn(kMistakes), name_of);

TEST(TasmExpansionBounds, EndlessMacrosAndRepeatsAreRefused) {
  EXPECT_THAT(message_of("macro m\n m\n endmacro\nfn f\n m\n ret\n"),
              AllOf(StartsWith("t.tasm:2:2: expected at most 64 macros, repeats, ifs and includes "
                               "inside each other, found more; in macro 'm', used at t.tasm:2:2"),
                    EndsWith("; ..")));
  EXPECT_THAT(message_of("repeat 1000000\nrepeat 1000000\nendrepeat\nendrepeat\n"),
              HasSubstr("expected at most 1000000 words and lines from macros and repeats"));
  EXPECT_THAT(message_of("macro m a\n m a + a\n endmacro\nfn f\n m 1\n ret\n"),
              HasSubstr("found more"));
}

class TasmInclude : public ::testing::Test {
 protected:
  TasmInclude() { std::filesystem::create_directories(folder_.path() / "lib"); }
  std::string write(const std::string& name, const std::string& text) const {
    tessera::test::write_file(folder_.file(name), text);
    return folder_.file(name);
  }

  const tessera::test::TemporaryFolder folder_;
};

TEST_F(TasmInclude, ReadsAFileOnceFromTheFolderOfTheIncludingFile) {
  write("lib/both.tasm", "include \"one.tasm\"\ninclude \"both.tasm\"\n");
  write("lib/one.tasm", "const ONE = 1\n");
  const std::string path =
      write("t.tasm",
            "include \"lib/both.tasm\"\ninclude \"lib/one.tasm\"\nfn f\n movri r0, ONE\n ret\n");
  const pe::Image image = assemble_file(path, {});
  EXPECT_EQ(image.code[0].operands[1].value, 1);
  EXPECT_EQ(image.place_of(0), path + ":4 (fn f)");
}

TEST_F(TasmInclude, TheProgramItselfIsReadOnce) {
  const std::string path = write("t.tasm", "include \"lib/../t.tasm\"\nfn f\n ret\n");
  EXPECT_EQ(assemble_file(path, {}).functions.size(), 1U);
}

TEST_F(TasmInclude, DevicesAndFoldersAreRefused) {
  const std::string path = folder_.file("t.tasm");
  EXPECT_EQ(message_of("include \"/dev/zero\"\n", path),
            path + ":1:9: expected a file, found the device or pipe /dev/zero");
  EXPECT_THAT(message_of("include \"lib\"\n", path),
              EndsWith("lib: is a folder; a tile assembly file is expected"));
}

TEST_F(TasmInclude, PlacesNameTheFileAndTheLine) {
  const std::string lib = write("lib/lib.tasm", "\nmacro set reg, value\n mov16 reg, value\n"
                                                " endmacro\nfn g\n mov16 r1, 1\n ret\n");
  const std::string path = write("t.tasm", "include \"lib/lib.tasm\"\nfn f\n set r0, 1\n ret\n");
  const pe::Image image = assemble_file(path, {});
  EXPECT_EQ(image.place_of(0), lib + ":6; included at " + path + ":1:9 (fn g)");
  EXPECT_EQ(image.place_of(2), lib + ":3; in macro 'set', used at " + path + ":3:2 (fn f)");

  const std::string use = "include \"lib/lib.tasm\"\nfn f\n set d1, 1\n ret\n";
  EXPECT_EQ(message_of(use, path),
            lib +
                ":3:8: expected a register pair d0, d2 .. d14, found 'd1'; a pair starts at an "
                "even register; in macro 'set', used at " +
                path + ":3:2");
  EXPECT_EQ(message_of("include \"lib/lib.tasm\"\nconst g = 1\nfn g\n ret\n", path),
            lib +
                ":5:4: expected a new name, found 'g', which is the const of line 2; included "
                "at " +
                path + ":1:9");
  EXPECT_EQ(message_of("include \"lib/lib.tasm\"\nfn g\n ret\n", path),
            path + ":2:4: expected a new name, found 'g', which is the function of line 5 of " +
                lib);
}

TEST_F(TasmInclude, TheMessageOfTheManualIsThatOfTheAssembler) {
  write("vectors.tasm", "macro load file, number, from\n    lddsr file#number, from\nendmacro\n");
  std::string message = message_of(
      "include \"vectors.tasm\"\nfn f\n    load dds, 1, rows\n    ret\n", folder_.file("t.tasm"));
  const std::string folder = folder_.file("");
  for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  EXPECT_THAT(tessera::test::read_file(TESSERA_SOURCE_DIR "/docs/tile-programs.md"),
              HasSubstr("\n" + message + "\n"));
}

TEST_F(TasmInclude, AMissingFileIsNamedWhereItIsIncluded) {
  const std::string path = folder_.file("t.tasm");
  EXPECT_EQ(message_of("fn f\n ret\ninclude \"no.tasm\"\n", path),
            path + ":3:9: " + folder_.file("no.tasm") +
                ": the tile assembly file cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace tessera::tasm::expand_test
