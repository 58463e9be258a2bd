// Spellings and operations of real kernels that the other tests do not have: the generic form, several modules,
// structs, regions with results, tiles that share memory, rules and levels of the assembler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/machine_types.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::forms_test {
namespace {

using cluster::Opcode;
using cluster::Pipe;
using cluster::Profile;
using cluster::Program;
using testing::HasSubstr;

constexpr const char* kTile = "!pto.tile_buf<vec, 16x64xf32>";

std::string kernel(const std::string& body, const std::string& kind = "vector") {
  return "module {\n  func.func @k(%p: !pto.ptr<f32>, %n: index) attributes {pto.kernel_kind = "
         "#pto.kernel_kind<" +
         kind + ">} {\n" + body + "\n  return }\n}\n";
}

LowerOptions options_of(Profile profile, int level = 0) {
  LowerOptions options{profile, {{"n", 5}}};
  options.level = level;
  return options;
}

Program program_of(const std::string& body, Profile profile = Profile::kA5) {
  return *lower(parse(kernel(body), "k.pto"), options_of(profile)).aiv;
}

LowerOptions without_arguments() {
  LowerOptions options;
  options.profile = Profile::kA5;
  return options;
}

std::string message_of(const std::string& body, Profile profile = Profile::kA5, int level = 0) {
  try {
    lower(parse(kernel(body), "k.pto"), options_of(profile, level));
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

std::string tiles(std::initializer_list<const char*> names, const std::string& type = kTile) {
  std::string text;
  for (const char* name : names)
    text += "%" + std::string(name) + " = pto.alloc_tile : " + type + "\n";
  return text;
}

unsigned count(const Program& program, Opcode opcode) {
  unsigned n = 0;
  for (const cluster::Instruction& i : program.code) n += i.op == opcode ? 1 : 0;
  return n;
}

TEST(PtoForms, TheGenericFormIsTheSameOperation) {
  const std::string types = std::string(kTile) + ", " + kTile;
  const Program generic =
      program_of(tiles({"a", "b", "c"}) + "\"pto.tadd\"(%a, %b, %c) <{x = 1 : i32}> : (" + types +
                 ", " + kTile + ") -> ()");
  EXPECT_EQ(count(generic, Opcode::kVector), 1U);
  ASSERT_EQ(generic.operations[0].operands.size(), 3U);
  EXPECT_EQ(generic.operations[0].operands[2].name, "%c");
  EXPECT_EQ(generic.operations[0].operands[2].access, cluster::Access::kWrite);
  EXPECT_THAT(
      message_of(tiles({"a"}) + "\"pto.tabs\"(%a, %a) : (" + std::string(kTile) + ") -> ()"),
      HasSubstr("expected 2 types, found 1"));
}

TEST(PtoForms, TheFirstOfSeveralModulesIsTheProgram) {
  const Module module = parse(kernel("") + kernel(tiles({"a"})), "k.pto");
  EXPECT_EQ(module.functions.size(), 1U);
  EXPECT_TRUE(module.functions[0].body.operations.size() == 1U);
}

TEST(PtoForms, FieldsOfStructsAndArraysOfTwoDimensions) {
  const Program p = program_of(R"(%s = pto.declare_struct -> !pto.struct<i32, !pto.struct<f32, i16>>
%one = arith.constant 1 : i32
%half = arith.constant 0.5 : f32
pto.struct_set %s[0], %one : !pto.struct<i32, !pto.struct<f32, i16>>, i32
pto.struct_set %s[1, 0], %half : !pto.struct<i32, !pto.struct<f32, i16>>, f32
%f = pto.struct_get %s[1, 0] : !pto.struct<i32, !pto.struct<f32, i16>> -> f32
%m = pto.declare_local_array -> !pto.local_array<4x8xi32>
pto.local_array_set %m[2, %n], %one : !pto.local_array<4x8xi32>, i32)");
  EXPECT_EQ(count(p, Opcode::kSetElement), 3U);
  for (const cluster::Instruction& i : p.code) {
    if (i.op != Opcode::kSetElement || i.c.value != 32) continue;
    EXPECT_EQ(i.b.value, 2 * 8 + 5);
  }
  EXPECT_THAT(message_of("%s = pto.declare_struct -> !pto.struct<i1>"),
              HasSubstr("a field of i1, expected a number or a struct"));
  EXPECT_THAT(message_of("%s = pto.declare_struct -> !pto.struct<i32>\n%v = pto.struct_get %s[1] : "
                         "!pto.struct<i32> -> i32"),
              HasSubstr("the struct has no field [1]"));
}

TEST(PtoForms, RegionsGiveValuesOnce) {
  const Program p = program_of("%t = scf.execute_region -> " + std::string(kTile) + " {\n" +
                               tiles({"a"}) + "scf.yield %a : " + kTile +
                               "\n}\npto.tabs ins(%t : " + kTile + ") outs(%t : " + kTile + ")");
  EXPECT_EQ(p.operations[0].operands[0].name, "%a");
}

TEST(PtoForms, ASelectChoosesBetweenTiles) {
  const std::string body = tiles({"a", "b"}) +
                           "%zero = arith.constant 0 : i64\n%c = arith.cmpi eq, %i, %zero : i64\n"
                           "%s = arith.select %c, %a, %b : " +
                           kTile + "\npto.tabs ins(%s : " + kTile + ") outs(%a : " + kTile + ")";
  const Program p = program_of("%i = pto.get_block_idx\n" + body);
  EXPECT_FALSE(p.operations.back().operands[0].address.is_known());
}

// A column of f4E2M1x2 in UB is a byte of two elements.
TEST(PtoForms, TilesOfPairsHaveRoomForTheirBytes) {
  for (const auto& [type, bytes] :
       {std::pair{"f4E2M1x2", 16 * 64}, {"f4E2M1", 16 * 32}, {"i8", 16 * 64}}) {
    const std::string pairs = joined("!pto.tile_buf<loc=vec, dtype=", type[0] == 'f' ? "!pto." : "",
                                     type, ", rows=16, cols=64, v_row=16, v_col=64>");
    const Program p = program_of("%f = pto.alloc_tile : " + pairs + "\n" + tiles({"a"}) +
                                 "pto.tabs ins(%a : " + kTile + ") outs(%a : " + kTile + ")");
    EXPECT_EQ(p.operations.back().operands[0].address.base, bytes) << type;
  }
}

TEST(PtoForms, PointersIntoUbAreNumbersOfBytes) {
  const Program p = program_of(R"(%c = arith.constant 64 : i64
%q = pto.castptr %c : i64 -> !pto.ptr<f32, ub>
%r = pto.addptr %q, %n : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
%v = pto.load_scalar %r[2] : !pto.ptr<f32, ub> -> f32)");
  EXPECT_EQ(p.operations[0].operands[0].location, cluster::Location::kUb);
  EXPECT_EQ(p.operations[0].operands[0].address.base, 64 + 4 * (5 + 2));
}

TEST(PtoForms, ANumberOfAPointerGivesItBack) {
  const Program p = program_of(R"(%q = pto.addptr %p, %n : !pto.ptr<f32> -> !pto.ptr<f32>
%a = pto.ptrtoint %q : !pto.ptr<f32> -> i64
%r = pto.inttoptr %a : i64 -> !pto.ptr<i32>
%v = pto.load_scalar %r[1] : !pto.ptr<i32> -> i32)");
  EXPECT_EQ(p.operations[0].operands[0].array, 0);
  EXPECT_EQ(p.operations[0].operands[0].address.base, 6);
}

// Each of the tiles takes two thirds of UB; their lives follow each other.
TEST(PtoForms, TilesWhoseLivesDoNotOverlapShareMemory) {
  const std::string big = "!pto.tile_buf<vec, 512x64xf32>";
  const std::string use = "pto.tabs ins(%X : " + big + ") outs(%X : " + big + ")\n";
  const auto of = [&](char name) {
    std::string text = use;
    for (char& c : text)
      if (c == 'X') c = name;
    return text;
  };
  const std::string apart = tiles({"a", "b"}, big) + of('a') + of('b');
  const Program p = program_of(apart, Profile::kA2A3);
  EXPECT_EQ(p.operations[0].operands[0].address.base, p.operations[1].operands[0].address.base);
  EXPECT_THAT(message_of(tiles({"a", "b"}, big) + of('a') + of('b') + of('a'), Profile::kA2A3),
              HasSubstr("UB of A2/A3 has 196608"));
  EXPECT_THAT(
      message_of(tiles({"a", "b"}, big) +
                     "%one = arith.constant 1 : index\nscf.for %i = %one to %n step %one {\n" +
                     of('a') + of('b') + "}",
                 Profile::kA2A3),
      HasSubstr("UB of A2/A3 has 196608"));
}

TEST(PtoForms, AReductionOfPartsIsLoadsAndSums) {
  const std::string part = "!pto.partition_tensor_view<1x64xf32>",
                    tile = "!pto.tile_buf<vec, 1x64xf32>";
  const std::string body = "%v = pto.make_tensor_view %p, shape = [4, 64], strides = [64, 1] : "
                           "!pto.tensor_view<4x64xf32>\n"
                           "%a = pto.partition_view %v, offsets = [0, 0], sizes = [1, 64] : "
                           "!pto.tensor_view<4x64xf32> -> " +
                           part + "\n" + tiles({"s", "t"}, tile);
  const Program reduce =
      program_of(body + "pto.comm.treduce(%a, %s, recv(%t), group(%a, %a, %a) : " + part + ", " +
                 tile + ", " + tile + ", " + part + ", " + part + ", " + part + ")");
  EXPECT_EQ(count(reduce, Opcode::kCopyIn), 3U);
  EXPECT_EQ(count(reduce, Opcode::kVector), 2U);
  EXPECT_EQ(count(reduce, Opcode::kCopyOut), 1U);
  const Program gather =
      program_of(body + "pto.comm.tgather(%a, recv(%t), group(%a, %a) : " + part + ", " + tile +
                 ", " + part + ", " + part + ")");
  EXPECT_EQ(count(gather, Opcode::kCopyOut), 2U);
  EXPECT_EQ(gather.operations.back().operands[1].address.base, 64);
}

TEST(PtoForms, FixConvertsWhatIsPushed) {
  const auto text = [](const char* quant) {
    return std::string(
               R"(module { func.func @c() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
%z = arith.constant 0 : i32
pto.aic_initialize_pipe {id = 0, dir_mask = 1, slot_size = 512, nosplit = true,
  acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = )") +
           quant + R"(, relu = no_relu>} (c2v_consumer_buf = %z : i32, v2c_consumer_buf = %z : i32)
%t = pto.alloc_tile : !pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=16, blayout=col_major, slayout=row_major, fractal=1024, pad=0>
pto.tpush_to_aiv(%t : !pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=16, blayout=col_major, slayout=row_major, fractal=1024, pad=0>) {id = 0, split = 0}
return } })";
  };
  const Program p = *lower(parse(text("f32_f16"), "k.pto"), without_arguments()).aic;
  EXPECT_EQ(p.operations[0].operands[1].element, cluster::Element::kF16);
  EXPECT_THROW(lower(parse(text("no_convert"), "k.pto"), without_arguments()), UserError);
  EXPECT_THROW(lower(parse(text("deqf16_scalar"), "k.pto"), without_arguments()), UserError);
}

std::string message_in(Version version, const std::string& body, Profile profile) {
  LowerOptions options = options_of(profile);
  options.version = version;
  try {
    lower(parse(kernel(body), "k.pto"), options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

// --- rules of the assembler ---

TEST(PtoRules, ScratchOnA2A3) {
  const std::string t = kTile, one = "!pto.tile_buf<vec, 1x64xf32>";
  const std::string rem =
      "pto.trem ins(%a, %b, %s : " + t + ", " + t + ", " + one + ") outs(%c : " + t + ")";
  const std::string body = tiles({"a", "b", "c"}) + tiles({"s"}, one);
  EXPECT_THAT(
      message_of(body + rem, Profile::kA2A3),
      HasSubstr("pto.trem: the scratch tile has 1 valid rows, expected 2 or more on A2/A3"));
  EXPECT_EQ(message_of(body + rem, Profile::kA5), "accepted");
  EXPECT_THAT(message_of(tiles({"a", "c"}) + "pto.trsqrt ins(%a : " + t + ") outs(%c : " + t +
                         ") {precisionType = #pto<precision_type high_precision>}"),
              HasSubstr("high_precision needs a scratch tile"));
}

TEST(PtoRules, GathersSayWhatTheyNeed) {
  const std::string t = kTile, i = "!pto.tile_buf<vec, 16x64xi32>",
                    h = "!pto.tile_buf<vec, 16x64xi16>";
  const std::string body = tiles({"a", "c"}) + tiles({"i", "s"}, i) + tiles({"h"}, h);
  const std::string by_index =
      "pto.tgather ins(%a, %i : " + t + ", " + i + ") outs(%c : " + t + ")";
  EXPECT_THAT(message_of(body + by_index, Profile::kA2A3),
              HasSubstr("indices need a scratch tile on A2/A3"));
  EXPECT_EQ(message_of(body + by_index, Profile::kA5), "accepted");
  EXPECT_EQ(message_in(Version::kApril2026, body + by_index, Profile::kA2A3), "accepted");
  const auto by_limit = [&](const std::string& from, const std::string& type,
                            const std::string& limit) {
    return body + "%l = arith.constant 1" + limit + "\npto.tgather ins(" + from +
           ", %l, %c : " + type + ", " + limit.substr(limit.find(':') + 2) + ", " + t +
           ") outs(%i, %s : " + i + ", " + i + ") {offset = 7 : i32}";
  };
  EXPECT_EQ(message_of(by_limit("%a", t, ".0 : f32"), Profile::kA2A3), "accepted");
  EXPECT_THAT(message_of(by_limit("%h", h, " : i16"), Profile::kA2A3),
              HasSubstr("elements of i16, expected f16, f32, or i32 for equality, on A2/A3"));
}

TEST(PtoRules, LevelsSayWhoPlansAddresses) {
  const std::string free = tiles({"a"});
  const std::string fixed =
      "%c = arith.constant 0 : i64\n%a = pto.alloc_tile addr = %c : " + std::string(kTile);
  EXPECT_EQ(message_of(free, Profile::kA5, 2), "accepted");
  EXPECT_EQ(message_of(fixed, Profile::kA5, 3), "accepted");
  EXPECT_THAT(message_of(free, Profile::kA5, 3),
              HasSubstr("pto.alloc_tile: level 3 needs an addr"));
  EXPECT_THAT(message_of(fixed, Profile::kA5, 1),
              HasSubstr("pto.alloc_tile: level 1 takes no addr"));
}

TEST(PtoRules, PartsHaveTheValidSizesOfTheirTypes) {
  const std::string part = "!pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=64, v_row=0, v_col=64>";
  EXPECT_THAT(message_of(tiles({"a"}) + "%b = pto.subview %a[0, 0] sizes [8, 64] valid [8, 64] : " +
                         kTile + " -> " + part),
              HasSubstr("the type of the result has other valid rows than the part"));
}

TEST(PtoRules, ResultsHaveTheTypesThatTheTextStates) {
  const struct {
    std::string body, fault;
  } cases[] = {
      {"%b = pto.subview %a[0, 0] sizes [4, 64] : TILE -> !pto.tile_buf<vec, 4x64xf32>",
       "accepted"},
      {"%b = pto.subview %a[0, 0] sizes [4, 64] : TILE -> !pto.tile_buf<vec, 4x64xf16>",
       "elements"},
      {"%b = pto.subview %a[0, 0] sizes [4, 64] : TILE -> !pto.tile_buf<mat, 4x64xf32>", "layout"},
      {"%b = pto.subview %a[0, 0] sizes [4, 64] : TILE -> TILE", "other rows"},
      {"%b = pto.treshape %a : TILE -> !pto.tile_buf<vec, 4x128xf32>", "accepted"},
      {"%b = pto.treshape %a : TILE -> !pto.tile_buf<vec, 4x64xf32>", "the result has 1024 bytes"},
      {"%b = pto.treshape %a : TILE -> !pto.tile_buf<mat, 8x64xf32>", "the result lies in mat"},
      {"pto.tabs ins(%a : TILE) outs(%a : !pto.tile_buf<vec, 8x64xf32, pad=2>)", "pad"},
  };
  for (const auto& c : cases) {
    std::string body = c.body;
    for (std::size_t at; (at = body.find("TILE")) != std::string::npos;)
      body.replace(at, 4, "!pto.tile_buf<vec, 8x64xf32>");
    EXPECT_THAT(message_of(tiles({"a"}, "!pto.tile_buf<vec, 8x64xf32>") + body), HasSubstr(c.fault))
        << body;
  }
}

TEST(PtoRules, ATypeHasOneName) {
  EXPECT_THROW(
      parse("!t = !pto.tile_buf<vec, 8x64xf32>\n!t = !pto.tile_buf<vec, 8x64xf16>\nmodule {}",
            "k.pto"),
      UserError);
}

// --- states of the assembler ---

TEST(PtoForms, AprilsAssemblerTakesWhatAugustsRefuses) {
  const auto tile = [](const char* name, const char* type) {
    return joined("%", name, " = pto.alloc_tile : !pto.tile_buf<vec, ", type, ">\n");
  };
  const std::string row = "!pto.tile_buf<vec, 1x16xf32>";
  const std::string rows = tiles({"a", "b", "c", "t"}, row);
  const std::string column = "!pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>";
  const struct {
    std::string body, fault;
  } cases[] = {
      {tile("a", "1x2xf32"), "expected a multiple of 32"},
      {rows + "pto.trem ins(%a, %b, %t : " + row + ", " + row + ", " + row + ") outs(%c : " + row +
           ")",
       "the scratch tile has 1 valid rows"},
      {rows + "pto.tgather ins(%a, {maskPattern = #pto.mask_pattern<P0010>} : " + row +
           ") outs(%c : " + row + ")",
       "as many elements of the result"},
      {tile("a", "16x16xf32") + tile("s", "16x16xf32") + tile("c", "16x32xi8, valid=16x16") +
           "pto.tquant ins(%a, %s : " + column +
           ") outs(%c : !pto.tile_buf<vec, 16x32xi8, valid=16x16>) "
           "{quant_type = #pto<quant_type INT8_SYM>}",
       "scale and offset lie in a column"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(message_in(Version::kAugust2026, c.body, Profile::kA2A3), HasSubstr(c.fault));
    EXPECT_EQ(message_in(Version::kApril2026, c.body, Profile::kA2A3), "accepted") << c.body;
  }
}

TEST(PtoForms, OnlyInAprilTheOnlyFunctionIsAnEntry) {
  const Module module =
      parse("module { func.func @k(%n: i32) -> i32 { return %n : i32 } }", "k.pto");
  LowerOptions options{Profile::kA5, {{"n", 1}}};
  EXPECT_NO_THROW(lower(module, options));
  options.version = Version::kApril2026;
  EXPECT_THROW(lower(module, options), UserError);
}

TEST(PtoForms, APartOfAMemrefIsPrintedAsItIsWritten) {
  const std::string part =
      "%v = memref.subview %m[%n, 0] [4, 16] [1, 1] : memref<8x16xf32, #pto.address_space<gm>> to "
      "memref<4x16xf32, strided<[16,1],offset:?>, #pto.address_space<gm>>";
  const std::string text =
      "module {\nfunc.func @k(%m: memref<8x16xf32, #pto.address_space<gm>>, %n: index) {\n" + part +
      "\nreturn\n}\n}\n";
  const std::string printed = print(parse(text, "k.pto"));
  EXPECT_NE(printed.find(part), std::string::npos) << printed;
}

TEST(PtoForms, ACastOfAMemrefIsAView) {
  const Program p = program_of(
      R"(%m = builtin.unrealized_conversion_cast %p : !pto.ptr<f32> to memref<128xf32, #pto.address_space<gm>>
%v = memref.reinterpret_cast %m to offset: [%n], sizes: [1, 64], strides: [64, 1] {layout = #pto.layout<nd>} : memref<128xf32, #pto.address_space<gm>> to memref<1x64xf32, strided<[64, 1], offset: ?>, #pto.address_space<gm>>
%t = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
pto.tload ins(%v : memref<1x64xf32, strided<[64, 1], offset: ?>, #pto.address_space<gm>>) outs(%t : !pto.tile_buf<vec, 1x64xf32>))");
  ASSERT_EQ(p.operations.size(), 1U);
  const cluster::TileOperand& from = p.operations[0].operands[0];
  EXPECT_EQ(from.address.base, 5);
  ASSERT_EQ(from.dimensions.size(), 2U);
  EXPECT_EQ(from.dimensions[0].stride.value, 64);
}

TEST(PtoForms, TypesThatSayOtherwiseAreRefused) {
  const std::string two = std::string(kTile) + ", " + kTile;
  EXPECT_THAT(
      message_of(tiles({"a", "c"}) + "pto.tadd ins(%a, %n : " + two + ") outs(%c : " + kTile + ")"),
      HasSubstr("%n is defined as index, and pto.tadd takes it as !pto.tile_buf"));
  const auto part = [](const char* rows) {
    return joined(
        "%v = pto.make_tensor_view %p, shape = [16, 64], strides = [64, 1] : "
        "!pto.tensor_view<?x?xf32>\n%a = pto.partition_view %v, offsets = [0, 0], sizes = [",
        rows, ", 64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>");
  };
  EXPECT_EQ(message_of(part("16")), "accepted");
  EXPECT_THAT(message_of(part("8")),
              HasSubstr("the size of dimension 0 is 8, and 16 in the type of the part"));
}

TEST(PtoForms, TypesThatA2A3HasNot) {
  const auto binary = [&](const char* name, const char* type) {
    const std::string t = joined("!pto.tile_buf<vec, 16x64x", type, ">");
    return tiles({"a", "b", "c"}, t) +
           joined(name, " ins(%a, %b : ", t, ", ", t, ") outs(%c : ", t, ")");
  };
  for (const char* name : {"pto.tmax", "pto.tadd", "pto.tmul"}) {
    for (const char* type : {"bf16", "ui16"}) {
      EXPECT_THAT(
          message_of(binary(name, type), Profile::kA2A3),
          HasSubstr(joined("works on i16, i32, f16 or f32 on A2/A3, found tiles of ", type)));
      EXPECT_EQ(message_of(binary(name, type), Profile::kA5), "accepted");
    }
  }
  EXPECT_EQ(message_of(binary("pto.tmax", "f16"), Profile::kA2A3), "accepted");
  EXPECT_THAT(message_of(binary("pto.tdiv", "i32"), Profile::kA2A3),
              HasSubstr("pto.tdiv works on f16 or f32 on A2/A3, found tiles of i32"));
  EXPECT_EQ(message_of(binary("pto.tdiv", "i32"), Profile::kA5), "accepted");
}

// Each machine has types that the other one lacks.
TEST(PtoForms, TypesOfOperationsOfEachMachine) {
  using E = cluster::Element;
  const auto takes = [](const char* name, E element, bool a5) {
    const OperationTypes* types = types_of_operation(name);
    return types != nullptr && (a5 ? types->a5 : types->a2a3).has(element);
  };
  EXPECT_TRUE(takes("pto.tcolargmax", E::kI8, true));
  EXPECT_FALSE(takes("pto.tcolargmax", E::kI8, false));
  EXPECT_TRUE(takes("pto.tshl", E::kI64, true));
  EXPECT_FALSE(takes("pto.tshl", E::kI64, false));
  EXPECT_FALSE(takes("pto.trowsum", E::kU8, true));
  EXPECT_TRUE(takes("pto.trowmax", E::kU8, true));
  EXPECT_EQ(types_of_operation("pto.tmov"), nullptr);
  EXPECT_EQ(to_string(types_of_operation("pto.trem")->a2a3), "i32 or f32");
}

TEST(PtoForms, ABufferWithAnAddressWantsTilesWithAddresses) {
  const std::string buffer = "%f = pto.reserve_buffer {name = \"f\", size = 8192, location = "
                             "#pto.address_space<vec>, auto = "
                             "false, base = 0} -> i32\n";
  EXPECT_THAT(
      message_of(buffer + tiles({"a"})),
      HasSubstr("pto.alloc_tile gives the tile no address, and the buffer of line 3 has auto"));
  EXPECT_EQ(message_of(buffer +
                       "%at = arith.constant 8192 : i64\n%a = pto.alloc_tile addr = %at : " +
                       std::string(kTile)),
            "accepted");
}

}  // namespace
}  // namespace tessera::pto::forms_test
