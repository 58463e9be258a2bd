// Task identifiers and their state bits (reference wse.md 3.1 to 3.3).
#include "models/pe/task_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/models/pe_builder.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

/// Ids in the order in which the picker takes them until nothing is runnable.
std::vector<unsigned> picks(TaskTable& table, std::uint64_t with_wavelet = 0) {
  std::vector<unsigned> ids;
  while (const TaskBinding* task = table.pick(with_wavelet)) {
    ids.push_back(task->id.value());
    with_wavelet &= ~TaskTable::bit(task->id);
  }
  return ids;
}

std::vector<unsigned> blocked_ids(const TaskTable& table) {
  std::vector<unsigned> ids;
  for (unsigned id = 0; id < kTaskCount; ++id) {
    if (table.is_blocked(TaskId(id))) ids.push_back(id);
  }
  return ids;
}

TEST(TaskTable, DataIdsOfWse2AreColorsAndStartBlockedWithoutTask) {
  // wse.md 3.1, 3.2
  const Builder program(Generation::kWse2);
  const TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_EQ(blocked_ids(table).size(), kColorCount);
  EXPECT_TRUE(table.is_blocked(TaskId(23)));
  EXPECT_FALSE(table.is_blocked(TaskId(24)));
}

TEST(TaskTable, DataIdsOfWse3AreInputQueuesAndStartBlockedWithoutTask) {
  const Builder program(Generation::kWse3);
  const TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_THAT(blocked_ids(table), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(TaskTable, BoundIdsStartUnblockedUnlessDeclaredBlocked) {
  Builder program;
  program.data_task("open", 2, 2);
  program.data_task("closed", 3, 3).blocked = true;
  program.task("local", 8);
  program.task("later", 9).blocked = true;
  const TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_THAT(blocked_ids(table), ElementsAre(0, 1, 3, 4, 5, 6, 7, 9));
}

TEST(TaskTable, LocalTaskOfWse2MayHaveTheIdOfAColor) {
  // wse.md 3.1: local ids 0..30 on WSE-2; bound, so unblocked.
  Builder program(Generation::kWse2);
  program.task("local", 5);
  TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_FALSE(table.is_blocked(TaskId(5)));
  EXPECT_THAT(picks(table), ElementsAre(5));
}

TEST(TaskTable, TasksStartInactiveUnlessDeclaredActive) {
  Builder program;
  program.task("active", 10, true);
  program.task("inactive", 11, false);
  TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_TRUE(table.is_active(TaskId(10)));
  EXPECT_FALSE(table.is_active(TaskId(11)));
  EXPECT_THAT(picks(table), ElementsAre(10));
}

TEST(TaskTable, RunnableIsBoundAndActiveAndNotBlocked) {
  Builder program;
  program.task("task", 12, false);
  TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_EQ(table.pick(0), nullptr);
  table.activate(TaskId(20));  // no task is bound to 20
  EXPECT_EQ(table.pick(0), nullptr);
  table.block(TaskId(12));
  table.activate(TaskId(12));
  EXPECT_EQ(table.pick(0), nullptr);
  table.unblock(TaskId(12));  // wse.md 3.2: runnable without a new activation
  EXPECT_THAT(picks(table), ElementsAre(12));
}

TEST(TaskTable, StartingATaskClearsItsActiveBitOnce) {
  // wse.md 3.2: one bit an id, activations do not queue.
  Builder program;
  program.task("task", 12, false);
  TaskTable table(program.image(), PickerRule::kLowestId);
  table.activate(TaskId(12));
  table.activate(TaskId(12));
  EXPECT_THAT(picks(table), ElementsAre(12));
  EXPECT_FALSE(table.is_active(TaskId(12)));
}

TEST(TaskTable, WaveletMakesADataTaskRunnable) {
  Builder program;
  program.data_task("data", 3, 3);
  TaskTable table(program.image(), PickerRule::kLowestId);
  const std::uint64_t there = TaskTable::bit(TaskId(3));
  EXPECT_EQ(table.pick(0), nullptr);
  EXPECT_EQ(table.pick(there)->name, "data");
  table.block(TaskId(3));
  EXPECT_EQ(table.pick(there), nullptr);
}

TEST(TaskTable, OnlyUnblockedDataTasksAcceptWavelets) {
  Builder program;
  program.data_task("data", 3, 3);
  program.task("local", 8);
  TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_TRUE(table.accepts_wavelet(*table.bound(TaskId(3))));
  EXPECT_FALSE(table.accepts_wavelet(*table.bound(TaskId(8))));
  table.block(TaskId(3));
  EXPECT_FALSE(table.accepts_wavelet(*table.bound(TaskId(3))));
}

TEST(TaskTable, BoundAnswersTheTaskOfAnId) {
  Builder program;
  program.task("a", 8);
  program.task("b", 28);
  const TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_EQ(table.bound(TaskId(28))->name, "b");
  EXPECT_EQ(table.bound(TaskId(9)), nullptr);
}

TEST(TaskTable, LowestIdComesFirstWhateverTheOrderOfDeclaration) {
  Builder program;
  program.task("c", 28);
  program.task("a", 8);
  program.data_task("data", 7, 7);
  program.task("b", 15);
  TaskTable table(program.image(), PickerRule::kLowestId);
  EXPECT_THAT(picks(table, TaskTable::bit(TaskId(7))), ElementsAre(7, 8, 15, 28));
}

TEST(TaskTable, RoundRobinGoesOnBehindTheTaskThatRanLast) {
  Builder program;
  for (const unsigned id : {8U, 15U, 28U}) program.task("t", id);
  TaskTable table(program.image(), PickerRule::kRoundRobin);
  EXPECT_EQ(table.pick(0)->id, TaskId(8));
  table.activate(TaskId(8));
  EXPECT_EQ(table.pick(0)->id, TaskId(15));
  table.activate(TaskId(15));
  EXPECT_EQ(table.pick(0)->id, TaskId(28));
  EXPECT_EQ(table.pick(0)->id, TaskId(8));  // round the end
  EXPECT_EQ(table.pick(0)->id, TaskId(15));
  EXPECT_EQ(table.pick(0), nullptr);
}

TEST(TaskTable, RoundRobinWorksAtTheHighestId) {
  Builder program;
  program.task("last", 63);
  program.task("first", 8);
  TaskTable table(program.image(), PickerRule::kRoundRobin);
  EXPECT_THAT(picks(table), ElementsAre(8, 63));
  table.activate(TaskId(63));
  table.activate(TaskId(8));
  EXPECT_THAT(picks(table), ElementsAre(8, 63));
}

TEST(TaskTable, LowestIdStarvesAndRoundRobinDoesNot) {
  Builder program;
  program.task("greedy", 8, false);
  program.task("other", 9);
  for (const PickerRule rule : {PickerRule::kLowestId, PickerRule::kRoundRobin}) {
    TaskTable table(program.image(), rule);
    std::vector<unsigned> ids;
    for (int i = 0; i < 3; ++i) {
      table.activate(TaskId(8));
      ids.push_back(table.pick(0)->id.value());
    }
    const bool other_ran = std::find(ids.begin(), ids.end(), 9U) != ids.end();
    EXPECT_EQ(other_ran, rule == PickerRule::kRoundRobin);
  }
}

}  // namespace
}  // namespace tessera::pe::test
