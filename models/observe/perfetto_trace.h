// Trace of a wafer for ui.perfetto.dev and chrome://tracing (perfetto_writer.h).
//
// Every tile that did something is a process "tile (x, y)". Its threads: "main" with the tasks as
// slices and synchronous DSD operations nested in them, and "microthread 0" .. "microthread 7" with
// asynchronous DSD operations. Counter tracks "hops" show how many wavelets left the router per
// direction (E, W, N, S and R for the ramp) in each stretch of kBinCycles cycles.
#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <unordered_map>

#include "models/observe/names.h"
#include "models/observe/perfetto_writer.h"
#include "models/observe/sorted_sink.h"

namespace tessera::observe {

class PerfettoTrace final : public SortedSink {
 public:
  static constexpr Cycle kBinCycles = 16;

  /// `width`: tiles in a row of the machine, to turn places into coordinates. `out` must outlive
  /// the trace.
  PerfettoTrace(std::ostream& out, unsigned width, Names names = {});

 protected:
  void on_sorted_event(const Event& e) override;
  void on_end() override;

 private:
  struct Slice {
    Cycle start = 0;
    std::string name;
    std::string args;  ///< members of the JSON object "args", may be empty
  };
  struct Tile {
    std::optional<Slice> task;
    std::array<std::optional<Slice>, kThreadCount> operations;
    std::array<bool, kThreadCount> named{};  ///< threads announced so far
    Cycle bin = 0;
    std::array<unsigned, kDirectionCount> hops{};
    bool has_hops = false;
  };

  Tile& tile_at(std::uint32_t place);
  void start_slice(const Event& e, Tile& tile, unsigned thread, std::optional<Slice>& slice,
                   std::string name, std::string args);
  void count_hop(const Event& e, Tile& tile);
  void end_slice(std::uint32_t place, unsigned thread, std::optional<Slice>& slice, Cycle end,
                 const std::string& more_args);
  void write_counter(std::uint32_t place, Cycle at, const std::array<unsigned, kDirectionCount>& n);

  PerfettoWriter out_;
  unsigned width_;
  Names names_;
  std::unordered_map<std::uint32_t, Tile> tiles_;
  Cycle newest_ = 0;
};

}  // namespace tessera::observe
