// The script of a host as the program of a run.
#pragma once

#include <string>
#include <vector>

#include "platforms/run/driver.h"
#include "platforms/vp/script_host.h"

namespace tessera::vp {

class ScriptRun final : public run::Program {
 public:
  /// `script`: its file. `host` carries it out and must outlive the run.
  ScriptRun(std::string script, const ScriptHost& host) : script_(std::move(script)), host_(host) {}

  bool is_done(run::Stop stop, const observe::Waits& waits) override;
  std::vector<report::Check> checks() const override { return host_.checks(); }
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  std::string describe_failure(const report::Check& check) const override;
  /// Adds what the host has counted, in front of the counters of the machine.
  void finish(report::Report& report) override;

 private:
  const std::string script_;
  const ScriptHost& host_;
};

}  // namespace tessera::vp
