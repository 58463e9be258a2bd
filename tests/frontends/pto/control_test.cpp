// Loops and branches of PTO text and what they carry, and forms that generated kernels have
// (docs/ascend-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::control_test {
namespace {

using cluster::Profile;
using testing::HasSubstr;

/// A function of AIVs around the lines.
std::string kernel(const std::string& body) {
  return R"(module {
  func.func @k(%p: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
    %u = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>
)" + body +
         "\n    return\n  }\n}\n";
}

std::string message_of(const std::string& body) {
  try {
    lower(parse(kernel(body), "k.pto"), {Profile::kA5, {}});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

// A region that ends without scf.yield does not take the one of a loop inside for its own.
TEST(PtoControl, LoopWithoutYieldAroundLoopsWithYield) {
  EXPECT_EQ(message_of(R"(
    scf.for %i = %c0 to %c2 step %c1 {
      %w = scf.while (%a = %c1) : (index) -> index {
        %small = arith.cmpi slt, %a, %c2 : index
        scf.condition(%small) %a : index
      } do {
      ^bb0(%b: index):
        %d = arith.muli %b, %c2 : index
        scf.yield %d : index
      }
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %c0) -> (index) {
        %n = arith.addi %a, %c1 : index
        scf.yield %n : index
      }
    })"),
            "accepted");
}

TEST(PtoControl, CountersOfLoopsStayIn64Bits) {
  const auto loop = [](const std::string& last, const std::string& step) {
    return message_of("%last = arith.constant " + last + " : index\n%step = arith.constant " +
                      step + " : index\nscf.for %i = %c2 to %last step %step {\n}");
  };
  EXPECT_EQ(loop("9223372036854775807", "1"), "accepted");
  EXPECT_EQ(loop("9223372036854775806", "2"), "accepted");
  EXPECT_EQ(loop("9223372036854775000", "1000"), "accepted");  // ends at ..002, which fits
  EXPECT_EQ(loop("-9223372036854775807", "9223372036854775807"), "accepted");
  EXPECT_THAT(loop("9223372036854775807", "2"), HasSubstr("does not end: its counter goes beyond"));
  EXPECT_THAT(loop("9223372036854775804", "9223372036854775807"), HasSubstr("does not end"));
}

TEST(PtoControl, TilesThatAreCarriedHaveOneType) {
  const auto yields = [](const std::string& what) {
    return message_of(R"(
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %t) -> (!pto.tile_buf<vec, 8x64xf32>) {
      scf.yield )" + what +
                      "\n    }");
  };
  EXPECT_EQ(yields("%t : !pto.tile_buf<vec, 8x64xf32>"), "accepted");
  EXPECT_THAT(yields("%u : !pto.tile_buf<vec, 8x32xf32>"),
              HasSubstr("%u is defined as !pto.tile_buf"));
  EXPECT_THAT(yields("%c1 : index"),
              HasSubstr("%c1 is defined as index, and scf.yield takes it as"));
}

TEST(PtoControl, BranchesGiveTiles) {
  const auto gives = [](const std::string& what) {
    return message_of(R"(
    %b = arith.cmpi eq, %c0, %c1 : index
    %r = scf.if %b -> (!pto.tile_buf<vec, 8x64xf32>) {
      scf.yield %t : !pto.tile_buf<vec, 8x64xf32>
    } else {
      scf.yield )" + what +
                      R"(
    }
    pto.tneg ins(%r : !pto.tile_buf<vec, 8x64xf32>) outs(%r : !pto.tile_buf<vec, 8x64xf32>))");
  };
  EXPECT_EQ(gives("%t : !pto.tile_buf<vec, 8x64xf32>"), "accepted");
  EXPECT_THAT(gives("%u : !pto.tile_buf<vec, 8x32xf32>"),
              HasSubstr("%u is defined as !pto.tile_buf"));
}

TEST(PtoControl, FloatingPointArguments) {
  const Module module = parse(R"(module {
  func.func @k(%a: f32, %n: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.texpands ins(%a : f32) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
    return
  }
})",
                              "k.pto");
  const auto message = [&module](LowerOptions options) -> std::string {
    try {
      lower(module, options);
    } catch (const UserError& e) {
      return e.what();
    }
    return "accepted";
  };
  LowerOptions options{Profile::kA5, {{"n", 1}}};
  EXPECT_THAT(message(options),
              HasSubstr("the argument %a (f32, used in line 4) of @k has no value"));
  options.reals = {{"a", 0.5}};
  EXPECT_EQ(message(options), "accepted");
  options.reals.emplace("n", 0.5);
  EXPECT_THAT(message(options), HasSubstr("the argument %n takes whole numbers of 64 bits"));
  options = {Profile::kA5, {{"A", 1}}};
  EXPECT_THAT(message(options), HasSubstr("no function has a scalar argument %A; did you mean"));
}

// addptr with the type of its result, <f32> for a pointer, and no comma in front of strides.
TEST(PtoControl, FormsOfPointersAndViews) {
  const Module module = parse(kernel(R"(
    %q = pto.addptr %p, %c2 : <f32> -> <f32>
    %s = pto.addptr %q, %c2 : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
    %v = pto.make_tensor_view %s, shape = [%c2] strides = [%c1] : !pto.tensor_view<?xf32>)"),
                              "k.pto");
  const std::string text = print(module);
  EXPECT_THAT(text, HasSubstr("pto.addptr %p, %c2 : !pto.ptr<f32> -> !pto.ptr<f32>"));
  EXPECT_EQ(print(parse(text, "printed")), text);
  EXPECT_NE(lower(module, {Profile::kA5, {}}).aiv, nullptr);
}

// Kernels number their AIVs as block_idx * subblock_num + subblock_idx.
TEST(PtoControl, TheBlockIsTheCluster) {
  const auto program =
      lower(parse(kernel("    %b = pto.get_block_idx"), "k.pto"), {Profile::kA5, {}}).aiv;
  EXPECT_TRUE(std::any_of(program->code.begin(), program->code.end(), [](const auto& i) {
    return i.op == cluster::Opcode::kGet && i.special == cluster::SpecialValue::kCluster;
  }));
}

}  // namespace
}  // namespace tessera::pto::control_test
