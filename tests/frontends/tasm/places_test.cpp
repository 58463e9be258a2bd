// Files and lines of instructions and declarations: `line` directives, and that the disassembler keeps
// what they say.
#include <gtest/gtest.h>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm::places_test {
namespace {

constexpr const char* kNamed = R"(line "a;b.csl" 3
data v: f32[4]
queue in input 2 color=1
dsd d mem1d v
line "lib.csl" 10
dsr s1ds1 d
fn own
line
    ret
line "a;b.csl" 5
task t local 9
line "a;b.csl" 6
    add16 r0, r0, 1
    add16 r0, r0, 2
line "lib.csl" 12
again:
    jmp again
)";

template <class Placed>
std::string place(const pe::Image& image, const Placed& placed) {
  const std::string file = placed.file == 0 ? image.file : image.files.at(placed.file).name;
  return file + ":" + std::to_string(placed.line) + " ";
}

std::string places(const pe::Image& image) {
  std::string text;
  for (const auto& s : image.symbols) text += place(image, s);
  for (const auto& q : image.queues) text += place(image, q);
  for (const auto& d : image.dsds) text += place(image, d);
  for (const auto& l : image.initial_loads) text += place(image, l);
  for (const auto& f : image.functions) text += place(image, f);
  for (const auto& t : image.tasks) text += place(image, t);
  for (const auto& i : image.code) text += place(image, i);
  return text;
}

TEST(TasmPlaces, OfALineDirectiveHoldUpToTheNext) {
  const pe::Image image = assemble_wse3(kNamed);
  EXPECT_EQ(places(image), "a;b.csl:3 a;b.csl:3 a;b.csl:3 lib.csl:10 lib.csl:10 a;b.csl:5 "
                           "t.tasm:9 a;b.csl:6 a;b.csl:6 lib.csl:12 ");
  EXPECT_EQ(image.place_of(2), "a;b.csl:6 (task t)");
  EXPECT_EQ(image.place_of(0), "t.tasm:9 (fn own)");
}

TEST(TasmPlaces, SurviveDisassembly) {
  const pe::Image image = assemble_wse3(kNamed);
  const pe::Image again = assemble_wse3(disassemble(image));
  EXPECT_EQ(dump(again), dump(image));
  EXPECT_EQ(disassemble(again), disassemble(image));
  for (std::uint32_t pc = 1; pc < image.code.size(); ++pc)
    EXPECT_EQ(again.place_of(pc), image.place_of(pc));
}

TEST(TasmPlaces, OfAnImageFromACompilerSurviveToo) {
  pe::Image image = assemble_wse3("data v: f32[4]\nfn f\n add16 r0, r0, 1\n ret\n");
  image.files = {{"t.tasm", ""}, {"pe.csl", ""}, {"lib.csl", ""}};
  image.symbols[0].file = 2;
  image.functions[0].file = image.code[0].file = 1;
  image.code[1].file = 2;
  image.code[1].line = 70;
  const pe::Image again = assemble_wse3(disassemble(image));
  EXPECT_EQ(again.place_of(0), "pe.csl:3 (fn f)");
  EXPECT_EQ(again.place_of(1), "lib.csl:70 (fn f)");
  EXPECT_EQ(places(again), "lib.csl:1 pe.csl:2 pe.csl:3 lib.csl:70 ");
}

TEST(TasmPlaces, OfTheProgramItselfMayBeNamedToo) {
  const pe::Image image = assemble_wse3("fn f\nline \"t.tasm\" 40\n ret\n");
  EXPECT_TRUE(image.files.empty());
  EXPECT_EQ(image.place_of(0), "t.tasm:40 (fn f)");
}

TEST(TasmPlaces, OfMacrosAreNotPrinted) {
  const pe::Image image = assemble_wse3("macro m\n add16 r0, r0, 1\n endmacro\nfn f\n m\n ret\n");
  EXPECT_EQ(image.place_of(0), "t.tasm:2; in macro 'm', used at t.tasm:5:2 (fn f)");
  EXPECT_EQ(disassemble(image).find("line"), std::string::npos);
}

TEST(TasmPlaces, OfAQueueThatAFabinBringsAreThoseOfTheFabin) {
  const pe::Image image = assemble_wse2(
      "queue x_queue input 0 color=2\nline \"a.csl\" 4\ndsd d fabin color=5 extent=1\n");
  EXPECT_EQ(places(image), "t.tasm:1 a.csl:4 a.csl:4 ");
}

TEST(TasmPlaces, MessagesOfTheAssemblerStayWhereTheTextIs) {
  EXPECT_EQ(
      error_of("line \"a.csl\" 3\nfn f\n add16 r0\n ret\n", options_for(Generation::kWse3)),
      "3:10: expected ',' and the rest of the 3 operands of add16, found the end of the line");
  EXPECT_EQ(error_of("line \"a.csl\" 0\n", options_for(Generation::kWse3)),
            "1:14: expected the number of a line 1..4294967295, found 0");
  EXPECT_EQ(error_of("line \"a.csl\"\n", options_for(Generation::kWse3)),
            "1:13: expected the number of a line, found the end of the line");
}

TEST(TasmPlaces, LineIsStillAFreeName) {
  EXPECT_EQ(assemble_wse3("data line: f32[2]\nmacro m\n endmacro\nfn f\n setdsa dds0, line\n ret\n")
                .symbols[0]
                .name,
            "line");
}

}  // namespace
}  // namespace tessera::tasm::places_test
