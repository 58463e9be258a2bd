// The language around tiles (docs/ascend-platform.md): loops, calls, entries, unknown operations, and the sync
// operations that are more than one instruction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::language_test {
namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Pipe;
using cluster::Profile;
using testing::ElementsAre;
using testing::HasSubstr;

Kernel lowered(const std::string& text, Profile profile = Profile::kA5,
               const std::string& unknown = "") {
  LowerOptions options{profile, {}};
  if (!unknown.empty()) options.unknown = parse_unknown_cost(unknown);
  return lower(parse(text, "k.pto", unknown.empty() ? Unknown::kRefuse : Unknown::kKeep), options);
}

/// A function of AIVs around lines that begin on line 3.
std::string kernel(const std::string& body, const std::string& kind = "vector") {
  return "module {\n  func.func @k(%p: !pto.ptr<i32>) attributes {pto.kernel_kind = "
         "#pto.kernel_kind<" +
         kind + ">} {\n" + body + "\n  return }\n}\n";
}

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
std::string message_of_text(const std::string& text, Profile profile = Profile::kA5,
                            const std::string& unknown = "") {
  return message_of([&] { lowered(text, profile, unknown); });
}

std::vector<Opcode> opcodes(const cluster::Program& program) {
  std::vector<Opcode> list;
  for (const Instruction& i : program.code) list.push_back(i.op);
  return list;
}

/// What `%r` is after the lines, worked out by the scalar instructions of the program: it is the
/// event of the set_flag at the end.
std::int64_t value_of(const std::string& body) {
  const cluster::Program p =
      *lowered(kernel(body + "\n    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %r]")).aiv;
  std::vector<std::int64_t> registers(p.registers);
  const auto get = [&](cluster::Operand o) {
    return o.is_register ? registers[static_cast<std::size_t>(o.value)] : o.value;
  };
  for (std::size_t pc = 0, steps = 0; steps < 10'000; ++steps) {
    const Instruction& i = p.code[pc++];
    switch (i.op) {
    case Opcode::kSetFlag:
      return get(i.id);
    case Opcode::kJump:
      pc = i.target;
      break;
    case Opcode::kBranch:
      if (get(i.a) != 0) pc = i.target;
      break;
    case Opcode::kSet:
      registers[i.rd] = i.result.of(i.operands.of(get(i.a)));
      break;
    case Opcode::kCompare:
      registers[i.rd] = cluster::holds(i.predicate, get(i.a), get(i.b), i.operands) ? 1 : 0;
      break;
    case Opcode::kSelect:
      registers[i.rd] = get(i.c) != 0 ? get(i.a) : get(i.b);
      break;
    case Opcode::kGetElement:
      registers[i.rd] = registers[static_cast<std::size_t>(i.a.value + get(i.b))];
      break;
    case Opcode::kSetElement:
      registers[static_cast<std::size_t>(i.a.value + get(i.b))] = registers[i.rd];
      break;
    default:
      registers[i.rd] = cluster::calculate(i.op, get(i.a), get(i.b), i.operands, i.result);
    }
  }
  return -1;
}

const char* const kConstants = R"(%c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c100 = arith.constant 100 : i32
)";

// --- loops and calls ---

TEST(PtoLanguage, WhileRunsUntilItsConditionFails) {
  // Doubles until 100 is passed, counting; the results are what the condition passes on.
  EXPECT_EQ(value_of(std::string(kConstants) + R"(
    %x, %r = scf.while (%a = %c1, %n = %c0) : (i32, i32) -> (i32, i32) {
      %small = arith.cmpi slt, %a, %c100 : i32
      scf.condition(%small) %a, %n : i32, i32
    } do {
    ^bb0(%b: i32, %m: i32):
      %d = arith.muli %b, %c2 : i32
      %k = arith.addi %m, %c1 : i32
      scf.yield %d, %k : i32, i32
    })"),
            7);
}

TEST(PtoLanguage, WhileThatNeverRunsGivesItsFirstValues) {
  EXPECT_EQ(value_of(std::string(kConstants) + R"(
    %r = scf.while (%a = %c100) : (i32) -> i32 {
      %small = arith.cmpi slt, %a, %c2 : i32
      scf.condition(%small) %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %c0 : i32
    })"),
            100);
}

TEST(PtoLanguage, WhileExchangesItsValues) {
  EXPECT_EQ(value_of(std::string(kConstants) + R"(
    %r, %y, %z = scf.while (%a = %c2, %b = %c100, %n = %c0) : (i32, i32, i32) -> (i32, i32, i32) {
      %t = arith.cmpi slt, %n, %c1 : i32
      scf.condition(%t) %a, %b, %n : i32, i32, i32
    } do {
    ^bb0(%d: i32, %e: i32, %m: i32):
      %k = arith.addi %m, %c1 : i32
      scf.yield %e, %d, %k : i32, i32, i32
    })"),
            100);
}

TEST(PtoLanguage, WhileDiagnostics) {
  const auto message = [](const std::string& loop) {
    return message_of_text(kernel(std::string(kConstants) + "%on = arith.constant true\n" + loop));
  };
  EXPECT_THAT(message("scf.while (%a = %c0) : (i32) -> () { scf.yield } do { }"),
              HasSubstr("scf.yield inside an operation, expected scf.condition"));
  EXPECT_THAT(message("scf.while : () -> () { } do { }"),
              HasSubstr("expected scf.condition at the end of the first region"));
  EXPECT_THAT(message("scf.while (%a = %c0) : (i32) -> i32 { scf.condition(%on) %a : i32 } do { }"),
              HasSubstr("passes 1 values on, and the block after do takes 0"));
  EXPECT_THAT(message("scf.while (%a = %c0) : (i32) -> () { scf.condition(%on) } do { }"),
              HasSubstr("expected scf.yield with 1 values at the end of the loop, found 0"));
}

TEST(PtoLanguage, ArithmeticOfIndexComputations) {
  const auto of = [](const std::string& op, const std::string& a, const std::string& b,
                     const std::string& type = "i32") {
    const std::string constants = "%a = arith.constant " + a + " : " + type +
                                  "\n    %b = arith.constant " + b + " : " + type + "\n    ";
    const std::string operation = "%r = arith." + op + " %a, %b : " + type;
    const std::int64_t folded = value_of(constants + operation);
    // The same for values that are known at run time only.
    const std::string hidden =
        joined("%a = scf.while (%x = %a0) : (", type, ") -> ", type,
               " { %f = arith.constant false\n scf.condition(%f) %x : ", type,
               " } do {\n ^bb0(%y: ", type, "):\n scf.yield %y : ", type, " }\n    ");
    EXPECT_EQ(value_of("%a0 = arith.constant " + a + " : " + type + "\n    %b = arith.constant " +
                       b + " : " + type + "\n    " + hidden + operation),
              folded)
        << op;
    return folded;
  };
  EXPECT_EQ(of("shli", "3", "4"), 48);
  EXPECT_EQ(of("shrsi", "-16", "2"), -4);
  EXPECT_EQ(of("shrui", "-16", "28"), 15);
  EXPECT_EQ(of("shrui", "256", "4", "index"), 16);
  EXPECT_EQ(of("ceildivsi", "7", "2"), 4);
  EXPECT_EQ(of("ceildivsi", "-7", "2"), -3);
  EXPECT_EQ(of("ceildivsi", "-7", "-2"), 4);
  EXPECT_EQ(of("floordivsi", "-7", "2"), -4);
  EXPECT_EQ(of("floordivsi", "7", "2"), 3);
  EXPECT_EQ(of("ceildivui", "8", "2"), 4);
  EXPECT_EQ(of("minui", "8", "2"), 2);
  EXPECT_EQ(of("maxui", "8", "2"), 8);
}

TEST(PtoLanguage, CallsAreInlinedWithNamesOfTheirOwn) {
  const std::string text = R"(module {
  func.func private @twice(%a: i32) -> i32 {
    %r = arith.addi %a, %a : i32
    return %r : i32
  }
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %a = arith.constant 1 : i32
    %b = func.call @twice(%a) : (i32) -> i32
    %r = func.call @twice(%b) : (i32) -> i32
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %r]
    return
  }
})";
  const cluster::Program p = *lowered(text).aiv;
  EXPECT_THAT(opcodes(p), ElementsAre(Opcode::kSetFlag, Opcode::kEnd));
  EXPECT_EQ(p.code[0].id.value, 4);
}

TEST(PtoLanguage, EntryStartsItsFunctionsOnTheirCores) {
  const std::string text = R"(module {
  func.func @main(%p: !pto.ptr<f32>) attributes {pto.entry} {
    func.call @cube(%p) : (!pto.ptr<f32>) -> ()
    func.call @vector() : () -> ()
    return
  }
  func.func private @cube(%q: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    pto.barrier <PIPE_M>
    return
  }
  func.func private @vector() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    pto.barrier <PIPE_V>
    return
  }
  func.func @other() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    pto.barrier <PIPE_MTE2>
    return
  }
})";
  const Kernel k = lowered(text);
  EXPECT_THAT(opcodes(*k.aic), ElementsAre(Opcode::kBarrier, Opcode::kEnd));
  EXPECT_EQ(k.aic->code[0].pipe, Pipe::kM);
  EXPECT_THAT(opcodes(*k.aiv), ElementsAre(Opcode::kBarrier, Opcode::kEnd));
  EXPECT_EQ(k.aiv->code[0].pipe, Pipe::kV);
  EXPECT_EQ(k.aiv->code[0].line, 12u);
}

TEST(PtoLanguage, CallDiagnostics) {
  const auto message = [](const std::string& call, const std::string& callee) {
    return message_of_text("module {\n  " + callee +
                           "\n  func.func @k() attributes {pto.kernel_kind = "
                           "#pto.kernel_kind<vector>} {\n" +
                           call + "\n return } }");
  };
  EXPECT_EQ(message("func.call @g() : () -> ()", ""), "k.pto:4:11: the module has no function @g");
  EXPECT_EQ(
      message("func.call @g() : () -> ()", "func.func private @g()"),
      "k.pto:4:11: @g has no body, so nobody knows what it does; --pto-unknown=cost:N runs it "
      "as N cycles");
  EXPECT_EQ(message("func.call @g() : () -> ()",
                    "func.func private @g() { func.call @g() : () -> ()\n return }"),
            "k.pto:2:38: @g calls itself, here from @g; calls are inlined");
  EXPECT_EQ(message("func.call @g() : () -> ()", "func.func private @g(%a: i32) { return }"),
            "k.pto:4:11: @g takes 1 arguments, found 0");
  EXPECT_EQ(message("%r = func.call @g() : () -> (i32)", "func.func private @g() { return }"),
            "k.pto:4:1: func.call gives 0 values, expected one for each result");
  EXPECT_EQ(message("func.call @g() : () -> ()",
                    "func.func private @g() attributes {pto.kernel_kind = "
                    "#pto.kernel_kind<cube>} { return }"),
            "k.pto:4:11: @k runs on AIVs and calls @g, which does not");
}

// docs/ascend-platform.md: a mixed body without sections runs each operation on the kind its pipe belongs to.
TEST(PtoLanguage, MixedFunctionsAreDivided) {
  const std::string text = R"(module {
  func.func @k() {
    %m = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf32>
    %l = pto.alloc_tile : !pto.tile_buf<left, 32x32xf32>
    %u = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>
    pto.tmov ins(%m : !pto.tile_buf<mat, 32x32xf32>) outs(%l : !pto.tile_buf<left, 32x32xf32>)
    pto.sync.set <PIPE_FIX>, 0
    pto.sync.wait <PIPE_V>, 0
    pto.tabs ins(%u : !pto.tile_buf<vec, 32x32xf32>) outs(%u : !pto.tile_buf<vec, 32x32xf32>)
    return
  }
})";
  const Kernel k = lowered(text);
  EXPECT_THAT(opcodes(*k.aic), ElementsAre(Opcode::kLoadA, Opcode::kSetIntraBlock, Opcode::kEnd));
  EXPECT_THAT(opcodes(*k.aiv), ElementsAre(Opcode::kWaitIntraCore, Opcode::kVector, Opcode::kEnd));
  std::string ambiguous = text;
  ambiguous.replace(ambiguous.find("<PIPE_V>"), 8, "<PIPE_MTE2>");
  EXPECT_THAT(message_of_text(ambiguous),
              HasSubstr("k.pto:8:5: pto.sync.wait: both kinds of core have this pipe"));
}

// --- unknown operations ---

const char* const kUnknown = R"(%t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    %x = pto.tfoo ins(%t : !pto.tile_buf<vec, 16x16xf32>)
        outs(%t : !pto.tile_buf<vec, 16x16xf32>) {a = [1, 2]} -> i32
    other.op %x
    pto.barrier <PIPE_ALL>)";

TEST(PtoLanguage, UnknownOperationsRunAsCycles) {
  const Kernel k = lowered(kernel(kUnknown), Profile::kA5, "cost:120");
  EXPECT_THAT(opcodes(*k.aiv),
              ElementsAre(Opcode::kBusy, Opcode::kBusy, Opcode::kBarrier, Opcode::kEnd));
  EXPECT_EQ(k.aiv->code[0].pipe, Pipe::kV);
  EXPECT_EQ(k.aiv->code[0].size[0].value, 120);
  EXPECT_EQ(k.aiv->code[1].line, 6u);
  EXPECT_EQ(lowered(kernel(kUnknown), Profile::kA5, "cost:5,MTE3").aiv->code[0].pipe, Pipe::kMte3);
  EXPECT_EQ(lowered(kernel("pto.tfoo", "cube"), Profile::kA5, "cost:5").aic->code[0].pipe,
            Pipe::kM);
}

TEST(PtoLanguage, UnknownOperationsAreRefusedByName) {
  EXPECT_EQ(
      message_of_text(kernel("pto.tfoo")),
      "k.pto:3:1: unknown operation 'pto.tfoo'; did you mean 'pto.tmov'? docs/ascend-platform.md "
      "lists the operations; --pto-unknown=cost:N runs unknown ones for N cycles");
  // All at once, also in front of a mistake of another kind.
  const std::string all =
      "k.pto:4:10: unknown operations 'pto.tfoo' in line 4; 'other.op' in line 6, 8; "
      "docs/ascend-platform.md lists the operations; --pto-unknown=cost:N runs unknown ones for N "
      "cycles";
  EXPECT_EQ(message_of_text(kernel(std::string(kUnknown) + "\n other.op")), all);
  EXPECT_EQ(message_of_text(kernel(std::string(kUnknown) + "\n other.op\n pto.tabs ins(")), all);
  EXPECT_THAT(message_of_text(
                  kernel(std::string(kUnknown) + "\n pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %x]"),
                  Profile::kA5, "cost:1"),
              HasSubstr("the value '%x' comes from an operation that is not known"));
  const auto option = [](const std::string& text) {
    return message_of([&] { parse_unknown_cost(text); });
  };
  EXPECT_EQ(option("cost:7"), "accepted");
  EXPECT_THAT(option("7"), HasSubstr("does not begin with cost:"));
  EXPECT_THAT(option("cost:x"), HasSubstr("the cycles are no number of 0..1000000000"));
  EXPECT_THAT(option("cost:-1"), HasSubstr("the cycles are no number"));
  EXPECT_THAT(option("cost:1,S"), HasSubstr("the pipe is none of V, MTE1"));
}

TEST(PtoLanguage, UnknownTextPrintsTheSameAgain) {
  const std::string text = print(parse(kernel(kUnknown), "k", Unknown::kKeep));
  EXPECT_THAT(text, HasSubstr("%x = pto.tfoo ins"));
  EXPECT_EQ(print(parse(text, "printed", Unknown::kKeep)), text);
}

// --- sync operations ---

TEST(PtoLanguage, EventsBetweenClassesOfOperations) {
  const std::string text = R"(pto.record_event[TLOAD, TVEC, EVENT_ID3]
    pto.wait_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TVEC>, #pto.event<EVENT_ID3>]
    pto.record_event["TVEC", "TVEC", "EVENT_ID0"]
    pto.wait_event [<TVEC>, <TVEC>, <EVENT_ID0>])";
  const cluster::Program p = *lowered(kernel(text), Profile::kA2A3).aiv;
  EXPECT_THAT(opcodes(p),
              ElementsAre(Opcode::kSetFlag, Opcode::kWaitFlag, Opcode::kBarrier, Opcode::kEnd));
  EXPECT_EQ(p.code[0].pipe, Pipe::kMte2);
  EXPECT_EQ(p.code[1].to, Pipe::kV);
  EXPECT_EQ(p.code[1].id.value, 3);
  EXPECT_EQ(p.code[2].pipe, Pipe::kV);
  // 2.3: A5 keeps V in order by itself.
  EXPECT_EQ(lowered(kernel(text), Profile::kA5).aiv->code.size(), 3u);
  EXPECT_THAT(message_of_text(kernel("pto.record_event[TLOAD, TFOO, EVENT_ID0]")),
              HasSubstr("expected a pipe such as PIPE_MTE2, found 'TFOO'"));
}

TEST(PtoLanguage, BarriersOfClassesOfOperations) {
  const std::string text =
      "pto.tsync <TADD>\n pto.barrier_sync[<TSTORE_VEC>]\n pto.barrier(PIPE_V)";
  const cluster::Program p = *lowered(kernel(text), Profile::kA2A3).aiv;
  EXPECT_EQ(p.code[0].pipe, Pipe::kV);
  EXPECT_EQ(p.code[1].pipe, Pipe::kMte3);
  EXPECT_EQ(p.code[2].pipe, Pipe::kV);
  EXPECT_EQ(message_of_text(kernel("pto.tsync <TADD>")),
            "k.pto:3:1: pto.tsync of pipe V: A5 accepts MTE2, MTE3 and ALL");
}

// 2.8
TEST(PtoLanguage, SyncAllInHardware) {
  const auto program = [](const std::string& type, Profile profile) {
    return *lowered(kernel("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = "
                           "#pto.sync_core_type<" +
                           type + ">"),
                    profile)
                .aiv;
  };
  cluster::Program expected;
  cluster::append_sync_all(expected, Profile::kA5, cluster::CoreKind::kAiv,
                           cluster::SyncScope::kMix, 3);
  const cluster::Program mix = program("mix", Profile::kA5);
  ASSERT_EQ(mix.code.size(), expected.code.size() + 1);
  for (std::size_t i = 0; i < expected.code.size(); ++i)
    EXPECT_EQ(to_string(mix.code[i]), to_string(expected.code[i]));
  EXPECT_EQ(program("aiv_only", Profile::kA2A3).code[1].id.value, 14);
  EXPECT_EQ(program("aic_only", Profile::kA2A3).code.size(), 1u);
  EXPECT_THAT(message_of_text(kernel("pto.syncall() core_type = #pto.sync_core_type<all>")),
              HasSubstr("expected aiv_only, aic_only or mix, found 'all'"));
  EXPECT_THAT(message_of_text(kernel("pto.syncall() {mode = \"firm\"}")),
              HasSubstr("expected hard or soft, found 'firm'"));
}

TEST(PtoLanguage, SyncAllInSoftware) {
  const cluster::Program p =
      *lowered(kernel("%n = arith.constant 4 : i32\n    pto.syncall(%p, %n : !pto.ptr<i32>, i32) "
                      "mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<aiv_only>"))
           .aiv;
  EXPECT_EQ(p.code[2].op, Opcode::kGmAdd);
  EXPECT_EQ(p.code[3].b.value, 4);
  EXPECT_EQ(p.texts.size(), 1u);
  const cluster::Program all =
      *lowered(kernel("pto.syncall(%p : !pto.ptr<i32>) mode = #pto.sync_all_mode<soft>")).aiv;
  EXPECT_THAT(opcodes(all), testing::Contains(Opcode::kGet).Times(2));
  EXPECT_THAT(message_of_text(kernel("pto.syncall() mode = #pto.sync_all_mode<soft>")),
              HasSubstr("expected a pointer to its counter in GM"));
  EXPECT_THAT(message_of_text(kernel("%n = arith.constant 0 : i32\n    pto.syncall(%p, %n : "
                                     "!pto.ptr<i32>, i32) mode = #pto.sync_all_mode<soft>")),
              HasSubstr("pto.syncall of 0 cores, expected 1 or more"));
}

TEST(PtoLanguage, ArraysOfEventIds) {
  const std::string array = std::string(kConstants) + R"(
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i100 = arith.constant 100 : index
    %arr = pto.declare_eventid_array -> !pto.eventid_array<3>
    pto.eventid_array_set %arr[%i1], %i2 : !pto.eventid_array<3>)";
  EXPECT_EQ(value_of(array + "\n    %r = pto.eventid_array_get %arr[1] : !pto.eventid_array<3>"),
            2);
  EXPECT_EQ(value_of(array + "\n    %r = pto.eventid_array_get %arr[%i0] : !pto.eventid_array<3>"),
            0);
  // With an index that is known at run time only; a get keeps what it has read.
  EXPECT_EQ(value_of(array + R"(
    %r, %q = scf.while (%i = %i0, %last = %i0) : (index, index) -> (index, index) {
      %g = pto.eventid_array_get %arr[%i] : !pto.eventid_array<3>
      pto.eventid_array_set %arr[%i], %i100 : !pto.eventid_array<3>
      %next = arith.addi %i, %i1 : index
      %on = arith.cmpi slt, %i, %i1 : index
      scf.condition(%on) %g, %next : index, index
    } do {
    ^bb0(%g2: index, %n: index):
      scf.yield %n, %g2 : index, index
    })"),
            2);
  EXPECT_THAT(message_of_text(kernel(array + "\n    %r = pto.eventid_array_get %arr[3]")),
              HasSubstr("element 3 of an array of 3"));
  EXPECT_THAT(message_of_text(kernel("%a = pto.declare_eventid_array -> !pto.eventid_array<4097>")),
              HasSubstr("expected a type such as !pto.local_array<64xi32> with 1..4096 elements"));
}

// --- what public kernels contain ---

TEST(PtoLanguage, TextOfPublicKernelsIsRead) {
  const std::string text = R"(// RUN: something %s
#map = affine_map<(d0) -> (d0)>
!t = !pto.tile_buf<vec, 16x16xf32, valid=8x?, blayout=row_major>
module attributes {"pto.target_arch" = "a5"} {
  module attributes {inner} {
    func.func public @k(%p: !pto.ptr<f32, gm> {pto.x = 1}, %m: memref<16x?xf32, strided<[16, 1], offset: ?>, #pto.address_space<gm>> loc("a":1:2)) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
      %d = arith.constant dense<[0.0, 1.0]> : vector<2xf32>
      %n = arith.constant dense<-0x1> : tensor<2xi32>
      pto.barrier <PIPE_ALL> {pto.auto_sync_tail_barrier, "quoted key" = #pto.x<y z>} loc(unknown)
      return loc("k":1:1)
    } loc(#loc)
  }
}
#loc = loc("k.pto":1:1)
)";
  const Module module = parse(text, "k.pto");
  EXPECT_EQ(module.functions.size(), 1u);
  const std::string printed = print(module);
  EXPECT_EQ(print(parse(printed, "printed")), printed);
  EXPECT_EQ(opcodes(*lower(module, {Profile::kA5, {}}).aiv).size(), 2u);
  EXPECT_EQ(profile_of(module), Profile::kA5);
}

TEST(PtoLanguage, NewFormsPrintAsTheyAreWritten) {
  const std::string text = R"(module {
  func.func private @g(%a: i32) -> i32 {
    return %a : i32
  }
  func.func @k(%p: !pto.ptr<i32>, %a: i32) {
    %r = func.call @g(%a) : (i32) -> i32
    func.call @g(%a) : (i32) -> ()
    %s:2 = scf.while (%x = %a, %y = %r) : (i32, i32) -> (i32, i32) {
      scf.condition (%x) %x, %y : i32, i32
    } do {
    ^bb0(%b: i32, %c: i32):
      scf.yield %c, %b : i32, i32
    }
    pto.record_event[<TLOAD>, <TVEC>, <EVENT_ID0>]
    pto.tsync <TADD>
    pto.syncall(%p : !pto.ptr<i32>, %a : i32) {mode = #pto.sync_all_mode<soft>}
    %e = pto.declare_eventid_array -> !pto.eventid_array<4>
    pto.eventid_array_set %e[0], %a : !pto.eventid_array<4>
    %f = pto.eventid_array_get %e[%a] : !pto.eventid_array<4>
    return
  }
}
)";
  EXPECT_EQ(print(parse(text, "k.pto")), text);
}

}  // namespace
}  // namespace tessera::pto::language_test
