// Traces that are written to a file while a run goes on.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "frontends/text/output_file.h"
#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"

namespace tessera::run {

/// A trace that is written to a file while a run goes on. The file gets its name at the end.
class TraceFile {
 public:
  /// Opens `path` for a `Trace` of `events`, made of the stream and `args`. Throws UserError.
  template <class Trace, class... Args>
  static TraceFile of(const std::string& path, observe::EventStream& events, Args&&... args) {
    TraceFile file;
    file.file_ = std::make_unique<text::OutputFile>(path);
    file.trace_ = std::make_unique<Trace>(file.file_->stream(), std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }

  /// Writes the rest; call once, after the run. Throws UserError when not all could be written.
  void finish() {
    trace_->finish();
    file_->commit();
  }

 private:
  std::unique_ptr<text::OutputFile> file_;
  std::unique_ptr<observe::SortedSink> trace_;
};

}  // namespace tessera::run
