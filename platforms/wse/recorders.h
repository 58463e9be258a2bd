// Everything that listens to the events of a run: digest and counters always, traces and pictures
// as the options say.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/observe/event_stream.h"
#include "models/observe/names.h"
#include "models/observe/sorted_sink.h"
#include "platforms/cli/options.h"
#include "platforms/wse/program_loader.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class Recorders {
 public:
  /// Opens the trace files that `options` names; throws UserError when one cannot be written.
  /// `layout` and `programs` must outlive the recorders.
  Recorders(const cli::Options& options, const layout::Layout& layout, const Programs& programs,
            const WseConfig& config);

  /// Where the machine sends its events. Those of cycle --max-cycles and later are not recorded.
  observe::EventStream* sink() { return &stream_; }
  const observe::Digest& digest() const { return stream_.digest(); }
  /// Counters of tiles are kept only for --report-detail and --heatmap.
  const observe::Counters& counters() const { return stream_.counters(); }
  /// Completes the trace files and draws the heat map. Call once, after the run.
  void finish();

 private:
  template <class Trace, class... Args>
  void add_trace(const std::string& file, Args&&... args);
  void draw_heatmap() const;

  observe::EventStream stream_;
  std::string heatmap_file_;
  observe::Counter heatmap_counter_ = observe::Counter::kBusyIssueCycles;
  std::string title_;
  struct TraceFile {
    std::string path;
    std::unique_ptr<std::ofstream> stream;
    std::unique_ptr<observe::SortedSink> trace;
  };
  std::vector<TraceFile> traces_;
};

}  // namespace tessera::wse
