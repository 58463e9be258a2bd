// An operand has one type, where it is defined and where it is used (docs/ascend-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::use_types_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kTile =
    "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=64, v_row=16, v_col=64, blayout=row_major, "
    "slayout=none_box, fractal=512, pad=0>";

/// `text` with the first `from` as `to`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string message_of(const std::string& body) {
  const std::string text =
      "module {\n  func.func @k(%p: !pto.ptr<f32>) attributes {pto.kernel_kind = "
      "#pto.kernel_kind<vector>} {\n" +
      body + "\n  return }\n}\n";
  try {
    lower(parse(text, "k.pto"), {cluster::Profile::kA5, {}});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

/// A sum whose first operand is used with this type.
std::string sum_with(const std::string& used) {
  return message_of("%a = pto.alloc_tile : " + kTile + "\n%b = pto.alloc_tile : " + kTile +
                    "\npto.tadd ins(%a, %b : " + used + ", " + kTile + ") outs(%b : " + kTile +
                    ")");
}

TEST(PtoUseTypes, WhatADefinitionLeavesOutHasItsDefault) {
  const std::string defined = "%a = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>\n";
  const auto use = [&](const std::string& type) {
    return message_of(defined + "pto.tadd ins(%a, %a : " + type + ", " + type +
                      ") outs(%a : " + type + ")");
  };
  EXPECT_EQ(use(kTile), "accepted");
  for (const auto& [from, to] : {std::pair{"blayout=row_major", "blayout=col_major"},
                                 {"slayout=none_box", "slayout=row_major"},
                                 {"fractal=512", "fractal=1024"}})
    EXPECT_THAT(use(with(kTile, from, to)), HasSubstr("%a is defined as")) << to;
}

TEST(PtoUseTypes, AMisspeltParameterIsRefused) {
  EXPECT_THAT(sum_with(with(kTile, "fractal", "fracta")),
              HasSubstr("a tile type has no parameter 'fracta'; did you mean 'fractal'?"));
}

TEST(PtoUseTypes, ATileHasTheTypeOfItsDefinition) {
  EXPECT_EQ(sum_with(kTile), "accepted");
  EXPECT_EQ(sum_with(with(kTile, "v_row=16", "v_row=?")), "accepted");
  EXPECT_EQ(sum_with("!pto.tile_buf<vec, 16x64xf32>"), "accepted");
  for (const auto& [from, to] :
       {std::pair{"rows=16, cols=64, v_row=16", "rows=32, cols=64, v_row=32"},
        {"cols=64, v_row=16, v_col=64", "cols=32, v_row=16, v_col=32"},
        {"dtype=f32", "dtype=i32"},
        {"loc=vec", "loc=mat"},
        {"v_row=16", "v_row=8"},
        {"v_col=64", "v_col=32"},
        {"blayout=row_major", "blayout=col_major"},
        {"slayout=none_box", "slayout=row_major"}})
    EXPECT_THAT(sum_with(with(kTile, from, to)),
                AllOf(HasSubstr("k.pto:5:"), HasSubstr("%a is defined as")))
        << to;
}

TEST(PtoUseTypes, ViewsAndPointersToo) {
  const auto load_with = [](const std::string& pointer, const std::string& part) {
    const std::string view = "!pto.tensor_view<16x64xf32>",
                      defined = "!pto.partition_tensor_view<16x64xf32>";
    return message_of(
        "%t = pto.alloc_tile : " + kTile +
        "\n%z = arith.constant 0 : index\n%s = pto.load_scalar %p[%z] : " + pointer +
        " -> f32\n%v = pto.make_tensor_view %p, shape = [16, 64], strides = "
        "[64, 1] : " +
        view + "\n%w = pto.partition_view %v, offsets = [0, 0], sizes = [16, 64] : " + view +
        " -> " + defined + "\npto.tload ins(%w : " + part + ") outs(%t : " + kTile + ")");
  };
  const std::string pointer = "!pto.ptr<f32>", part = "!pto.partition_tensor_view<16x64xf32>";
  EXPECT_EQ(load_with(pointer, part), "accepted");
  EXPECT_EQ(load_with(pointer, with(part, "16x64", "?x64")), "accepted");
  EXPECT_THAT(load_with("!pto.ptr<i32>", part), HasSubstr("%p is defined as"));
  EXPECT_THAT(load_with(pointer, with(part, "16x64", "8x64")), HasSubstr("%w is defined as"));
  EXPECT_THAT(load_with(pointer, with(part, "xf32", "xf16")), HasSubstr("%w is defined as"));
}

}  // namespace
}  // namespace tessera::pto::use_types_test
