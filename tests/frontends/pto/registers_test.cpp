// The register level of A5 as text and as programs (docs/ascend-platform.md, Register level).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::registers_test {
namespace {

using cluster::Opcode;
using cluster::Profile;
using cluster::Program;
using cluster::RegisterFunction;
using cluster::RegisterOperation;
using testing::ElementsAre;
using testing::HasSubstr;

std::string kernel(const std::string& body) {
  return "module {\n  func.func @k(%p: !pto.ptr<f32, ub>, %i: index) attributes {pto.kernel_kind = "
         "#pto.kernel_kind<vector>} {\n" +
         body + "\n  return }\n}\n";
}

Program program_of(const std::string& body) {
  return *lower(parse(kernel(body), "k.pto"), {Profile::kA5, {{"i", 3}}}).aiv;
}

std::string message_of(const std::string& body) {
  try {
    program_of(body);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

unsigned functions_of(const Program& program) {
  unsigned n = 0;
  for (const cluster::Instruction& i : program.code) n += i.op == Opcode::kVectorFunction ? 1 : 0;
  return n;
}

constexpr const char* kLoad = "%v = pto.vlds %p[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n";
constexpr const char* kMask = "%m = pto.pset_b32 \"PAT_VL8\" : !pto.mask<b32>\n";
constexpr const char* kStore =
    "pto.vsts %v, %p[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>\n";

TEST(PtoRegisters, AScopeIsOneFunctionWithItsBody) {
  const Program p = program_of("pto.vecscope {\n" + std::string(kMask) + kLoad + kStore + "}");
  EXPECT_EQ(functions_of(p), 1U);
  std::vector<RegisterFunction> functions;
  for (const RegisterOperation& r : p.register_operations) functions.push_back(r.function);
  EXPECT_THAT(functions, ElementsAre(RegisterFunction::kMask, RegisterFunction::kLoad,
                                     RegisterFunction::kStore));
  EXPECT_EQ(p.register_operations[1].lanes, 64U);
  EXPECT_EQ(p.register_operations[1].address.base, 3 * 4);
  ASSERT_EQ(p.operations.size(), 1U);
  ASSERT_EQ(p.operations[0].operands.size(), 1U);
  EXPECT_EQ(p.operations[0].operands[0].name, "%p");
  EXPECT_EQ(p.operations[0].operands[0].access, cluster::Access::kReadWrite);
}

TEST(PtoRegisters, NeighboursWithoutAScopeAreOneFunction) {
  EXPECT_EQ(functions_of(program_of(std::string(kMask) + kLoad +
                                    "%n = arith.addi %i, %i : index\n" + kStore)),
            1U);
  EXPECT_EQ(
      functions_of(program_of(std::string(kMask) + kLoad + "pto.barrier <PIPE_ALL>\n" + kStore)),
      2U);
  EXPECT_EQ(functions_of(program_of(std::string(kMask) + "scf.for %k = %i to %i step %i {\n" +
                                    kLoad + kStore + "}")),
            1U);
}

TEST(PtoRegisters, WhatABodyCannotHold) {
  EXPECT_THAT(message_of("pto.vecscope {\npto.barrier <PIPE_ALL>\n}"),
              HasSubstr("k.pto:4:1: pto.barrier cannot stand in pto.vecscope"));
  EXPECT_THAT(message_of("%q = pto.castptr %i : index -> !pto.ptr<f32, l1>\n"
                         "%v = pto.vlds %q[0] : !pto.ptr<f32, l1> -> !pto.vreg<64xf32>"),
              HasSubstr("points to L1, expected a pointer to UB"));
  EXPECT_THAT(message_of("%m = pto.pset_b32 \"PAT_X\" : !pto.mask<b32>"),
              HasSubstr("expected a pattern such as PAT_ALL or PAT_VL8"));
  EXPECT_THAT(message_of("%v = pto.vlds %p[0] : !pto.ptr<f32, ub> -> !pto.vreg<32xf32>"),
              HasSubstr("a vector register has 256 bytes, found 32xf32"));
}

TEST(PtoRegisters, ConversionsAndGroups) {
  const Program p =
      program_of(std::string(kMask) + kLoad +
                 "%h = pto.vcvt %v, %m {rnd = \"A\", part = \"ODD\"} : !pto.vreg<64xf32>, "
                 "!pto.mask<b32> -> !pto.vreg<128xf16>\n"
                 "%g = pto.vcgadd %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>");
  const RegisterOperation& convert = p.register_operations[2];
  EXPECT_EQ(convert.every, -2);
  EXPECT_EQ(convert.first, 1U);
  EXPECT_EQ(convert.rounding, cluster::Rounding::kNearestAway);
  EXPECT_EQ(p.register_operations[3].groups, 8U);
}

TEST(PtoRegisters, CopiesBetweenBuffers) {
  const Program p =
      *lower(parse("module { func.func @k(%x: !pto.ptr<f32, gm>, %p: !pto.ptr<f32, ub>) {\n"
                   "%n = arith.constant 256 : i64\n%r = arith.constant 4 : i64\n%z = "
                   "arith.constant 0 : i64\n"
                   "pto.mte_gm_ub %x, %p, %z, %n nburst(%r, %n, %n) : !pto.ptr<f32, gm>, "
                   "!pto.ptr<f32, ub>, i64, i64, i64, i64, i64\n"
                   "pto.set_ctrl %z : i64\nreturn } }",
                   "k.pto"),
             {Profile::kA5, {}})
           .aiv;
  EXPECT_EQ(p.code[0].op, Opcode::kCopyIn);
  EXPECT_EQ(p.code[0].size[0].value, 4);
  EXPECT_EQ(p.code[0].size[1].value, 256);
  EXPECT_EQ(p.operations[0].function, cluster::TileFunction::kCopy);
}

TEST(PtoRegisters, PrintedTextReadsTheSame) {
  const std::string text =
      kernel("pto.vecscope {\n" + std::string(kMask) + kLoad +
             "%a, %b = pto.vintlv %v, %v : !pto.vreg<64xf32>, !pto.vreg<64xf32> -> "
             "!pto.vreg<64xf32>, !pto.vreg<64xf32>\n" +
             kStore + "%l = pto.vmi.create_mask %i : index -> !pto.vmi.mask<96xpred>\n}");
  const std::string once = print(parse(text, "k.pto"));
  EXPECT_EQ(print(parse(once, "k.pto")), once);
  EXPECT_THAT(once, HasSubstr("!pto.vmi.mask<96xpred>"));
}

// Logical registers: what the assembler refuses before it chooses physical ones.
TEST(PtoRegisters, TypesOfLogicalRegistersBelongTogether) {
  const auto said = [](const std::string& operation, const std::string& types) {
    const auto type = [](const std::string& t) { return "!pto.vmi.vreg<" + t + ">"; };
    const auto after = types.find(' ');
    const std::string a = types.substr(0, after), b = types.substr(after + 1);
    const std::string text = "module { func.func @k(%a: " + type(a) + ", %b: " + type(a) + ") {\n" +
                             operation + " : " + type(a) +
                             (operation.find("%b") == std::string::npos ? "" : ", " + type(a)) +
                             " -> " + type(b) + "\nreturn } }";
    try {
      lower(parse(text, "k.pto"), {Profile::kA5, {}});
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(said("%r = pto.vmi.vadd %a, %b", "128xf32 128xf32"), "accepted");
  EXPECT_THAT(said("%r = pto.vmi.vadd %a, %b", "64xf32 128xf32"),
              HasSubstr("expected one number of lanes"));
  EXPECT_THAT(said("%r = pto.vmi.vmul %a, %b", "64xf16 64xi16"), HasSubstr("expected one type"));
  EXPECT_THAT(said("%r = pto.vmi.vdiv %a, %b", "128xi32 128xi32"), HasSubstr("expected floats"));
  EXPECT_THAT(said("%r = pto.vmi.vshl %a, %b", "128xf32 128xf32"), HasSubstr("expected integers"));
  EXPECT_EQ(said("%r = pto.vmi.vcvt %a", "64xf16 64xf32"), "accepted");
  EXPECT_THAT(said("%r = pto.vmi.vcvt %a", "64xf16 128xf32"), HasSubstr("one number of lanes"));
  EXPECT_EQ(said("%r = pto.vmi.vcvt %a {rounding = \"Z\", saturate = \"SAT\"}", "64xf32 64xf16"),
            "accepted");
  EXPECT_THAT(said("%r = pto.vmi.vcvt %a {rounding = \"F\"}", "64xf32 64xf16"),
              HasSubstr("rounding is F, expected R, A, H or Z for a result of f16"));
  EXPECT_THAT(said("%r = pto.vmi.vcvt %a {saturate = \"FOO\"}", "64xf32 64xf16"),
              HasSubstr("saturate is FOO, expected SAT or NOSAT"));
  EXPECT_EQ(said("%r = pto.vmi.vinterpret_cast %a", "64xf32 128xi16"), "accepted");
  EXPECT_THAT(said("%r = pto.vmi.vinterpret_cast %a", "128xf32 128xi16"),
              HasSubstr("expected as many bits"));
}

}  // namespace
}  // namespace tessera::pto::registers_test
