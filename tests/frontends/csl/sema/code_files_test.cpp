// Codes that differ in numbers only are one file, and each of them is assembled from it unchanged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "frontends/compiled/code_files.h"
#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "frontends/csl/compile.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/support/temporary_folder.h"

namespace tessera::compiled {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kLayout = R"(layout {
  @set_rectangle(4, 3);
  for (@range(i16, 4)) |x| {
    for (@range(i16, 3)) |y| {
      @set_tile_code(x, y, "pe.csl", .{ .x = x, .y = y });
    }
  }
  @export_name("f", fn() void);
})";

Program compiled_program(const std::string& code, const std::string& arch) {
  const test::TemporaryFolder folder;
  const std::string layout = folder.file("layout.csl");
  test::write_file(layout, kLayout);
  test::write_file(folder.file("pe.csl"), "param x: i16;\nparam y: i16;\n" + code);
  csl::Options options;
  options.arch = arch;
  csl::Engine engine(options, std::cerr);
  engine.evaluate(layout);
  csl::Compiler compiler(engine);
  return link(engine, layout, {}, std::ref(compiler));
}

/// Writes and reads the folder, and compares the code of each tile.
void expect_same_codes(const Program& program) {
  const test::TemporaryFolder folder;
  write_folder(program, folder.path().string(), "1");
  const Program again = read_folder(folder.path().string(), "1");
  for (std::size_t tile = 0; tile < program.layout.tile_count(); ++tile) {
    const auto code_of = [tile](const Program& p) -> const layout::Program& {
      return p.layout.programs[static_cast<std::size_t>(p.layout.program_of_tile[tile])];
    };
    const pe::Image& image = *code_of(program).image;
    tasm::AssembleOptions options = tasm::options_for(image.generation);
    options.params.insert(code_of(again).params.begin(), code_of(again).params.end());
    EXPECT_EQ(tasm::dump(tasm::assemble(*code_of(again).text, options)), tasm::dump(image));
  }
}

class CodeFilesTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Generations, CodeFilesTest, testing::Values("wse2", "wse3"));

TEST_P(CodeFilesTest, NumbersOfEveryKindAreParams) {
  const Program program = compiled_program(R"(
var number_of_calls: i16 = -x;
var table = [4]f32{ @as(f32, x) * 0.1, @as(f32, y) - 2.5, 1.0 / @as(f32, x + 1), 7.0 };
var halves = [2]f16{ @as(f16, x) / 3.0, 1.5 };
var wide: u32 = 0xF0000000 + @as(u32, x) * 65536 + @as(u32, y);
var values = @zeros([16]f32);
const part = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{y + 1} -> values[i + x + 1] });
fn f() void {
  values[x + 3 * y + 1] = @as(f32, x) / 7.0;
  number_of_calls += x * 1000 - y;
  wide += @as(u32, y) * 70000;
  halves[0] += @as(f16, y) * 0.3;
  @fadds(part, part, @as(f32, x) * 1.0e-30);
  table[1] = @as(f32, x) * -3.0e30 - 1.0;
}
comptime { @export_symbol(f); })",
                                           GetParam());
  const CodeFiles files = code_files(program);
  // x = 0 and y = 0 take instructions away; all others have the same ones.
  EXPECT_LE(files.texts.size(), 4U);
  EXPECT_EQ(files.uses.size(), 12U);
  EXPECT_THAT(files.texts[files.uses.back().file],
              HasSubstr("param number__"));  // number_ is taken
  EXPECT_THAT(files.texts[files.uses.back().file], HasSubstr("bits(number__"));
  expect_same_codes(program);
}

TEST_P(CodeFilesTest, EqualNumbersAreOneParam) {
  const Program program = compiled_program(R"(
var a: i16 = 0;
var b: i16 = 0;
fn f() void { a = 100 + x; b = 100 + x; }
comptime { @export_symbol(f); })",
                                           GetParam());
  const CodeFiles files = code_files(program);
  EXPECT_EQ(files.texts.size(), 1U);
  EXPECT_EQ(files.uses[0].params.size(), 1U);
  expect_same_codes(program);
}

TEST_P(CodeFilesTest, ParamsWithoutUseMakeNoOtherCode) {
  const Program program = compiled_program(R"(
var a: i16 = 0;
fn f() void { a = y; }
comptime { @export_symbol(f); })",
                                           GetParam());
  EXPECT_EQ(program.layout.programs.size(), 3U);  // one for each y
  for (int x = 1; x < 4; ++x)
    EXPECT_EQ(program.layout.program_of_tile[program.layout.tile_index({x, 1})],
              program.layout.program_of_tile[program.layout.tile_index({0, 1})]);
  expect_same_codes(program);
}

TEST_P(CodeFilesTest, OtherNamesForTheHostAreOtherPrograms) {
  const Program program = compiled_program(R"(
fn f() void {}
fn g() void {}
comptime { @export_symbol(if (x % 2 == 0) f else g, "f"); })",
                                           GetParam());
  EXPECT_EQ(program.layout.programs.size(), 2U);
  expect_same_codes(program);
}

TEST_P(CodeFilesTest, CodesOfManyNumbersHaveFilesOfTheirOwn) {
  const Program program = compiled_program(R"(
fn row() [80]i16 {
  var made = @zeros([80]i16);
  for (@range(i16, 80)) |i| { made[i] = (i * i + 1) * (x + 4 * y) + i; }
  return made;
}
var table: [80]i16 = row();
fn f() void { table[0] = 1; }
comptime { @export_symbol(f); })",
                                           GetParam());
  const CodeFiles files = code_files(program);
  EXPECT_EQ(files.texts.size(), 12U);
  EXPECT_TRUE(files.uses[5].params.empty());
  EXPECT_THAT(files.texts[5], Not(HasSubstr("param ")));
  expect_same_codes(program);
}

TEST_P(CodeFilesTest, OtherInstructionsAreOtherFiles) {
  const Program program = compiled_program(R"(
var a: i16 = 0;
fn f() void { if (x % 2 == 0) { a = 100 + x; } else { a += y; } }
comptime { @export_symbol(f); })",
                                           GetParam());
  EXPECT_GE(code_files(program).texts.size(), 2U);
  expect_same_codes(program);
}

}  // namespace
}  // namespace tessera::compiled
