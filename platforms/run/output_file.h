// Traces that are written to a file while a run goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"
#include "platforms/run/trace_parts.h"

namespace tessera::run {

/// A trace that is written to a file while a run goes on, compressed if its name says so
/// (is_gzip_name). The file gets its name at the end.
class TraceFile {
 public:
  /// Opens `path` for a `Trace` of `events`, a stream or ShownEvents, made of a stream and `args`. Throws UserError.
  template <class Trace, class Events, class... Args>
  static TraceFile of(const std::string& path, Events& events, Args&&... args) {
    TraceFile file(path);
    file.trace_ = std::make_unique<Trace>(file.files_->stream(), std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }
  /// The same in files of about `bytes` bytes each, before they are compressed: `Trace` writes through a PerfettoWriter.
  template <class Trace, class Events, class... Args>
  static TraceFile cut(const std::string& path, std::uint64_t bytes, Events& events,
                       Args&&... args) {
    TraceFile file(path);
    const observe::PerfettoWriter::Target target(file.files_->stream(), *file.files_, bytes);
    file.trace_ = std::make_unique<Trace>(target, std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }

  observe::SortedSink& trace() { return *trace_; }
  /// Writes the rest; call once, after the run. Throws UserError when not all could be written.
  void finish() {
    trace_->finish();
    files_->commit();
  }

 private:
  explicit TraceFile(const std::string& path) : files_(std::make_unique<TracePartFiles>(path)) {}

  std::unique_ptr<TracePartFiles> files_;
  std::unique_ptr<observe::SortedSink> trace_;
};

}  // namespace tessera::run
