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
  EXPECT_EQ(sum_with("!pto.tile_buf<vec, 16x64xf32>"), "accepted");
  for (const auto& [from, to] :
       {std::pair{"rows=16, cols=64, v_row=16", "rows=32, cols=64, v_row=32"},
        {"cols=64, v_row=16, v_col=64", "cols=32, v_row=16, v_col=32"},
        {"dtype=f32", "dtype=i32"},
        {"loc=vec", "loc=mat"},
        {"v_row=16", "v_row=8"},
        {"v_row=16", "v_row=?"},
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
  EXPECT_THAT(load_with(pointer, with(part, "16x64", "?x64")), HasSubstr("%w is defined as"));
  EXPECT_THAT(load_with(pointer, with(part, "partition_tensor_view", "tensor_view")),
              HasSubstr("%w is defined as"));
  EXPECT_THAT(load_with("!pto.ptr<f32, ub>", part), HasSubstr("%p is defined as"));
  EXPECT_THAT(load_with("!pto.ptr<i32>", part), HasSubstr("%p is defined as"));
  EXPECT_THAT(load_with(pointer, with(part, "16x64", "8x64")), HasSubstr("%w is defined as"));
  EXPECT_THAT(load_with(pointer, with(part, "xf32", "xf16")), HasSubstr("%w is defined as"));
}

TEST(PtoUseTypes, NumbersToo) {
  const std::string numbers =
      "%i = arith.constant 3 : i32\n%l = arith.constant 5 : i64\n%x = arith.constant 7 : index\n"
      "%h = arith.constant 1.0 : f16\n%b = arith.constant true\n";
  for (const char* right :
       {"%r = arith.addi %i, %i : i32", "%r = arith.cmpi slt, %l, %l : i64",
        "%r = arith.sitofp %l : i64 to f32", "%r = arith.fptosi %h : f16 to i32",
        "%r = arith.index_cast %i : i32 to index", "%r = arith.extsi %i : i32 to i64",
        "%r = arith.trunci %l : i64 to i32", "%r = arith.select %b, %x, %x : index",
        "%r = scf.for %k = %x to %x step %x iter_args(%s = %l) -> (i64) {\nscf.yield %s : i64\n}",
        "scf.for %k = %i to %i step %i : i32 {\n}",
        "%r = scf.if %b -> (i32) {\nscf.yield %i : i32\n} else {\nscf.yield %i : i32\n}",
        "%q = pto.addptr %p, %x : !pto.ptr<f32> -> !pto.ptr<f32>"})
    EXPECT_EQ(message_of(numbers + right), "accepted") << right;
  for (const char* wrong :
       {"%r = arith.addi %i, %l : i32",
        "%r = arith.addi %h, %h : f16",
        "%r = arith.cmpi slt, %l, %i : i64",
        "%r = arith.sitofp %l : i32 to f32",
        "%r = arith.sitofp %x : index to f32",
        "%r = arith.fptosi %h : f32 to i32",
        "%r = arith.index_cast %i : i32 to i64",
        "%r = arith.index_cast %l : i32 to index",
        "%r = arith.extsi %l : i64 to i32",
        "%r = arith.extsi %i : i32 to i32",
        "%r = arith.trunci %i : i32 to i64",
        "%r = arith.select %i, %x, %x : index",
        "%r = arith.select %b, %x, %i : index",
        "%r = scf.for %k = %x to %x step %x iter_args(%s = %l) -> (f32) {\nscf.yield %s : f32\n}",
        "%r = scf.for %k = %x to %x step %x iter_args(%s = %l) -> (i64) {\nscf.yield %i : i64\n}",
        "%r = scf.for %k = %x to %x step %x iter_args(%s = %l) -> (i64) {\nscf.yield %i : i32\n}",
        "scf.for %k = %i to %i step %i {\n}",
        "scf.for %k = %i to %l step %i : i32 {\n}",
        "scf.if %i {\n}",
        "%r = scf.if %b -> (i64) {\nscf.yield %i : i32\n} else {\nscf.yield %i : i32\n}",
        "%q = pto.addptr %p, %i : !pto.ptr<f32> -> !pto.ptr<f32>",
        "%q = pto.addptr %p, %x : !pto.ptr<f32> -> !pto.ptr<f16>",
        "pto.store_scalar %i, %p[%x] : !pto.ptr<f32>, i32",
        "pto.store_scalar %h, %p[%i] : !pto.ptr<f16>, f16",
        "%t = pto.alloc_tile addr = %x : !pto.tile_buf<vec, 16x64xf32>",
        "%v = pto.make_tensor_view %p, shape = [%i, 64], strides = [64, 1] : "
        "!pto.tensor_view<?x?xf32>"})
    EXPECT_THAT(message_of(numbers + wrong), HasSubstr("k.pto:")) << wrong;
}

TEST(PtoUseTypes, ArgumentsAndResultsOfFunctions) {
  const auto call = [](const std::string& types, const std::string& result) {
    const std::string text = R"(module {
  func.func private @twice(%n: i32) -> i32 {
    %m = arith.addi %n, %n : i32
    return %m : )" + result + R"(
  }
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %a = arith.constant 3 : i32
    %l = arith.constant 3 : i64
    %r = func.call @twice)" + types +
                             "\n    return\n  }\n}\n";
    try {
      lower(parse(text, "k.pto"), {cluster::Profile::kA5, {}});
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(call("(%a) : (i32) -> i32", "i32"), "accepted");
  EXPECT_THAT(call("(%l) : (i32) -> i32", "i32"), HasSubstr("%l is defined as i64"));
  EXPECT_THAT(call("(%l) : (i64) -> i32", "i32"), HasSubstr("%l is defined as i64"));
  EXPECT_THAT(call("(%a) : (i32) -> i64", "i32"),
              HasSubstr("@twice gives i32, and the call takes it as i64"));
  EXPECT_THAT(call("(%a) : (i32) -> i32", "i64"), HasSubstr("%m is defined as i32"));
}

}  // namespace
}  // namespace tessera::pto::use_types_test
