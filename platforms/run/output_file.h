// Traces that are written to a file while a run goes on.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "frontends/text/output_file.h"
#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"
#include "platforms/run/gzip.h"

namespace tessera::run {

/// A trace that is written to a file while a run goes on, compressed if its name says so
/// (is_gzip_name). The file gets its name at the end.
class TraceFile {
 public:
  /// Opens `path` for a `Trace` of `events`, a stream or ShownEvents, made of a stream and `args`. Throws UserError.
  template <class Trace, class Events, class... Args>
  static TraceFile of(const std::string& path, Events& events, Args&&... args) {
    TraceFile file;
    file.file_ = std::make_unique<text::OutputFile>(path);
    file.out_ = std::make_unique<std::ostream>(file.file_->stream().rdbuf());
    if (is_gzip_name(path)) {
      file.gzip_ = std::make_unique<GzipBuffer>(file.file_->stream());
      file.out_->rdbuf(file.gzip_.get());
    }
    file.trace_ = std::make_unique<Trace>(*file.out_, std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }

  observe::SortedSink& trace() { return *trace_; }
  /// Writes the rest; call once, after the run. Throws UserError when not all could be written.
  void finish() {
    trace_->finish();
    if (gzip_) gzip_->finish();
    if (!*out_) file_->stream().setstate(std::ios::badbit);
    file_->commit();
  }

 private:
  std::unique_ptr<text::OutputFile> file_;
  std::unique_ptr<GzipBuffer> gzip_;
  std::unique_ptr<std::ostream> out_;  ///< writes to the file, through `gzip_` if there is one
  std::unique_ptr<observe::SortedSink> trace_;
};

}  // namespace tessera::run
