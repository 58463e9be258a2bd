// The time of vector functions of A5 (reference ascend.md 4.1, 4.3) and the lanes of their instructions.
#include "models/cluster/core/vector_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace tessera::cluster::vector_function_test {
namespace {

using F = RegisterFunction;
using testing::ElementsAre;

constexpr Cycle kFrame = 23 + 12;  // start and drain

RegisterOperation operation(F function, RegisterUnit unit, std::uint16_t result,
                            std::array<std::uint16_t, 3> sources = {kNoRegister, kNoRegister,
                                                                    kNoRegister}) {
  RegisterOperation r;
  r.function = function;
  r.unit = unit;
  r.results[0] = result;
  r.sources = sources;
  return r;
}

TEST(VectorFunction, 4_1_AChainWaitsForEachResult) {
  RegisterSchedule schedule(3);
  schedule.add(operation(F::kLoad, RegisterUnit::kLoad, 0));
  schedule.add(operation(F::kMap, RegisterUnit::kAdd, 1, {0, 0, kNoRegister}));
  schedule.add(
      operation(F::kStore, RegisterUnit::kStore, kNoRegister, {1, kNoRegister, kNoRegister}));
  EXPECT_EQ(schedule.cycles(), kFrame + 6 + 5 + 9);  // results are forwarded
}

// Two loads and a store: three accesses, two of them in a cycle.
TEST(VectorFunction, 4_6_AccessesBoundALoopThatAdds) {
  constexpr unsigned kTimes = 400;
  RegisterSchedule schedule(3);
  for (unsigned i = 0; i < kTimes; ++i) {
    schedule.add(operation(F::kLoad, RegisterUnit::kLoad, 0));
    schedule.add(operation(F::kLoad, RegisterUnit::kLoad, 1));
    schedule.add(operation(F::kMap, RegisterUnit::kAdd, 2, {0, 1, kNoRegister}));
    schedule.add(
        operation(F::kStore, RegisterUnit::kStore, kNoRegister, {2, kNoRegister, kNoRegister}));
  }
  EXPECT_GE(schedule.cycles(), kFrame + kTimes * 3 / 2);
  EXPECT_LE(schedule.cycles(), kFrame + kTimes * 3 / 2 + 40);
}

// --- the rows of ascend_2.md 4.8 whose bodies are known ---

constexpr std::uint16_t kNone = kNoRegister;

/// `times` times a load, so many operations on the result one after the other, and a store.
double chain(RegisterSchedule schedule, unsigned times, unsigned operations, RegisterUnit unit) {
  const RegisterOperation load = operation(F::kLoad, RegisterUnit::kLoad, 0),
                          next = operation(F::kMap, unit, 0, {0, kNone, kNone}),
                          store =
                              operation(F::kStore, RegisterUnit::kStore, kNone, {0, kNone, kNone});
  for (unsigned i = 0; i < times; ++i) {
    schedule.add(load);
    for (unsigned n = 0; n < operations; ++n) schedule.add(next);
    schedule.add(store);
  }
  return static_cast<double>(schedule.cycles());
}

/// SiLU as x * (1 / (1 + exp(-x))), and times a second array.
double silu(unsigned times, bool gated) {
  using U = RegisterUnit;
  RegisterSchedule schedule(8);
  schedule.add(operation(F::kSplat, U::kUnary, 7));
  for (unsigned i = 0; i < times; ++i) {
    schedule.add(operation(F::kLoad, U::kLoad, 0));
    if (gated) schedule.add(operation(F::kLoad, U::kLoad, 6));
    schedule.add(operation(F::kMap, U::kMultiply, 1, {0, kNone, kNone}));
    schedule.add(operation(F::kMap, U::kExp, 2, {1, kNone, kNone}));
    schedule.add(operation(F::kMap, U::kAdd, 3, {2, kNone, kNone}));
    schedule.add(operation(F::kMap, U::kDivide, 4, {7, 3, kNone}));
    schedule.add(operation(F::kMap, U::kMultiply, 4, {0, 4, kNone}));
    if (gated) schedule.add(operation(F::kMap, U::kMultiply, 4, {4, 6, kNone}));
    schedule.add(operation(F::kStore, U::kStore, kNone, {4, kNone, kNone}));
  }
  return static_cast<double>(schedule.cycles());
}

TEST(VectorFunction, 4_8_ReleasedRows) {
  struct Row {
    const char* what;
    double found, published, bound;
  };
  const RegisterSchedule empty(1);
  const Row rows[] = {
      {"16 x 512 additions", chain(empty, 16, 512, RegisterUnit::kAdd), 21823, 5},
      {"16 x 512 exponentials", chain(empty, 16, 512, RegisterUnit::kExp), 95492, 5},
      {"SiLU, 16", silu(16, false), 160, 5},
      {"SiLU, 96", silu(96, false), 538, 6},
      {"SwiGLU, 64", silu(64, true), 480, 5}};
  for (const Row& row : rows)
    EXPECT_NEAR(row.found, row.published, row.published * row.bound / 100) << row.what;
}

// Loads and a store of UB: two accesses in a cycle.
TEST(VectorFunction, 4_3_PortsOfUbBoundALoopThatCopies) {
  constexpr unsigned kTimes = 400;
  RegisterSchedule schedule(3);
  for (unsigned i = 0; i < kTimes; ++i)
    for (const std::uint16_t r : {0, 1, 2})
      schedule.add(operation(F::kLoad, RegisterUnit::kLoad, r));
  EXPECT_GE(schedule.cycles(), kFrame + kTimes * 3 / 2);
  EXPECT_LE(schedule.cycles(), kFrame + kTimes * 3 / 2 + 20);
}

TEST(VectorFunction, 4_3_ExponentialsTakeFourCyclesOfAUnitEach) {
  RegisterSchedule schedule(2);
  for (unsigned i = 0; i < 10; ++i) schedule.add(operation(F::kMap, RegisterUnit::kExp, 1));
  // 4.3: two units, each of which takes one in four cycles.
  EXPECT_EQ(schedule.cycles(), kFrame + 1 + 4 * 4 + 16);
}

TEST(VectorFunction, WideRegistersAreSeveralInstructions) {
  RegisterOperation wide = operation(F::kMap, RegisterUnit::kExp, 1);
  wide.lanes = 256;
  RegisterSchedule schedule(2);
  schedule.add(wide);
  EXPECT_EQ(schedule.cycles(), kFrame + 1 + 4 + 16);
}

TEST(VectorFunction, ABarrierWaitsForAccesses) {
  RegisterSchedule schedule(2);
  schedule.add(operation(F::kStore, RegisterUnit::kStore, kNoRegister));
  schedule.add(operation(F::kBarrier, RegisterUnit::kNone, kNoRegister));
  schedule.add(operation(F::kLoad, RegisterUnit::kLoad, 0));
  EXPECT_EQ(schedule.cycles(), kFrame + 9 + 2 + 9);
}

// --- values ---

std::vector<std::byte> bytes_of(const std::vector<std::int32_t>& values) {
  TileValues tile = TileValues::zeros(Element::kI32, 1, values.size());
  tile.integers.assign(values.begin(), values.end());
  std::vector<std::byte> bytes(values.size() * 4);
  encode(tile, 0, values.size(), bytes.data());
  return bytes;
}

RegisterStep access(RegisterOperation& op, std::int64_t address, std::int64_t block_stride = 0) {
  op.element = Element::kI32;
  return {&op, address, block_stride};
}

TEST(VectorFunction, LoadsSpreadAndStoresPack) {
  RegisterValues values(64, bytes_of({10, 11, 12, 13}));
  std::vector<TileValues> registers(2);
  RegisterOperation load = operation(F::kLoad, RegisterUnit::kLoad, 0);
  load.lanes = 4;
  load.every = 2;
  values.execute(access(load, 64), registers);
  EXPECT_THAT(registers[0].integers, ElementsAre(10, 10, 11, 11));
  RegisterOperation store =
      operation(F::kStore, RegisterUnit::kStore, kNoRegister, {0, kNoRegister, kNoRegister});
  store.lanes = 4;
  store.every = 0;
  values.execute(access(store, 76), registers);
  EXPECT_TRUE(values.is_changed(12));
  EXPECT_FALSE(values.is_changed(8));
  load.every = 1;
  values.execute(access(load, 64), registers);
  EXPECT_THAT(registers[0].integers, ElementsAre(10, 11, 12, 10));
}

TEST(VectorFunction, BlocksMayLieApart) {
  RegisterOperation load = operation(F::kLoad, RegisterUnit::kLoad, 0);
  load.lanes = 16;
  EXPECT_EQ(reach_of(access(load, 0), 1 << 18), 64);
  EXPECT_EQ(reach_of(access(load, 0, 4), 1 << 18), 4 * 32 + 32);
}

TEST(VectorFunction, MistakesHaveSentences) {
  RegisterValues values(0, bytes_of({1, 2}));
  std::vector<TileValues> registers(2);
  RegisterOperation add = operation(F::kMap, RegisterUnit::kAdd, 1, {0, 0, kNoRegister});
  EXPECT_THROW(values.execute({&add}, registers), std::length_error);
  RegisterOperation load = operation(F::kLoad, RegisterUnit::kLoad, 0);
  EXPECT_THROW(values.execute(access(load, 0), registers), std::out_of_range);
}

}  // namespace
}  // namespace tessera::cluster::vector_function_test
