// Sync protocol: a tap that fails the run when a rule of the protocol is broken. Rules and ids:
//
//   /tessera/sync/early        a due cycle that does not lie after the cycle of the call
//   /tessera/sync/id           an id beyond 15, or beyond 31 in mode 4
//   /tessera/sync/pipe         a request on ALL, which is no pipe
//   /tessera/sync/double_wait  a pipe waits that has not been granted its last wait
//   /tessera/sync/unasked      an answer to a wait that nobody has asked, or a set that is granted
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/sync/sync_tap.h"

namespace tessera::sync {

/// Between one core and the sync unit.
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

  /// Whether `pipe` has asked for a wait that is not granted.
  bool waits(Pipe pipe) const { return waiting_[index(pipe)]; }

 protected:
  void ask(const Request& r, Cycle due) override {
    const unsigned ids = r.mode == Mode::kIntraBlock ? kIntraBlockIds : kFlagIds;
    if (!check(r.id < ids, "id", r, due, "ids are 0.." + std::to_string(ids - 1))) return;
    if (!check(r.pipe != Pipe::kAll, "pipe", r, due, "ALL is no pipe")) return;
    check(due > now_(), "early", r, due, "it is due in or before the cycle of the call");
    if (r.operation == Operation::kWait) {
      if (!check(!waits(r.pipe), "double_wait", r, due, "the pipe waits already")) return;
      waiting_[index(r.pipe)] = true;
    }
    Tap::ask(r, due);
  }

  void answer(const Answer& a, Cycle due) override {
    const Request& r = a.request;
    check(due > now_(), "early", a, due, "it is due in or before the cycle of the call");
    const bool asked =
        r.operation == Operation::kWait ? waits(r.pipe) : a.verdict == Verdict::kIllegal;
    if (!check(asked, "unasked", a, due, "nothing waits for this answer")) return;
    if (r.operation == Operation::kWait && a.verdict == Verdict::kGranted)
      waiting_[index(r.pipe)] = false;
    Tap::answer(a, due);
  }

 private:
  std::function<Cycle()> now_;
  std::array<bool, kPipeCount> waiting_{};
};

}  // namespace tessera::sync
