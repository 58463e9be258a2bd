// Descriptors in variables, which operations get by value (docs/csl.md, "Code of the vendor"): the code of CSL texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>

#include "frontends/compiled/link.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The code of the exported function `run`.
std::string code_of(const std::string& declarations, const std::string& body,
                    bool passes_descriptors = true) {
  Project project;
  project.layout("", "@export_name(\"run\", fn()void);").file("pe.csl", R"(
var a = @zeros([8]f32);
var b = @zeros([8]f32);
)" + declarations + "\nfn run() void {\n" + body + "\n}\ncomptime { @export_symbol(run); }\n");
  Options options;
  options.passes_descriptors = passes_descriptors;
  std::ostringstream messages;
  Engine engine(options, messages);
  engine.evaluate(project.path("layout.csl"));
  Compiler compiler(engine);
  const compiled::Program program =
      compiled::link(engine, project.path("layout.csl"), {}, std::ref(compiler));
  const std::string text = tasm::disassemble(*program.layout.programs.at(0).image);
  return text.substr(text.find("\nfn "));
}
unsigned count(const std::string& text, const std::string& word) {
  unsigned found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

const std::string kA = "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });";
const std::string kB = "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> b[i] });";
const std::string kCopy = "@fmovs(to, from);";

TEST(CslPassedDescriptors, ConstantsAreLoadedAsTheyLie) {
  const std::string code = code_of("const to = " + kA + "const from = " + kB, kCopy);
  EXPECT_THAT(code, Not(HasSubstr("st16"))) << code;
}

TEST(CslPassedDescriptors, LocalVariablesAreStoredWhereTheyAreDeclared) {
  const std::string code = code_of("", "var to = " + kA + "var from = " + kB + kCopy + kCopy);
  EXPECT_EQ(count(code, "st16"), 8U) << code;
  EXPECT_EQ(count(code, "[frames"), 8U + 4U) << "records are loaded from there: " << code;
}

TEST(CslPassedDescriptors, VariablesThatNothingChangesAreStoredForEachOperation) {
  const std::string declarations = "var to = " + kA + "const from = " + kB;
  EXPECT_EQ(count(code_of(declarations, kCopy), "st16"), 4U);
  EXPECT_EQ(count(code_of(declarations, kCopy, false), "st16"), 0U);
}

TEST(CslPassedDescriptors, VariablesThatMoveOnAreStoredAnew) {
  const std::string declarations = "var to = " + kA + "const from = " + kB;
  const std::string moves = "to = @increment_dsd_offset(to, 4, f32);";
  const std::string code = code_of(declarations, kCopy + moves);
  EXPECT_EQ(count(code, "st16"), 4U + 1U) << code;
  EXPECT_EQ(count(code_of(declarations, kCopy + moves, false), "st16"), 1U);
}

TEST(CslPassedDescriptors, LoadsByNameTakeAVariableFromWhereItLies) {
  const std::string code =
      code_of("var to = " + kA + "const r = @get_dsr(dsr_dest, 3);",
              "@load_to_dsr(r, to); @fmovs(r, 1.0); to = @increment_dsd_offset(to, 4, f32);");
  EXPECT_EQ(count(code, "st16"), 1U) << code;
}

TEST(CslPassedDescriptors, AnAddressIsSetByOneInstruction) {
  const std::string code = code_of("const r = @get_dsr(dsr_dest, 3); var k: u16 = 3;",
                                   "@load_to_dsr(r, " + kA.substr(0, kA.size() - 1) +
                                       "); @set_dsr_base_addr(r, &b[k]); @fmovs(r, 1.0); k += 1;");
  EXPECT_EQ(count(code, "lddsr"), 1U) << code;
  EXPECT_EQ(count(code, "setdsa"), 1U);
}

TEST(CslPassedDescriptors, TwoLoopsInADescriptorAreNotStored) {
  const std::string code = code_of(
      "", "var to = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{2, 2} -> a[4 * i + j] });"
          "@fmovs(to, 1.0);");
  EXPECT_THAT(code, Not(HasSubstr("st16"))) << code;
}

}  // namespace
}  // namespace tessera::csl
