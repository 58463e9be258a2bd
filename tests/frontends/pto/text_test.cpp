// PTO text: what is printed reads the same again, and what is wrong is said exactly (docs/ascend-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "frontends/pto/operations.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::text_test {
namespace {

using testing::HasSubstr;

std::string message_of(const std::string& text) {
  try {
    parse(text, "k.pto");
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

/// A kernel around lines that begin on line 3.
std::string kernel(const std::string& body) {
  return "module {\n  func.func @k(%p: !pto.ptr<f16>, %n: index) {\n" + body + "\n  }\n}\n";
}

TEST(PtoText, ExamplesPrintTheSameAgain) {
  unsigned files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(TESSERA_SOURCE_DIR) + "/examples/ascend")) {
    if (entry.path().extension() != ".pto") continue;
    const Module module = parse_file(entry.path().string());
    const std::string text = print(module);
    EXPECT_EQ(print(parse(text, "printed")), text) << entry.path();
    EXPECT_GT(text.size(), 1000u);
    ++files;
  }
  EXPECT_GE(files, 35u);
}

TEST(PtoText, EveryFormPrintsAsItIsWritten) {
  const std::string text = R"(module attributes {pto.target_arch = "a5", "a-b" = 3} {
  func.func private @f(!pto.ptr<f32>)
  func.func @g(%p: !pto.ptr<f16>, %n: i32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>, pto.entry} {
    %c = arith.constant -7 : i64
    %f = arith.constant 1.5e+00 : f32
    %i = arith.index_cast %n : i32 to index
    %t = arith.cmpi slt, %i, %i : index
    %s = arith.select %t, %i, %i : index
    %v = pto.make_tensor_view %p, shape = [%i, 16], strides = [16, 1] : !pto.tensor_view<?x16xf16>
    %w = pto.partition_view %v, offsets = [%i, 0], sizes = [4, 16] : !pto.tensor_view<?x16xf16> -> !pto.partition_tensor_view<4x16xf16>
    %b = pto.alloc_tile addr = %c valid_row = %i : !pto.tile_buf<loc=vec, dtype=f16, rows=16, cols=16, v_row=?, v_col=8, blayout=row_major>
    %r:2 = scf.for %k = %i to %s step %s iter_args(%x = %i, %y = %s) -> (index, index) {
      scf.yield %y, %x : index, index
    }
    %z = scf.if %t -> index {
      scf.yield %r#0 : index
    } else {
      scf.yield %r#1 : index
    }
    pto.section.cube {
      pto.tload ins(%w : !pto.partition_tensor_view<4x16xf16>) outs(%b : !pto.tile_buf<loc=vec, dtype=f16, rows=16, cols=16, v_row=16, v_col=16>) {hint = 1}
    }
    pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    pto.wait_flag_dyn[<PIPE_M>, <PIPE_FIX>, %z]
    pto.barrier <PIPE_ALL>
    pto.sync.set <PIPE_FIX>, 16
    pto.set_cross_core <PIPE_FIX>, %c : i64 {mode = 0}
    pto.wait_flag_dev %c : i64
    pto.get_buf <PIPE_V>, 3, 1
    %q = pto.get_block_idx -> i64
    %far = pto.castptr %c : i64 -> !pto.ptr<i32, gm>
    %l = pto.load_scalar %far[%i] : !pto.ptr<i32, gm> -> i32
    pto.store_scalar %l, %far[3] : !pto.ptr<i32, gm>, i32
    pto.dcci %far "SINGLE_CACHE_LINE", "CACHELINE_OUT" : !pto.ptr<i32, gm>
    pto.cmo.cacheinvalid %far single_cache_line : !pto.ptr<i32, gm>
    pto.cmo.cacheinvalid all #pto.address_space<gm>
    pto.dsb <DDR>
    return
  }
}
)";
  EXPECT_EQ(print(parse(text, "k.pto")), text);
}

TEST(PtoText, BothSpellingsOfPipesAndTilesAreOne) {
  const auto printed = [](const std::string& line) { return print(parse(kernel(line), "k")); };
  const std::string flag = printed("pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]");
  EXPECT_EQ(printed("pto.set_flag[#pto.pipe<PIPE_M>, #pto.pipe<PIPE_FIX>, #pto.event<EVENT_ID0>]"),
            flag);
  EXPECT_EQ(printed("pto.set_flag[\"PIPE_M\", \"PIPE_FIX\", \"EVENT_ID0\"]"), flag);
  EXPECT_EQ(printed("%t = pto.alloc_tile : !pto.tile_buf<vec, 16x128xf32>"),
            printed("%t = pto.alloc_tile : !pto.tile_buf<rows=16, cols=128, dtype=f32, loc=vec>"));
}

TEST(PtoText, WordsThatNeedQuotesKeepThem) {
  const auto again = [](const std::string& line) {
    const std::string text = print(parse(kernel(line), "k"));
    EXPECT_EQ(print(parse(text, "printed")), text);
    return text;
  };
  EXPECT_THAT(again("pto.barrier \"PIPE] 3\""), HasSubstr("pto.barrier \"PIPE] 3\""));
  EXPECT_THAT(again("pto.barrier <PIPE_V> {\"3a\" = 1, \"\" = 2}"),
              HasSubstr("{\"3a\" = 1, \"\" = 2}"));
  EXPECT_THAT(again("%t = arith.cmpi \"s t\", %n, %n : index"), HasSubstr("\"s t\", %n"));
}

TEST(PtoText, PlacesAreThoseOfTheText) {
  const Module module = parse(kernel("    %a = arith.constant 1 : index\n    return"), "k.pto");
  const Operation& op = module.functions[0].body.operations[0];
  EXPECT_EQ(op.place.line, 3u);
  EXPECT_EQ(op.place.column, 10u);
  EXPECT_EQ(op.results[0].place.column, 5u);
}

TEST(PtoText, Diagnostics) {
  EXPECT_EQ(message_of(""), "k.pto:1:1: expected 'module', found the end of the file");
  EXPECT_EQ(
      message_of(kernel("pto.tlaod ins(%a : f32) outs(%b : f32)")),
      "k.pto:3:1: unknown operation 'pto.tlaod'; did you mean 'pto.tload'? docs/ascend-platform.md "
      "lists the operations; --pto-unknown=cost:N runs unknown ones for N cycles");
  EXPECT_EQ(message_of(kernel("  pto.barrier PIPE_V")),
            "k.pto:3:15: expected a pipe such as <PIPE_V>, found 'PIPE_V'");
  EXPECT_EQ(message_of(kernel("  %a = arith.addi %n : index")),
            "k.pto:3:8: arith.addi: expected 2 operands, found 1");
  EXPECT_EQ(message_of(kernel("  arith.addi %n, %n : index")),
            "k.pto:3:3: arith.addi: expected 1 result, found 0");
  EXPECT_EQ(message_of(kernel("  scf.for %i = %n til %n step %n { }")),
            "k.pto:3:19: expected 'to', found 'til'");
  EXPECT_EQ(message_of(kernel("  pto.sync.set <PIPE_V>, x")),
            "k.pto:3:26: expected a number or a value such as %a, found 'x'");
  EXPECT_EQ(message_of(kernel("  %a = arith.constant 1 : i7")),
            "k.pto:3:27: expected a type, found 'i7'");
  EXPECT_EQ(message_of(kernel("  %t = pto.alloc_tile : !pto.tile_buf<vec, 16xf32>")),
            "k.pto:3:25: a tile type needs two sizes above 0, rows and columns");
  EXPECT_EQ(message_of(kernel("  pto.tabs ins(%a, %b : f32) outs(%c : f32)")),
            "k.pto:3:15: expected 2 types for 2 operands, found 1");
  EXPECT_EQ(message_of("module {\n  ; }"), "k.pto:2:3: unexpected character ';'");
  EXPECT_THAT(message_of(kernel("  return")), "accepted");
}

TEST(PtoText, TheManualNamesEveryOperation) {
  const std::string manual =
      test::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/ascend-platform.md");
  for (const OperationInfo& row : operations())
    EXPECT_THAT(manual, HasSubstr("`" + std::string(row.name) + "`"));
}

// Whatever is cut off or broken, the answer is a UserError.
TEST(PtoText, BrokenTextIsRefused) {
  const std::string text =
      test::read_file(std::string(TESSERA_SOURCE_DIR) + "/examples/ascend/c2v_a5.pto");
  for (std::size_t length = 0; length + 4 < text.size(); length += 13)
    EXPECT_NE(message_of(text.substr(0, length)), "accepted") << length;
  std::string deep = "module { func.func @k() { ";
  for (int i = 0; i < 10000; ++i) deep += "pto.section.cube { ";
  EXPECT_THAT(message_of(deep), HasSubstr("more than 64 regions inside each other"));
  std::string pointers = "module { func.func @k(%a: ";
  for (int i = 0; i < 20000; ++i) pointers += "!pto.ptr<";
  EXPECT_THAT(message_of(pointers), HasSubstr("more than 16 pointers inside each other"));
}

}  // namespace
}  // namespace tessera::pto::text_test
