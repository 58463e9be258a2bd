// Data structure registers (reference wse.md 5.11): loads, changes in place, what an operation
// leaves, extended DSRs and stride registers.
#include "models/pe/dsr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

constexpr unsigned kSource = 4096;
constexpr unsigned kResults = 8192;

/// A WSE-3 program with one task; memory at kSource holds 1, 2, 3, ... as 32-bit elements.
class DsrProgram : public Builder {
 public:
  DsrProgram() {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 1; i <= 64; ++i) numbers.push_back(i);
    symbol(ElementType::kU32, kSource, numbers);
    task("main", 8);
  }
  /// Stores a register where result() finds it.
  void keep(const Operand& reg) {
    emit(reg.kind == kReg16 ? Opcode::kSt16 : Opcode::kSt32,
         {at_address(static_cast<std::int32_t>(kResults + 4 * kept_++)), reg});
  }
  Bench& run() {
    emit(Opcode::kEnd);
    bench_ = std::make_unique<Bench>(image());
    return bench_->run();
  }
  std::uint32_t word(unsigned address) const { return bench_->core.sram().read(address, 4); }
  std::uint32_t result(unsigned i) const { return word(kResults + 4 * i); }
  std::vector<std::uint32_t> words(unsigned address, unsigned count) const {
    std::vector<std::uint32_t> all;
    for (unsigned i = 0; i < count; ++i) all.push_back(word(address + 4 * i));
    return all;
  }

 private:
  unsigned kept_ = 0;
  std::unique_ptr<Bench> bench_;
};

/// Registers keep pointers to what was loaded, as into an image.
const OpConfig kPlain;

// The register files

TEST(PeDsr, LoadCopiesWhatTheProgramMayChange) {
  DsrProgram p;
  p.load(src1(3), p.mem1d(1000, 20, -2));
  const DsrLayout layout(p.image());
  DsrFiles files(layout);
  EXPECT_FALSE(files[src1(3)].loaded());
  EXPECT_EQ(files.load(src1(3), p.image().dsds[0], kPlain), 1u);
  const Dsr& dsr = files[src1(3)];
  EXPECT_TRUE(dsr.loaded());
  EXPECT_EQ(dsr.kind(), DsdKind::kMem1d);
  EXPECT_EQ(dsr.base, 1000u);
  EXPECT_EQ(dsr.length(), 20u);
  EXPECT_EQ(dsr.stride, -2);
  EXPECT_FALSE(dsr.endless());
  EXPECT_FALSE(dsr.single_step());
}

TEST(PeDsr, LoadTakesOneRegisterForEachPart) {
  DsrProgram p;
  const Operand nest = p.mem4d(1000, {2, 2, 2, 2}, {2, 1, 1, 1});
  p.load(src0(0), nest);
  const DsrLayout layout(p.image());
  DsrFiles files(layout);
  EXPECT_EQ(p.dsd(nest).stride_registers(), 3u);
  const OpConfig all = with_sr(with_xdsr(0), {0, 1, 2});
  const OpConfig without_sr = with_xdsr(0);
  EXPECT_EQ(files.load(src0(0), p.dsd(nest), all), 5u);
  EXPECT_EQ(files.load(src0(0), p.dsd(nest), without_sr), 2u);
}

TEST(PeDsr, StrideRegistersThatANestNeeds) {
  // wse.md 5.3: none for the innermost loop, none for the second if the inner stride is 1.
  Builder p;
  EXPECT_EQ(p.dsd(p.mem4d(0, {4}, {3})).stride_registers(), 0u);
  EXPECT_EQ(p.dsd(p.mem4d(0, {4, 4}, {1, 3})).stride_registers(), 0u);
  EXPECT_EQ(p.dsd(p.mem4d(0, {4, 4}, {2, 3})).stride_registers(), 1u);
  EXPECT_EQ(p.dsd(p.mem4d(0, {4, 4, 4, 4}, {1, 3, 3, 3})).stride_registers(), 2u);
  EXPECT_EQ(p.dsd(p.mem1d(0, 4)).stride_registers(), 0u);
}

TEST(PeDsr, LaterLoadTakesAnExtendedDsrAway) {
  DsrProgram p;
  const Operand ring = p.circbuf(1000, 4, 4), other = p.circbuf(1000, 4, 3);
  p.load(src1(0), ring);
  p.load(src1(1), other);
  const DsrLayout layout(p.image());
  DsrFiles files(layout);
  const OpConfig first = with_xdsr(1);
  files.load(src1(0), p.dsd(ring), first);
  EXPECT_FALSE(files.xdsr_lost(files[src1(0)]));
  files.load(src1(1), p.dsd(other), first);
  EXPECT_TRUE(files.xdsr_lost(files[src1(0)]));
  EXPECT_FALSE(files.xdsr_lost(files[src1(1)]));
  files.load(src1(0), p.dsd(ring), first);
  EXPECT_FALSE(files.xdsr_lost(files[src1(0)]));
  EXPECT_TRUE(files.xdsr_lost(files[src1(1)]));
  // One that has the same loops changes nothing.
  files.load(src1(1), p.dsd(ring), first);
  EXPECT_FALSE(files.xdsr_lost(files[src1(0)]));
  EXPECT_FALSE(files.xdsr_lost(files[src1(1)]));
}

TEST(PeDsr, OnlyFabricLengthsAreEndless) {
  DsrProgram p;
  p.load(src1(0), p.fabin(1, kEndless));
  p.load(src1(1), p.mem1d(1000, kEndless));
  const DsrLayout layout(p.image());
  DsrFiles files(layout);
  files.load(src1(0), p.image().dsds[0], kPlain);
  files.load(src1(1), p.image().dsds[1], kPlain);
  EXPECT_TRUE(files[src1(0)].endless());
  EXPECT_FALSE(files[src1(1)].endless());
}

TEST(PeDsr, FifosAreThereFromTheStart) {
  DsrProgram p;
  p.fifo(2048, 16);
  const DsrLayout layout(p.image());
  DsrFiles files(layout);
  for (const Operand& operand : {dest(0), src1(0)}) {
    EXPECT_TRUE(files[operand].loaded());
    EXPECT_EQ(files[operand].kind(), DsdKind::kFifo);
    EXPECT_EQ(files[operand].name(), "fifo0");
  }
}

// On the engine

TEST(PeDsr, InitialLoadsAreInPlaceAtTheStart) {
  DsrProgram p;
  p.initial_load(src1(5), p.mem1d(kSource, 3));
  p.emit(Opcode::kMov32, {reg32(2), src1(5)});  // issues at once
  p.keep(reg32(2));
  const Bench& bench = p.run();
  EXPECT_EQ(p.result(0), 3u);
  EXPECT_EQ(bench.cycles(EventKind::kIssue).at(0), 3u);
}

TEST(PeDsr, EveryRegisterOfALoadTakesAnIssueSlot) {
  DsrProgram p;
  p.load(src1(0), p.mem4d(kSource, {2, 2, 2}, {2, 1, 1}), with_sr(with_xdsr(0), {0, 1}));
  p.emit(Opcode::kMovri, {reg16(0), imm(1)});
  p.emit(Opcode::kMov32, {reg32(2), src1(0)});
  const std::vector<Cycle> issues = p.run().cycles(EventKind::kIssue);
  EXPECT_EQ(issues.at(1), issues.at(0) + 4);      // DSR, XDSR, two SRs
  EXPECT_EQ(issues.at(2), issues.at(0) + 3 + 4);  // load-to-use after the last one
  EXPECT_EQ(issues.at(2) - issues.at(1), 3u);
}

TEST(PeDsr, AddressLengthAndStrideChangeInPlace) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 4));
  p.load(dest(0), p.mem1d(kResults, 0));
  p.emit(Opcode::kSetdsa, {src1(0), imm(kSource + 40)});  // 11, 12, ...
  p.emit(Opcode::kIncdsa, {src1(0), imm(-3)});            // 8, 9, ...
  p.emit(Opcode::kSetdsl, {src1(0), imm(3)});
  p.emit(Opcode::kSetdss, {src1(0), imm(-2)});
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 4), ElementsAre(8, 6, 4, 0));
}

TEST(PeDsr, GetsSayWhereADsrStands) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 6), save_address());
  p.emit(Opcode::kGetdsa, {reg16(0), src1(0)});
  p.keep(reg16(0));
  p.emit(Opcode::kGetdsl, {reg16(0), src1(0)});
  p.keep(reg16(0));
  p.emit(Opcode::kMov32, {reg32(2), src1(0)});
  p.emit(Opcode::kGetdsa, {reg16(0), src1(0)});
  p.keep(reg16(0));
  p.run();
  EXPECT_EQ(p.result(0), kSource);
  EXPECT_EQ(p.result(1), 6u);
  EXPECT_EQ(p.result(2), kSource + 24);
}

TEST(PeDsr, NestIsReadInTheOrderOfItsLoops) {
  // wse.md 5.3: 2i + j, 3x3
  DsrProgram p;
  p.load(src1(0), p.mem4d(kSource, {3, 3}, {1, 0}), with_xdsr(0));
  p.load(dest(0), p.mem1d(kResults, 0));
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 10), ElementsAre(1, 2, 3, 3, 4, 5, 5, 6, 7, 0));
}

TEST(PeDsr, NestWithSavedAddressGoesOnWithItsSlowestLoop) {
  // wse.md 5.11: two rows of two out of rows of ten, twice.
  DsrProgram p;
  p.load(src1(0), p.mem4d(kSource, {2, 2}, {1, 9}), with_xdsr(0, save_address()));
  p.load(dest(0), p.mem1d(kResults, 0), save_address());
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 8), ElementsAre(1, 2, 11, 12, 21, 22, 31, 32));
}

TEST(PeDsr, CircularBufferGoesOnAtItsHead) {
  // wse.md 5.4 with save_address
  DsrProgram p;
  p.load(src1(0), p.circbuf(kSource, 4, 3), with_xdsr(0, save_address()));
  p.load(dest(0), p.mem1d(kResults, 0), save_address());
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 8), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2));
}

TEST(PeDsr, CircularBufferAsDestination) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 5));
  p.load(dest(0), p.circbuf(kResults, 5, 3), with_xdsr(0));
  p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 4), ElementsAre(4, 5, 3, 0));
}

TEST(PeDsr, IndexShiftsMemoryByWords) {
  // wse.md 5.2: "shifted by the operation's .index (in words)", words of 16 bits
  DsrProgram p;
  const Operand from = p.mem1d(kSource, 2);
  p.dsd(from).wavelet_index_offset = true;
  p.load(src1(0), from);
  p.load(dest(0), p.mem1d(kResults, 0));
  OpConfig config;
  config.index = reg16(4);
  p.emit(Opcode::kMovri, {reg16(4), imm(6)});
  p.emit(Opcode::kMov32, {dest(0), src1(0)}, config);
  p.run();
  EXPECT_THAT(p.words(kResults, 3), ElementsAre(4, 5, 0));
}

// single_step (wse.md 5.11, 8.6 @map)

TEST(PeDsr, SingleStepTakesOneElementAndSaysWhenThereIsNone) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 2, 3), single_step());
  p.emit(Opcode::kMovri, {reg32(2), imm(0)});
  const std::uint32_t loop = p.emit(Opcode::kMov32, {reg32(4), src1(0)});
  const std::uint32_t out = p.here() + 4;
  p.emit(Opcode::kJmpf, {target(out)});
  p.emit(Opcode::kAdd32, {reg32(2), reg32(2), reg32(4)});
  p.emit(Opcode::kGetdsl, {reg16(8), src1(0)});
  p.emit(Opcode::kJmp, {target(loop)});
  ASSERT_EQ(p.here(), out);
  p.keep(reg32(2));
  p.keep(reg32(4));
  p.keep(reg16(8));
  const Bench& bench = p.run();
  EXPECT_EQ(p.result(0), 1u + 4u);
  EXPECT_EQ(p.result(1), 4u);  // the exhausted one changed nothing
  EXPECT_EQ(p.result(2), 0u);
  EXPECT_THAT(bench.elements_done(), ElementsAre(1, 1));
}

TEST(PeDsr, SingleStepEndsAtTheFirstOperandWithoutElements) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 5), single_step());
  p.load(dest(0), p.mem1d(kResults, 2), single_step());
  for (int i = 0; i < 4; ++i) p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.emit(Opcode::kGetdsl, {reg16(0), src1(0)});
  p.emit(Opcode::kSt16, {at_address(kResults + 40), reg16(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 3), ElementsAre(1, 2, 0));
  EXPECT_EQ(p.word(kResults + 40), 3u);  // nothing of the longer one was lost
}

TEST(PeDsr, SingleStepOfOneDsrInTwoRoles) {
  // wse.md 6.5: if the destination equals a source, one src0 DSR serves both.
  DsrProgram p;
  p.load(src0(0), p.mem1d(kSource, 3, 1, 4), single_step());
  for (int i = 0; i < 4; ++i) p.emit(Opcode::kMov32, {src0(0), src0(0)});
  const Bench& bench = p.run();
  EXPECT_THAT(bench.elements_done(), ElementsAre(1, 1, 1));
}

TEST(PeDsr, SingleStepWalksNests) {
  DsrProgram p;
  p.load(src1(0), p.mem4d(kSource, {2, 2}, {1, 9}), with_xdsr(0, single_step()));
  p.load(dest(0), p.mem1d(kResults, 8), single_step());
  for (int i = 0; i < 5; ++i) p.emit(Opcode::kMov32, {dest(0), src1(0)});
  p.run();
  EXPECT_THAT(p.words(kResults, 5), ElementsAre(1, 2, 11, 12, 0));
}

TEST(PeDsr, SingleStepAdvancesTheSwitchBehindTheLastWaveletOnly) {
  DsrProgram p;
  p.load(src1(0), p.mem1d(kSource, 3), single_step());
  const Operand out = p.fabout(4, 1, 3);
  p.dsd(out).advance_switch = true;
  p.load(dest(0), out, single_step());
  for (int i = 0; i < 3; ++i) p.emit(Opcode::kMov32, {dest(0), src1(0)});
  const Bench& bench = p.run();
  ASSERT_EQ(bench.queues.sent.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.queues.sent[i].wavelet.local_flip, i == 2) << i;
  }
}

}  // namespace
}  // namespace tessera::pe::test
