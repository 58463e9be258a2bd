// Declarations of a file (csl.md 1), and what the tree knows of its file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/csl/syntax/printer.h"
#include "tests/frontends/csl/csl_text.h"

namespace tessera::csl {
namespace {

using ::testing::HasSubstr;

template <std::size_t N>
void expect_declarations(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    EXPECT_EQ(tree_of(c.text), std::string(c.tree) + "\n") << c.text;
    EXPECT_EQ(print_problem(c.text), "") << c.text;
  }
}

TEST(CslDeclaration, Params) {
  expect_declarations(
      {{"param a;", "(param 0 a - -)"},
       {"param a: u16;", "(param 0 a u16 -)"},
       {"param a = 1;", "(param 0 a - 1)"},
       {"param a: *[N]f32 = &b;", "(param 0 a (pointer 0 0 (array [N] f32)) (& b))"},
       {"param f: fn (i16) void;", "(param 0 f (function 0 [i16] void) -)"},
       {"color red;", "(param 1 red - -)"},
       {"color red = @get_color(1);", "(param 1 red - (builtin get_color [1]))"}});
}

TEST(CslDeclaration, Variables) {
  expect_declarations(
      {{"const a = 1;", "(global 0 0 0 a - [] 1)"},
       {"const a: u16 = 1;", "(global 0 0 0 a u16 [] 1)"},
       {"var a: [2, 3]f16;", "(global 0 0 1 a (array [2 3] f16) [] -)"},
       {"var a align(16) = 1;", "(global 0 0 1 a - [(align 16)] 1)"},
       {"var a: u16 align(16) linksection(\".s\") linkname(\"n\") = 1;",
        "(global 0 0 1 a u16 [(align 16) (linksection \".s\") (linkname \"n\")] 1)"},
       {"export var a: u16 = 1;", "(global 1 0 1 a u16 [] 1)"},
       {"extern const a: [*]const u16;", "(global 2 0 0 a (pointer 1 1 u16) [] -)"}});
}

TEST(CslDeclaration, Functions) {
  expect_declarations(
      {{"fn f() void {}", "(define 0 0 0 f [] void [] (block - []))"},
       {"fn f(a: u16, comptime T: type, b: anytype,) T { return b; }",
        "(define 0 0 0 f [(0 a u16) (1 T type) (0 b anytype)] T [] (block - [(return b)]))"},
       {"task t(a: f32) void {}", "(define 0 0 1 t [(0 a f32)] void [] (block - []))"},
       {"inline fn f() void {}", "(define 0 1 0 f [] void [] (block - []))"},
       {"noinline fn f() void {}", "(define 0 2 0 f [] void [] (block - []))"},
       {"export fn f() [*]u16 linkname(\"g\") {}",
        "(define 1 0 0 f [] (pointer 1 0 u16) [(linkname \"g\")] (block - []))"},
       {"extern fn f(a: u16) void;", "(define 2 0 0 f [(0 a u16)] void [] -)"}});
}

TEST(CslDeclaration, Blocks) {
  expect_declarations({{"layout { @set_rectangle(1, 2); }",
                        "(run 1 (block - [(do (builtin set_rectangle [1 2]))]))"},
                       {"comptime {}", "(run 0 (block - []))"},
                       {"comptime {};", "(run 0 (block - []))"}});
}

TEST(CslDeclaration, BlanksAndCommentsAreFree) {
  const std::string plain = tree_of("fn f(a: u16) void { a.* = 1; } const b = |i|{2} -> c[i];");
  EXPECT_EQ(tree_of("\xEF\xBB\xBF//! first\r\n fn\tf ( a:u16 )void// x\n{a.*=1;}/// y\n"
                    "const b=|i|{2}->c[i];// last"),
            plain);
  EXPECT_EQ(tree_of(""), "");
  EXPECT_EQ(tree_of("// nothing"), "");
}

TEST(CslDeclaration, NodesKnowTheirPlaceAndTheirFile) {
  const auto file = parse("const a = 1;\nfn f(b: u16) void {\n  b.x = -c[1] + 2;\n}\n", "a.csl", 7);
  EXPECT_EQ(file->name(), "a.csl");
  EXPECT_EQ(file->number(), 7);
  ASSERT_EQ(file->items().size(), 2u);
  const auto place_of = [](const Node& node) { return text::to_string(node.place); };
  const Function& f = as<Function>(*file->items()[1]);
  EXPECT_EQ(f.file, 7);
  EXPECT_EQ(place_of(f), "2:1");
  EXPECT_EQ(text::to_string(f.name.place), "2:4");
  EXPECT_EQ(text::to_string(f.parameters[0].name.place), "2:6");
  EXPECT_EQ(place_of(*f.parameters[0].type), "2:9");
  EXPECT_EQ(place_of(*f.body), "2:19");
  const Assign& assign = as<Assign>(*f.body->statements[0]);
  EXPECT_EQ(assign.file, 7);
  EXPECT_EQ(place_of(assign), "3:7");
  EXPECT_EQ(place_of(*assign.target), "3:4");
  const Binary& sum = as<Binary>(*assign.value);
  EXPECT_EQ(place_of(sum), "3:15");
  EXPECT_EQ(place_of(*sum.left), "3:9");
  EXPECT_EQ(place_of(*as<Unary>(*sum.left).operand), "3:11");
  EXPECT_EQ(place_of(*sum.right), "3:17");
}

// Names are parts of the text, so they must outlive what parse() was given.
TEST(CslDeclaration, NamesAreViewsOfTheTextOfTheFile) {
  std::string text = "const short = 1;";
  const auto file = parse(text, "a.csl");
  text.assign(text.size(), '?');
  const std::string_view name = as<Global>(*file->items()[0]).variable.name.text;
  EXPECT_EQ(name, "short");
  EXPECT_GE(name.data(), file->text().data());
  EXPECT_LT(name.data(), file->text().data() + file->text().size());
}

TEST(CslDeclaration, IfIsGivesNothingForOtherKinds) {
  const auto file = parse("const a = b.c;", "a.csl");
  const Expr& value = *as<Global>(*file->items()[0]).variable.value;
  EXPECT_EQ(if_is<Call>(value), nullptr);
  ASSERT_NE(if_is<Member>(value), nullptr);
  EXPECT_EQ(if_is<Member>(value)->name.text, "c");
}

TEST(CslPrinter, WritesAStatementALine) {
  EXPECT_EQ(print(*parse("fn f(a:u16)void{if(a<1){b();}else c=-(a+1)*2;"
                         "for(d)|e|{switch(e){1=>{},else=>return}}}const g=.{.h=1};",
                         "a.csl")),
            "fn f(a: u16) void {\n"
            "  if (a < 1) {\n"
            "    b();\n"
            "  } else c = -(a + 1) * 2;\n"
            "  for (d) |e| {\n"
            "    switch (e) {\n"
            "      1 => {},\n"
            "      else => return,\n"
            "    }\n"
            "  }\n"
            "}\n"
            "const g = .{.h = 1};\n");
}

TEST(CslPrinter, WritesAnExpression) {
  const auto file = parse("const a = (b + (c))*d;", "a.csl");
  EXPECT_EQ(print(*as<Global>(*file->items()[0]).variable.value), "(b + c) * d");
}

// A tree may lean to one side as far as kMostHeight allows, and be nested kMostLevels deep.
TEST(CslDepth, NestingIsBounded) {
  const auto nested = [](const std::string& open, const std::string& close, unsigned count) {
    std::string text = "const a = ";
    for (unsigned i = 0; i < count; ++i) text += open;
    text += "1";
    for (unsigned i = 0; i < count; ++i) text += close;
    return text + ";";
  };
  const char* const brackets[][2] = {{"(", ")"},
                                     {".{", "}"},
                                     {"f(", ")"},
                                     {"{x = ", ";}"},
                                     {"if (a) ", ""},
                                     {"-", ""},
                                     {"[", "]T"},
                                     {"*", ""},
                                     {"a + (", ")"},
                                     {"comptime ", ""},
                                     {"fn (", ") void"},
                                     {"struct { a: ", "}"},
                                     {"switch (a) { else => ", "}"}};
  for (const auto& bracket : brackets) {
    const std::string fits = nested(bracket[0], bracket[1], kMostLevels / 2 - 2);
    EXPECT_EQ(print_problem(fits), "") << bracket[0];
    EXPECT_THAT(error_of(nested(bracket[0], bracket[1], kMostLevels)),
                HasSubstr("nested deeper than 256 levels"))
        << bracket[0];
    EXPECT_THAT(error_of(nested(bracket[0], "", 100000)),
                HasSubstr("nested deeper than 256 levels"))
        << bracket[0];
  }
}

TEST(CslDepth, StatementsInsideEachOtherAreBounded) {
  for (const std::string open : {"{", "if (a) ", "if (a) {} else {", "while (a) {", "for (a) |b| {",
                                 "switch (a) { else => ", "comptime {"}) {
    std::string text = "fn f() void {";
    for (int i = 0; i < 10000; ++i) text += open;
    EXPECT_THAT(error_of(text), HasSubstr("nested deeper than 256 levels")) << open;
  }
}

// Generated programs have a test for each PE.
TEST(CslDepth, TestsOneAfterTheOtherAreNotInsideEachOther) {
  std::string text = "fn f() void { if (a) {} ";
  for (int i = 0; i < 100000; ++i) text += "else if (a) {} ";
  EXPECT_EQ(print_problem(text + "}"), "");
}

TEST(CslDepth, ChainsAreBounded) {
  for (const std::string link : {" + a", ".a", "(1)", "[a]", ".*", " or a"}) {
    std::string text = "const a = a";
    for (unsigned i = 0; i < kMostHeight - 2; ++i) text += link;
    EXPECT_EQ(print_problem(text + ";"), "") << link;
    text += link + link + link;
    EXPECT_THAT(error_of(text + ";"), HasSubstr("an expression of more than 1000 operators, calls "
                                                "and blocks inside each other"))
        << link;
  }
}

TEST(CslDepth, ListsMayBeLong) {
  std::string text = "const a = [20000]u16{";
  for (int i = 0; i < 20000; ++i) text += "1 + 2, ";
  EXPECT_EQ(print_problem(text + "};"), "");
}

}  // namespace
}  // namespace tessera::csl
