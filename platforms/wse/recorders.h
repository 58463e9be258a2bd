// Everything that listens to the events of a run: digest and counters always, traces and pictures
// as the options say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/perfetto_trace.h"
#include "models/observe/print_log.h"
#include "models/observe/wait_book.h"
#include "platforms/run/events_beyond.h"
#include "platforms/run/output_file.h"
#include "platforms/run/slice_log.h"
#include "platforms/wse/options.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// The smallest rectangle with all tiles that have a program.
observe::Scope::Rect used_rect(const layout::Layout& layout);

class Recorders {
 public:
  /// Opens the trace files that `options` names; throws UserError when one cannot be written.
  /// `workload` must outlive the recorders.
  Recorders(const cli::Options& options, const FabricOptions& fabric, const Workload& workload,
            const WseConfig& config);

  /// Where the machine sends its events. Those of cycle --max-cycles and later are not recorded.
  observe::EventStream* sink() { return &stream_; }
  observe::EventStream& events() const { return stream_; }
  const observe::Digest& digest() const { return stream_.digest(); }
  /// Counters of tiles are kept only for --report-detail and --heatmap.
  const observe::Counters& counters() const { return stream_.counters(); }
  /// What the programs print; nullptr: nobody asked for it.
  observe::PrintLog* prints() { return prints_.get(); }
  /// The trace that shows waits; nullptr: there is none.
  observe::WaitListener* wait_listener() { return wait_listener_; }
  /// Whether that trace shows the waits of tile `place`. The accounts of a whole wafer take as much
  /// memory as its machine, so a trace of more than 65,536 tiles shows no waits.
  bool shows_waits(std::uint32_t place) const;
  /// What the watched tiles did, for the live view; nullptr: nobody asked, or none is watched.
  const run::SliceLog* slices() const { return slice_trace_ == nullptr ? nullptr : &slices_; }
  /// The tiles that are watched: those of --trace-rect, or all with a program if they are few; no value: none.
  const std::optional<observe::Scope::Rect>& watched() const { return watched_; }
  /// The trace that shows when threads are held back (observe/stall.h), and needs groups of operations
  /// announced in their own cycle (observe/sorted_sink.h); nullptr: there is none.
  observe::Sink* stall_listener() { return stall_listener_; }
  /// Completes the trace files and draws the heat map. Call once, after the run.
  /// `waits`: the accounts of the tiles, finished; nullptr: nobody accounted waits.
  void finish(const observe::WaitBook* waits);

 private:
  template <class Trace, class... Args>
  Trace& add_trace(const std::string& file, const Args&... args) {
    traces_.push_back(run::TraceFile::of<Trace>(file, shown_, args...));
    return static_cast<Trace&>(traces_.back().trace());
  }
  void add_perfetto(const std::string& file, const std::optional<std::uint64_t>& megabytes,
                    const observe::Names& names);
  void watch_tiles(const observe::Names& names);
  void draw_heatmap(const observe::WaitBook* waits) const;
  void draw_routes_of_layout() const;

  mutable observe::EventStream stream_;
  run::ShownEvents shown_{stream_};
  std::string heatmap_file_;
  std::string heatmap_of_;
  observe::Counter heatmap_counter_ = observe::Counter::kBusyIssueCycles;
  std::string title_;
  std::vector<run::TraceFile> traces_;
  std::string routes_file_;
  fabric::SwitchPositions switch_positions_;
  const layout::Layout& layout_;
  observe::WaitListener* wait_listener_ = nullptr;
  /// Where two listen to the waits.
  struct Both final : observe::WaitListener {
    observe::WaitListener* first = nullptr;
    observe::WaitListener* second = nullptr;
    void on_wait(const observe::WaitSpan& span) override {
      first->on_wait(span);
      second->on_wait(span);
    }
  };
  Both both_;
  run::SliceLog slices_;
  std::unique_ptr<observe::PerfettoTrace> slice_trace_;
  std::optional<observe::Scope::Rect> watched_;
  observe::Scope scope_;
  unsigned width_, height_;  ///< size of the machine in tiles
  observe::Sink* stall_listener_ = nullptr;
  std::unique_ptr<text::OutputFile> print_file_;
  std::unique_ptr<observe::PrintLog> prints_;
};

}  // namespace tessera::wse
