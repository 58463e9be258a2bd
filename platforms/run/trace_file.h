// A trace that is written to a file while a run goes on.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"
#include "platforms/run/output_file.h"

namespace tessera::run {

class TraceFile {
 public:
  /// Opens `path` for a `Trace` of `events`, made of the stream and `args`. Throws UserError.
  template <class Trace, class... Args>
  static TraceFile of(const std::string& path, observe::EventStream& events, Args&&... args) {
    TraceFile file;
    file.path_ = path;
    file.stream_ = std::make_unique<std::ofstream>(open_output(path));
    file.trace_ = std::make_unique<Trace>(*file.stream_, std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }

  /// Writes the rest; call once, after the run. Throws UserError when not all could be written.
  void finish() {
    trace_->finish();
    require_complete(path_, *stream_);
  }

 private:
  std::string path_;
  std::unique_ptr<std::ofstream> stream_;
  std::unique_ptr<observe::SortedSink> trace_;
};

}  // namespace tessera::run
