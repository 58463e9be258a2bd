// What the assembler says about every kind of mistake: the exact place, and the words that help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontends/tasm/mistake.h"

namespace tessera::tasm {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TasmMessage : public ::testing::TestWithParam<Mistake> {};

TEST_P(TasmMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)), GetParam().message);
}

const Mistake kLexical[] = {
    {"UnknownCharacter", "fn f\n  add16 r1, r2, $3\n  ret\n",
     "2:17: expected a name, a number or one of , : = + - * / % ( ) [ ] < > ! #, found '$'"},
    {"UnprintableCharacter", "\x01",
     "1:1: expected a name, a number or one of , : = + - * / % ( ) [ ] < > ! #, found '\\x01'"},
    {"MalformedNumber", "const a = 12ab",
     "1:11: expected a number such as 12, 0x1F or 1.5e-3, found '12ab'"},
    {"MalformedHex", "const a = 0xG",
     "1:11: expected a number such as 12, 0x1F or 1.5e-3, found '0xG'"},
    {"NumberBeyond64Bits", "const a = 99999999999999999999",
     "1:11: expected a number of at most 64 bits, found '99999999999999999999'"},
    {"LineOfPunctuation", "= 3",
     "1:1: expected an instruction, a declaration or a label, found '='"},
};
INSTANTIATE_TEST_SUITE_P(Lexical, TasmMessage, ::testing::ValuesIn(kLexical), name_of);

const Mistake kExpressions[] = {
    {"Unclosed", "const a = (1 + 2", "1:17: expected ')', found the end of the line"},
    {"TermMissing", "const a = 1 +",
     "1:14: expected the value of the const, found the end of the line"},
    {"DivisionByZero", "const a = 4 / (2 - 2)", "1:16: expected a divisor other than 0, found 0"},
    {"ModuloByZero", "const a = 4 % 0", "1:15: expected a divisor other than 0, found 0"},
    {"Overflow", "const a = 0x7fffffffffffffff + 1",
     "1:11: expected a value of at most 64 bits, found an overflow in this expression"},
    {"OverflowOfDivision", "const a = (-0x7fffffffffffffff - 1) / -1",
     "1:12: expected a value of at most 64 bits, found an overflow in this expression"},
    {"ModuloOfReals", "const a = 1.5 % 2",
     "1:11: expected integers on both sides of '%', found a real number"},
    {"BitsInsideExpression", "const a = 1 + bits(3)",
     "1:15: expected a number, found 'bits'; bits(n) stands alone, as a float immediate or "
     "initialiser"},
    {"BitsTooLarge", "data A: f32[1] = bits(0x100000000)",
     "1:23: expected 32 bits 0..4294967295, found 4294967296"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, TasmMessage, ::testing::ValuesIn(kExpressions), name_of);

TEST(TasmDiagnostics, LongExpressionsAreRefusedNotRecursedInto) {
  const std::string open(100000, '(');
  std::string sum = "const a = 1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  const AssembleOptions options = options_for(Generation::kWse3);
  EXPECT_THAT(error_of("const a = " + open, options),
              HasSubstr("expected an expression of at most 256 terms"));
  EXPECT_THAT(error_of(sum, options), HasSubstr("expected an expression of at most 256 terms"));
  EXPECT_THAT(error_of("const a = " + std::string(100000, '-') + "1", options),
              HasSubstr("at most 256 terms"));
}

TEST(TasmDiagnostics, LongWordsAreShortened) {
  const std::string message = error_of(std::string(100000, 'a'), options_for(Generation::kWse3));
  EXPECT_LT(message.size(), 200U);
  EXPECT_THAT(message, StartsWith("1:1: expected an instruction"));
}

TEST(TasmDiagnostics, FullSramSaysHowManyBytesWereNeeded) {  // wse.md 6.2
  EXPECT_EQ(
      error_of("data a: f32[2]\ndata b: i16[30000]\nfn f\n ret\n", options_for(Generation::kWse3)),
      "2:6: expected a program of at most 49152 bytes, found one that needs 61036; the "
      "task table takes "
      "1024, the code 4, the data 60008");
}

TEST(TasmDiagnostics, CodeAloneCanFillSram) {
  std::string text = "fn f\n";
  for (int i = 0; i < 12032; ++i) text += " mov16 r0, r1\n";
  EXPECT_THAT(error_of(text + " ret\n", options_for(Generation::kWse3)),
              StartsWith("12034:2: expected a program of at most 49152 bytes, found one "
                         "that needs 49156"));
}

TEST(TasmDiagnostics, HugeDataIsCountedNotWrapped) {
  EXPECT_THAT(error_of("data a: f32[4294967295]\ndata b: f32[4294967295]\n",
                       options_for(Generation::kWse3)),
              HasSubstr("found one that needs 34359739384;"));
}

TEST(TasmDiagnostics, UnknownParamNamesTheNearestDeclaredOne) {
  EXPECT_EQ(error_of("param Mp = 1\nparam Np\n", options_for(Generation::kWse3, {{"Npp", 1}})),
            "expected the name of a param of this program, found 'Npp'; did you mean 'Np'?");
  EXPECT_EQ(error_of("const Np = 1\n", options_for(Generation::kWse3, {{"Np", 1}})),
            "expected the name of a param of this program, found 'Np'; the program has no "
            "params");
}

TEST(TasmDiagnostics, UnreadableFileIsNamed) {
  try {
    assemble_file("/no/such.tasm", {});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "/no/such.tasm: the tile program cannot be opened: No such file or directory");
  }
}

}  // namespace
}  // namespace tessera::tasm
