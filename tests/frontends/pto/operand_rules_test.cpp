// Shapes and types that operands of PTO operations may have (ascend.md 7; operand_rules.h), and sizes that
// no address holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/words.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::operand_rules_test {
namespace {

using testing::HasSubstr;

std::string message_of(const std::string& body, const char* kind = "vector") {
  const std::string text =
      std::string("module {\n  func.func @k(%p: !pto.ptr<f32>, %n: index) attributes "
                  "{pto.kernel_kind = #pto.kernel_kind<") +
      kind + ">} {\n" + body + "\n  return }\n}\n";
  try {
    lower(parse(text, "k.pto"), {cluster::Profile::kA5, {{"n", 16}}});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

/// "16x8xf32" of "%a", a tile in vec unless it begins with a location. Rows in vec are as long as they
/// have to be; what is written is valid of them.
struct Tile {
  std::string name, type;
  std::string text() const {
    if (type.find(',') < type.find('x')) return "!pto.tile_buf<" + type + ">";
    const std::size_t x = type.find('x'), y = type.find('x', x + 1);
    const std::string size = type.substr(0, y),
                      element = type.substr(y + 1, type.find(',') - y - 1);
    const std::int64_t columns = std::stoll(type.substr(x + 1, y - x - 1));
    const std::int64_t full = 256 / bits_of(element);
    if (columns % full == 0 || type.find(',') != std::string::npos)
      return "!pto.tile_buf<vec, " + type + ">";
    return "!pto.tile_buf<vec, " + type.substr(0, x + 1) +
           std::to_string((columns + full - 1) / full * full) + "x" + element + ", valid=" + size +
           ">";
  }
};

/// One operation with its tiles; the last one is the result.
std::string message_of(const std::string& name, const std::vector<Tile>& tiles,
                       const std::string& more = "", const char* kind = "vector") {
  std::string body, names, types;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    body += "  %" + tiles[i].name + " = pto.alloc_tile : " + tiles[i].text() + "\n";
    if (i + 1 == tiles.size()) break;
    names += (i > 0 ? ", %" : "%") + tiles[i].name;
    types += (i > 0 ? ", " : "") + tiles[i].text();
  }
  body += "  " + name + " ins(" + names + more + " : " + types + ") outs(%" + tiles.back().name +
          " : " + tiles.back().text() + ")";
  return message_of(body, kind);
}

TEST(PtoOperandRules, AMistakeNamesLineOperationAndShapes) {
  EXPECT_EQ(
      message_of("pto.tadd", {{"a", "16x128xf32"}, {"b", "16x64xf32"}, {"c", "16x128xf32"}}),
      "k.pto:6:3: operands of pto.tadd are 16x128 (%a) and 16x64 (%b): expected the same valid "
      "rows and columns");
  EXPECT_EQ(
      message_of("pto.tadd", {{"a", "8x8xf32"}, {"b", "8x8xf16"}, {"c", "8x8xf32"}}),
      "k.pto:6:3: operands of pto.tadd are f32 (%a) and f16 (%b): expected one type; pto.tcvt "
      "converts");
}

struct Case {
  const char* operation;
  std::vector<Tile> tiles;
  const char* expected;  ///< after "expected "
};

TEST(PtoOperandRules, EveryRelation) {
  const char* const kAll = "the same valid rows and columns";
  const std::vector<Case> cases = {
      {"pto.tabs", {{"a", "8x8xf32"}, {"c", "8x16xf32"}}, kAll},
      {"pto.tabs", {{"a", "8x8xf32, valid=4x8"}, {"c", "8x8xf32"}}, kAll},
      {"pto.tcvt", {{"a", "8x8xf32"}, {"c", "4x8xf16"}}, kAll},
      {"pto.trowsum", {{"a", "16x64xf32"}, {"c", "8x1xf32"}}, "as many valid rows, and one"},
      {"pto.trowmax", {{"a", "16x64xf32"}, {"c", "16x8xf32"}}, "as many valid rows, and one"},
      {"pto.tcolsum", {{"a", "16x64xf32"}, {"c", "1x32xf32"}}, "as many valid columns"},
      {"pto.trowexpand", {{"a", "8x1xf32"}, {"c", "16x8xf32"}}, "a value for each row"},
      {"pto.tcolexpand", {{"a", "1x8xf32"}, {"c", "16x16xf32"}}, "a value for each column"},
      {"pto.trowexpandmul",
       {{"a", "8x8xf32"}, {"b", "4x1xf32"}, {"c", "8x8xf32"}},
       "a value for each row"},
      {"pto.tcolexpandadd",
       {{"a", "8x8xf32"}, {"b", "1x4xf32"}, {"c", "8x8xf32"}},
       "a value for each column"},
      {"pto.ttrans", {{"a", "8x16xf32"}, {"c", "8x16xf32"}}, "rows and columns exchanged"},
      {"pto.tcmp", {{"a", "8x64xf32"}, {"b", "8x64xf32"}, {"c", "8x4xui8"}}, "a bit of the mask"},
      {"pto.tcmp", {{"a", "8x64xf32"}, {"b", "8x64xf32"}, {"c", "8x64xi32"}}, "i8 or ui8 for a"},
      {"pto.tsel",
       {{"m", "4x8xi8"}, {"a", "8x64xf32"}, {"b", "8x64xf32"}, {"c", "8x64xf32"}},
       "a bit of the mask"},
      {"pto.tfillpad", {{"a", "8x16xf32"}, {"c", "8x8xf32"}}, "no fewer rows and columns"},
      {"pto.tgather", {{"a", "1x32xf32"}, {"i", "1x32xi32"}, {"c", "1x64xf32"}}, kAll},
      {"pto.tsort32", {{"a", "1x32xf16"}, {"i", "1x32xui32"}, {"c", "1x63xf16"}}, "a pair in the"},
      {"pto.tsort32", {{"a", "1x32xf32"}, {"i", "1x16xui32"}, {"c", "1x64xf32"}}, "an index for"},
      {"pto.tscatter", {{"a", "8x8xf32"}, {"i", "4x8xi32"}, {"c", "8x8xf32"}}, kAll},
      {"pto.tgatherb", {{"a", "8x8xf32"}, {"o", "4x8xui32"}, {"c", "8x8xf32"}}, "an offset for"},
      {"pto.taddreluconv", {{"a", "8x8xf32"}, {"b", "4x8xf32"}, {"c", "8x8xf16"}}, kAll},
      {"pto.tpairreducesum", {{"a", "8x8xf32"}, {"c", "8x4xf32"}}, kAll},
      {"pto.tsort32", {{"a", "1x32xi32"}, {"i", "1x32xui32"}, {"c", "1x64xi32"}}, "f16 or f32"},
      {"pto.tquant", {{"a", "8x8xf16"}, {"s", "8x1xf32"}, {"c", "8x8xi8"}}, "f32"},
      {"pto.tquant", {{"a", "8x8xf32"}, {"s", "4x1xf32"}, {"c", "8x8xi8"}}, "a value for each row"},
      {"pto.tdequant",
       {{"a", "8x8xi32"}, {"s", "8x1xf32"}, {"c", "8x8xf32"}},
       "integers of 8 or 16"},
      {"pto.tmrgsort",
       {{"a", "2x64xf32"}, {"b", "2x64xf32"}, {"t", "1x128xf32"}, {"c", "1x128xf32"}},
       "one valid row"},
      {"pto.tmrgsort",
       {{"a", "1x64xf32"}, {"b", "1x63xf32"}, {"t", "1x128xf32"}, {"c", "1x127xf32"}},
       "pairs of 8 bytes"},
      {"pto.tmrgsort",
       {{"a", "1x62xf16"}, {"b", "1x64xf16"}, {"t", "1x128xf16"}, {"c", "1x124xf16"}},
       "pairs of 8 bytes"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(message_of(c.operation, c.tiles),
                HasSubstr(std::string(": expected ") + c.expected))
        << c.operation;
}

TEST(PtoOperandRules, Matmul) {
  const auto mad = [](const char* a, const char* b, const char* c) {
    return message_of("pto.tmatmul",
                      {{"a", std::string("left, ") + a},
                       {"b", std::string("right, ") + b},
                       {"c", std::string("acc, ") + c}},
                      "", "cube");
  };
  EXPECT_EQ(mad("32x64xf16", "64x16xf16", "32x16xf32"), "accepted");
  EXPECT_EQ(mad("16x64xf16, valid=1x64", "64x16xf16", "16x16xf32, valid=1x16"), "accepted");
  EXPECT_THAT(mad("32x64xf16", "32x16xf16", "32x16xf32"), HasSubstr("as many rows of the right"));
  EXPECT_THAT(mad("32x64xf16", "64x16xf16", "16x16xf32"), HasSubstr("as many valid rows"));
  EXPECT_THAT(mad("32x64xf16", "64x16xf16", "32x32xf32"), HasSubstr("as many valid columns"));
  EXPECT_THAT(mad("32x64xf16", "64x16xbf16", "32x16xf32"), HasSubstr("expected one type"));
  EXPECT_THAT(
      mad("32x64xi8", "64x16xi8", "32x16xf32"),
      HasSubstr("are i8 (%a) and f32 (%c): expected a result of f32 for floats, of i32 for"));
  EXPECT_THAT(message_of("pto.tmatmul.bias",
                         {{"a", "left, 32x64xf16"},
                          {"b", "right, 64x16xf16"},
                          {"d", "bias, 1x32xf32"},
                          {"c", "acc, 32x16xf32"}},
                         "", "cube"),
              HasSubstr("are 1x32 (%d) and 32x16 (%c): expected as many valid columns"));
}

// What public kernels do: a row or a column of its own, tiles larger than what is valid, sizes that only
// a register knows, scratch of any size.
TEST(PtoOperandRules, WhatIsLegal) {
  const std::vector<Case> cases = {
      {"pto.tadd",
       {{"a", "16x64xf32, valid=3x50"},
        {"b", "8x64xf32, valid=3x50"},
        {"c", "4x56xf32, valid=3x50"}},
       ""},
      {"pto.trowsum", {{"a", "16x64xf32"}, {"t", "1x8xf32"}, {"c", "16x8xf32, valid=16x1"}}, ""},
      {"pto.tcolmax", {{"a", "16x64xf32"}, {"c", "16x64xf32"}}, ""},
      {"pto.trowexpand", {{"a", "1x16xf32"}, {"c", "16x8xf32"}}, ""},
      {"pto.trowexpandsub", {{"a", "16x8xf32"}, {"b", "16x8xf32"}, {"c", "16x8xf32"}}, ""},
      {"pto.tcolexpand", {{"a", "8x1xf32"}, {"c", "16x8xf32"}}, ""},
      {"pto.tcmp", {{"a", "8x64xf32"}, {"b", "8x64xf32"}, {"c", "8x64xi8"}}, ""},
      {"pto.tgather",
       {{"a", "1x32xf32"}, {"i", "1x64xi32"}, {"t", "1x64xi32"}, {"c", "1x64xf32"}},
       ""},
      {"pto.tsort32", {{"a", "4x64xf32"}, {"i", "1x64xi32"}, {"c", "4x128xf32"}}, ""},
  };
  for (const Case& c : cases)
    EXPECT_EQ(message_of(c.operation, c.tiles), "accepted") << c.operation;
}

TEST(PtoOperandRules, FormsOfGatherMergeAndQuantisation) {
  const std::string pattern = " {maskPattern = #pto.mask_pattern<";
  EXPECT_EQ(message_of("pto.tgather", {{"a", "1x64xf32"}, {"c", "1x32xi32"}}, pattern + "P1010>}"),
            "accepted");
  EXPECT_THAT(
      message_of("pto.tgather", {{"a", "1x64xf32"}, {"c", "1x64xf32"}}, pattern + "P1010>}"),
      HasSubstr("as many elements of the result as maskPattern selects"));
  EXPECT_THAT(
      message_of("pto.tgather", {{"a", "1x64xf32"}, {"c", "1x64xf32"}}, pattern + "P1100>}"),
      HasSubstr("expected a pattern P0101"));
  EXPECT_THAT(message_of("pto.tgather", {{"a", "1x64xf32"}, {"c", "1x64xf32"}}),
              HasSubstr("pto.tgather: expected 2 tiles and a result, found 2 tiles"));
  EXPECT_THAT(message_of("pto.tquant", {{"a", "8x8xf32"}, {"s", "8x1xf32"}, {"c", "8x8xui8"}}),
              HasSubstr("asymmetric quantisation needs an offset"));
  EXPECT_THAT(message_of("pto.tquant", {{"a", "8x8xf32"}, {"s", "8x1xf32"}, {"c", "8x8xui8"}},
                         " {quant_type = #pto<quant_type INT8_SYM>}"),
              HasSubstr("INT8_SYM gives i8, the result is a tile of ui8"));
  const auto merge = [](const char* block) {
    const std::string tile = "!pto.tile_buf<vec, 1x512xf32>";
    return message_of("  %a = pto.alloc_tile : " + tile + "\n  %c = pto.alloc_tile : " + tile +
                      "\n  %b = arith.constant " + block + " : i32\n  pto.tmrgsort ins(%a, %b : " +
                      tile + ", i32) outs(%c : " + tile + ")");
  };
  EXPECT_EQ(merge("128"), "accepted");
  EXPECT_THAT(merge("100"), HasSubstr("blocks of 100 columns, expected a multiple of 64"));
  EXPECT_THAT(merge("0"), HasSubstr("blocks of 0 columns"));
  EXPECT_THAT(merge("192"), HasSubstr("512 columns are no whole number of groups of four blocks"));
}

// What is neither of the words that an attribute may have would mean something else on the device.
TEST(PtoOperandRules, AttributesOfAnotherWord) {
  const std::vector<Tile> quantised = {{"a", "8x8xf32"}, {"s", "8x1xf32"}, {"c", "8x8xi8"}};
  EXPECT_THAT(message_of("pto.tquant", quantised, " {quant_type = #pto<quant_type MXFP8>}"),
              HasSubstr("expected a kind of quantisation INT8_SYM or INT8_ASYM, found"));
  EXPECT_THAT(message_of("pto.tquant",
                         {{"a", "8x8xf32"}, {"s", "8x1xf32"}, {"o", "8x1xf32"}, {"c", "8x8xi8"}},
                         " {quant_type = #pto<quant_type INT8_SYM>}"),
              HasSubstr("symmetric quantisation has no offset"));
  EXPECT_THAT(message_of("pto.tcvt", {{"a", "8x8xf32"}, {"c", "8x8xi8"}},
                         " {satmode = #pto<saturation_mode MAYBE>}"),
              HasSubstr("satmode: expected ON or OFF, found"));
  EXPECT_THAT(
      message_of("pto.tmrgsort",
                 {{"a", "1x64xf32"}, {"b", "1x64xf32"}, {"t", "1x128xf32"}, {"c", "1x128xf32"}},
                 " {exhausted = maybe}"),
      HasSubstr("exhausted: expected true or false, found"));
  const std::string tile = "!pto.tile_buf<vec, 1x64xf32>";
  EXPECT_THAT(message_of("  %a = pto.alloc_tile : " + tile + "\n  %c = pto.alloc_tile : " + tile +
                         "\n  pto.tgather ins(%a, {maskPattern = #pto.mask_pattern<P1111>} : " +
                         tile + ", \"diagonal\") outs(%c : " + tile + ")"),
              HasSubstr("axis: expected \"col\" or \"row\", found"));
}

TEST(PtoOperandRules, BlocksHaveOneLengthWhichIsAWholeNumber) {
  const auto merge = [](const std::string& more, const std::string& types) {
    const std::string tile = "!pto.tile_buf<vec, 1x256xf32>";
    return message_of("  %a = pto.alloc_tile : " + tile + "\n  %c = pto.alloc_tile : " + tile +
                      "\n  %b = arith.constant 64 : i32\n  %f = arith.constant 63.0 : f32\n"
                      "  pto.tmrgsort ins(%a, " +
                      more + " : " + tile + ", " + types + ") outs(%c : " + tile + ")");
  };
  const std::string expected = "expected the length of a block, a whole number, after the tile";
  EXPECT_EQ(merge("%b", "i32"), "accepted");
  EXPECT_THAT(merge("%f", "f32"), HasSubstr(expected));
  EXPECT_THAT(merge("%b, %b", "i32, i32"), HasSubstr(expected));
}

TEST(PtoOperandRules, FunctionsOfFloats) {
  for (const char* name : {"pto.texp", "pto.tlog", "pto.tsqrt", "pto.trsqrt", "pto.trecip"})
    EXPECT_THAT(message_of(name, {{"a", "8x8xi32"}, {"c", "8x8xi32"}}),
                HasSubstr(std::string(name) + " works on floats, found tiles of i32"));
  EXPECT_THAT(
      message_of("pto.trowexpandexpdif", {{"a", "8x8xi16"}, {"b", "8x1xi16"}, {"c", "8x8xi16"}}),
      HasSubstr("works on floats, found tiles of i16"));
  EXPECT_EQ(message_of("pto.texp", {{"a", "8x8xf16"}, {"c", "8x8xf16"}}), "accepted");
}

TEST(PtoOperandRules, MovesKeepTheirTypeAndStayInside) {
  EXPECT_THAT(message_of("pto.tmov", {{"a", "8x8xf32"}, {"c", "8x8xi32"}}),
              HasSubstr("operands of pto.tmov are f32 (%a) and i32 (%c): expected one type"));
  EXPECT_EQ(message_of("pto.tmov", {{"a", "acc, 16x16xf32"}, {"c", "mat, 16x16xf16"}}, "", "cube"),
            "accepted");
  const std::string whole = "!pto.tile_buf<vec, 8x8xf32>",
                    small = "!pto.tile_buf<vec, 4x8xf32, valid=4x4>";
  const std::string tiles = "  %a = pto.alloc_tile : " + whole +
                            "\n  %c = pto.alloc_tile : " + small +
                            "\n"
                            "  %i = arith.constant 5 : index\n  %z = arith.constant 0 : index\n";
  EXPECT_THAT(message_of(tiles + "  pto.textract ins(%a, %i, %z : " + whole +
                         ", index, index) outs(%c : " + small + ")"),
              HasSubstr("pto.textract: rows 5.. (4 of them) of a tile of 8"));
  EXPECT_THAT(message_of(tiles + "  pto.tinsert ins(%c, %z, %i : " + small +
                         ", index, index) outs(%a : " + whole + ")"),
              HasSubstr("pto.tinsert: columns 5.. (4 of them) of a tile of 8"));
}

std::string part(const std::string& shape, const std::string& strides, const std::string& offsets,
                 const std::string& sizes, const std::string& type = "?x?xf32") {
  return message_of("  %b = pto.get_block_idx -> index\n  %v = pto.make_tensor_view %p, shape = " +
                    shape + ", strides = " + strides + " : !pto.tensor_view<" + type +
                    ">\n  %w = pto.partition_view %v, offsets = " + offsets + ", sizes = " + sizes +
                    " : !pto.tensor_view<" + type +
                    "> -> !pto.partition_tensor_view<?x?xf32>\n"
                    "  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n"
                    "  pto.tload ins(%w : !pto.partition_tensor_view<?x?xf32>) outs(%t : "
                    "!pto.tile_buf<vec, 16x16xf32>)");
}

// 2^62 elements of f32 are 2^64 bytes, which 64 bits take for none.
TEST(PtoOperandRules, SizesBeyondAddresses) {
  EXPECT_EQ(part("[64, 16]", "[16, 1]", "[48, 0]", "[16, 16]"), "accepted");
  EXPECT_EQ(part("[%b, 16]", "[16, 1]", "[%b, 0]", "[%b, 16]"), "accepted");
  EXPECT_THAT(part("[4611686018427387904, 1]", "[4, 1]", "[0, 0]", "[1, 1]"),
              HasSubstr("4611686018427387904 elements 4 apart reach farther than addresses"));
  EXPECT_THAT(part("[2, 1]", "[4611686018427387904, 1]", "[0, 0]", "[1, 1]"),
              HasSubstr("2 elements 4611686018427387904 apart reach farther"));
  EXPECT_THAT(part("[-1, 16]", "[16, 1]", "[0, 0]", "[1, 1]"),
              HasSubstr("pto.make_tensor_view: an offset or size of -1, expected 0 or more"));
  EXPECT_THAT(part("[64, 16]", "[16, 1]", "[-1, 0]", "[1, 1]"),
              HasSubstr("pto.partition_view: an offset or size of -1, expected 0 or more"));
  EXPECT_THAT(part("[64, 16]", "[16, 1]", "[56, 0]", "[16, 16]", "64x16xf32"),
              HasSubstr("the part takes 16 from 56 on of dimension 0, in which the tensor has 64"));
  EXPECT_THAT(part("[64, 16]", "[16, 1]", "[9223372036854775807, 0]", "[1, 16]", "64x16xf32"),
              HasSubstr("the part takes 1 from 9223372036854775807 on of dimension 0"));
  // A part that this launch may not come to.
  EXPECT_EQ(part("[1, 16]", "[16, 1]", "[0, 0]", "[16, 16]"), "accepted");
  // A size that is known is looked at beside one that only a register knows.
  EXPECT_THAT(part("[64, 1073741824]", "[16, 1]", "[0, 0]", "[%b, 1073741824]"),
              HasSubstr("a size of the tensor is 1073741824, expected 0..16777216"));
}

TEST(PtoOperandRules, TilesWithAddressesInRegistersFitTheirBuffer) {
  EXPECT_THAT(message_of("  %b = pto.get_block_idx -> i64\n"
                         "  %t = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 512x512xf32>"),
              HasSubstr("the tile %t needs 1048576 bytes"));
  EXPECT_THAT(message_of("  %t = pto.alloc_tile : !pto.tile_buf<vec, 4294967296x4294967296xf32>"),
              HasSubstr("a tile of 4294967296 x 4294967296 elements"));
  EXPECT_THAT(message_of("  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n"
                         "  %a = arith.constant 262144 : i64\n"
                         "  %u = pto.tassign %t, %a : !pto.tile_buf<vec, 16x16xf32> -> "
                         "!pto.tile_buf<vec, 16x16xf32>"),
              HasSubstr("the tile %u needs 1024 bytes from byte 262144 on"));
}

}  // namespace
}  // namespace tessera::pto::operand_rules_test
