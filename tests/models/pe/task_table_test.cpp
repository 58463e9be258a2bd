// Task identifiers and their state bits (reference wse.md 3.1 to 3.3).
#include "models/pe/task_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/models/pe/builder.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

/// Ids in the order in which the picker takes them until nothing is runnable; each of `by_wavelet`
/// has one wavelet.
std::vector<unsigned> picks(TaskTable& table, Runnables by_wavelet = {}, Cycle now = 0) {
  std::vector<unsigned> ids;
  while (true) {
    const Runnable next = table.pick(by_wavelet, now);
    if (next.task == nullptr) return ids;
    ids.push_back(next.task->id.value());
    by_wavelet.erase(
        std::remove_if(by_wavelet.begin(), by_wavelet.end(),
                       [&](const Runnable& r) { return next.queue && r.queue == next.queue; }),
        by_wavelet.end());
  }
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
  const TaskIndex index(program.image());
  const TaskTable table(index, PickerRule::kLowestId);
  EXPECT_EQ(blocked_ids(table).size(), kColorCount);
  EXPECT_TRUE(table.is_blocked(TaskId(23)));
  EXPECT_FALSE(table.is_blocked(TaskId(24)));
}

TEST(TaskTable, DataIdsOfWse3AreInputQueuesAndStartBlockedWithoutTask) {
  const Builder program(Generation::kWse3);
  const TaskIndex index(program.image());
  const TaskTable table(index, PickerRule::kLowestId);
  EXPECT_THAT(blocked_ids(table), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(TaskTable, BoundIdsStartUnblockedUnlessDeclaredBlocked) {
  Builder program;
  program.data_task("open", 2, 2);
  program.data_task("closed", 3, 3).blocked = true;
  program.task("local", 8);
  program.task("later", 9).blocked = true;
  const TaskIndex index(program.image());
  const TaskTable table(index, PickerRule::kLowestId);
  EXPECT_THAT(blocked_ids(table), ElementsAre(0, 1, 3, 4, 5, 6, 7, 9));
}

TEST(TaskTable, LocalTaskOfWse2MayHaveTheIdOfAColor) {
  // wse.md 3.1: local ids 0..30 on WSE-2; bound, so unblocked.
  Builder program(Generation::kWse2);
  program.task("local", 5);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  EXPECT_FALSE(table.is_blocked(TaskId(5)));
  EXPECT_THAT(picks(table), ElementsAre(5));
}

TEST(TaskTable, TasksStartInactiveUnlessDeclaredActive) {
  Builder program;
  program.task("active", 10, true);
  program.task("inactive", 11, false);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  EXPECT_TRUE(table.is_active(TaskId(10)));
  EXPECT_FALSE(table.is_active(TaskId(11)));
  EXPECT_THAT(picks(table), ElementsAre(10));
}

TEST(TaskTable, RunnableIsBoundAndActiveAndNotBlocked) {
  Builder program;
  program.task("task", 12, false);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  EXPECT_EQ(table.pick({}, 0).task, nullptr);
  table.activate(TaskId(20));  // no task is bound to 20
  EXPECT_EQ(table.pick({}, 0).task, nullptr);
  table.block(TaskId(12));
  table.activate(TaskId(12));
  EXPECT_EQ(table.pick({}, 0).task, nullptr);
  table.unblock(TaskId(12));  // wse.md 3.2: runnable without a new activation
  EXPECT_THAT(picks(table), ElementsAre(12));
}

TEST(TaskTable, StartingATaskClearsItsActiveBitOnce) {
  // wse.md 3.2: one bit an id, activations do not queue.
  Builder program;
  program.task("task", 12, false);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  table.activate(TaskId(12));
  table.activate(TaskId(12));
  EXPECT_THAT(picks(table), ElementsAre(12));
  EXPECT_FALSE(table.is_active(TaskId(12)));
}

TEST(TaskTable, DataAndControlTasksStartOnlyWithTheirWavelet) {
  // An active bit of a data task means nothing without a wavelet.
  Builder program;
  program.data_task("data", 3, 3).active = true;
  program.control_task("control", 40).active = true;
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  table.activate(TaskId(3));
  table.activate(TaskId(40));
  EXPECT_EQ(table.pick({}, 0).task, nullptr);
  const Runnable next = table.pick({{index.data_task(TaskId(3)), QueueId(3)}}, 0);
  ASSERT_NE(next.task, nullptr);
  EXPECT_EQ(next.task->name, "data");
  EXPECT_EQ(next.queue, QueueId(3));
}

TEST(TaskTable, ChannelIsTheColorOnWse2AndTheQueueOnWse3) {
  // wse.md 3.1, 3.2
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Builder program(generation);
    const QueueBinding queue = program.bind_queue(true, 3, 19);
    EXPECT_EQ(program.image().channel_of(queue), TaskId(generation == Generation::kWse2 ? 19 : 3));
  }
}

TEST(TaskTable, QueueMayStartUnblockedWithoutADataTask) {
  // wse.md 3.2: for control tasks
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Builder program(generation);
    program.bind_queue(true, 3, 19).unblocked = true;
    program.bind_queue(true, 4, 20);
    const TaskIndex index(program.image());
    const TaskTable table(index, PickerRule::kLowestId);
    const unsigned open = generation == Generation::kWse2 ? 19 : 3;
    const unsigned closed = generation == Generation::kWse2 ? 20 : 4;
    EXPECT_FALSE(table.is_blocked(TaskId(open)));
    EXPECT_TRUE(table.is_blocked(TaskId(closed)));
  }
}

TEST(TaskTable, FindsTasksByKindAndId) {
  Builder program(Generation::kWse2);
  program.task("a", 8);
  program.data_task("d", 19, 3);
  program.control_task("c", 8);
  const QueueBinding queue = program.bind_queue(true, 3, 19);
  const TaskIndex index(program.image());
  const TaskTable table(index, PickerRule::kLowestId);
  EXPECT_EQ(index.local_task(TaskId(8))->name, "a");
  EXPECT_EQ(index.local_task(TaskId(19)), nullptr);
  EXPECT_EQ(index.data_task(TaskId(19))->name, "d");
  EXPECT_EQ(index.data_task(TaskId(8)), nullptr);
  EXPECT_EQ(index.control_task(8, queue)->name, "c");
  EXPECT_EQ(index.control_task(19, queue), nullptr);
}

// Control tasks in a table of their own (wse.md 3.1, WSE-3)

TEST(TaskTable, SubTableOfAQueueBeginsItsNumberOfStridesFurther) {
  Builder program;
  ControlTable control;
  control.stride = 5;
  program.image().control_table = control;
  for (const unsigned id : {0U, 2U, 10U, 12U}) {
    program.control_task("c" + std::to_string(id), id);
  }
  QueueBinding queue = program.bind_queue(true, 3, 19);
  const TaskIndex index(program.image());
  const TaskTable table(index, PickerRule::kLowestId);
  EXPECT_EQ(index.control_task(2, queue)->name, "c2");
  EXPECT_EQ(index.control_task(10, queue)->name, "c10");
  queue.control_table = 2;
  EXPECT_EQ(index.control_task(0, queue)->name, "c10");
  EXPECT_EQ(index.control_task(2, queue)->name, "c12");
  EXPECT_EQ(index.control_task(10, queue), nullptr);
  EXPECT_EQ(index.control_task(54, queue), nullptr);  // after the end of the table
}

TEST(TaskTable, SubTablesNeedATableOfTheirOwn) {
  Builder program;
  program.control_task("c", 40);
  QueueBinding queue = program.bind_queue(true, 3, 19);
  queue.control_table = 3;
  const TaskIndex index(program.image());
  EXPECT_EQ(index.control_task(40, queue)->name, "c");
}

TEST(TaskTable, ControlTasksOfTheirOwnTableStandBehindTheOthers) {
  for (const bool own_table : {false, true}) {
    Builder program;
    if (own_table) program.image().control_table = ControlTable{};
    program.control_task("control", 9);
    program.task("local", 10);
    const QueueBinding queue = program.bind_queue(true, 3, 19);
    const TaskIndex index(program.image());
    TaskTable table(index, PickerRule::kLowestId);
    const Runnables there = {{index.control_task(9, queue), queue.id}};
    EXPECT_EQ(table.pick(there, 0).task->name, own_table ? "local" : "control");
  }
}

TEST(TaskTable, QueuesWithWaveletsForOneControlTaskTakeTurnsByNumber) {
  Builder program;
  program.control_task("control", 40);
  const QueueBinding high = program.bind_queue(true, 6, 1);
  const QueueBinding low = program.bind_queue(true, 2, 2);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  const TaskBinding* task = index.control_task(40, high);
  EXPECT_EQ(table.pick({{task, high.id}, {task, low.id}}, 0).queue, QueueId(2));
}

// Priorities (wse.md 3.3)

TEST(TaskTable, HighPriorityGoesFirst) {
  for (const PickerRule rule : {PickerRule::kLowestId, PickerRule::kRoundRobin}) {
    Builder program;
    program.task("a", 8);
    program.task("b", 20).priority = TaskPriority::kHigh;
    program.task("c", 28).priority = TaskPriority::kHigh;
    const TaskIndex index(program.image());
    TaskTable table(index, rule);
    EXPECT_THAT(picks(table), ElementsAre(20, 28, 8));
  }
}

TEST(TaskTable, PriorityChangeCountsFromItsCycleOn) {
  Builder program;
  program.task("a", 8);
  program.task("b", 20);
  for (const Cycle now : {13U, 14U}) {
    const TaskIndex index(program.image());
    TaskTable table(index, PickerRule::kLowestId);
    table.set_priority(TaskId(20), TaskPriority::kHigh, 10, 14);
    EXPECT_EQ(table.pick({}, now).task->id, TaskId(now < 14 ? 8 : 20)) << "cycle " << now;
  }
}

TEST(TaskTable, OfTwoChangesTheFirstCountsUntilTheSecond) {
  Builder program;
  program.task("a", 8);
  program.task("b", 20);
  for (const Cycle now : {12U, 13U, 14U, 15U, 20U}) {
    const TaskIndex index(program.image());
    TaskTable table(index, PickerRule::kLowestId);
    table.set_priority(TaskId(20), TaskPriority::kHigh, 10, 14);
    table.set_priority(TaskId(20), TaskPriority::kLow, 11, 15);
    EXPECT_EQ(table.pick({}, now).task->id, TaskId(now == 14 ? 20 : 8)) << "cycle " << now;
  }
}

TEST(TaskTable, PriorityChangeAfterAnOlderOneStartsFromIt) {
  Builder program;
  program.task("a", 8);
  program.task("b", 20);
  for (const Cycle now : {33U, 34U}) {
    const TaskIndex index(program.image());
    TaskTable table(index, PickerRule::kLowestId);
    table.set_priority(TaskId(20), TaskPriority::kHigh, 10, 14);
    table.set_priority(TaskId(20), TaskPriority::kLow, 30, 34);
    EXPECT_EQ(table.pick({}, now).task->id, TaskId(now < 34 ? 20 : 8)) << "cycle " << now;
  }
}

TEST(TaskTable, PriorityOfAnIdIsNotThatOfAControlTaskInItsOwnTable) {
  for (const bool own_table : {false, true}) {
    Builder program;
    if (own_table) program.image().control_table = ControlTable{};
    program.task("local", 8);
    program.control_task("control", 20);
    const QueueBinding queue = program.bind_queue(true, 3, 19);
    const TaskIndex index(program.image());
    TaskTable table(index, PickerRule::kLowestId);
    table.set_priority(TaskId(20), TaskPriority::kHigh, 0, 4);
    const Runnables there = {{index.control_task(20, queue), queue.id}};
    EXPECT_EQ(table.pick(there, 10).task->name, own_table ? "local" : "control");
  }
}

// Rotation (wse.md 3.3, WSE-3)

/// Names of the tasks that `starts` wavelets for the main task run.
std::vector<std::string> rotate(unsigned init, unsigned limit, unsigned starts) {
  Builder program;
  program.data_task("main", 3, 3);
  program.control_task("other", 0);
  Rotation rotation;
  rotation.main = 0;
  rotation.alternative = 1;
  rotation.init = static_cast<std::uint16_t>(init);
  rotation.limit = static_cast<std::uint16_t>(limit);
  program.image().rotations.push_back(rotation);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  std::vector<std::string> names;
  for (unsigned i = 0; i < starts; ++i) {
    const Runnable next = table.pick({{index.data_task(TaskId(3)), QueueId(3)}}, i);
    EXPECT_EQ(next.queue, QueueId(3));  // its wavelet is taken all the same
    names.push_back(next.task->name);
  }
  return names;
}

TEST(TaskTable, AlternativeRunsWhenTheCounterMeetsItsLimit) {
  EXPECT_THAT(rotate(0, 2, 7),
              ElementsAre("main", "main", "other", "main", "main", "other", "main"));
  EXPECT_THAT(rotate(1, 2, 5), ElementsAre("main", "other", "main", "main", "other"));
  EXPECT_THAT(rotate(2, 2, 4), ElementsAre("other", "main", "main", "other"));
  EXPECT_THAT(rotate(0, 0, 3), ElementsAre("other", "other", "other"));
}

TEST(TaskTable, OtherTasksDoNotTurnTheRotation) {
  Builder program;
  program.data_task("main", 3, 3);
  program.control_task("other", 0);
  program.task("local", 8, false);
  program.image().rotations.push_back({0, 1, 0, 1, 1});
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  const Runnables there = {{index.data_task(TaskId(3)), QueueId(3)}};
  EXPECT_EQ(table.pick(there, 0).task->name, "main");
  table.activate(TaskId(8));
  EXPECT_EQ(table.pick({}, 0).task->name, "local");
  EXPECT_EQ(table.pick(there, 0).task->name, "other");
}

// The two rules

TEST(TaskTable, LowestIdComesFirstWhateverTheOrderOfDeclaration) {
  Builder program;
  program.task("c", 28);
  program.task("a", 8);
  program.data_task("data", 7, 7);
  program.task("b", 15);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kLowestId);
  EXPECT_THAT(picks(table, {{index.data_task(TaskId(7)), QueueId(7)}}), ElementsAre(7, 8, 15, 28));
}

TEST(TaskTable, RoundRobinGoesOnBehindTheTaskThatRanLast) {
  Builder program;
  for (const unsigned id : {8U, 15U, 28U}) program.task("t", id);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kRoundRobin);
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(8));
  table.activate(TaskId(8));
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(15));
  table.activate(TaskId(15));
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(28));
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(8));  // round the end
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(15));
  EXPECT_EQ(table.pick({}, 0).task, nullptr);
}

TEST(TaskTable, RoundRobinWorksAtTheHighestId) {
  Builder program;
  program.task("last", 63);
  program.task("first", 8);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kRoundRobin);
  EXPECT_THAT(picks(table), ElementsAre(8, 63));
  table.activate(TaskId(63));
  table.activate(TaskId(8));
  EXPECT_THAT(picks(table), ElementsAre(8, 63));
}

// wse.md 3.3: each priority level has its own turn. Task 20 runs between any two of the others.
TEST(TaskTable, RoundRobinTurnsForEachPriorityByItself) {
  Builder program;
  program.task("a", 8);
  program.task("b", 9);
  program.task("urgent", 20).priority = TaskPriority::kHigh;
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kRoundRobin);
  std::vector<unsigned> ids;
  for (int i = 0; i < 3; ++i) {
    for (const unsigned id : {8U, 9U, 20U}) table.activate(TaskId(id));
    for (int k = 0; k < 2; ++k) ids.push_back(table.pick({}, 0).task->id.value());
  }
  EXPECT_THAT(ids, ElementsAre(20, 8, 20, 9, 20, 8));
}

// A task that becomes urgent takes its place among the urgent ones.
TEST(TaskTable, RoundRobinGoesOnWhereThePriorityIsNow) {
  Builder program;
  for (const unsigned id : {8U, 9U, 10U}) program.task("t", id);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kRoundRobin);
  EXPECT_EQ(table.pick({}, 0).task->id, TaskId(8));
  table.set_priority(TaskId(10), TaskPriority::kHigh, 0, 1);
  table.activate(TaskId(8));
  EXPECT_THAT(picks(table, {}, 1), ElementsAre(10, 9, 8));
}

TEST(TaskTable, RoundRobinServesEveryQueueOfAControlTask) {
  Builder program;
  program.control_task("note", 40);
  const QueueBinding low = program.bind_queue(true, 2, 1);
  const QueueBinding high = program.bind_queue(true, 5, 2);
  const TaskIndex index(program.image());
  TaskTable table(index, PickerRule::kRoundRobin);
  const TaskBinding* task = index.control_task(40, low);
  std::vector<unsigned> queues;
  for (int i = 0; i < 3; ++i)
    queues.push_back(table.pick({{task, high.id}, {task, low.id}}, 0).queue->value());
  EXPECT_THAT(queues, ElementsAre(2, 5, 2));
}

TEST(TaskTable, LowestIdStarvesAndRoundRobinDoesNot) {
  Builder program;
  program.task("greedy", 8, false);
  program.task("other", 9);
  for (const PickerRule rule : {PickerRule::kLowestId, PickerRule::kRoundRobin}) {
    const TaskIndex index(program.image());
    TaskTable table(index, rule);
    std::vector<unsigned> ids;
    for (int i = 0; i < 3; ++i) {
      table.activate(TaskId(8));
      ids.push_back(table.pick({}, 0).task->id.value());
    }
    const bool other_ran = std::find(ids.begin(), ids.end(), 9U) != ids.end();
    EXPECT_EQ(other_ran, rule == PickerRule::kRoundRobin);
  }
}

}  // namespace
}  // namespace tessera::pe::test
