// The parts of the processor of a scheduled mesh node: a task under way, the memory of the node, and
// the barrier at the end of a turn (reference numesh.md 3.3, 3.6).
#include <gtest/gtest.h>

#include "models/scheduled/barriers.h"
#include "models/scheduled/processor_core.h"

namespace tessera::scheduled {
namespace {

Step step(std::int32_t data, Combine combine = Combine::kReplace) {
  Step made;
  made.data = data;
  made.combine = combine;
  return made;
}

TEST(TaskThread, GoesThroughBlocksAndRepeatsAndLeavesEmptyOnesOut) {
  Task task;
  task.blocks = {{3, {}}, {2, {step(0), step(1)}}, {0, {step(2)}}, {1, {step(3)}}};
  TaskThread thread(task, 0, 0, 0, 7);
  std::vector<std::int32_t> seen;
  for (; !thread.is_over(); thread.advance()) seen.push_back(thread.step().data);
  EXPECT_EQ(seen, (std::vector<std::int32_t>{0, 1, 0, 1, 3}));
}

TEST(TaskThread, ATaskWithoutStepsIsOverAtOnce) {
  Task task;
  task.blocks = {{5, {}}, {0, {step(0)}}};
  EXPECT_TRUE(TaskThread(task, 0, 0, 0, 7).is_over());
}

TEST(NodeMemory, CombinesTheWordOfTheIterationAsSigned) {
  Task task;
  Step max = step(1, Combine::kMax);
  max.stride = 2;
  task.blocks = {{2, {max}}};
  TaskThread thread(task, 0, 0, 0, 0);
  NodeMemory memory({9, 5, 9, 0xFFFFFFFE});
  memory.combine(thread, 3);
  thread.advance();
  memory.combine(thread, 0xFFFFFFFF);
  EXPECT_EQ(memory.words(), (std::vector<std::uint32_t>{9, 5, 9, 0xFFFFFFFF}));
}

TEST(TurnBarrier, LetsGoTheDelayOfItsTasksAfterTheRelease) {
  Program program;
  program.topology.x = 2;
  program.extents = {{0, 1}};
  program.rules.barrier_latency = 3;
  NodePhase phase;
  phase.tasks.resize(1);
  phase.tasks[0].technique = Technique::kBarrier;
  phase.tasks[0].delay = 4;
  EXPECT_TRUE(has_barrier(phase, program.rules));
  Barriers barriers(program);
  TurnBarrier first(barriers, 0), second(barriers, 1);
  EXPECT_EQ(first.released(phase, 10), kNever);
  EXPECT_TRUE(first.waits(phase));
  EXPECT_EQ(barriers.missing(0), "the barrier of 2 nodes: node 1 is missing");
  EXPECT_EQ(second.released(phase, 20), 27U);
  EXPECT_FALSE(first.waits(phase));
  EXPECT_EQ(first.released(phase, 21), 27U);
}

}  // namespace
}  // namespace tessera::scheduled
