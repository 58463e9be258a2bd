// PTO text as programs of AI cores (docs/ascend-platform.md; ascend.md 2, 4).
#include "frontends/pto/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::lower_test {
namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Pipe;
using cluster::Profile;
using cluster::SpecialValue;
using testing::ElementsAre;
using testing::HasSubstr;

/// A function around lines that begin on line 3.
std::string kernel(const std::string& body, const std::string& kind = "vector") {
  return "module {\n  func.func @k(%p: !pto.ptr<f16>, %n: index) attributes {pto.kernel_kind = "
         "#pto.kernel_kind<" +
         kind + ">} {\n" + body + "\n  return }\n}\n";
}

Kernel lowered(const std::string& text, Profile profile = Profile::kA5) {
  return lower(parse(text, "k.pto"), {profile, {{"n", 5}}});
}

cluster::Program vector_program(const std::string& body, Profile profile = Profile::kA5) {
  return *lowered(kernel(body), profile).aiv;
}

std::string message_of(const std::string& body, const std::string& kind = "vector",
                       Profile profile = Profile::kA5) {
  try {
    lowered(kernel(body, kind), profile);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

/// Why a module is refused.
std::string refusal(const std::string& text, const LowerOptions& options = {}) {
  try {
    lower(parse(text, "k.pto"), options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

std::vector<Opcode> opcodes(const cluster::Program& program) {
  std::vector<Opcode> list;
  for (const Instruction& i : program.code) list.push_back(i.op);
  return list;
}

TEST(PtoLower, 1_3_OperandsAtGivenAddressesConflictInBanksOfUb) {
  const auto conflict = [](const std::string& second, const std::string& op, Profile profile) {
    const std::string type = "!pto.tile_buf<vec, 1x4096xf32>";
    const cluster::Program p =
        vector_program("%c0 = arith.constant 0 : i64\n%at = arith.constant 32768 : i64\n"
                       "%high = arith.constant 131072 : i64\n"
                       "%a = pto.alloc_tile addr = %c0 : " +
                           type + "\n%b = pto.alloc_tile " + second + ": " + type +
                           "\n%c = pto.alloc_tile addr = %high : " + type + "\n" + op,
                       profile);
    return p.code.at(0).bank_conflict;
  };
  const std::string tile = "!pto.tile_buf<vec, 1x4096xf32>";
  const std::string add =
      "pto.tadd ins(%a, %b : " + tile + ", " + tile + ") outs(%c : " + tile + ")";
  const std::string exp = "pto.texp ins(%a : " + tile + ") outs(%c : " + tile + ")";
  using cluster::BankConflict;
  EXPECT_EQ(conflict("addr = %at ", add, Profile::kA2A3), BankConflict::kReadRead);
  EXPECT_EQ(conflict("addr = %at ", exp, Profile::kA2A3), BankConflict::kNone);
  EXPECT_EQ(conflict("", add, Profile::kA2A3), BankConflict::kNone);  // the addresses are ours
  EXPECT_EQ(conflict("addr = %at ", add, Profile::kA5), BankConflict::kNone);
}

TEST(PtoLower, AdjacentElementwiseOperationsMayShareAVectorFunction) {
  const std::string tile = "!pto.tile_buf<vec, 16x64xf32>", wide = "!pto.tile_buf<vec, 16x128xf32>";
  const std::string tiles =
      "%a = pto.alloc_tile : " + tile + "\n%w = pto.alloc_tile : " + wide + "\n";
  const auto fused = [&](const std::string& text, Profile profile = Profile::kA5) {
    std::string bits;
    for (const Instruction& i : vector_program(tiles + text, profile).code)
      if (i.op == Opcode::kVector) bits += i.fused ? '1' : '0';
    return bits;
  };
  const std::string exp = "pto.texp ins(%a : " + tile + ") outs(%a : " + tile + ")\n";
  const std::string wide_exp = "pto.texp ins(%w : " + wide + ") outs(%w : " + wide + ")\n";
  const std::string loop = "%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n"
                           "%c1 = arith.constant 1 : index\nscf.for %i = %c0 to %c4 step %c1 {\n";
  EXPECT_EQ(fused(exp + exp + exp), "011");
  EXPECT_EQ(fused(exp + exp, Profile::kA2A3), "00");  // A2A3 has no vector functions
  EXPECT_EQ(fused(exp + wide_exp), "00");             // other columns
  EXPECT_EQ(fused(exp + "pto.barrier <PIPE_V>\n" + exp), "00");
  EXPECT_EQ(fused(exp + loop + exp + exp + "}"), "001");  // a jump leads to the second one
}

TEST(PtoLower, ScalarAccesses) {
  const cluster::Program p =
      vector_program(R"(%q = pto.addptr %p, %n : !pto.ptr<f16> -> !pto.ptr<f16>
    %v = pto.load_scalar %q[3] : !pto.ptr<f16> -> f16
    pto.store %v, %q[%n] : !pto.ptr<f16>, f16
    pto.dcci %q "SINGLE_CACHE_LINE" : !pto.ptr<f16>
    pto.dcci %p "ENTIRE_DATA_CACHE", "CACHELINE_OUT" : !pto.ptr<f16>
    pto.fence.barrier_all <gm>)");
  EXPECT_THAT(opcodes(p),
              ElementsAre(Opcode::kLoadScalar, Opcode::kStoreScalar, Opcode::kCleanCache,
                          Opcode::kCleanCache, Opcode::kDataBarrier, Opcode::kEnd));
  EXPECT_EQ(p.operations[0].operands[0].address.base, 8);
  EXPECT_EQ(p.operations[1].operands[0].address.base, 10);
  EXPECT_EQ(p.operations[2].operands[0].address.base, 5);
  EXPECT_EQ(p.code[2].mode, 0);
  EXPECT_EQ(p.code[3].mode, 1);
}

TEST(PtoLower, ScalarAccessesThatAreRefused) {
  const std::string number = "%c = arith.constant 64 : i64\n%q = pto.castptr %c : i64 -> ";
  EXPECT_THAT(message_of("%v = pto.load_scalar %p[0] : !pto.ptr<f16> -> i16"),
              HasSubstr("k.pto:3:47: pto.load_scalar: a result of another type than %p points to, "
                        "expected f16"));
  EXPECT_THAT(message_of("pto.store_scalar %n, %p[0] : !pto.ptr<f16>, f16"),
              HasSubstr("%n is defined as index, and pto.store_scalar takes it as f16"));
  EXPECT_THAT(message_of(number + "!pto.ptr<f32, l1>\n%v = pto.load_scalar %q[0] : !pto.ptr<f32, "
                                  "l1> -> f32"),
              HasSubstr("%q points to L1, expected a pointer to GM or UB"));
  EXPECT_THAT(message_of(number + "!pto.ptr<f16, ub>\n%v = pto.make_tensor_view %q, shape = [16], "
                                  "strides = [1] : !pto.tensor_view<?xf16>"),
              HasSubstr("%q points to UB, expected a pointer to GM"));
  EXPECT_THAT(message_of(number + "!pto.ptr<f16>\n%v = pto.make_tensor_view %q, shape = [16], "
                                  "strides = [1] : !pto.tensor_view<?xf16>"),
              HasSubstr("expected a pointer, found '%q', which is something else"));
  EXPECT_THAT(message_of("%q = pto.castptr %n : index -> i64"),
              HasSubstr("expected -> and a type !pto.ptr"));
  EXPECT_THAT(message_of("pto.dcci %p \"HALF\" : !pto.ptr<f16>"),
              HasSubstr("expected SINGLE_CACHE_LINE or ENTIRE_DATA_CACHE, found 'HALF'"));
  EXPECT_THAT(message_of("pto.dcci %p \"SINGLE_CACHE_LINE\", \"CACHELINE_UB\" : !pto.ptr<f16>"),
              HasSubstr("expected CACHELINE_OUT"));
  EXPECT_THAT(message_of("pto.dcci \"SINGLE_CACHE_LINE\""),
              HasSubstr("expected a value such as %a"));
  EXPECT_THAT(message_of("pto.dsb \"UB\""), HasSubstr("found 'UB'"));
}

TEST(PtoLower, ConstantsAreFolded) {
  const cluster::Program p = vector_program(R"(%a = arith.constant 6 : index
    %b = arith.muli %a, %n : index
    %c = arith.remsi %b, %a : index
    %d = arith.cmpi sge, %c, %b : index
    %e = arith.select %d, %a, %b : index
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %c])");
  EXPECT_THAT(opcodes(p), ElementsAre(Opcode::kSetFlag, Opcode::kEnd));
  EXPECT_EQ(p.code[0].id.value, 0);
  EXPECT_EQ(p.code[0].line, 8u);
}

TEST(PtoLower, ConstantsAreDividedAsTheScalarUnitDivides) {
  const std::string divide = R"(    %b = arith.constant -1 : i64
    %c = arith.remsi %a, %b : i64
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %c])";
  const std::string least = "%a = arith.constant -9223372036854775808 : i64\n" + divide;
  EXPECT_EQ(message_of(least), "accepted");
  EXPECT_EQ(vector_program(least).code[0].id.value, 0);
  EXPECT_THAT(message_of("%a = arith.constant 1 : i64\n    %z = arith.constant 0 : i64\n"
                         "    %c = arith.divsi %a, %z : i64"),
              HasSubstr("a division by zero"));
}

TEST(PtoLower, LoopTestsBehindItsBody) {
  const cluster::Program p = vector_program(R"(%z = arith.constant 0 : index
    %o = arith.constant 1 : index
    scf.for %i = %z to %n step %o {
      pto.barrier <PIPE_ALL>
    })");
  EXPECT_THAT(opcodes(p), ElementsAre(Opcode::kSet, Opcode::kJump, Opcode::kBarrier, Opcode::kAdd,
                                      Opcode::kCompare, Opcode::kBranch, Opcode::kEnd));
  EXPECT_EQ(p.code[1].target, 4u);
  EXPECT_EQ(p.code[5].target, 2u);
}

// What a yield reads is what was there before it: here two values change places.
TEST(PtoLower, YieldReadsBeforeItWrites) {
  const cluster::Program p = vector_program(R"(%z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %r:2 = scf.for %i = %z to %n step %o iter_args(%x = %z, %y = %o) -> (index, index) {
      scf.yield %y, %x : index, index
    }
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %r#1])");
  const std::vector<Instruction>& c = p.code;
  // 0..2 set counter, x, y; 3 jump; 4, 5 copies of y and x; 6, 7 to x and y.
  EXPECT_EQ(c[4].a.value, c[2].rd);
  EXPECT_EQ(c[5].a.value, c[1].rd);
  EXPECT_EQ(c[6].rd, c[1].rd);
  EXPECT_EQ(c[6].a.value, c[4].rd);
  EXPECT_EQ(c[7].a.value, c[5].rd);
  EXPECT_EQ(c[11].id.value, c[2].rd);
}

TEST(PtoLower, TileOperationsCostTheirSizes) {
  const cluster::Program p = *lowered(kernel(R"(%c0 = arith.constant 0 : index
    %v = pto.make_tensor_view %p, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<64x32xf16>
    %w = pto.partition_view %v, offsets = [0, 0], sizes = [64, 32] : !pto.tensor_view<64x32xf16> -> !pto.partition_tensor_view<64x32xf16>
    %m = pto.alloc_tile : !pto.tile_buf<mat, 64x32xf16>
    %l = pto.alloc_tile : !pto.tile_buf<left, 64x32xf16>
    %r = pto.alloc_tile : !pto.tile_buf<right, 32x32xf16>
    %a = pto.alloc_tile : !pto.tile_buf<acc, 64x32xf32>
    pto.tload ins(%w : !pto.partition_tensor_view<64x32xf16>) outs(%m : !pto.tile_buf<mat, 64x32xf16>)
    pto.tmov ins(%m : !pto.tile_buf<mat, 64x32xf16>) outs(%l : !pto.tile_buf<left, 64x32xf16>)
    pto.tmatmul.acc ins(%a, %l, %r : !pto.tile_buf<acc, 64x32xf32>, !pto.tile_buf<left, 64x32xf16>, !pto.tile_buf<right, 32x32xf16>) outs(%a : !pto.tile_buf<acc, 64x32xf32>)
    pto.tmov ins(%a : !pto.tile_buf<acc, 64x32xf32>) outs(%m : !pto.tile_buf<mat, 64x32xf16>)
    pto.tstore ins(%a : !pto.tile_buf<acc, 64x32xf32>) outs(%w : !pto.partition_tensor_view<64x32xf16>)
    pto.barrier <PIPE_ALL>)",
                                             "cube"))
                                  .aic;
  EXPECT_THAT(opcodes(p),
              ElementsAre(Opcode::kCopyIn, Opcode::kLoadA, Opcode::kMad, Opcode::kFixLocal,
                          Opcode::kFixOut, Opcode::kBarrier, Opcode::kEnd));
  const auto sizes = [&p](std::size_t pc) {
    return std::vector<std::int64_t>{p.code[pc].size[0].value, p.code[pc].size[1].value,
                                     p.code[pc].size[2].value};
  };
  EXPECT_THAT(sizes(0), ElementsAre(64, 64, 0));
  EXPECT_THAT(sizes(1), ElementsAre(64, 64, 0));
  EXPECT_THAT(sizes(2), ElementsAre(64, 32, 32));
  EXPECT_THAT(sizes(3), ElementsAre(64, 32, 0));
  EXPECT_THAT(sizes(4), ElementsAre(64, 32, 0));
  EXPECT_EQ(p.code[4].type, cluster::DataType::kF16);
  EXPECT_EQ(p.code[4].pipe, Pipe::kFix);
}

// 2.6, 2.7: one spelling, two mechanisms.
TEST(PtoLower, SyncSetFollowsTheProfile) {
  const std::string text = "pto.sync.set <PIPE_MTE3>, 3\n pto.sync.wait <PIPE_V>, 4";
  EXPECT_THAT(opcodes(vector_program(text, Profile::kA5)),
              ElementsAre(Opcode::kSetIntraBlock, Opcode::kWaitIntraCore, Opcode::kEnd));
  const cluster::Program p = vector_program(text, Profile::kA2A3);
  EXPECT_THAT(opcodes(p), ElementsAre(Opcode::kSetCrossCore, Opcode::kWaitFlagDev, Opcode::kEnd));
  EXPECT_EQ(p.code[0].mode, 2);
}

TEST(PtoLower, SectionsGoToTheirCores) {
  const Kernel kernel = lowered(R"(module { func.func @k(%n: index) {
    pto.section.cube { pto.barrier <PIPE_M> }
    pto.section.vector { pto.barrier <PIPE_V> }
    pto.barrier <PIPE_ALL>
    return } })");
  EXPECT_EQ(kernel.aic->code[0].pipe, Pipe::kM);
  EXPECT_EQ(kernel.aiv->code[0].pipe, Pipe::kV);
  EXPECT_EQ(kernel.aiv->code.size(), 3u);
}

TEST(PtoLower, Diagnostics) {
  EXPECT_EQ(message_of("  pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %x]"),
            "k.pto:3:43: the value '%x' is not defined here");
  EXPECT_EQ(message_of("  pto.barrier <PIPE_X>"),
            "k.pto:3:15: expected a pipe such as PIPE_MTE2, found 'PIPE_X'");
  EXPECT_EQ(message_of("  %n = arith.constant 1 : index"),
            "k.pto:3:3: the value '%n' is defined twice");
  EXPECT_EQ(message_of("  %z = arith.constant 0 : index\n  %d = arith.divsi %n, %z : index"),
            "k.pto:4:8: a division by zero");
  EXPECT_EQ(message_of("  %z = arith.constant 0 : index\n  scf.for %i = %z to %n step %z { }"),
            "k.pto:4:30: the step of a loop is 0, expected 1 or more");
  EXPECT_EQ(message_of("  %on = arith.constant true\n  scf.if %on { return }"),
            "k.pto:4:16: return inside an operation, expected scf.yield");
  EXPECT_EQ(message_of("  scf.if %n { scf.yield }"),
            "k.pto:3:10: %n is index, and scf.if takes it as i1");
  EXPECT_EQ(message_of("  pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_9>]"),
            "k.pto:3:39: expected an event such as EVENT_ID0, found 'EVENT_9'");
  EXPECT_EQ(message_of("  pto.sync.set 3"),
            "k.pto:3:3: pto.sync.set: expected a pipe before the id");
}

TEST(PtoLower, DiagnosticsOfTiles) {
  const std::string vec = "!pto.tile_buf<vec, 16x16xf32>", acc = "!pto.tile_buf<acc, 16x16xf32>";
  const std::string tiles =
      "  %v = pto.alloc_tile : " + vec + "\n  %a = pto.alloc_tile : " + acc + "\n";
  const std::string operands = "ins(%a : " + acc + ") outs(%v : " + vec + ")";
  const std::string move = tiles + "  pto.tmov " + operands;
  EXPECT_EQ(message_of(move, "cube", Profile::kA2A3),
            "k.pto:5:3: pto.tmov: no path from acc to vec on A2/A3");
  EXPECT_EQ(message_of(move, "cube", Profile::kA5), "accepted");
  EXPECT_EQ(message_of(tiles + "  pto.tabs " + operands),
            "k.pto:5:16: the vector unit works on tiles in vec, found a tile in acc");
  EXPECT_EQ(message_of("  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32, v_row=?>"),
            "k.pto:3:8: the valid size is ?, expected valid_row = %value");
}

TEST(PtoLower, PartOfATensorMustFitItsTile) {
  const auto load = [](const std::string& rows, const std::string& element) {
    const std::string tile = "!pto.tile_buf<vec, 16x16x" + element + ">";
    return message_of(
        "  %v = pto.make_tensor_view %p, shape = [64, 16], strides = [16, 1] : "
        "!pto.tensor_view<64x16xf16>\n"
        "  %w = pto.partition_view %v, offsets = [0, 0], sizes = [" +
        rows +
        ", 16] : !pto.tensor_view<64x16xf16> -> !pto.partition_tensor_view<?x16xf16>"
        "\n  %t = pto.alloc_tile : " +
        tile + "\n  pto.tload ins(%w : !pto.partition_tensor_view<?x16xf16>) outs(%t : " + tile +
        ")");
  };
  EXPECT_EQ(load("16", "f16"), "accepted");
  EXPECT_EQ(load("17", "f16"), "k.pto:6:3: the part of the tensor has 272 elements, the tile has "
                               "room for 256");
  EXPECT_EQ(load("16", "f32"),
            "k.pto:6:3: the tensor has elements of f16, the tile of f32; expected the same");
}

// docs/ascend-platform.md#order-inside-a-core. Signals between cores say nothing of the pipes of one.
TEST(PtoLower, WithoutSyncOperationsPipesAreOrderedAutomatically) {
  const std::string tile = R"(%t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf16>
    pto.tabs ins(%t : !pto.tile_buf<vec, 16x16xf16>) outs(%t : !pto.tile_buf<vec, 16x16xf16>)
    )";
  EXPECT_TRUE(vector_program(tile).automatic_sync);
  EXPECT_TRUE(vector_program(tile + "pto.sync.set <PIPE_V>, 0").automatic_sync);
  EXPECT_FALSE(vector_program(tile + "pto.barrier <PIPE_ALL>").automatic_sync);
  EXPECT_FALSE(vector_program(tile + "pto.record_event[TLOAD, TVEC, EVENT_ID0]").automatic_sync);
  EXPECT_FALSE(vector_program(tile + "pto.get_buf <PIPE_V>, 0").automatic_sync);
}

TEST(PtoLower, ArgumentsAndParameters) {
  const auto message = [](const std::map<std::string, std::int64_t>& params,
                          const std::string& body = "%m = arith.addi %n, %n : index") {
    try {
      lower(parse(kernel(body), "k.pto"), {Profile::kA5, params});
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message({}),
            "k.pto:2:35: the argument %n (index, used in line 3) of @k has no value; give --param "
            "n=VALUE");
  EXPECT_EQ(message({}, ""), "accepted");
  EXPECT_EQ(message({{"n", 1}, {"m", 1}}),
            "k.pto: --param m: no function has a scalar argument %m");
}

TEST(PtoLower, AllArgumentsWithoutValuesAreNamedAtOnce) {
  const std::string text = R"(module {
  func.func @k(%a: i32, %unused: i64, %b: f32, %idx: i32) {
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.texpands ins(%b : f32) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
    %s = arith.addi %a, %a : i32
    return
  }
})";
  EXPECT_EQ(
      refusal(text),
      "k.pto:2:16: the arguments %a (i32, used in line 5), %b (f32, used in line 4) of @k have no "
      "value; give --param a=VALUE --param b=VALUE");
}

// ascend.md 1.1: every core of a launch has a block of its own.
TEST(PtoLower, ArgumentsWithARoleAreValuesOfTheCore) {
  const Module module = parse(R"(module {
  func.func @k(%__pypto_spmd_block_idx: i32, %n: i32 {pto.spmd_block_num},
               %x_spmd_subblock_idx: i32) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %a = arith.addi %__pypto_spmd_block_idx, %n : i32
    %b = arith.addi %a, %x_spmd_subblock_idx : i32
    return
  }
})",
                              "k.pto");
  const Kernel kernel = lower(module, {Profile::kA5, {}});
  ASSERT_GE(kernel.aiv->code.size(), 5u);
  const SpecialValue expected[] = {SpecialValue::kCluster, SpecialValue::kBlockCount,
                                   SpecialValue::kSubblockIndex};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(kernel.aiv->code[i].op, Opcode::kGet);
    EXPECT_EQ(kernel.aiv->code[i].special, expected[i]);
  }
  // A value that the user gives counts for all cores.
  const Kernel fixed = lower(module, {Profile::kA5, {{"__pypto_spmd_block_idx", 3}, {"n", 4}}});
  EXPECT_EQ(fixed.aiv->code[0].special, SpecialValue::kSubblockIndex);
}

TEST(PtoLower, AnOptionChoosesTheFunction) {
  const std::string text = R"(module {
  func.func @first() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    return
  }
  func.func @second() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    return
  }
})";
  EXPECT_THAT(refusal(text), HasSubstr("choose one with --function first or --function second"));
  LowerOptions options;
  options.function = "second";
  EXPECT_EQ(lower(parse(text, "k.pto"), options).aiv->name, "second");
  options.function = "secnd";
  EXPECT_EQ(refusal(text, options), "k.pto: --function secnd: the module has no such function with "
                                    "a body; did you mean 'second'?");
}

// What tests of the public assembler have in place of pointers and of a module.
TEST(PtoLower, TilesAndViewsAreArguments) {
  const Kernel kernel = lower(
      parse(
          R"(func.func @k(%t: !pto.tile_buf<vec, 16x16xf32>, %v: !pto.partition_tensor_view<16x16xf32>) {
  pto.tload ins(%v : !pto.partition_tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
  return
})",
          "k.pto"),
      {});
  EXPECT_THAT(opcodes(*kernel.aiv), ElementsAre(Opcode::kCopyIn, Opcode::kEnd));
  ASSERT_EQ(kernel.arrays.size(), 1u);
  EXPECT_EQ(kernel.arrays[0].name, "v");
}

TEST(PtoLower, ABranchGivesAViewThatIsDefinedInFrontOfIt) {
  const std::string head = R"(
    %c = arith.cmpi slt, %n, %n : index
    %v = pto.make_tensor_view %p, shape = [16, 16], strides = [16, 1] : !pto.tensor_view<16x16xf16>
    %w = pto.make_tensor_view %p, shape = [16, 16], strides = [32, 1] : !pto.tensor_view<16x16xf16>
    %r = scf.if %c -> (!pto.tensor_view<16x16xf16>) {
      scf.yield %v : !pto.tensor_view<16x16xf16>
    } else {
      scf.yield )";
  EXPECT_EQ(message_of(head + "%v : !pto.tensor_view<16x16xf16>\n }"), "accepted");
  EXPECT_THAT(message_of(head + "%w : !pto.tensor_view<16x16xf16>\n }"),
              HasSubstr("the view %p is another one than the other branch yields"));
}

TEST(PtoLower, AnEntryGivesNothing) {
  EXPECT_THAT(refusal("module {\n  func.func @k() -> index attributes {pto.entry} {\n"
                      "    %c = arith.constant 1 : index\n    return %c : index\n  }\n}"),
              HasSubstr("@k is an entry and has results, expected none"));
}

TEST(PtoLower, ProfileOfTheModule) {
  const auto profile = [](const std::string& attribute) {
    return profile_of(parse("module attributes {" + attribute + "} { }", "k.pto"));
  };
  EXPECT_EQ(profile("pto.target_arch = \"a3\""), Profile::kA2A3);
  EXPECT_EQ(profile("\"pto.device-spec\" = \"Ascend950\""), Profile::kA5);
  EXPECT_EQ(profile("other"), std::nullopt);
  EXPECT_THROW(profile("pto.target_arch = \"a7\""), UserError);
}

}  // namespace
}  // namespace tessera::pto::lower_test
