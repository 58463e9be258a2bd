// Both ends of a TPUSH/TPOP pipe agree, and their buffers and tiles fit (ascend.md 3.5; docs/ascend-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto {
namespace {

using cluster::Profile;
using testing::HasSubstr;

// Line 5 opens the pipe on the AIC, 7 pushes; 11 reserves, 12 opens it on the AIVs, 13 pops.
const char* const kToVector = R"(module {
  func.func @cube(%ring: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %z = arith.constant 0 : i32
    %to = pto.import_reserved_buffer {name = "fifo", peer_func = @vector} -> i32
    pto.aic_initialize_pipe {AIC} (GM c2v_consumer_buf = %to : i32, v2c_consumer_buf = %z : i32)
    %c = pto.alloc_tile : !pto.tile_buf<acc, PUSHED>
    pto.tpush_to_aiv(%c : !pto.tile_buf<acc, PUSHED>) {split = SPLIT}
    return }
  func.func @vector(%ring: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %z = arith.constant 0 : i32
    %in = pto.reserve_buffer {name = "fifo", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
    pto.aiv_initialize_pipe {AIV} (GM c2v_consumer_buf = %in : i32, v2c_consumer_buf = %z : i32)
    %t = pto.tpop_from_aic {split = 1} -> !pto.tile_buf<vec, POPPED>
    pto.tfree_from_aic {split = 1}
    return }
})";

std::string with(const std::map<std::string, std::string>& changes) {
  std::string text = kToVector;
  std::map<std::string, std::string> all = {{"{AIC}", "{dir_mask = 1, slot_size = 1024}"},
                                            {"{AIV}", "{dir_mask = 1, slot_size = 1024}"},
                                            {"GM ", ""},
                                            {"PUSHED", "16x16xf32"},
                                            {"POPPED", "8x16xf32"},
                                            {"SPLIT", "1"}};
  for (const auto& [from, to] : changes) all[from] = to;
  for (const auto& [from, to] : all)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}
std::string message_of(const std::string& text, Profile profile = Profile::kA5) {
  try {
    lower(parse(text, "k.pto"), {profile, {}});
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
std::string message_with(const std::map<std::string, std::string>& changes) {
  return message_of(with(changes));
}

TEST(PtoPipeEnds, APopNeedsTheTypeOfItsTile) {
  EXPECT_EQ(message_with({{" -> !pto.tile_buf<vec, POPPED>", ""}}),
            "k.pto:13:10: expected -> and the type of the tile");
}

TEST(PtoPipeEnds, EqualEndsAreAccepted) {
  EXPECT_EQ(message_with({}), "accepted");
  EXPECT_EQ(message_with({{"16x16xf32", "16x16xf32, valid=?x16"}}), "accepted");
  EXPECT_EQ(message_with({{"GM ", "gm_slot_buffer = %ring : !pto.ptr<f32>, "}}), "accepted");
  EXPECT_EQ(
      message_with({{"POPPED", "8x16xf32, valid=?x?"},
                    {"pto.tpop_from_aic {split = 1}", "pto.tpop_from_aic(%z, %z) {split = 1}"}}),
      "accepted");
  // Defaults count as if they were written.
  EXPECT_EQ(message_with({{"{AIC}", "{slot_size = 1024, slot_num = 8, id = 0}"}}), "accepted");
}

TEST(PtoPipeEnds, NumbersThatDifferNameBothLines) {
  const std::string begin = "k.pto:12:5: pipe 0 has ";
  EXPECT_EQ(message_with({{"{AIC}", "{dir_mask = 1, slot_size = 2048}"}}),
            begin + "slot_size 1024 here and 2048 at line 5; expected the same at both ends");
  EXPECT_EQ(message_with({{"{AIC}", "{dir_mask = 1, slot_size = 1024, slot_num = 4}"}}),
            begin + "slot_num 8 here and 4 at line 5; expected the same at both ends");
  EXPECT_EQ(message_with({{"{AIC}", "{dir_mask = 3, slot_size = 1024, slot_num = 8}"}}),
            begin + "dir_mask 1 here and 3 at line 5; expected the same at both ends");
  EXPECT_EQ(message_with({{"{AIC}", "{dir_mask = 1, slot_size = 1024, flag_base = 4}"}}),
            begin + "flag_base 0 here and 4 at line 5; expected the same at both ends");
}

TEST(PtoPipeEnds, AnotherIdIsAnEndWithoutTheOther) {
  EXPECT_EQ(
      message_with({{"{AIC}", "{dir_mask = 1, slot_size = 1024, id = 7}"}, {"SPLIT", "1, id = 7"}}),
      "k.pto:12:5: pipe 0 has one end only: the function of the AIC opens none with this id");
}

// The peer of a lone end is outside of the program: no signal, one sentence.
TEST(PtoPipeEnds, AnEndWithoutAFunctionForTheOtherHasAPeerOutside) {
  const std::string text = with({{"GM ", "gm_slot_buffer = %ring : !pto.ptr<f32>, "}});
  const std::string aiv = "module {\n" + text.substr(text.find("  func.func @vector"));
  for (const Profile profile : {Profile::kA2A3, Profile::kA5}) {
    const Kernel kernel = lower(parse(aiv, "k.pto"), {profile, {}});
    ASSERT_EQ(kernel.aic, nullptr);
    for (const cluster::Instruction& i : kernel.aiv->code)
      EXPECT_TRUE(i.op != cluster::Opcode::kWaitFlagDev && i.op != cluster::Opcode::kSetCrossCore &&
                  i.op != cluster::Opcode::kWaitIntraCore &&
                  i.op != cluster::Opcode::kSetIntraBlock);
    ASSERT_EQ(kernel.external_ends.size(), 1U);
    EXPECT_EQ(kernel.external_ends[0],
              "line 6: no function pushes into pipe 0 (cube to vector): a peer outside of the "
              "program does, which is always ready");
  }
}

TEST(PtoPipeEnds, WithBothFunctionsOnlyTheOptionNamesAPeerOutside) {
  std::string text = with({});
  const std::size_t push = text.find("    pto.tpush_to_aiv");
  text.erase(push, text.find('\n', push) - push);
  LowerOptions options{Profile::kA5, {}};
  const auto waits = [&] {
    std::size_t n = 0;
    for (const cluster::Instruction& i : lower(parse(text, "k.pto"), options).aiv->code)
      n += i.op == cluster::Opcode::kWaitIntraCore ? 1 : 0;
    return n;
  };
  EXPECT_EQ(waits(), 1U);  // it waits for ever, and the run says so
  options.external_peers = true;
  EXPECT_EQ(waits(), 0U);
  EXPECT_TRUE(lower(parse(with({}), "k.pto"), options).external_ends.empty());
  const std::string two =
      with({{"{AIC}", "{dir_mask = 1, slot_size = 1024, id = 7}"}, {"SPLIT", "1, id = 7"}});
  EXPECT_EQ(lower(parse(two, "k.pto"), options).external_ends.size(), 2U);
}

// On A2/A3 the AIC writes whole tiles into GM, whatever its split says.
TEST(PtoPipeEnds, HandlesThroughGmMayTakeHalvesOfWholeTiles) {
  const std::string pipe =
      "pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 1024, flag_base = 0}";
  const std::string open = "    %q = " + pipe + "(%ring : !pto.ptr<f32>, %z : i32) -> !pto.pipe\n";
  const auto text = [&](const std::string& split) {
    return "module {\n  func.func @cube(%ring: !pto.ptr<f32>) attributes {pto.kernel_kind = "
           "#pto.kernel_kind<cube>} {\n    %z = arith.constant 0 : i32\n" +
           open +
           "    %c = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32>\n"
           "    pto.tpush(%c, %q : !pto.tile_buf<acc, 16x16xf32>, !pto.pipe) {split = " +
           split +
           "}\n    return }\n  func.func @vector(%ring: !pto.ptr<f32>) attributes {pto.kernel_kind "
           "= "
           "#pto.kernel_kind<vector>} {\n    %z = arith.constant 0 : i32\n" +
           open +
           "    %t = pto.declare_tile -> !pto.tile_buf<vec, 8x16xf32>\n"
           "    pto.tpop(%t, %q : !pto.tile_buf<vec, 8x16xf32>, !pto.pipe) {split = 1}\n"
           "    pto.tfree(%q : !pto.pipe) {split = 1}\n    return }\n}\n";
  };
  EXPECT_EQ(message_of(text("0"), Profile::kA2A3), "accepted");
  EXPECT_THAT(message_of(text("0"), Profile::kA5), HasSubstr("is divided here and not divided"));
  EXPECT_THAT(message_of(text("2"), Profile::kA2A3),
              HasSubstr("with split 1, pushed with split 2"));
}

TEST(PtoPipeEnds, Splits) {
  EXPECT_EQ(
      message_with({{"SPLIT", "2"}}),
      "k.pto:13:10: a pop of pipe 0 with split 1, pushed with split 2 at line 7; expected the "
      "same");
  EXPECT_EQ(message_with({{"SPLIT", "0"}}),
            "k.pto:12:5: pipe 0 is divided here and not divided (nosplit, or split 0) at line 5; "
            "expected the same");
}

TEST(PtoPipeEnds, OneEndThroughGm) {
  std::string text = with({});
  text.replace(text.find("(c2v_consumer_buf = %to"), 1,
               "(gm_slot_buffer = %ring : !pto.ptr<f32>, ");
  EXPECT_THAT(message_of(text), HasSubstr("k.pto:12:5: pipe 0 goes directly here and through GM at "
                                          "line 5; both ends need gm_slot_buffer or none"));
}

TEST(PtoPipeEnds, TilesThatDiffer) {
  EXPECT_EQ(message_with({{"POPPED", "4x16xf32"}}),
            "k.pto:13:10: a pop of pipe 0 takes a tile of 4 x 16 f32, and line 7 pushes a tile of "
            "16 x 16 f32; an AIV has half of the rows");
  EXPECT_THAT(message_with({{"POPPED", "8x16xi32"}}),
              HasSubstr("takes a tile of 8 x 16 i32, and line 7 pushes a tile of 16 x 16 f32"));
  EXPECT_THAT(message_with({{"POPPED", "8x8xf32"}}), HasSubstr("takes a tile of 8 x 8 f32"));
  EXPECT_THAT(message_with({{"PUSHED", "16x16xf32, valid=12x16"}}),
              HasSubstr("pushes a tile of 12 of 16 x 16 f32"));
  EXPECT_EQ(
      message_with({{"PUSHED", "16x16xf32, valid=12x16"}, {"POPPED", "8x16xf32, valid=6x16"}}),
      "accepted");
}

TEST(PtoPipeEnds, ATileLargerThanItsSlot) {
  EXPECT_EQ(message_with({{"PUSHED", "32x16xf32"}, {"POPPED", "16x16xf32"}}),
            "k.pto:7:5: pto.tpush_to_aiv: the tile takes 2048 bytes of a slot, which has 1024 "
            "(slot_size of line 5)");
  // What is valid is what moves.
  EXPECT_EQ(
      message_with({{"PUSHED", "32x16xf32, valid=16x16"}, {"POPPED", "16x16xf32, valid=8x16"}}),
      "accepted");
  // An open size may be small enough.
  const std::string size = "%n64 = pto.get_block_num\n%n = arith.index_cast %n64 : i64 to index\n";
  EXPECT_EQ(message_with({{"%c = pto.alloc_tile :", size + "%c = pto.alloc_tile valid_row = %n :"},
                          {"PUSHED", "32x16xf32, valid=?x16"},
                          {"SPLIT", "0"},
                          {"split = 1", "split = 0"},
                          {"%t = pto.tpop_from_aic",
                           size + "%c16 = arith.constant 16 : index\n"
                                  "%t = pto.tpop_from_aic(%n, %c16 : index, index)"},
                          {"POPPED", "32x16xf32, valid=?x16"}}),
            "accepted");
}

TEST(PtoPipeEnds, BuffersOfTheConsumer) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = with({});
    text.replace(text.find(from), from.size(), to);
    return message_of(text);
  };
  EXPECT_EQ(changed("size = 8192", "size = 8000"), "accepted");  // a ring of 7 slots
  EXPECT_EQ(changed("size = 8192", "size = 1000"),
            "k.pto:12:5: pto.aiv_initialize_pipe: 8 slots of 1024 bytes need 8192, and the buffer "
            "fifo of line 11 has 1000; reserve as many");
  EXPECT_THAT(changed("space<vec>", "space<mat>"),
              HasSubstr("the buffer fifo of line 11 lies in L1, the consumer's ring in UB"));
  EXPECT_EQ(changed("(c2v_consumer_buf = %in", "(c2v_consumer_buf = %z"),
            "k.pto:12:5: pipe 0 has the consumer's buffer (cube to vector) at byte 0 here and at "
            "byte 253952 at line 5; import the buffer that the consumer reserves");
  const std::string far = "%far = arith.constant 260000 : i32\n    pto.aiv_initialize_pipe";
  std::string text = with({});
  text.replace(text.find("pto.aiv_initialize_pipe"), 23, far);
  text.replace(text.find("(c2v_consumer_buf = %in"), 23, "(c2v_consumer_buf = %far");
  EXPECT_THAT(message_of(text), HasSubstr("8 slots of 1024 bytes need 8192 from byte 260000 on; UB "
                                          "of A5 has 262144"));
}

std::string reserved(const std::string& first, const std::string& second) {
  const auto buffer = [](const char* name, const std::string& more) {
    return std::string("    %") + name + " = pto.reserve_buffer {name = \"" + name +
           "\", location = #pto.address_space<vec>, " + more + "} -> i32\n";
  };
  return "module {\n  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n" +
         buffer("a", first) + buffer("b", second) + "    return }\n}";
}

TEST(PtoPipeEnds, ReservedBuffersDoNotOverlap) {
  EXPECT_EQ(message_of(reserved("size = 1024, base = 512", "size = 1024, base = 1535")),
            "k.pto:4:10: the buffer b takes the bytes 1535..2558 of UB, and a of line 3 the bytes "
            "512..1535; give them room of their own");
  EXPECT_EQ(message_of(reserved("size = 1024, base = 512", "size = 1024, base = 1536")),
            "accepted");
  EXPECT_EQ(message_of(reserved("size = 1024, base = -8", "size = 1024, base = 1536")),
            "k.pto:3:10: the buffer a needs 1024 bytes from byte -8 of UB, which has 262144");
  EXPECT_THAT(message_of(reserved("size = 1024, auto = false", "size = 1024, base = 1536")),
              HasSubstr("the buffer a has auto = false and no base"));
  // A buffer without a base goes around one that stands at the end.
  EXPECT_EQ(message_of(reserved("size = 131072, auto = true", "size = 131072, base = 131072")),
            "accepted");
  EXPECT_THAT(
      message_of(reserved("size = 131073, auto = true", "size = 131072, base = 131072")),
      HasSubstr("k.pto:3:10: the buffer a needs 131073 bytes of UB, which has 131072 left"));
}

// Handles have no id: those that take the same flags are one pipe.
TEST(PtoPipeEnds, Handles) {
  const auto kernel = [](const char* aic, const char* aiv) {
    return std::string("module {\n"
                       "  func.func @c() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n"
                       "    %z = arith.constant 0 : i32\n"
                       "    %p = pto.initialize_l2l_pipe {") +
           aic +
           "} (%z : i32) -> !pto.pipe\n    return }\n"
           "  func.func @v() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
           "    %z = arith.constant 0 : i32\n"
           "    %p = pto.initialize_l2l_pipe {" +
           aiv + "} (%z : i32) -> !pto.pipe\n    return }\n}";
  };
  EXPECT_EQ(message_of(kernel("slot_size = 64", "slot_size = 64")), "accepted");
  EXPECT_EQ(message_of(kernel("slot_size = 64", "slot_size = 128")),
            "k.pto:8:10: the pipe of flag 0 has slot_size 128 here and 64 at line 4; expected the "
            "same at both ends");
  EXPECT_EQ(
      message_of(kernel("slot_size = 64, flag_base = 2", "slot_size = 64")),
      "k.pto:8:10: the pipe of flag 0 has flag_base 0 here and 2 at line 4; expected the same "
      "at both ends");
}

}  // namespace
}  // namespace tessera::pto
