// Holds a run for a debugger (--debug, docs/debugger.md): the channel, the session and the stops of a machine.
#pragma once

#include <chrono>
#include <string>

#include "platforms/debug/channel.h"
#include "platforms/debug/debugger.h"
#include "platforms/debug/session.h"
#include "platforms/debug/target.h"
#include "platforms/run/driver.h"

namespace tessera::debug {

class Server final : public run::Attendant {
 public:
  /// `where`: as Channel. The run holds before its first cycle until a client has sent configurationDone.
  /// `target` must outlive it. Throws UserError.
  Server(const std::string& where, Target& target);

  void before_run() override;
  void after_cycle(Cycle now) override;
  void after_run(Cycle now, const report::Report& report) override;

 private:
  void hold(const Stop& stop);
  void configure();

  Target& target_;
  Channel channel_;
  Debugger debugger_;
  Session session_;
  unsigned cycles_to_look_ = 1;
  unsigned cycles_between_ = 1;
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace tessera::debug
