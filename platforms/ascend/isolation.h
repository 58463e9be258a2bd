// A kernel in C++ is native code of somebody else: it may loop for ever, write where it likes, or end its process. So the run is
// in a process of its own, a copy of this one, and this one watches it: whatever becomes of it ends with a sentence and a report.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "frontends/pto_cpp/native_trail.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

class Isolation {
 public:
  /// Seconds; 0: for ever.
  struct Patience {
    std::uint64_t core_s = 0;
    std::uint64_t host_s = 0;  ///< host programs may compute for long between their launches
  };

  /// Throws std::bad_alloc.
  Isolation();
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  /// Splits this process. Returns no value in the one that is to run. In the other one, returns when the run is over: whether
  /// `report`, which has the status, remains to be published, because the run could not publish its own. Native code that
  /// comes to no operation for as long as `patience` says is stuck, and is ended. Throws std::runtime_error.
  std::optional<bool> split(report::Report& report, Patience patience);
  /// Where native code is; both processes see it.
  pto_cpp::NativeTrail& trail() { return shared_->trail; }
  /// How the surroundings of native code are before it runs.
  void note_surroundings();
  /// The process that runs calls this before it writes anything. Native code may have closed or replaced the standard streams, or
  /// changed the working directory, so that results would go astray: the directory is set again. Returns whether all is as it was.
  /// Ends the process if it is a copy that native code has made of the one that runs, or can say nothing any more.
  bool restore_surroundings() const;
  /// The same; throws IllegalBehaviour in place of returning false.
  void require_surroundings() const;
  /// The process that runs calls this when its report is published. Ends a copy that runs native code at once: what that code has
  /// left for the end of the process (`atexit`, destructors of statics) runs on no device, and may never end.
  void set_published(int exit_code);

 private:
  /// What native code can change under the feet of a run.
  struct Surroundings {
    std::array<std::pair<dev_t, ino_t>, 3> streams;  // of a closed one: 0, 0
    std::string folder;
  };
  struct Shared {
    pto_cpp::NativeTrail trail;
    std::atomic<bool> is_published{false};
    std::atomic<bool> is_astray{false};  // the process that runs can say nothing any more
  };
  struct End {
    int status = 0;
    bool is_ours = false;  // this process has ended it, because it was stuck
    int asked = 0;         // the signal that asked this process to end
  };
  static Surroundings surroundings();
  End wait_for(pid_t process, Patience patience) const;
  std::string describe(const End& end, Patience patience) const;

  Shared* shared_;
  pid_t process_;
  bool is_child_ = false;
  Surroundings before_;
};

}  // namespace tessera::ascend
