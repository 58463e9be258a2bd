// Carries out the "host" steps of a layout, one after the other, on a machine (docs/layout.md).
// Copies are debug accesses between two cycles: they take no time in the fabric. Streams enter and
// leave at the rim, wavelet by wavelet; a launch starts in the next cycle on all its tiles at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/driver.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/checks.h"
#include "platforms/wse/host_arrays.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/transfers.h"
#include "platforms/wse/workload.h"

namespace tessera::wse {

class HostProgram final : public run::Program {
 public:
  /// All arguments must outlive the program.
  HostProgram(const Workload& workload, HostArrays& arrays, const Checks& checks, Machine& machine);

  /// Runs the steps, then the machine until nothing moves. kCondition: all was done. kIdle: a wait
  /// cannot end, everything is stuck. Otherwise a bound was reached.
  run::Stop drive(run::RunControl& control) override;
  bool is_done(run::Stop stop, const observe::Waits& waits) override;
  std::vector<report::Check> checks() const override { return results_; }
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  std::string remark(const observe::Waits& waits) const override;
  void finish(report::Report& report) override { arrays_.write_outputs(report); }

  /// The program runs the machine through `checkpoints`, which outlives it, and begins where one of them was saved.
  void set_checkpoints(Checkpoints& checkpoints) { checkpoints_ = &checkpoints; }
  /// Saves or restores how far it is (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  using Stop = run::Stop;
  /// How far the program is: wavelets that its stream_outs have received, or its stream_ins sent
  /// when there are none. Without streams, waits that have ended, if there are several.
  std::optional<run::Progress> progress() const;
  /// "host[5]", the step being carried out, or "the end of its program".
  std::string current_step() const;
  Stop carry_out(const layout::CopyIn& step);
  Stop carry_out(const layout::CopyOut& step);
  Stop carry_out(const layout::Launch& step);
  Stop carry_out(const layout::StreamIn& step);
  Stop carry_out(const layout::StreamOut& step);
  Stop carry_out(const layout::Wait& step);
  Stop carry_out(const layout::Check& step);

  Stop run_until(const std::function<bool()>& done);
  Stop run_to_idle();
  const HostStream& stream_of_current_step() const;

  const layout::Layout& layout_;
  const Programs& programs_;
  const std::vector<HostStream>& streams_;
  HostArrays& arrays_;
  const Checks& checks_;
  Machine& machine_;
  run::RunControl* control_ = nullptr;  // set by drive()
  Checkpoints* checkpoints_ = nullptr;  // nullptr: nothing is saved or restored
  std::size_t step_ = 0;
  std::size_t waits_ended_ = 0;
  Transfers transfers_;  // the streams that have begun
  std::vector<report::Check> results_;
};

}  // namespace tessera::wse
