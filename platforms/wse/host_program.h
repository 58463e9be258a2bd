// Carries out the "host" steps of a layout, one after the other, on a machine (docs/layout.md).
// Copies are debug accesses between two cycles: they take no time in the fabric. Streams enter and
// leave at the rim, wavelet by wavelet; a launch starts in the next cycle on all its tiles at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontends/layout/layout.h"
#include "platforms/cli/run_control.h"
#include "platforms/report/report.h"
#include "platforms/wse/checks.h"
#include "platforms/wse/host_arrays.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/program_loader.h"
#include "platforms/wse/transfers.h"

namespace tessera::wse {

class HostProgram {
 public:
  /// All arguments must outlive the program.
  HostProgram(const layout::Layout& layout, const Programs& programs,
              const std::vector<HostStream>& streams, HostArrays& arrays, const Checks& checks,
              Machine& machine, cli::RunControl& control);
  ~HostProgram();
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;

  /// Runs the steps, then the machine until nothing moves. kCondition: all was done. kIdle: a wait
  /// cannot end, everything is stuck. Otherwise a bound was reached.
  cli::RunControl::Stop run();

  /// All steps were carried out and all streams have ended.
  bool done() { return step_ >= layout_.host.size() && transfers_.all_ended(); }
  /// Results of the check steps so far.
  const std::vector<report::Check>& checks() const { return results_; }
  /// How far the program is: wavelets that its stream_outs have received, or its stream_ins sent
  /// when there are none. Without streams, waits that have ended, if there are several.
  std::optional<cli::Progress> progress() const;
  /// "host[5]", the step being carried out, or "the end of its program".
  std::string current_step() const;

 private:
  using Stop = cli::RunControl::Stop;
  Stop carry_out(const layout::CopyIn& step);
  Stop carry_out(const layout::CopyOut& step);
  Stop carry_out(const layout::Launch& step);
  Stop carry_out(const layout::StreamIn& step);
  Stop carry_out(const layout::StreamOut& step);
  Stop carry_out(const layout::Wait& step);
  Stop carry_out(const layout::Check& step);

  const HostStream& stream_of_current_step() const;

  const layout::Layout& layout_;
  const Programs& programs_;
  const std::vector<HostStream>& streams_;
  HostArrays& arrays_;
  const Checks& checks_;
  Machine& machine_;
  cli::RunControl& control_;
  std::size_t step_ = 0;
  std::size_t waits_ended_ = 0;
  Transfers transfers_;  // of the streams that have begun
  std::vector<report::Check> results_;
};

}  // namespace tessera::wse
