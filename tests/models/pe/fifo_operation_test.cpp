// DSD operations on FIFOs (reference wse.md 5.6): order, lengths, what happens at a full and an
// empty one, activations at the edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test::fifo_operation_test {
namespace {

using testing::ElementsAre;

constexpr unsigned kSource = 4096;  // 32-bit elements 1, 2, 3, ...
constexpr unsigned kResults = 8192;
constexpr unsigned kFlags = 12288;  // what the synchronous operations returned, 16 bits each

/// One task and a FIFO in dest(0) and src1(0). dest(1) and src1(1) hold memory.
class FifoProgram : public Builder {
 public:
  explicit FifoProgram(unsigned bytes, Generation generation = Generation::kWse3)
      : Builder(generation) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 1; i <= 64; ++i) numbers.push_back(i);
    symbol(ElementType::kU32, kSource, numbers);
    fifo(2048, bytes);
    task("main", 24);
  }
  /// Pushes the next `count` numbers, or as many as go in.
  void push(unsigned count, const OpConfig& config = {}) {
    load(src1(1), mem1d(kSource + 4 * pushed_, count));
    emit(Opcode::kMov32, {dest(0), src1(1)}, config);
    pushed_ += count;
  }
  /// Pops `count` numbers to the results, after those before.
  void pop(unsigned count, const OpConfig& config = {}) {
    load(dest(1), mem1d(kResults + 4 * popped_, count));
    emit(Opcode::kMov32, {dest(1), src1(0)}, config);
    popped_ += count;
  }
  /// Stores the condition flag.
  void keep_flag() {
    emit(Opcode::kMovri, {reg16(14), imm(0)});
    emit(Opcode::kJmpf, {target(here() + 2)});
    emit(Opcode::kMovri, {reg16(14), imm(1)});
    keep(reg16(14));
  }
  void keep(const Operand& reg) {
    emit(Opcode::kSt16, {at_address(static_cast<std::int32_t>(kFlags + 2 * kept_++)), reg});
  }
  void end() { emit(Opcode::kEnd); }

  Bench& bench() {
    if (!bench_) bench_ = std::make_unique<Bench>(image());
    return *bench_;
  }
  Bench& run() { return bench().run(); }
  std::vector<std::uint32_t> results(unsigned count) {
    std::vector<std::uint32_t> all;
    for (unsigned i = 0; i < count; ++i)
      all.push_back(bench().core.sram().read(kResults + 4 * i, 4));
    return all;
  }
  std::vector<std::uint32_t> kept() {
    std::vector<std::uint32_t> all;
    for (unsigned i = 0; i < kept_; ++i) all.push_back(bench().core.sram().read(kFlags + 2 * i, 2));
    return all;
  }

 private:
  unsigned pushed_ = 0;
  unsigned popped_ = 0;
  unsigned kept_ = 0;
  std::unique_ptr<Bench> bench_;
};

TEST(PeFifoOperation, FirstInFirstOut) {
  FifoProgram p(64);
  p.push(5);
  p.keep_flag();
  p.pop(5);
  p.keep_flag();
  p.end();
  p.run();
  EXPECT_THAT(p.results(6), ElementsAre(1, 2, 3, 4, 5, 0));
  EXPECT_THAT(p.kept(), ElementsAre(1, 1));
}

TEST(PeFifoOperation, GoesRoundItsMemory) {
  FifoProgram p(20);
  for (int i = 0; i < 6; ++i) {
    p.push(4);
    p.pop(4);
  }
  p.end();
  p.run();
  const std::vector<std::uint32_t> results = p.results(24);
  for (std::uint32_t i = 0; i < 24; ++i) EXPECT_EQ(results[i], i + 1);
}

TEST(PeFifoOperation, PushAndPopMayHaveDifferentElements) {
  FifoProgram p(64);
  p.push(3);
  p.emit(Opcode::kSetdsl, {src1(0), imm(2)});
  p.emit(Opcode::kMov16, {reg16(2), src1(0)});  // both halves of 1
  p.keep(reg16(2));
  p.emit(Opcode::kSetdsl, {src1(0), imm(1)});
  p.emit(Opcode::kMov16, {reg16(2), src1(0)});  // low half of 2
  p.keep(reg16(2));
  p.emit(Opcode::kMov32, {reg32(4), src1(0)});  // high half of 2, low half of 3
  p.keep(reg16(4));
  p.keep(reg16(5));
  p.end();
  p.run();
  EXPECT_THAT(p.kept(), ElementsAre(0, 2, 0, 3));
}

// Synchronous operations at the edges

TEST(PeFifoOperation, FullFifoStopsASynchronousPush) {
  FifoProgram p(16);
  p.push(6);
  p.keep_flag();
  p.emit(Opcode::kGetdsl, {reg16(0), dest(0)});
  p.keep(reg16(0));
  p.end();
  EXPECT_THAT(p.run().elements_done(), ElementsAre(4));
  EXPECT_THAT(p.kept(), ElementsAre(0, 2));  // false; two did not go in
}

TEST(PeFifoOperation, EmptyFifoStopsASynchronousPop) {
  FifoProgram p(64);
  p.push(3);
  p.pop(8);
  p.keep_flag();
  p.emit(Opcode::kGetdsl, {reg16(0), src1(0)});
  p.keep(reg16(0));
  p.end();
  p.run();
  EXPECT_THAT(p.results(4), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(p.kept(), ElementsAre(0, 5));
}

TEST(PeFifoOperation, TerminateReturnsTrue) {
  for (const bool push : {false, true}) {
    FifoProgram p(16);
    p.image().fifos[0].empty_action = FifoAction::kTerminate;
    p.image().fifos[0].full_action = FifoAction::kTerminate;
    if (push) p.push(6);
    if (!push) p.pop(6);
    p.keep_flag();
    p.end();
    EXPECT_THAT(p.run().elements_done(), ElementsAre(push ? 4 : 0));
    EXPECT_THAT(p.kept(), ElementsAre(1));
  }
}

TEST(PeFifoOperation, WhatWasLeftIsTheNextLength) {
  FifoProgram p(64);
  p.emit(Opcode::kSetdsl, {src1(0), imm(6)});
  p.push(4);
  p.emit(Opcode::kMov32, {reg32(0), src1(0)});  // 4 of 6
  p.push(8);
  p.emit(Opcode::kMov32, {reg32(0), src1(0)});  // the other 2
  p.emit(Opcode::kGetdsl, {reg16(4), src1(0)});
  p.keep(reg16(4));
  p.emit(Opcode::kMov32, {reg32(0), src1(0)});  // 6 again
  p.end();
  EXPECT_THAT(p.run().elements_done(), ElementsAre(4, 4, 8, 2, 6));
  EXPECT_THAT(p.kept(), ElementsAre(6));
}

TEST(PeFifoOperation, SetLengthForgetsWhatWasLeft) {
  FifoProgram p(64);
  p.pop(6);
  p.emit(Opcode::kSetdsl, {src1(0), imm(2)});
  p.push(8);
  p.emit(Opcode::kMov32, {reg32(0), src1(0)});
  p.end();
  EXPECT_THAT(p.run().elements_done(), ElementsAre(0, 8, 2));
}

TEST(PeFifoOperation, PopIntoARegisterThatEndsEarlyLosesItsValues) {
  // wse.md 5.6: "popped values are lost and the scalar is unchanged"
  FifoProgram p(64);
  p.push(3);
  p.emit(Opcode::kMovri, {reg32(2), imm(99)});
  p.emit(Opcode::kSetdsl, {src1(0), imm(5)});
  p.emit(Opcode::kMov32, {reg32(2), src1(0)});
  p.keep(reg16(2));
  p.push(1);
  p.emit(Opcode::kSetdsl, {src1(0), imm(1)});
  p.emit(Opcode::kMov32, {reg32(2), src1(0)});
  p.keep(reg16(2));
  p.end();
  p.run();
  EXPECT_THAT(p.kept(), ElementsAre(99, 4));
}

TEST(PeFifoOperation, SuspendHoldsASynchronousPop) {
  // WSE-3: an asynchronous push feeds it.
  FifoProgram p(64);
  p.image().fifos[0].empty_action = FifoAction::kSuspend;
  p.load(src1(2), p.fabin(1, 3));
  p.emit(Opcode::kMov32, {dest(0), src1(2)}, async());
  p.pop(3);
  p.keep_flag();
  p.end();
  for (const Cycle due : {100, 200, 300}) p.bench().queues.arrive(1, due, due);
  p.run();
  EXPECT_THAT(p.results(3), ElementsAre(100, 200, 300));
  EXPECT_THAT(p.kept(), ElementsAre(1));
  EXPECT_THAT(p.bench().groups_of(8), ElementsAre(101, 201, 301));
}

// Asynchronous operations

TEST(PeFifoOperation, AsynchronousPushAndPopWaitForEachOther) {
  // 40 elements through a FIFO of four.
  FifoProgram p(16);
  p.load(src1(2), p.fabin(1, 40));
  p.load(dest(2), p.fabout(4, 1, 40));
  p.emit(Opcode::kMov32, {dest(0), src1(2)}, async());
  p.emit(Opcode::kMov32, {dest(2), src1(0)}, async());
  p.end();
  p.bench().queues.fill(1, 40);
  p.run();
  const std::vector<std::uint32_t> sent = p.bench().queues.payloads_sent();
  ASSERT_EQ(sent.size(), 40u);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(sent[i], 100 + i);
  EXPECT_THAT(p.bench().elements_done(), ElementsAre(40, 40));
}

TEST(PeFifoOperation, TerminateEndsAnAsynchronousPop) {
  FifoProgram p(64);
  p.image().fifos[0].empty_action = FifoAction::kTerminate;
  p.push(3);
  p.load(dest(2), p.fabout(4, 1, 40));
  p.emit(Opcode::kMov32, {dest(2), src1(0)}, then_activate(async(), 9));
  p.end();
  p.task("done", 9, false);
  p.end();
  EXPECT_THAT(p.run().queues.payloads_sent(), ElementsAre(1, 2, 3));
  EXPECT_THAT(p.bench().tasks_started(), ElementsAre(24, 9));
}

TEST(PeFifoOperation, UtAloneNamesTheMicrothread) {
  FifoProgram p(64);
  p.push(3, async_on(5));
  p.end();
  EXPECT_THAT(p.run().threads_of_operations(), ElementsAre(5));
  EXPECT_THAT(p.bench().elements_done(), ElementsAre(3));
}

TEST(PeFifoOperation, NoHitWhileAnotherOperandIsMissing) {
  // The pop waits for room in its output queue; the empty FIFO is not met before.
  FifoProgram p(64);
  p.image().fifos[0].empty_action = FifoAction::kTerminate;
  p.load(dest(2), p.fabout(4, 1, 4));
  p.load(dest(3), p.fabout(4, 1, 2));
  p.emit(Opcode::kMov32, {dest(3), imm(7)});
  p.emit(Opcode::kMov32, {dest(2), src1(0)}, async());
  p.end();
  p.bench().queues.sink(4, 2, 500);
  p.run();
  EXPECT_THAT(p.bench().cycles(EventKind::kOpEnd).back(), 501u);
}

// Activations (wse.md 5.6: edge-triggered)

/// A FIFO of four elements with activate_push=9, activate_pop=10.
FifoProgram edges() {
  FifoProgram p(16);
  p.image().fifos[0].activate_push = TaskId(9);
  p.image().fifos[0].activate_pop = TaskId(10);
  return p;
}
std::vector<unsigned> run_edges(FifoProgram& p) {
  p.end();
  p.task("pushed", 9, false);
  p.end();
  p.task("popped", 10, false);
  p.end();
  return p.run().tasks_started();
}

TEST(PeFifoOperation, TrafficWithoutAHitActivatesNothing) {
  FifoProgram p = edges();
  p.push(4);
  p.pop(4);
  p.push(2);
  p.pop(2);
  EXPECT_THAT(run_edges(p), ElementsAre(24));
}

TEST(PeFifoOperation, PushAfterAnEmptyHitActivates) {
  FifoProgram p = edges();
  p.pop(1);
  p.push(1);
  EXPECT_THAT(run_edges(p), ElementsAre(24, 9));
}

TEST(PeFifoOperation, PopAfterAFullHitActivates) {
  FifoProgram p = edges();
  p.push(6);
  p.emit(Opcode::kMovri, {reg32(0), imm(0)});
  p.emit(Opcode::kSetdsl, {src1(0), imm(2)});
  p.emit(Opcode::kMov32, {reg32(0), src1(0)});
  EXPECT_THAT(run_edges(p), ElementsAre(24, 10));
}

TEST(PeFifoOperation, PopThatMakesTooLittleRoomActivatesNothing) {
  // The push that met the full FIFO wants 32 bits; this pop frees 16.
  FifoProgram p = edges();
  p.push(6);
  p.emit(Opcode::kSetdsl, {src1(0), imm(1)});
  p.emit(Opcode::kMov16, {reg16(0), src1(0)});
  EXPECT_THAT(run_edges(p), ElementsAre(24));
}

// SIMD modes of FIFOs (wse.md 5.6, 5.10, WSE-2)

TEST(PeFifoOperation, SimdModeOfAFifoIsTheSizeOfItsGroups) {
  struct Row {
    SimdMode mode;
    unsigned done;  ///< elements done by a pop of 8 16-bit elements when 3 are there
  };
  for (const Row& row : {Row{SimdMode::kMax, 3}, Row{SimdMode::k32, 2}, Row{SimdMode::k64, 0}}) {
    FifoProgram p(64, Generation::kWse2);
    p.image().fifos[0].simd = row.mode;
    p.load(src1(1), p.mem1d(kSource, 3, 1, 2));
    p.emit(Opcode::kMov16, {dest(0), src1(1)});
    p.load(dest(1), p.mem1d(kResults, 8, 1, 2));
    p.emit(Opcode::kMov16, {dest(1), src1(0)});
    p.keep_flag();
    p.end();
    EXPECT_THAT(p.run().elements_done(), ElementsAre(3, row.done)) << to_string(row.mode);
    EXPECT_THAT(p.kept(), ElementsAre(0));
  }
}

}  // namespace
}  // namespace tessera::pe::test::fifo_operation_test
