// Carries out the "host" steps of a layout, one after the other, on a machine (docs/layout.md).
// Copies are debug accesses between two cycles: they take no time in the fabric. Streams enter and
// leave at the rim, wavelet by wavelet; a launch starts in the next cycle on all its tiles at once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "frontends/layout/layout.h"
#include "platforms/cli/run_control.h"
#include "platforms/report/report.h"
#include "platforms/wse/host_arrays.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/program_loader.h"

namespace tessera::wse {

class HostProgram {
 public:
  /// All arguments must outlive the program.
  HostProgram(const layout::Layout& layout, const Programs& programs,
              const std::vector<HostStream>& streams, HostArrays& arrays, Machine& machine,
              cli::RunControl& control);

  /// Runs the steps, then the machine until nothing moves. kCondition: all was done. kIdle: a wait
  /// cannot end, everything is stuck. Otherwise a bound was reached.
  cli::RunControl::Stop run();

  /// All steps were carried out and all streams have ended.
  bool done() const { return step_ >= layout_.host.size() && all_ended(); }
  /// Results of the check steps so far.
  const std::vector<report::Check>& checks() const { return checks_; }
  /// "host[5]", the step being carried out, or "the end of its program".
  std::string current_step() const;

 private:
  /// The wavelets of one stream that one edge sends or receives.
  struct Transfer {
    const HostStream* stream;
    std::size_t tile;   // number in stream->tiles
    std::size_t first;  // number of its first wavelet among those of the edge, direction and color
    std::size_t count;
    std::size_t collected = 0;  // wavelets that have been put into the array
  };

  using Stop = cli::RunControl::Stop;
  Stop carry_out(const layout::CopyIn& step);
  Stop carry_out(const layout::CopyOut& step);
  Stop carry_out(const layout::Launch& step);
  Stop carry_out(const layout::StreamIn& step);
  Stop carry_out(const layout::StreamOut& step);
  Stop carry_out(const layout::Wait& step);
  Stop carry_out(const layout::Check& step);

  const HostStream& stream_of_current_step() const;
  void begin_transfers(const HostStream& stream);
  bool ended(const Transfer& transfer) const;
  bool all_ended() const;
  bool streams_of_array_ended(const std::string& name) const;
  void collect_deliveries();
  void for_each_tile(const layout::Symbol& symbol,
                     const std::function<void(std::size_t host_index, pe::Sram& sram,
                                              std::uint32_t address)>& visit);

  const layout::Layout& layout_;
  const Programs& programs_;
  const std::vector<HostStream>& streams_;
  HostArrays& arrays_;
  Machine& machine_;
  cli::RunControl& control_;
  std::size_t step_ = 0;
  std::vector<Transfer> transfers_;  // of the streams that have begun
  /// Wavelets promised so far, by edge (x, y, side), color and direction.
  std::map<std::tuple<int, int, Direction, unsigned, bool>, std::size_t> promised_;
  std::vector<report::Check> checks_;
};

}  // namespace tessera::wse
