// Transfer protocol: a tap that fails the run when a rule of the protocol is broken. Rules and ids:
//
//   /tessera/transfer/early         a due cycle that does not lie after the cycle of the call
//   /tessera/transfer/pipe          a transfer on ALL, which is no pipe
//   /tessera/transfer/rate          bytes to move over a path of rate 0
//   /tessera/transfer/double_start  a pipe starts before its last transfer is done
//   /tessera/transfer/unasked       a transfer is done that nobody has started
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/transfer/transfer_tap.h"

namespace tessera::transfer {

/// Between one core and GM.
class Checker : public Tap {
 public:
  /// `now` answers the current cycle of the clock domain that both sides belong to.
  Checker(sc_core::sc_module_name name, std::function<Cycle()> now)
      : Tap(name), now_(std::move(now)) {}

  /// Whether `pipe` has a transfer that is not done.
  bool moves(sync::Pipe pipe) const { return moving_[sync::index(pipe)]; }

 protected:
  void start(const Transfer& t, Cycle due) override {
    if (!check(t.pipe != sync::Pipe::kAll, "pipe", t, due, "ALL is no pipe")) return;
    check(due > now_(), "early", t, due, "it is due in or before the cycle of the call");
    check(t.bytes == 0 || t.rate_limit > 0, "rate", t, due, "its path has rate 0");
    if (!check(!moves(t.pipe), "double_start", t, due, "the last one of the pipe is not done"))
      return;
    moving_[sync::index(t.pipe)] = true;
    Tap::start(t, due);
  }

  void done(const Done& d, Cycle due) override {
    check(due > now_(), "early", d, due, "it is due in or before the cycle of the call");
    if (!check(moves(d.pipe), "unasked", d, due, "the pipe has started no transfer")) return;
    moving_[sync::index(d.pipe)] = false;
    Tap::done(d, due);
  }

 private:
  std::function<Cycle()> now_;
  std::array<bool, sync::kPipeCount> moving_{};
};

}  // namespace tessera::transfer
