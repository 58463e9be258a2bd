// What a program must not do with descriptors, their options and FIFOs (reference wse.md 5): the
// engine stops and names the rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test::illegal_descriptor_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Broken run_task(const std::string& code) {
  return rule_broken_by(assembled(with_queues("task main local 24 active\n" + code + "    end\n")));
}

/// A program whose only task `write` appends.
Broken run(const std::function<void(Builder&)>& write, Generation generation = Generation::kWse3) {
  Builder program(generation);
  program.task("main", 24);
  write(program);
  program.emit(Opcode::kEnd);
  return rule_broken_by(program.image());
}

TEST(PeIllegalDescriptor, DsrThatWasNeverLoaded) {
  for (const char* use : {"mov32 dds0, 1", "setdsl dds0, 1", "setdsa dds0, r0", "incdsa s0ds3, 1",
                          "setdss s1ds15, 1", "getdsa r0, dds0", "getdsl r0, s1ds0"}) {
    EXPECT_THAT(run_task("    " + std::string(use) + "\n"),
                Breaks(Illegal::kDsrEmpty, HasSubstr(place_of(2))))
        << use;
  }
}

TEST(PeIllegalDescriptor, ChangesThatTheKindDoesNotHave) {
  const auto change = [](Opcode op, const std::function<Operand(Builder&)>& make) {
    return run([&](Builder& p) {
      p.load(src0(0), make(p));
      p.emit(op, {src0(0), imm(1)});
    });
  };
  const auto fabric = [](Builder& p) { return p.fabin(1, 4); };
  const auto ring = [](Builder& p) { return p.circbuf(2048, 4, 8); };
  const auto nest = [](Builder& p) { return p.mem4d(2048, {2, 2}, {1, 1}); };
  const auto vector = [](Builder& p) { return p.mem1d(2048, 4); };
  for (const Opcode op : {Opcode::kSetdsa, Opcode::kIncdsa, Opcode::kSetdss}) {
    EXPECT_THAT(change(op, fabric), Breaks(Illegal::kDsrKind, HasSubstr("is")));
    EXPECT_THAT(change(op, ring), Breaks(Illegal::kDsrKind));
    EXPECT_THAT(change(op, vector), BreaksNothing());
  }
  EXPECT_THAT(change(Opcode::kSetdsa, nest), BreaksNothing());
  EXPECT_THAT(change(Opcode::kIncdsa, nest), BreaksNothing());
  EXPECT_THAT(change(Opcode::kSetdss, nest), Breaks(Illegal::kDsrKind, HasSubstr("not a mem1d")));
  EXPECT_THAT(change(Opcode::kSetdsl, nest), Breaks(Illegal::kDsrLength, HasSubstr("a mem4d")));
  EXPECT_THAT(change(Opcode::kSetdsl, ring), BreaksNothing());
}

TEST(PeIllegalDescriptor, StridesHaveLimitsAndLengthsTake16Bits) {
  // wse.md 5.2, 5.8, 10.51
  const auto set = [](Opcode op, bool fabric, int value) {
    return run([&](Builder& p) {
      p.load(src0(0), fabric ? p.fabin(1, 4) : p.mem1d(2048, 4));
      p.emit(op, {src0(0), imm(value)});
    });
  };
  for (const int length : {0x7FFE, 0x7FFF, 0x8000, 0xFFFF}) {
    EXPECT_THAT(set(Opcode::kSetdsl, false, length), BreaksNothing()) << length;
    EXPECT_THAT(set(Opcode::kSetdsl, true, length), BreaksNothing()) << length;
  }
  EXPECT_THAT(set(Opcode::kSetdss, false, 127), BreaksNothing());
  EXPECT_THAT(set(Opcode::kSetdss, false, -128), BreaksNothing());
  EXPECT_THAT(set(Opcode::kSetdss, false, 128), Breaks(Illegal::kDsrLength));
  EXPECT_THAT(set(Opcode::kSetdss, false, -129), Breaks(Illegal::kDsrLength));
}

TEST(PeIllegalDescriptor, AddressOfAFabricDescriptor) {
  EXPECT_THAT(run_task("    lddsr dds0, out4\n    setdsa dds0, r0\n"),
              Breaks(Illegal::kDsrKind, HasSubstr("setdsa of out4, which is a fabout")));
}

TEST(PeIllegalDescriptor, ElementsOfTheWrongSize) {
  EXPECT_THAT(run_task("    lddsr dds0, mh\n    mov32 dds0, 1\n"),
              Breaks(Illegal::kElementSize, AllOf(HasSubstr("works on elements of 4 bytes"),
                                                  HasSubstr("'mh' has elements of 2"))));
  EXPECT_THAT(run_task("    lddsr s1ds0, mv\n    lddsr dds0, mh\n    mov16 dds0, s1ds0\n"),
              Breaks(Illegal::kElementSize, AllOf(HasSubstr("works on elements of 2 bytes"),
                                                  HasSubstr("'mv' has elements of 4"))));
}

TEST(PeIllegalDescriptor, FabricDescriptorsHaveADirection) {
  // wse.md 5.11. The assembler refuses the load already.
  EXPECT_THAT(run([](Builder& p) {
                p.load(dest(0), p.fabin(1, 4));
                p.emit(Opcode::kMov32, {dest(0), imm(1)});
              }),
              Breaks(Illegal::kDsrKind, HasSubstr("'in0' cannot be a destination: it is a fabin")));
  EXPECT_THAT(run([](Builder& p) {
                p.load(src1(0), p.fabout(4, 1, 4));
                p.emit(Opcode::kMov32, {reg32(0), src1(0)});
              }),
              Breaks(Illegal::kDsrKind, HasSubstr("'out0' cannot be a source: it is a fabout")));
}

TEST(PeIllegalDescriptor, ExtendedDsrLoadedForAnotherDsr) {
  // wse.md 5.11: a circbuf or mem4d needs its XDSR as long as it is used.
  const auto copy = [](unsigned second_xdsr, bool reload, unsigned second_size = 6) {
    return run([&](Builder& p) {
      p.load(src1(0), p.circbuf(2048, 4, 8), with_xdsr(1));
      p.load(src1(1), p.circbuf(2048, 4, second_size), with_xdsr(second_xdsr));
      if (reload) p.load(src1(0), p.circbuf(2048, 4, 8), with_xdsr(1));
      p.emit(Opcode::kMov32, {reg32(0), src1(0)});
    });
  };
  EXPECT_THAT(copy(2, false), BreaksNothing());
  EXPECT_THAT(copy(1, false), Breaks(Illegal::kExtendedDsrReused, HasSubstr("'ring0'")));
  EXPECT_THAT(copy(1, true), BreaksNothing());
  // What it holds is the same for a descriptor with the same loops.
  EXPECT_THAT(copy(1, false, 8), BreaksNothing());
}

TEST(PeIllegalDescriptor, StrideRegisterLoadedForAnotherDsr) {
  const auto copy = [](unsigned second_sr, int second_stride = 3) {
    return run([&](Builder& p) {
      p.load(src1(0), p.mem4d(2048, {2, 2, 2}, {2, 1, 1}), with_sr(with_xdsr(0), {0, 1}));
      p.load(src1(1), p.mem4d(2048, {2, 2}, {2, second_stride}),
             with_sr(with_xdsr(1), {second_sr}));
      p.emit(Opcode::kMov32, {reg32(0), src1(0)});
    });
  };
  EXPECT_THAT(copy(2), BreaksNothing());
  EXPECT_THAT(copy(0), Breaks(Illegal::kStrideRegisterReused, HasSubstr("'nest0'")));
  EXPECT_THAT(copy(1), Breaks(Illegal::kStrideRegisterReused));
  EXPECT_THAT(copy(1, 1), BreaksNothing());  // the stride is the same
}

// wavelet_index_offset (wse.md 5.2, 5.5)

Broken run_indexed(bool index, Opcode op, const std::function<Operand(Builder&)>& destination) {
  return run([&](Builder& p) {
    const Operand d = destination(p);
    p.dsd(d).wavelet_index_offset = true;
    p.load(dest(0), d);
    OpConfig config;
    if (index) config.index = imm(4);
    p.emit(op, {dest(0), imm(1)}, config);
  });
}

TEST(PeIllegalDescriptor, IndexThatTheOperationDoesNotGive) {
  const auto memory = [](Builder& p) { return p.mem1d(2048, 4); };
  const auto fabric = [](Builder& p) { return p.fabout(4, 1, 4); };
  EXPECT_THAT(run_indexed(true, Opcode::kMov32, memory), BreaksNothing());
  EXPECT_THAT(run_indexed(false, Opcode::kMov32, memory), Breaks(Illegal::kMissingIndex));
  EXPECT_THAT(run_indexed(true, Opcode::kMov16, fabric), BreaksNothing());
  EXPECT_THAT(run_indexed(false, Opcode::kMov16, fabric), Breaks(Illegal::kMissingIndex));
}

TEST(PeIllegalDescriptor, IndexBesideA32BitElement) {
  // wse.md 1.1: the index takes the upper half of the wavelet.
  EXPECT_THAT(run_indexed(true, Opcode::kMov32, [](Builder& p) { return p.fabout(4, 1, 4); }),
              Breaks(Illegal::kIndexedElement));
}

// single_step (wse.md 5.11)

TEST(PeIllegalDescriptor, SingleStepForOneOperandOnly) {
  EXPECT_THAT(run([](Builder& p) {
                p.load(src1(0), p.mem1d(2048, 4), single_step());
                p.load(dest(0), p.mem1d(4096, 4));
                p.emit(Opcode::kMov32, {dest(0), src1(0)});
              }),
              Breaks(Illegal::kSingleStepMix, HasSubstr("loaded without single_step")));
}

TEST(PeIllegalDescriptor, SingleStepOfAnAsynchronousOperation) {
  EXPECT_THAT(run([](Builder& p) {
                p.load(dest(0), p.fabout(4, 1, 4), single_step());
                p.emit(Opcode::kMov32, {dest(0), imm(1)}, async());
              }),
              Breaks(Illegal::kSingleStepMix, HasSubstr("asynchronous")));
}

// zero (wse.md 5.5)

TEST(PeIllegalDescriptor, ZeroOfASourceThatIsNoVectorInMemory) {
  const auto send = [](ZeroSource zero, bool two_sources, const Operand& second) {
    return run([&](Builder& p) {
      p.load(src0(0), p.mem1d(2048, 4));
      p.load(src1(0), p.mem1d(2064, 4));
      const Operand out = p.fabout(4, 1, 4);
      p.dsd(out).zero = zero;
      p.load(dest(0), out);
      if (two_sources) p.emit(Opcode::kFadds, {dest(0), src0(0), second});
      if (!two_sources) p.emit(Opcode::kMov32, {dest(0), second});
    });
  };
  EXPECT_THAT(send(ZeroSource::kFirst, true, imm(1)), BreaksNothing());
  EXPECT_THAT(send(ZeroSource::kSecond, true, imm(1)), Breaks(Illegal::kZeroSource));
  EXPECT_THAT(send(ZeroSource::kSecond, false, src1(0)), BreaksNothing());
  EXPECT_THAT(send(ZeroSource::kFirst, false, src1(0)),
              Breaks(Illegal::kZeroSource, HasSubstr("a single source is the second")));
  EXPECT_THAT(send(ZeroSource::kSecond, false, imm(1)), Breaks(Illegal::kZeroSource));
}

// dfilt (wse.md 6.7)

TEST(PeIllegalDescriptor, FilterMustBeAsynchronousAndWithoutOnControl) {
  const auto filter = [](const OpConfig& config) {
    return run([&](Builder& p) {
      p.load(src1(0), p.fabin(1, 4));
      p.emit(Opcode::kDfilt, {src1(0)}, config);
    });
  };
  OpConfig on_control = async();
  on_control.on_control = OnControl::kTerminate;
  EXPECT_THAT(filter(async()), BreaksNothing());
  EXPECT_THAT(filter(OpConfig{}), Breaks(Illegal::kFilterOptions));
  EXPECT_THAT(filter(on_control), Breaks(Illegal::kFilterOptions));
}

TEST(PeIllegalDescriptor, FilterOfMemory) {
  EXPECT_THAT(run([](Builder& p) {
                p.load(src1(0), p.mem1d(2048, 4));
                p.emit(Opcode::kDfilt, {src1(0)}, async());
              }),
              Breaks(Illegal::kDsrKind, HasSubstr("dfilt needs a fabin")));
}

// FIFOs (wse.md 5.6)

TEST(PeIllegalDescriptor, FifoPushedByTwoOperations) {
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 64);
                p.load(src1(1), p.fabin(1, 4));
                p.load(src1(2), p.fabin(2, 4));
                p.emit(Opcode::kMov32, {dest(0), src1(1)}, async());
                p.emit(Opcode::kMov32, {dest(0), src1(2)}, async());
              }),
              Breaks(Illegal::kFifoReentry, AllOf(HasSubstr("FIFO fifo0 is still pushed by"),
                                                  HasSubstr("microthread 1"))));
}

TEST(PeIllegalDescriptor, FifoPoppedByTwoOperations) {
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 64);
                p.load(dest(1), p.fabout(4, 1, 4));
                p.load(dest(2), p.fabout(5, 2, 4));
                p.emit(Opcode::kMov32, {dest(1), src1(0)}, async());
                p.emit(Opcode::kMov32, {dest(2), src1(0)}, async());
              }),
              Breaks(Illegal::kFifoReentry, HasSubstr("popped")));
}

TEST(PeIllegalDescriptor, FifoAsTheFirstOfSeveralSources) {
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 64);
                p.load(src1(1), p.mem1d(4096, 4));
                p.load(dest(1), p.mem1d(4096, 4));
                p.emit(Opcode::kFadds, {dest(1), src1(0), src1(1)});
              }),
              Breaks(Illegal::kFifoSource, HasSubstr("first of several")));
}

TEST(PeIllegalDescriptor, TwoFifoSources) {
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 64);
                p.fifo(2112, 64);
                p.load(dest(2), p.mem1d(4096, 4));
                p.emit(Opcode::kFadds, {dest(2), src1(0), src1(1)});
              }),
              Breaks(Illegal::kFifoSource, HasSubstr("two sources")));
}

TEST(PeIllegalDescriptor, FaultOfAnEmptyAndOfAFullFifo) {
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 64).empty_action = FifoAction::kFault;
                p.emit(Opcode::kMov32, {reg32(0), src1(0)});
              }),
              Breaks(Illegal::kFifoFault, HasSubstr("FIFO fifo0 is empty")));
  EXPECT_THAT(run([](Builder& p) {
                p.fifo(2048, 16).full_action = FifoAction::kFault;
                p.emit(Opcode::kSetdsl, {dest(0), imm(5)});
                p.emit(Opcode::kMov32, {dest(0), imm(1)});
              }),
              Breaks(Illegal::kFifoFault, HasSubstr("FIFO fifo0 is full")));
}

TEST(PeIllegalDescriptor, FifoWithoutFabricOperandNeedsAMicrothreadId) {
  const auto push = [](const OpConfig& config) {
    return run([&](Builder& p) {
      p.fifo(2048, 64);
      p.emit(Opcode::kMov32, {dest(0), imm(1)}, config);
    });
  };
  EXPECT_THAT(push(async()), Breaks(Illegal::kNoMicrothread, HasSubstr("a FIFO and ut=")));
  EXPECT_THAT(push(async_on(3)), BreaksNothing());
}

}  // namespace
}  // namespace tessera::pe::test::illegal_descriptor_test
