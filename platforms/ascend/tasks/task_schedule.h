// Which core runs which block when: the scheduler of hw-native-sys/simpler (its pages mmio-performance and sched-overhead-model),
// as a simulation of its threads. Each thread has clusters of its own. It reads the registers of
// the cores that have blocks one after the other; a read that sees the end of a block lets the tasks go that waited for the last one
// of its task. Then it gives blocks that may start to its cores: idle cores first, then the places for the next block.
//
// What is not modelled: memory that tasks on different cores share (each launch has the time that it has alone), and launches whose
// blocks must start together.
#pragma once

#include <string>
#include <vector>

#include "platforms/ascend/tasks/task_list.h"

namespace tessera::ascend {

struct BlockRun {
  std::size_t task = 0;
  unsigned core = 0;  ///< number of the core: AIC, then the AIVs of each cluster
  Ns dispatched = 0, start = 0, end = 0;
  Ns waits_from = 0;       ///< end of the block before it on the core
  bool follows = false;    ///< it was given to the core before that end
  std::size_t before = 0;  ///< that block, if `follows`
};
struct TaskRun {
  Ns ready = 0;      ///< the last of those that it waits for is over on its core
  Ns available = 0;  ///< a scheduler thread knows it
  Ns dispatched = 0, start = 0,
     end = 0;       ///< of all blocks: the last dispatch, the first start, the last end
  Ns finished = 0;  ///< a thread has seen that the last block is over
};
struct Schedule {
  std::vector<TaskRun> tasks;    ///< as in the list
  std::vector<BlockRun> blocks;  ///< in the order of their dispatch
  unsigned cores = 0;
  Ns begin = 0, end = 0;  ///< the first start and the last end on a core
};

Schedule schedule(const TaskList& list, const std::vector<Ns>& times);

/// Time in which a core of a kind had nothing to do although a task for it could have run that no thread had given out, and idle time.
struct Overhead {
  Ns aic = 0, aiv = 0;  ///< cores of the kind are idle, and there is work for them
  Ns all = 0;           ///< both at once
  Ns any = 0;           ///< every kind that has work at all
};
Overhead overhead_of(const TaskList& list, const Schedule& schedule);

/// The chain of blocks that ends last, backwards: what its time consists of.
struct CriticalPath {
  std::vector<std::size_t> blocks;  ///< the first one first
  Ns computes = 0;                  ///< blocks run
  Ns switches = 0;   ///< from the end of a block to the start of the next one on the same core
  Ns scheduler = 0;  ///< from the end of the last block that a task waits for to its dispatch
  Ns transport = 0;  ///< from a dispatch to the start
};
CriticalPath critical_path(const TaskList& list, const Schedule& schedule);

std::string core_name(const TaskList& list, unsigned core);

}  // namespace tessera::ascend
