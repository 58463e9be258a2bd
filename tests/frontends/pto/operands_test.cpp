// What tile operations of PTO text read and write (ascend.md 1.3; docs/ascend-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::operands_test {
namespace {

using cluster::Access;
using cluster::Location;
using cluster::ResolvedOperand;
using cluster::ResolvedOperation;
using testing::HasSubstr;

const std::string kTile = "!pto.tile_buf<vec, 16x16xf32>";

std::string kernel(const std::string& body) {
  return "module {\n  func.func @k(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>, %n: index) attributes "
         "{pto.kernel_kind = #pto.kernel_kind<vector>} {\n" +
         body + "\n  pto.barrier <PIPE_ALL>\n  return }\n}\n";
}
cluster::Program lowered(const std::string& body,
                         cluster::Profile profile = cluster::Profile::kA2A3) {
  return *lower(parse(kernel(body), "k.pto"), {profile, {{"n", 5}}}).aiv;
}
std::string message_of(const std::string& body,
                       cluster::Profile profile = cluster::Profile::kA2A3) {
  try {
    lowered(body, profile);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
/// Operands of the last tile operation, with these registers.
ResolvedOperation operands(const cluster::Program& program,
                           const std::vector<std::int64_t>& registers = {}) {
  ResolvedOperation resolved;
  resolve(program.operations.back(), registers, resolved);
  return resolved;
}

TEST(PtoOperands, TilesWithoutAddressLieBehindEachOther) {
  const cluster::Program p =
      lowered("  %a = pto.alloc_tile : !pto.tile_buf<vec, 1x16xf16>\n"
              "  %b = pto.alloc_tile : " +
              kTile + "\n  %c = pto.alloc_tile : " + kTile + "\n  pto.tabs ins(%b : " + kTile +
              ") outs(%c : " + kTile + ")");
  const ResolvedOperation r = operands(p);
  ASSERT_EQ(r.count, 2);
  EXPECT_EQ(r.operands[0].first, 32);  // after 32 bytes
  EXPECT_EQ(r.operands[0].bytes, 1024);
  EXPECT_EQ(r.operands[0].access, Access::kRead);
  EXPECT_EQ(r.operands[1].first, 32 + 1024);
  EXPECT_EQ(r.operands[1].access, Access::kWrite);
  EXPECT_EQ(r.operands[1].location, Location::kUb);
}

// ascend.md 1.3: blocks of 32 bytes in UB, boxes of 16 rows or columns.
TEST(PtoOperands, TilesAreAlignedAsTheirBuffersNeedIt) {
  const auto tile = [](const std::string& type) {
    return message_of("  %t = pto.alloc_tile : !pto.tile_buf<" + type + ">");
  };
  EXPECT_EQ(
      tile("vec, 16x1xf32"),
      "k.pto:3:8: pto.alloc_tile: a row of the tile takes 4 bytes, expected a multiple of 32");
  EXPECT_EQ(tile("vec, 16x1xf32, blayout=col_major"), "accepted");
  EXPECT_EQ(
      tile("vec, 9x1xf16, blayout=col_major"),
      "k.pto:3:8: pto.alloc_tile: a column of the tile takes 18 bytes, expected a multiple of 32");
  EXPECT_EQ(
      tile("mat, 8x16xf16, blayout=col_major, slayout=row_major"),
      "k.pto:3:8: pto.alloc_tile: 8 rows, expected a multiple of 16 for boxes that are row_major");
  EXPECT_EQ(tile("vec, 16x16xf16, fractal=16"),
            "k.pto:3:8: pto.alloc_tile: a fractal of 16 bytes, expected 32, 512 or 1024");
  EXPECT_EQ(message_of("  %at = arith.constant 48 : i64\n"
                       "  %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf16>"),
            "k.pto:4:8: pto.alloc_tile: the address 48 in UB, expected a multiple of 32");
}

TEST(PtoOperands, ValidSizesThatTheTileDoesNotHave) {
  const auto shape = [](const std::string& rows, const std::string& columns) {
    return message_of("  %N = arith.constant 8 : index\n"
                      "  %t = pto.alloc_tile valid_row = %N valid_col = %N : "
                      "!pto.tile_buf<vec, 16x64xf32, valid=?x?>\n"
                      "  pto.set_validshape %t, " +
                      rows + ", " + columns + " : !pto.tile_buf<vec, 16x64xf32, valid=?x?>");
  };
  EXPECT_EQ(shape("16", "64"), "accepted");
  EXPECT_EQ(shape("17", "64"), "k.pto:5:3: the tile %t has 17 valid rows, expected 0..16");
  EXPECT_EQ(shape("16", "65"), "k.pto:5:3: the tile %t has 65 valid columns, expected 0..64");
  EXPECT_EQ(shape("-1", "64"), "k.pto:5:3: the tile %t has -1 valid rows, expected 0..16");
}

TEST(PtoOperands, SeveralTilesOfOneTypeLieBehindEachOther) {
  const std::string one = "!pto.tile_buf<vec, 16x32xf16>",
                    all = "!pto.multi_tile_buf<vec, 16x32xf16, count=3>";
  const std::string tiles = "  %m = pto.alloc_multi_tile : " + all + "\n";
  const auto get = [&](const std::string& name, int which) {
    return "  %" + name + " = pto.multi_tile_get %m[" + std::to_string(which) + "] : " + all +
           " -> " + one + "\n";
  };
  const cluster::Program p = lowered(tiles + get("a", 0) + get("b", 2) +
                                     "  pto.tabs ins(%a : " + one + ") outs(%b : " + one + ")");
  const ResolvedOperation r = operands(p);
  EXPECT_EQ(r.operands[0].first, 0);
  EXPECT_EQ(r.operands[1].first, 2 * 1024);
  EXPECT_THAT(message_of(tiles + get("a", 3)), HasSubstr("tile 3 of 3"));
  EXPECT_THAT(
      message_of("  %m = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 16x32xf16, count=1>"),
      HasSubstr("expected a type with count=N, N of 2..1024"));
}

TEST(PtoOperands, AMemrefOnChipIsATile) {
  const cluster::Program p =
      lowered("  %a = memref.alloc() : memref<2x8x32xf16, #pto.address_space<vec>>\n"
              "  pto.tabs ins(%a : memref<2x8x32xf16, #pto.address_space<vec>>) outs(%a : "
              "memref<2x8x32xf16, "
              "#pto.address_space<vec>>)");
  const ResolvedOperation r = operands(p);
  EXPECT_EQ(r.operands[0].sizes[0], 16);
  EXPECT_EQ(r.operands[0].sizes[1], 32);
}

TEST(PtoOperands, ABufferThatIsFullIsNamed) {
  const auto tiles = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "  %t" + std::to_string(i) + " = pto.alloc_tile : !pto.tile_buf<vec, 128x128xf32>\n";
    return text;
  };
  EXPECT_EQ(message_of(tiles(3)), "accepted");
  EXPECT_EQ(message_of(tiles(4)), "k.pto:6:9: the tile %t3 needs 65536 bytes from byte 196608 on; "
                                  "UB of A2/A3 has 196608");
  EXPECT_EQ(message_of(tiles(4), cluster::Profile::kA5), "accepted");
  EXPECT_THAT(
      message_of("  %c = arith.constant 196000 : i64\n  %t = pto.alloc_tile addr = %c : " + kTile),
      HasSubstr("the tile %t needs 1024 bytes from byte 196000 on"));
}

TEST(PtoOperands, PartsOfArrays) {
  const std::string text =
      "  %b = pto.get_block_idx -> i64\n"
      "  %i = arith.index_cast %b : i64 to index\n"
      "  %o = arith.constant 7 : index\n"
      "  %q2 = pto.addptr %q, %o : !pto.ptr<f32>\n"
      "  %v = pto.make_tensor_view %q2, shape = [64, 48], strides = [48, 1] : "
      "!pto.tensor_view<64x48xf32>\n"
      "  %w = pto.partition_view %v, offsets = [%i, 8], sizes = [16, 16] : "
      "!pto.tensor_view<64x48xf32> -> !pto.partition_tensor_view<16x16xf32>\n"
      "  %t = pto.alloc_tile : " +
      kTile + "\n  pto.tload ins(%w : !pto.partition_tensor_view<16x16xf32>) outs(%t : " + kTile +
      ")";
  const cluster::Program p = lowered(text);
  ASSERT_EQ(p.arrays.size(), 2u);
  EXPECT_EQ(p.arrays[1].name, "q");
  const ResolvedOperand part = operands(p, {3}).operands[0];
  EXPECT_EQ(part.location, Location::kGm);
  EXPECT_EQ(part.array, 1);
  EXPECT_EQ(part.first, (7 + 3 * 48 + 8) * 4);
  EXPECT_EQ(part.bytes, (15 * 48 + 16) * 4);
  EXPECT_EQ(part.view_size, (7 + 64 * 48) * 4);
}

TEST(PtoOperands, PartsOfTiles) {
  const std::string part = "!pto.tile_buf<vec, 2x8xf32>";
  const cluster::Program p = lowered(
      "  %a = pto.alloc_tile : " + kTile + "\n  %b = pto.subview %a[3, 8] sizes [2, 8] : " + kTile +
      " -> " + part + "\n  pto.tabs ins(%b : " + part + ") outs(%b : " + part + ")");
  const ResolvedOperand o = operands(p).operands[0];
  EXPECT_EQ(o.first, (3 * 16 + 8) * 4);
  EXPECT_EQ(o.bytes, (16 + 8) * 4);
  EXPECT_EQ(o.strides[0], 16);
}

TEST(PtoOperands, TypesOfViewsAndParts) {
  EXPECT_THAT(message_of("  %v = pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : "
                         "!pto.tensor_view<?xf32>"),
              HasSubstr("a shape of 2 sizes for a type of 1 dimensions"));
  EXPECT_THAT(
      message_of("  %v = pto.make_tensor_view %p, shape = [%n], strides = [%n] : "
                 "!pto.tensor_view<?xf32>\n  %w = pto.partition_view %v, offsets = [%n], "
                 "sizes = [%n] : !pto.tensor_view<?xf32> -> !pto.partition_tensor_view<?xi32>"),
      HasSubstr("a part with elements of i32 of a tensor of f32"));
}

TEST(PtoOperands, TilesAndViewsThatCannotBe) {
  const std::string tile = "  %t = pto.alloc_tile : " + kTile + "\n";
  EXPECT_THAT(
      message_of(tile + "  %s = pto.subview %t[1, 0] sizes [16, 16] : " + kTile + " -> " + kTile),
      HasSubstr("pto.subview: rows 1.. (16 of them) of a tile of 16"));
  EXPECT_THAT(message_of("  %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<loc=vec, dtype=f32, "
                         "rows=4, cols=16, v_row=?, v_col=16>"),
              HasSubstr("the tile %t has 5 valid rows, expected 0..4"));
  EXPECT_THAT(message_of("  %v = pto.make_tensor_view %p, shape = [%n], strides = [%n] : "
                         "!pto.tensor_view<?xf16>"),
              HasSubstr("a view with elements of f16 of a pointer to f32"));
  const std::string half = "!pto.tile_buf<vec, 16x16xf16>";
  const std::string both = tile + "  %h = pto.alloc_tile : " + half + "\n";
  EXPECT_THAT(
      message_of(both + "  pto.tadd ins(%t, %h : " + kTile + ", " + half + ") outs(%t : " + kTile +
                 ")"),
      HasSubstr("pto.tadd are f32 (%t) and f16 (%h): expected one type; pto.tcvt converts"));
  EXPECT_THAT(message_of(both + "  pto.tabs ins(%t : " + kTile + ") outs(%h : " + half + ")"),
              HasSubstr("pto.tabs are f32 (%t) and f16 (%h): expected one type"));
}

TEST(PtoOperands, DiagnosticsOfTypes) {
  const std::string whole = "!pto.tile_buf<vec, 16x16xi32>";
  const std::string tiles =
      "  %f = pto.alloc_tile : " + kTile + "\n  %i = pto.alloc_tile : " + whole + "\n";
  const auto two = [&](const std::string& in, const std::string& out) {
    return message_of(tiles + "  pto." + in + kTile + ") outs(" + out + ")");
  };
  const std::string to_float = "%f : " + kTile, to_whole = "%i : " + whole;
  EXPECT_EQ(two("tand ins(%f, %f : " + kTile + ", ", to_float),
            "k.pto:5:3: pto.tand works on integers, found tiles of f32");
  EXPECT_THAT(two("tadd ins(%i, %f : " + whole + ", ", to_float),
              HasSubstr("pto.tadd are i32 (%i) and f32 (%f): expected one type"));
  EXPECT_THAT(two("tcmp ins(%f, %f : " + kTile + ", ", to_whole),
              HasSubstr("pto.tcmp are i32 (%i): expected i8 or ui8 for a mask"));
  EXPECT_THAT(two("tcvt ins(%f {rmode = #pto<round_mode UP>} : ", to_whole),
              HasSubstr("expected a rounding mode"));
}

// Numbers that are no 64-bit integer, as an integer.
TEST(PtoOperands, ScalarsBeyondIntegers) {
  const auto integer_of = [](const char* number) {
    return operands(lowered("  %t = pto.alloc_tile : " + kTile + "\n  %s = arith.constant " +
                            number + " : f32\n  pto.texpands ins(%s : f32) outs(%t : " + kTile +
                            ")"))
        .integers[0];
  };
  EXPECT_EQ(integer_of("-2.75"), -2);
  EXPECT_EQ(integer_of("3.0e+38"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_of("0xFF800000"), std::numeric_limits<std::int64_t>::min());  // -inf
  EXPECT_EQ(integer_of("0x7FC00000"), 0);                                         // NaN
}

}  // namespace
}  // namespace tessera::pto::operands_test
