// A kernel in C++ is native code of somebody else: it may loop for ever, write where it likes, or end its process. So the run is
// in a process of its own, a copy of this one, and this one watches it: whatever becomes of it ends with a sentence and a report.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "frontends/pto_cpp/native_trail.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

class Isolation {
 public:
  /// Throws std::bad_alloc.
  Isolation();
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  /// Splits this process. Returns no value in the one that is to run. In the other one, returns when the run is over: whether
  /// `report`, which has the status, remains to be published, because the run could not publish its own. A core whose native
  /// code comes to no operation for `patience_s` seconds (0: for ever) is stuck, and its code is ended. Throws
  /// std::runtime_error.
  std::optional<bool> split(report::Report& report, std::uint64_t patience_s);
  /// Where native code is; both processes see it.
  pto_cpp::NativeTrail& trail() { return shared_->trail; }
  /// The process that runs calls this when its report is published.
  void set_published() { shared_->is_published.store(true); }

 private:
  struct Shared {
    pto_cpp::NativeTrail trail;
    std::atomic<bool> is_published{false};
  };
  int wait_for(pid_t process, std::uint64_t patience_s) const;

  Shared* shared_;
};

}  // namespace tessera::ascend
