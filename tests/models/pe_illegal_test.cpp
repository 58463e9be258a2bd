// What a program must not do (reference wse.md 2.3, 3.1, 4, 5.11, 6.2): the engine stops and names
// tile, line and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/models/pe_bench.h"

namespace tessera::pe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Queues i1, i2, o4, o5 and their descriptors stand in lines 1 to 12; `code` begins in line 13.
std::string with_queues(const std::string& code) {
  return R"(data v: u32[16]
data h: u16[16]
queue i1 input 1 color=1
queue i2 input 2 color=2
queue o4 output 4 color=14
queue o5 output 5 color=15
dsd in1 fabin i1 extent=8
dsd in2 fabin i2 extent=8
dsd out4 fabout o4 extent=8
dsd out5 fabout o5 extent=8
dsd mv mem1d v extent=8
dsd mh mem1d h extent=8
)" + code;
}

std::string run(const std::string& code) {
  Bench bench(assembled(with_queues(code)));
  return illegal_behaviour_of(bench);
}

std::string run(const Builder& program) {
  Bench bench(program.image());
  return illegal_behaviour_of(bench);
}

TEST(PeIllegal, MessageNamesTileLineAndSection) {
  EXPECT_THAT(run(R"(task main local 8 active
    movri r0, 1
    mov32 dds0, 1
    end
)"),
              StartsWith("PE (3, 2), test.tasm:15 (task main): "));
}

TEST(PeIllegal, MicrothreadThatIsBusyNamesBothUsers) {
  // wse.md 4 rule 6
  const std::string what = run(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0 async ut=6
    lddsr dds1, out4
    mov32 dds1, 5 async ut=6
    end
)");
  EXPECT_THAT(what, AllOf(HasSubstr("test.tasm:18 (task main): microthread 6 is still busy with"),
                          HasSubstr("mov32 at test.tasm:16 (task main)")));
}

TEST(PeIllegal, InputQueueWithTwoReadersNamesBothUsers) {
  // wse.md 2.3: two concurrent operations must not share a queue.
  const std::string what = run(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0 async ut=6
    lddsr dds1, out4
    mov32 dds1, s1ds0 async ut=7
    end
)");
  EXPECT_THAT(what, AllOf(HasSubstr("test.tasm:18 (task main): input queue 1 is still read by"),
                          HasSubstr("microthread 6, mov32 at test.tasm:16")));
}

TEST(PeIllegal, OutputQueueWithTwoWritersNamesBothUsers) {
  const std::string what = run(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    mov32 dds0, 5
    end
)");
  EXPECT_THAT(what, AllOf(HasSubstr("test.tasm:17 (task main): output queue 4 is still written by"),
                          HasSubstr("microthread 4, mov32 at test.tasm:16")));
}

TEST(PeIllegal, DifferentQueuesAndMicrothreadsAreFine) {
  EXPECT_EQ(run(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    lddsr s1ds1, in2
    lddsr dds1, out5
    mov32 dds1, s1ds1 async
    end
)"),
            "");
}

TEST(PeIllegal, TwoFabricSourcesOnOneQueue) {
  // Both would read the same wavelets; with one wavelet there the second read finds nothing.
  Builder program(Generation::kWse2);
  program.task("main", 24);
  program.load(src0(0), program.fabin(1, 4));
  program.load(src1(0), program.fabin(1, 4));
  program.load(dest(0), program.mem1d(2048, 4));
  program.emit(Opcode::kFadds, {dest(0), src0(0), src1(0)});
  program.emit(Opcode::kEnd);
  Bench bench(program.image());
  bench.queues.arrive(1, 0, 0);
  EXPECT_THAT(illegal_behaviour_of(bench), HasSubstr("input queue 1"));
}

constexpr const char* kTwoFabricSources = R"(task main local 24 active
    lddsr s0ds0, in1
    lddsr s1ds0, in2
    lddsr dds0, mv
    fadds dds0, s0ds0, s1ds0
    end
)";

TEST(PeIllegal, TwoFabricSourcesOnWse3) {
  // wse.md 5.5: WSE-3 forbids more than one fabric-in operand an operation.
  EXPECT_THAT(run(kTwoFabricSources), HasSubstr("fabin"));
}

TEST(PeIllegal, TwoFabricSourcesOnTwoQueuesAreFineOnWse2) {
  Bench bench(assembled(with_queues(kTwoFabricSources), Generation::kWse2));
  for (unsigned i = 0; i < 8; ++i) {
    bench.queues.arrive(1, bits_of(1.0F), i);
    bench.queues.arrive(2, bits_of(2.0F), 20);
  }
  EXPECT_EQ(illegal_behaviour_of(bench), "");
  EXPECT_EQ(bench.bits("v", 7), bits_of(3.0F));
}

TEST(PeIllegal, DsrThatWasNeverLoaded) {
  EXPECT_THAT(run("task main local 8 active\n    mov32 dds0, 1\n    end\n"),
              HasSubstr("test.tasm:14 (task main): a DSR is used that no lddsr has loaded"));
  EXPECT_THAT(run("task main local 8 active\n    setdsl dds0, 1\n    end\n"),
              HasSubstr("setdsl on a DSR that was never loaded"));
  EXPECT_THAT(run("task main local 8 active\n    setdsa dds0, r0\n    end\n"),
              HasSubstr("setdsa on a DSR that does not hold a mem1d descriptor"));
}

TEST(PeIllegal, AddressOfAFabricDescriptor) {
  EXPECT_THAT(run("task main local 8 active\n    lddsr dds0, out4\n    setdsa dds0, r0\n    end\n"),
              HasSubstr("setdsa on a DSR that does not hold a mem1d descriptor"));
}

TEST(PeIllegal, ElementsOfTheWrongSize) {
  EXPECT_THAT(
      run(R"(task main local 8 active
    lddsr dds0, mh
    mov32 dds0, 1
    end
)"),
      AllOf(HasSubstr("works on elements of 4 bytes"), HasSubstr("'mh' has elements of 2")));
  EXPECT_THAT(
      run(R"(task main local 8 active
    lddsr s1ds0, mv
    lddsr dds0, mh
    mov16 dds0, s1ds0
    end
)"),
      AllOf(HasSubstr("works on elements of 2 bytes"), HasSubstr("'mv' has elements of 4")));
}

TEST(PeIllegal, FabricDescriptorsHaveADirection) {
  // wse.md 5.11. The assembler refuses the load already.
  Builder into_fabin;
  into_fabin.task("main", 8);
  into_fabin.load(dest(0), into_fabin.fabin(1, 4));
  into_fabin.emit(Opcode::kMov32, {dest(0), imm(1)});
  EXPECT_THAT(run(into_fabin), HasSubstr("'in0' cannot be a destination: it is a fabin"));

  Builder from_fabout;
  from_fabout.task("main", 8);
  from_fabout.load(src1(0), from_fabout.fabout(4, 1, 4));
  from_fabout.emit(Opcode::kMov32, {reg32(0), src1(0)});
  EXPECT_THAT(run(from_fabout), HasSubstr("'out0' cannot be a source: it is a fabout"));
}

TEST(PeIllegal, AsyncWithoutFabricOperand) {
  // wse.md 5.7
  EXPECT_THAT(run(R"(task main local 8 active
    lddsr dds0, mv
    mov32 dds0, 1 async
    end
)"),
              HasSubstr("an asynchronous operation needs a fabin or fabout operand"));
}

TEST(PeIllegal, AsyncIntoARegister) {
  // The assembler refuses it already.
  Builder program;
  program.task("main", 8);
  program.load(src1(0), program.fabin(1, 4));
  program.emit(Opcode::kMov32, {reg32(0), src1(0)}, async());
  EXPECT_THAT(run(program),
              HasSubstr("an asynchronous operation cannot have a register as its destination"));
}

TEST(PeIllegal, OperationThatLeavesMemoryUpwards) {
  const char* write = R"(task main local 8 active
    lddsr dds0, mv
    movri r0, 49148
    setdsa dds0, r0
    mov32 dds0, 1
    end
)";
  EXPECT_THAT(run(write), AllOf(HasSubstr("test.tasm:17 (task main): the operation writes address"),
                                HasSubstr("49152"), HasSubstr("0..49151")));
  const char* read = R"(task main local 8 active
    lddsr s1ds0, mv
    movri r0, 65532
    setdsa s1ds0, r0
    mov32 d0, s1ds0
    end
)";
  EXPECT_THAT(run(read), HasSubstr("the operation reads address 65532 in element 0"));
}

TEST(PeIllegal, OperationThatLeavesMemoryNamesTheElement) {
  EXPECT_THAT(run(R"(task main local 8 active
    lddsr dds0, mv
    movri r0, 49132
    setdsa dds0, r0
    mov32 dds0, 1
    end
)"),
              HasSubstr("in element 5"));  // 49132, 36, 40, 44, 48 are inside; groups of 4
}

TEST(PeIllegal, OperationThatRunsDownIntoTheCode) {
  // The image is shared by the tiles that run it: a store cannot change it.
  EXPECT_THAT(run(R"(dsd down mem1d v offset=7 stride=-1 extent=8
task main local 8 active
    lddsr dds0, down
    movri r0, 4
    setdsa dds0, r0
    mov32 dds0, 1
    end
)"),
              AllOf(HasSubstr("store to address 4"), HasSubstr("code")));
}

TEST(PeIllegal, OperationOnOddAddresses) {
  EXPECT_THAT(run(R"(task main local 8 active
    lddsr dds0, mv
    movri r0, 2049
    setdsa dds0, r0
    mov32 dds0, 1
    end
)"),
              HasSubstr("writes address 2049"));
}

TEST(PeIllegal, ScalarAccessOutsideMemory) {
  EXPECT_THAT(run(R"(task main local 8 active
    movri r0, 49150
    ld32 d2, [r0]
    end
)"),
              AllOf(HasSubstr("test.tasm:15"), HasSubstr("access of 4 bytes at address 49150"),
                    HasSubstr("0..49151")));
  EXPECT_THAT(run("task main local 8 active\n    movri r0, 3\n    st16 [r0], r1\n    end\n"),
              HasSubstr("access of 2 bytes at address 3"));
}

TEST(PeIllegal, ScalarAccessBelowZero) {
  for (const char* access : {"ld16 r2, [r0 - 2]", "ld32 d2, [r0 - 2]", "st32 [r0 - 4], d2"}) {
    EXPECT_THAT(run(std::string("task main local 8 active\n    movri r0, 0\n    ") + access +
                    "\n    end\n"),
                HasSubstr("bytes at address"))
        << access;
  }
}

TEST(PeIllegal, ControlWaveletForADataTask) {
  Bench bench(assembled(with_queues("task recv data i1\n    end\n")));
  bench.queues.arrive(1, 0, 5, true);
  EXPECT_THAT(illegal_behaviour_of(bench),
              HasSubstr("a control wavelet reached input queue 1, but no control task is bound"));
}

TEST(PeIllegal, ControlWaveletForAnOperation) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0
    end
)")));
  bench.queues.arrive(1, 0, 5);
  bench.queues.arrive(1, 0, 5, true);
  EXPECT_THAT(illegal_behaviour_of(bench),
              HasSubstr("test.tasm:16 (task main): a control wavelet reached input queue 1, where "
                        "the operation expects data"));
}

TEST(PeIllegal, ControlWaveletThatNothingReadsDoesNoHarm) {
  Bench bench(assembled(with_queues("task recv data i1 blocked\n    end\n")));
  bench.queues.arrive(1, 0, 5, true);
  EXPECT_EQ(illegal_behaviour_of(bench), "");
}

TEST(PeIllegal, RetToAnAddressThatDoesNotExist) {
  EXPECT_THAT(run(R"(task main local 8 active
    movri r15, 1000
    ret
)"),
              AllOf(HasSubstr("test.tasm:15 (task main)"), HasSubstr("ret to instruction 1000"),
                    HasSubstr("r15 was overwritten")));
}

TEST(PeIllegal, InsideAFunctionTheMessageNamesTheFunction) {
  EXPECT_THAT(run(R"(task main local 8 active
    call f
    end
fn f
    mov32 dds0, 1
    ret
)"),
              HasSubstr("test.tasm:17 (fn f)"));
}

}  // namespace
}  // namespace tessera::pe::test
