// The debugger of a machine of the C interface: the machine is held between two calls that let it run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "platforms/debug/debugger.h"
#include "platforms/debug/session.h"
#include "platforms/debug/target.h"
#include "platforms/debug/wire.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::capi {

class MachineDebugger {
 public:
  /// `now`: the last cycle that was stepped; no value: none has been.
  MachineDebugger(std::unique_ptr<debug::Target> target, std::optional<Cycle> now);

  /// The answer and all that has happened since the last one, in their order: a JSON list of messages.
  std::string answer(const std::string& request);
  /// The client has said that it needs the debugger no longer.
  bool is_over() const { return session_.is_over(); }
  /// At the end of a cycle: whether the run is to be held. `may_hold`: else a stop only counts as a hit.
  bool after_cycle(Cycle now, bool may_hold);
  /// See debug::Debugger.
  void begin_again(std::optional<Cycle> now) { debugger_.begin_again(now); }

 private:
  std::unique_ptr<debug::Target> target_;
  debug::Debugger debugger_;
  debug::Outbox outbox_;
  debug::Session session_;
};

}  // namespace tessera::capi
