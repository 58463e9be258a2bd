// What a program must not do with tasks, microthreads, queues and memory (reference wse.md 2.3, 3.1,
// 4, 6.2): the engine stops, names tile, line and rule. Descriptors: illegal_descriptor_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Broken run(const std::string& code, Generation generation = Generation::kWse3) {
  return rule_broken_by(assembled(with_queues(code), generation));
}

/// `code` as the only task, from line 2 after the prologue on.
Broken run_task(const std::string& code, Generation generation = Generation::kWse3) {
  return run("task main local 24 active\n" + code + "    end\n", generation);
}

TEST(PeIllegal, MessageNamesTileLineAndRule) {
  const Broken broken = run_task("    movri r0, 1\n    mov32 dds0, 1\n");
  EXPECT_THAT(broken.text, StartsWith("PE (3, 2), " + place_of(3) + ": "));
  EXPECT_THAT(broken.text, testing::EndsWith(" [/tessera/pe/dsr_empty]"));
  EXPECT_EQ(broken.id, "/tessera/pe/dsr_empty");
}

TEST(PeIllegal, InsideAFunctionTheMessageNamesTheFunction) {
  EXPECT_THAT(run_task("    call f\n    end\nfn f\n    mov32 dds0, 1\n").text,
              HasSubstr(place_of(5, "fn f")));
}

// Microthreads and queues

TEST(PeIllegal, MicrothreadThatIsBusyNamesBothUsers) {
  // wse.md 4 rule 6
  EXPECT_THAT(run_task(R"(    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0 async ut=6
    lddsr dds1, out4
    mov32 dds1, 5 async ut=6
)"),
              Breaks(Illegal::kMicrothreadBusy,
                     AllOf(HasSubstr(place_of(6) + ": microthread 6 is still busy with"),
                           HasSubstr("mov32 at " + place_of(4)))));
}

TEST(PeIllegal, InputQueueWithTwoReadersNamesBothUsers) {
  // wse.md 2.3: two concurrent operations must not share a queue.
  EXPECT_THAT(
      run_task(R"(    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0 async ut=6
    lddsr dds1, out4
    mov32 dds1, s1ds0 async ut=7
)"),
      Breaks(Illegal::kQueueBusy, AllOf(HasSubstr(place_of(6) + ": input queue 1 is still read by"),
                                        HasSubstr("microthread 6, mov32 at " + place_of(4)))));
}

TEST(PeIllegal, OutputQueueWithTwoWritersNamesBothUsers) {
  EXPECT_THAT(run_task(R"(    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    mov32 dds0, 5
)"),
              Breaks(Illegal::kQueueBusy,
                     AllOf(HasSubstr(place_of(5) + ": output queue 4 is still written by"),
                           HasSubstr("microthread 4, mov32 at " + place_of(4)))));
}

TEST(PeIllegal, DifferentQueuesAndMicrothreadsAreFine) {
  EXPECT_THAT(run_task(R"(    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    lddsr s1ds1, in2
    lddsr dds1, out5
    mov32 dds1, s1ds1 async
)"),
              BreaksNothing());
}

/// Two sends through output queue 4 of a WSE-2; the first one's wavelets stay there.
Broken send_twice(unsigned first_color, unsigned second_color, Cycle queue_opens) {
  Builder program(Generation::kWse2);
  program.bind_queue(false, 4, 0).color.reset();
  program.task("main", 24);
  program.load(dest(0), program.fabout(4, first_color, 2));
  program.emit(Opcode::kMov32, {dest(0), imm(1)});
  program.load(dest(0), program.fabout(4, second_color, 2));
  program.emit(Opcode::kMov32, {dest(0), imm(2)});
  program.emit(Opcode::kEnd);
  Bench bench(program.image());
  bench.queues.sink(4, 6, queue_opens);
  return rule_broken_by(bench);
}

TEST(PeIllegal, OutputQueueIsNotUsedForAnotherColorBeforeItIsEmpty) {
  // wse.md 2.3
  EXPECT_THAT(
      send_twice(3, 5, kNever),
      Breaks(Illegal::kQueueReuse, AllOf(HasSubstr("output queue 4"), HasSubstr("of color 3"),
                                         HasSubstr("for color 5"))));
  EXPECT_THAT(send_twice(3, 5, 0), BreaksNothing());       // it is empty again in time
  EXPECT_THAT(send_twice(3, 3, kNever), BreaksNothing());  // the same color
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
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kTwoFabricInputs, HasSubstr("read input queue 1")));
}

constexpr const char* kTwoFabricSources = R"(    lddsr s0ds0, in1
    lddsr s1ds0, in2
    lddsr dds0, mv
    fadds dds0, s0ds0, s1ds0
)";

TEST(PeIllegal, TwoFabricSourcesOnWse3) {
  // wse.md 5.5: WSE-3 forbids more than one fabric-in operand an operation.
  EXPECT_THAT(run_task(kTwoFabricSources), Breaks(Illegal::kTwoFabricInputs, HasSubstr("fabin")));
}

TEST(PeIllegal, TwoFabricSourcesOnTwoQueuesAreFineOnWse2) {
  Bench bench(assembled(
      with_queues(std::string("task main local 24 active\n") + kTwoFabricSources + "    end\n"),
      Generation::kWse2));
  for (unsigned i = 0; i < 8; ++i) {
    bench.queues.arrive(1, bits_of(1.0F), i);
    bench.queues.arrive(2, bits_of(2.0F), 20);
  }
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_EQ(bench.bits("v", 7), bits_of(3.0F));
}

TEST(PeIllegal, AsyncWithoutFabricOperand) {
  // wse.md 5.7
  EXPECT_THAT(run_task("    lddsr dds0, mv\n    mov32 dds0, 1 async\n"),
              Breaks(Illegal::kNoMicrothread,
                     HasSubstr("an asynchronous operation needs a fabin or fabout operand")));
}

TEST(PeIllegal, AsyncIntoARegister) {
  // The assembler refuses it already.
  Builder program;
  program.task("main", 8);
  program.load(src1(0), program.fabin(1, 4));
  program.emit(Opcode::kMov32, {reg32(0), src1(0)}, async());
  EXPECT_THAT(rule_broken_by(program.image()),
              Breaks(Illegal::kNoMicrothread, HasSubstr("a register as its destination")));
}

/// mov16 from input queue 1, dense or not, into memory; the bench has one wavelet.
Broken receive(bool dense, const link::Wavelet& wavelet) {
  Builder program;
  program.bind_queue(true, 1, 1).dense = dense;
  program.task("main", 8);
  program.load(src1(0), program.fabin(1, 1));
  program.load(dest(0), program.mem1d(2048, 1, 1, 2));
  program.emit(Opcode::kMov16, {dest(0), src1(0)});
  program.emit(Opcode::kEnd);
  Bench bench(program.image());
  bench.queues.arrive(1, wavelet, 0);
  return rule_broken_by(bench);
}

TEST(PeIllegal, DenseQueuesOnlyTakeHalfWavelets) {
  // wse.md 2.4: "the receiving queue must also be dense, otherwise undefined"
  EXPECT_THAT(receive(true, half_wavelet(5)), BreaksNothing());
  EXPECT_THAT(receive(false, data_wavelet(5)), BreaksNothing());
  EXPECT_THAT(receive(true, data_wavelet(5)),
              Breaks(Illegal::kHalfWavelet, HasSubstr("dense and got a full wavelet")));
  EXPECT_THAT(receive(false, half_wavelet(5)),
              Breaks(Illegal::kHalfWavelet, HasSubstr("got a half wavelet")));
}

// Tasks and control flow

TEST(PeIllegal, ControlWaveletForATaskThatIsNotBound) {
  Bench bench(assembled(with_queues("task recv data i1\n    end\n")));
  bench.queues.arrive(1, control_wavelet(entry_payload(40)), 5);
  EXPECT_THAT(rule_broken_by(bench),
              Breaks(Illegal::kControlUnbound,
                     AllOf(HasSubstr("input queue 1"), HasSubstr("control task 40"))));
}

TEST(PeIllegal, ControlWaveletThatNamesNoTaskIsDropped) {
  // wse.md 1.5: entry 31
  Bench bench(assembled(with_queues("task recv data i1\n    st32 [v], d0\n    end\n")));
  bench.queues.arrive(1, control_wavelet(entry_payload(31)), 5);
  bench.queues.arrive(1, control_wavelet(entry_payload(31)), 5);
  bench.queues.arrive(1, 77, 9);
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_EQ(bench.bits("v"), 77u);
  EXPECT_EQ(bench.tasks_started().size(), 1u);
}

TEST(PeIllegal, ControlWaveletOnABlockedChannelWaits) {
  Bench bench(assembled(with_queues("task recv data i1 blocked\n    end\n")));
  bench.queues.arrive(1, control_wavelet(entry_payload(40)), 5);
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_EQ(bench.queues.waiting(1), 1u);
}

TEST(PeIllegal, TaskIdFromARegisterMustBeThatOfALocalTask) {
  const char* code = "    movri r0, 24\n    actvt r0\n    movri r0, %\n    actvt r0\n";
  for (const char* id : {"23", "64", "65535", "1"}) {
    std::string text = code;
    text.replace(text.find('%'), 1, id);
    EXPECT_THAT(run_task(text), Breaks(Illegal::kTaskId, HasSubstr("task id " + std::string(id))))
        << id;
  }
}

TEST(PeIllegal, RetToAnAddressThatDoesNotExist) {
  EXPECT_THAT(run_task("    movri r15, 1000\n    ret\n"),
              Breaks(Illegal::kReturnAddress,
                     AllOf(HasSubstr(place_of(3)), HasSubstr("ret to instruction 1000"),
                           HasSubstr("r15 was overwritten"))));
}

TEST(PeIllegal, ProgramThatRunsPastItsLastInstruction) {
  // The assembler refuses most of them already.
  Builder program;
  program.task("main", 8);
  program.emit(Opcode::kMovri, {reg16(0), imm(1)});
  EXPECT_THAT(
      rule_broken_by(program.image()),
      Breaks(Illegal::kReturnAddress, AllOf(HasSubstr("runs past its last instruction"),
                                            HasSubstr("instruction 1, after the last one"))));
  Builder jump;
  jump.task("main", 8);
  jump.emit(Opcode::kJmp, {target(5)});
  EXPECT_THAT(rule_broken_by(jump.image()), Breaks(Illegal::kReturnAddress));
}

TEST(PeIllegal, ProgramWithoutInstructions) {
  Builder program;
  program.task("main", 8);
  EXPECT_THAT(rule_broken_by(program.image()), Breaks(Illegal::kReturnAddress));
}

TEST(PeIllegal, OperationAsTheLastInstruction) {
  Builder program;
  program.task("main", 8);
  program.load(dest(0), program.mem1d(2048, 4));
  program.emit(Opcode::kMov32, {dest(0), imm(1)});
  Bench bench(program.image());
  EXPECT_THAT(rule_broken_by(bench), Breaks(Illegal::kReturnAddress));
  EXPECT_EQ(bench.core.sram().read(2048 + 12, 4), 1u);  // it was done
}

TEST(PeIllegal, BreakIsAFailedAssertion) {
  EXPECT_THAT(run_task("    brk\n"), Breaks(Illegal::kBreak, HasSubstr(place_of(2))));
}

TEST(PeIllegal, IntegerDivisionByZero) {
  for (const char* op : {"div16", "divu16", "rem16", "remu16"}) {
    EXPECT_THAT(run_task("    movri r1, 0\n    " + std::string(op) + " r0, r0, r1\n"),
                Breaks(Illegal::kDivideByZero, HasSubstr(place_of(3))))
        << op;
  }
  for (const char* op : {"div32", "divu32", "rem32", "remu32"}) {
    EXPECT_THAT(run_task("    movri d2, 0\n    " + std::string(op) + " d0, d0, d2\n"),
                Breaks(Illegal::kDivideByZero))
        << op;
  }
}

TEST(PeIllegal, PriorityLevelsThatDoNotExist) {
  EXPECT_THAT(run_task("    movri r0, 2\n    settp main, r0\n"),
              Breaks(Illegal::kPriorityLevel, HasSubstr("task priority 2")));
  EXPECT_THAT(run_task("    movri r0, 4\n    setmtp r0\n"),
              Breaks(Illegal::kPriorityLevel, HasSubstr("main thread priority 4")));
  EXPECT_THAT(run_task("    settp main, 1\n    setmtp 3\n"), BreaksNothing());
}

// Memory

/// `mov32` of 8 elements, `stride` elements apart from byte `address` on, into memory or from there.
Broken access(int address, int stride, bool write) {
  Builder program;
  program.task("main", 8);
  const Operand dsr = write ? dest(0) : src1(0);
  program.load(dsr, program.mem1d(static_cast<unsigned>(address), 8, stride));
  program.emit(Opcode::kMov32, {write ? dsr : reg32(0), write ? imm(1) : dsr});  // line 2
  program.emit(Opcode::kEnd);
  return rule_broken_by(program.image());
}

TEST(PeIllegal, OperationThatLeavesMemory) {
  EXPECT_THAT(access(49152 - 32, 1, true), BreaksNothing());
  EXPECT_THAT(access(49152 - 28, 1, true),
              Breaks(Illegal::kMemoryAccess,
                     AllOf(HasSubstr("test.tasm:2 (task main): write of 4 bytes at address 49152"),
                           HasSubstr("0..49151"))));
  EXPECT_THAT(access(49152 - 2, 1, false),
              Breaks(Illegal::kMemoryAccess, HasSubstr("read of 4 bytes at address 49150")));
  EXPECT_THAT(access(65532, 1, false),
              Breaks(Illegal::kMemoryAccess, HasSubstr("read of 4 bytes at address 65532")));
  EXPECT_THAT(access(4, -1, false),
              Breaks(Illegal::kMemoryAccess, HasSubstr("read of 4 bytes at address -4")));
}

TEST(PeIllegal, ElementsBeforeTheIllegalOneAreDone) {
  Builder program;
  program.task("main", 8);
  program.load(dest(0), program.mem1d(49152 - 8, 8));
  program.emit(Opcode::kMov32, {dest(0), imm(7)});
  Bench bench(program.image());
  EXPECT_THAT(rule_broken_by(bench), Breaks(Illegal::kMemoryAccess));
  EXPECT_EQ(bench.core.sram().read(49152 - 4, 4), 7u);
}

TEST(PeIllegal, OperationThatRunsDownIntoTheCode) {
  // The image is shared by the tiles that run it: a store cannot change it.
  EXPECT_THAT(access(4, 0, true),
              Breaks(Illegal::kCodeStore,
                     AllOf(HasSubstr("store to address 4"), HasSubstr("data begin at 1036"))));
  EXPECT_THAT(access(1036, 1, true), BreaksNothing());  // after task table and 3 instructions
  EXPECT_THAT(access(1034, 1, true), Breaks(Illegal::kCodeStore));
}

TEST(PeIllegal, ControlTasksOfTheirOwnTableTakeMemoryToo) {
  Builder program;
  program.image().control_table = ControlTable{};
  program.task("main", 8);
  program.emit(Opcode::kSt16, {at_address(2048), reg16(0)});
  program.emit(Opcode::kEnd);
  EXPECT_THAT(rule_broken_by(program.image()),
              Breaks(Illegal::kCodeStore, HasSubstr("data begin at 2056")));
}

TEST(PeIllegal, OddAddresses) {
  EXPECT_THAT(access(2049, 1, true),
              Breaks(Illegal::kMemoryAccess, HasSubstr("address 2049, which is odd")));
  EXPECT_THAT(run_task("    movri r0, 3\n    st16 [r0], r1\n"),
              Breaks(Illegal::kMemoryAccess, HasSubstr("write of 2 bytes at address 3")));
}

TEST(PeIllegal, ScalarAccessOutsideMemory) {
  EXPECT_THAT(run_task("    movri r0, 49150\n    ld32 d2, [r0]\n"),
              Breaks(Illegal::kMemoryAccess,
                     AllOf(HasSubstr(place_of(3)), HasSubstr("read of 4 bytes at address 49150"))));
  for (const char* access : {"ld16 r2, [r0 - 2]", "ld32 d2, [r0 - 2]", "st32 [r0 - 4], d2"}) {
    EXPECT_THAT(run_task(std::string("    movri r0, 0\n    ") + access + "\n"),
                Breaks(Illegal::kMemoryAccess, HasSubstr("at address -")))
        << access;
  }
}

}  // namespace
}  // namespace tessera::pe::test
