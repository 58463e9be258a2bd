// What the parser says about mistakes in tokens, expressions and types: the exact place, the words that help, the line and
// a caret below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/frontends/csl/mistake.h"

namespace tessera::csl {
namespace {

class CslMessage : public ::testing::TestWithParam<Mistake> {};

TEST_P(CslMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text), std::string("a.csl:") + GetParam().message);
}

const Mistake kLexical[] = {
    {"UnknownCharacter", "const a = 1 $ 2;",
     "1:13: unexpected character '$'\n"
     "  const a = 1 $ 2;\n"
     "              ^"},
    {"ControlCharacter", "const a = \001;",
     "1:11: unexpected character '\\x01'\n"
     "  const a = ?;\n"
     "            ^"},
    {"CommentOfSeveralLines", "/* a */",
     "1:1: unexpected '/*'; a comment of several lines has '//' on each of them\n"
     "  /* a */\n"
     "  ^"},
    {"AmpersandAmpersand", "const a = b && c;",
     "1:13: unexpected '&&'; the logical operator is written 'and'\n"
     "  const a = b && c;\n"
     "              ^"},
    {"BarBar", "const a = b || c;",
     "1:13: unexpected '||'; the logical operator is written 'or'\n"
     "  const a = b || c;\n"
     "              ^"},
    {"PlusPlus", "fn f() void {\n  i++;\n}",
     "2:4: unexpected '++'; write 'x += 1' to increment\n"
     "    i++;\n"
     "     ^"},
    {"QuestionMark", "const a = b ? 1 : 2;",
     "1:13: unexpected '?'; a choice is written 'if (c) a else b'\n"
     "  const a = b ? 1 : 2;\n"
     "              ^"},
    {"Hash", "#include \"a.csl\"",
     "1:1: unexpected '#'; modules are imported with '@import_module', and comments begin with "
     "'//'\n"
     "  #include \"a.csl\"\n"
     "  ^"},
    {"StringWithoutEnd", "const a = \"abc;\nconst b = 1;",
     "1:11: a string without its closing quote\n"
     "  const a = \"abc;\n"
     "            ^"},
    {"CharacterWithoutEnd", "const a = 'a;",
     "1:11: a character without its closing quote\n"
     "  const a = 'a;\n"
     "            ^"},
    {"CharacterOfTwo", "const a = 'ab';",
     "1:11: expected one character between the quotes, found 2; a string has double quotes\n"
     "  const a = 'ab';\n"
     "            ^"},
    {"CharacterOfNone", "const a = '';",
     "1:11: expected one character between the quotes, found 0\n"
     "  const a = '';\n"
     "            ^"},
    {"UnknownEscape", "const a = \"a\\qb\";",
     "1:13: expected \\n, \\r, \\t, \\\", \\', \\\\ or \\x and two digits, found '\\q'\n"
     "  const a = \"a\\qb\";\n"
     "              ^"},
    {"HexEscapeWithoutDigits", "const a = \"\\x1g\";",
     "1:12: expected \\n, \\r, \\t, \\\", \\', \\\\ or \\x and two digits, found '\\x'\n"
     "  const a = \"\\x1g\";\n"
     "             ^"},
    {"NumberWithLetters", "const a = 12ab;",
     "1:11: expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found '12ab'\n"
     "  const a = 12ab;\n"
     "            ^"},
    {"HexWithoutDigits", "const a = 0x;",
     "1:11: expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found '0x'\n"
     "  const a = 0x;\n"
     "            ^"},
    {"BinaryDigit", "const a = 0b12;",
     "1:11: expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found '0b12'\n"
     "  const a = 0b12;\n"
     "            ^"},
    {"Underscore", "const a = 1_000;",
     "1:11: expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found '1_000'\n"
     "  const a = 1_000;\n"
     "            ^"},
    {"ExponentWithoutDigits", "const a = 1.5e+;",
     "1:11: expected a number such as 12, 0x1F, 0b101 or 1.5e-3, found '1.5e+'\n"
     "  const a = 1.5e+;\n"
     "            ^"},
    {"PointWithoutDigits", "const a = 1.;",
     "1:13: expected the name of the member after '.', found ';'\n"
     "  const a = 1.;\n"
     "              ^"},
    {"BuiltinWithoutName", "const a = @;",
     "1:11: expected the name of a builtin after '@'\n"
     "  const a = @;\n"
     "            ^"},
    {"BuiltinWithoutParentheses", "const a = @zeros;",
     "1:17: expected '(' after the name of a builtin, found ';'\n"
     "  const a = @zeros;\n"
     "                  ^"},
};
INSTANTIATE_TEST_SUITE_P(Lexical, CslMessage, ::testing::ValuesIn(kLexical), name_of);

const Mistake kExpressions[] = {
    {"ChainedComparison", "const a = 1 < b < 3;",
     "1:17: comparisons are not chained: put one of them in parentheses\n"
     "  const a = 1 < b < 3;\n"
     "                  ^"},
    {"OperandMissing", "const a = 1 + ;",
     "1:15: expected an expression, found ';'\n"
     "  const a = 1 + ;\n"
     "                ^"},
    {"PrefixPlus", "const a = +1;",
     "1:11: expected an expression, found '+'; there is no prefix '+'\n"
     "  const a = +1;\n"
     "            ^"},
    {"ReturnAsValue", "const a = if (b) return 1 else 2;",
     "1:18: expected an expression, found 'return'; this is a statement and has no value\n"
     "  const a = if (b) return 1 else 2;\n"
     "                   ^"},
    {"LoopAsValue", "const a = while (b) {};",
     "1:11: expected an expression, found 'while'; a loop has no value\n"
     "  const a = while (b) {};\n"
     "            ^"},
    {"ElseArmMissing", "const a = if (b) else 2;",
     "1:18: expected an expression, found 'else'; an arm of an 'if' is missing\n"
     "  const a = if (b) else 2;\n"
     "                   ^"},
    {"ArrayWithoutType", "const a = [1, 2, 3];",
     "1:20: expected the type of the elements, found ';'; an array literal is written '[3]i16{1, "
     "2, 3}'\n"
     "  const a = [1, 2, 3];\n"
     "                     ^"},
    {"ArrayOfNoExtent", "param a: []u16;",
     "1:11: expected an extent, found ']'; a pointer to several elements is written '[*]T'\n"
     "  param a: []u16;\n"
     "            ^"},
    {"IndexMissing", "const a = b[];",
     "1:13: expected an index, found ']'\n"
     "  const a = b[];\n"
     "              ^"},
    {"FieldWithoutDot", "const a = .{ b = 1 };",
     "1:14: expected '.' in front of the name of a field, found 'b'\n"
     "  const a = .{ b = 1 };\n"
     "               ^"},
    {"FieldWithColon", "const a = .{ .b: 1 };",
     "1:16: expected '=' and the value of the field, found ':'; a field is written '.a = 1'\n"
     "  const a = .{ .b: 1 };\n"
     "                 ^"},
    {"FieldsWithAndWithoutNames", "const a = .{ .b = 1, 2 };",
     "1:22: all values of a literal have names such as '.a = 1', or none has\n"
     "  const a = .{ .b = 1, 2 };\n"
     "                       ^"},
    {"LiteralWithoutComma", "const a = .{ .b = 1 .c = 2 };",
     "1:24: expected ',' or '}' for the '{' at 1:11, found '='\n"
     "  const a = .{ .b = 1 .c = 2 };\n"
     "                         ^"},
    {"MemberMissing", "const a = b.1;",
     "1:13: expected the name of the member after '.', found '1'\n"
     "  const a = b.1;\n"
     "              ^"},
    {"DotAlone", "const a = . ( .b = 1 );",
     "1:11: expected an expression, found '.'; an anonymous struct is written '.{ .a = 1 }', a "
     "member "
     "of an enum 'E.a'\n"
     "  const a = . ( .b = 1 );\n"
     "            ^"},
    {"TensorVariable", "const a = |1|{4} -> b[i];",
     "1:12: expected the name of a variable of the tensor access, found '1'\n"
     "  const a = |1|{4} -> b[i];\n"
     "             ^"},
    {"TensorBar", "const a = |i {4} -> b[i];",
     "1:14: expected ',' or '|' after the variables, found '{'\n"
     "  const a = |i {4} -> b[i];\n"
     "               ^"},
    {"TensorExtent", "const a = |i|{} -> b[i];",
     "1:15: expected an extent, found '}'\n"
     "  const a = |i|{} -> b[i];\n"
     "                ^"},
    {"TensorBrace", "const a = |i|4 -> b[i];",
     "1:14: expected '{' and the extents of the tensor access, found '4'\n"
     "  const a = |i|4 -> b[i];\n"
     "               ^"},
    {"TensorArrow", "const a = |i|{4} b[i];",
     "1:18: expected '->' and what the tensor access reads, found 'b'\n"
     "  const a = |i|{4} b[i];\n"
     "                   ^"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, CslMessage, ::testing::ValuesIn(kExpressions), name_of);

const Mistake kTypes[] = {
    {"StructSemicolons", "const A = struct { a: u16; b: u16 };",
     "1:26: expected ',' or '}' for the '{' at 1:18, found ';'; ',' stands between the fields\n"
     "  const A = struct { a: u16; b: u16 };\n"
     "                           ^"},
    {"StructFieldWithoutType", "const A = struct { a, b: u16 };",
     "1:21: expected ':' and the type of the field, found ','\n"
     "  const A = struct { a, b: u16 };\n"
     "                      ^"},
    {"StructWithName", "const a = struct A { a: u16 };",
     "1:18: expected '{' and the fields, found 'A'; a named type is written 'const T = struct "
     "{..};'\n"
     "  const a = struct A { a: u16 };\n"
     "                   ^"},
    {"EnumWithoutMembers", "const A = enum {};",
     "1:17: expected a member of the enum, found '}'\n"
     "  const A = enum {};\n"
     "                  ^"},
    {"EnumTag", "const A = enum(u16 {a};",
     "1:20: expected ')' for the '(' at 1:15, found '{'\n"
     "  const A = enum(u16 {a};\n"
     "                     ^"},
    {"EnumMember", "const A = enum { 1 };",
     "1:18: expected the name of a member of the enum, found '1'\n"
     "  const A = enum { 1 };\n"
     "                   ^"},
    {"PackedEnum", "const A = extern enum { a };",
     "1:18: expected 'struct' or 'union' after 'extern', found 'enum'\n"
     "  const A = extern enum { a };\n"
     "                   ^"},
    {"PointerToNothing", "param a: *;",
     "1:11: expected the type it points to, found ';'\n"
     "  param a: *;\n"
     "            ^"},
    {"FunctionTypeWithoutResult", "param f: fn (u16);",
     "1:18: expected the type of the result, such as void, found ';'\n"
     "  param f: fn (u16);\n"
     "                   ^"},
    {"AsmWithoutParentheses", "fn f() void { asm volatile \"nop\"; }",
     "1:28: expected '(' and the text of the assembly, found '\"nop\"'\n"
     "  fn f() void { asm volatile \"nop\"; }\n"
     "                             ^"},
    {"AsmOperand", "fn f() void { asm volatile (\"a\" : [x] (y)); }",
     "1:39: expected a constraint such as \"r\", found '('\n"
     "  fn f() void { asm volatile (\"a\" : [x] (y)); }\n"
     "                                        ^"},
    {"AsmEnd", "fn f() void { asm volatile (\"a\", \"b\"); }",
     "1:32: expected ':' or ')' for the '(' at 1:28, found ','\n"
     "  fn f() void { asm volatile (\"a\", \"b\"); }\n"
     "                                 ^"},
    {"AlignWithoutParentheses", "var a: u16 align 16 = 1;",
     "1:18: expected '(' after 'align', found '16'\n"
     "  var a: u16 align 16 = 1;\n"
     "                   ^"},
};
INSTANTIATE_TEST_SUITE_P(Types, CslMessage, ::testing::ValuesIn(kTypes), name_of);

const Mistake kExcerpts[] = {
    {"LayoutWithoutBrace", "layout @set_rectangle(1, 1);",
     "1:8: expected '{' after 'layout', found '@set_rectangle'\n"
     "  layout @set_rectangle(1, 1);\n"
     "         ^"},
    {"TabBeforeCaret", "fn f() void {\n\tx = \t);\n}",
     "2:7: expected an expression, found ')'\n"
     "  \tx = \t);\n"
     "  \t    \t^"},
    {"Utf8BeforeCaret", "const a = \"\303\251\" + ;",
     "1:18: expected an expression, found ';'\n"
     "  const a = \"\303\251\" + ;\n"
     "                  ^"},
    {"CarriageReturn", "const a = 1 +;\r\n",
     "1:14: expected an expression, found ';'\n"
     "  const a = 1 +;\n"
     "               ^"},
    {"MissingFunctionName", "fn (a: u16) void {}",
     "1:4: expected the name of the function, found '('\n"
     "  fn (a: u16) void {}\n"
     "     ^"},
    {"ColorName", "color 3;",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'color'\n"
     "  color 3;\n"
     "  ^"},
};
INSTANTIATE_TEST_SUITE_P(Excerpts, CslMessage, ::testing::ValuesIn(kExcerpts), name_of);

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CslDiagnostics, LongLinesAreShownAroundThePlace) {
  const std::string text = "const a = " + std::string(500, 'b') + " $ " + std::string(500, 'c');
  EXPECT_EQ(error_of(text), "a.csl:1:512: unexpected character '$'\n  " + std::string(47, 'b') +
                                " $ " + std::string(46, 'c') + "\n  " + std::string(48, ' ') + "^");
}

TEST(CslDiagnostics, LongWordsAreShortened) {
  const std::string message = error_of(std::string(100000, 'a'));
  EXPECT_LT(message.size(), 400u);
  EXPECT_THAT(message, EndsWith("\n  ^"));
}

std::string page(const std::string& name) {
  return text::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/" + name, "page");
}

TEST(CslPage, ShowsAMessageOfToday) {
  std::string message = message_of(std::string(10, '\n') +
                                   "fn start() void {\n  if (is_first and x = 1) {\n  }\n}\n");
  message.replace(0, std::string("a.csl").size(), "pe.csl");
  EXPECT_THAT(page("csl.md"), HasSubstr("\n" + message + "\n"));
}

TEST(CslPage, HasTheLimits) {
  EXPECT_THAT(page("csl.md"), HasSubstr("| " + std::to_string(kMostLevels) + " levels |"));
  EXPECT_THAT(page("csl.md"), HasSubstr("one chain | " + std::to_string(kMostHeight) + " |"));
}

TEST(CslPage, ListsTheWordsOfTheLanguage) {  // csl.md 1.1
  const std::string text = page("reference/csl.md");
  const std::string head = "| word | `";
  const std::size_t begin = text.find(head) + head.size();
  std::istringstream words(text.substr(begin, text.find('`', begin) - begin));
  unsigned count = 0;
  for (std::string word; words >> word; ++count) {
    EXPECT_TRUE(is_word(word)) << word;
    EXPECT_NE(error_of("param " + word + ";"), "") << word;
  }
  EXPECT_EQ(count, 28u);
}

TEST(CslDiagnostics, TextMayEndAnywhere) {
  const std::string program = text::read_file(
      std::string(TESSERA_SOURCE_DIR) + "/tests/frontends/csl/programs/extensions.csl", "CSL file");
  for (std::size_t size = 0; size < program.size(); ++size) {
    const std::string message = error_of(program.substr(0, size));
    if (!message.empty()) {
      EXPECT_THAT(message, HasSubstr("^")) << size;
    }
  }
}

}  // namespace
}  // namespace tessera::csl
