// What the runs of a list of tasks have measured, saved between two of them and read again (docs/checkpoints.md). Kernels in C++ run
// on native stacks, so a boundary between launches is the only place where a state is all there is.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "platforms/ascend/tasks/task_list.h"
#include "platforms/run/checkpoints.h"

namespace tessera::ascend {

class TaskState {
 public:
  /// The command line of a run, without the executable.
  using Words = std::vector<std::string>;
  /// Files of a run and the digests of their contents.
  using Digests = std::map<std::string, std::string>;

  /// Reads the file of --restore. `same`: what has to be the same where a list goes on. `given` must outlive it. Throws UserError
  /// for a state of another list, and where a file that a run has read is another one now.
  TaskState(const run::CheckpointOptions& given, run::CheckpointHeader same);
  /// Why these options do not go with a list of tasks, as UserError.
  static void check(const run::CheckpointOptions& given);
  /// Digests of those `files` that are there.
  static Digests digests_of(const std::vector<std::string>& files);

  /// nullptr: it has not run.
  const Ns* find(const Words& words) const;
  /// A run has ended; saves if it is time. Throws UserError.
  void add(const Words& words, Ns time, Digests files);
  /// Throws IllegalBehaviour, and saves before if that is asked for, where a signal has asked for the end.
  void stop_if_asked();
  /// Runs that the state had.
  std::size_t restored() const { return restored_; }

 private:
  struct Measured {
    Ns time = 0;
    Digests files;

    template <class Archive>
    void visit(Archive& archive) {
      archive(time, files);
    }
  };
  void restore();
  void save();

  const run::CheckpointOptions& given_;
  const run::CheckpointHeader same_;
  std::map<Words, Measured> measured_;
  std::size_t restored_ = 0;
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::ascend
