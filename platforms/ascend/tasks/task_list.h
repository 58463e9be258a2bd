// A graph of kernel launches on the cores of one device: what `ascend_platform TASKS.json` reads (docs/ascend-tasks.md).
//
// A task is a launch of a kernel with its arguments and a number of blocks. It may start when the tasks that it names are over.
// Its time is given, or found by a run of the kernel on the machine. Times are whole nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ascend {

using Ns = std::int64_t;

/// The cores that one block of a task takes.
enum class TaskCores : std::uint8_t {
  kAic,
  kAiv,
  kMix,  ///< the AIC and the AIVs of one cluster
};
const char* to_string(TaskCores cores);

/// What dispatch and completion cost. Defaults and their sources: docs/ascend-tasks.md; all are A3.
struct SchedulerCosts {
  unsigned threads = 3;   ///< scheduler threads; clusters are dealt out to them in turn
  Ns store_ns = 5;        ///< a posted store of a descriptor: dispatch of one block
  Ns read_ns = 95;        ///< a read of the register of one core, one at a time in a thread
  Ns to_core_ns = 140;    ///< from the store to the core
  Ns from_core_ns = 180;  ///< from the end of a block to the moment from which a read sees it
  Ns switch_ns = 800;     ///< a core goes on to a block that it had before the last one was over
  unsigned slots = 2;     ///< blocks that a core has at most: the one that runs, and the next ones
  Ns resolve_ns = 0;      ///< for each task that waits for the one that is over
  Ns submit_ns = 0;       ///< from one task to the next one in the list; 0: all are there at once
  Ns idle_ns = 100;       ///< a round of a thread that has nothing to read and nothing to give out
};

struct TaskKernel {
  std::string source, function;
  TaskCores cores = TaskCores::kAiv;
  std::map<std::string, std::string> arguments;  ///< as of --arg
  std::vector<std::string> options;              ///< more words for the run
  std::optional<Ns> time;
};

struct Task {
  std::string name;
  std::size_t kernel = 0;
  std::map<std::string, std::string> arguments;  ///< those of the kernel, replaced
  unsigned blocks = 1;
  std::vector<std::size_t> after;
  std::optional<Ns> time;  ///< given; otherwise that of the kernel, or of a run
};

struct TaskList {
  std::string file, preset;
  unsigned clusters = 1, aivs = 2;  ///< AIVs of a cluster
  SchedulerCosts costs;
  std::vector<std::string> kernel_names;
  std::vector<TaskKernel> kernels;
  std::vector<Task> tasks;  ///< in an order in which each comes after those that it waits for
};

class TaskState;

/// Throws UserError at the place of the first mistake; tasks that wait for each other are one.
TaskList read_tasks(const std::string& file);

/// The time of one launch of each task. Launches that are equal are run once, by `executable`, in processes of their own.
/// `state` has those that were run before, and gets the others. Throws UserError or IllegalBehaviour with what a run said.
std::vector<Ns> times_of(const TaskList& list, const std::string& executable, TaskState& state);

}  // namespace tessera::ascend
