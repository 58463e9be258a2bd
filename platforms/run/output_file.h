// Files that a run writes.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"
#include "platforms/run/gzip.h"

namespace tessera::run {

/// Opens `path` for writing and empties it. Throws UserError when it cannot be written.
std::ofstream open_output(const std::string& path);
/// Throws UserError when `path` cannot be written. Leaves the file as it is, also if there is none.
void require_writable(const std::string& path);
/// Flushes; throws UserError when not everything could be written. `path` is for the message.
void require_complete(const std::string& path, std::ofstream& stream);

/// A trace that is written to a file while a run goes on, compressed if its name says so
/// (is_gzip_name).
class TraceFile {
 public:
  /// Opens `path` for a `Trace` of `events`, made of the stream and `args`. Throws UserError.
  template <class Trace, class... Args>
  static TraceFile of(const std::string& path, observe::EventStream& events, Args&&... args) {
    TraceFile file;
    file.path_ = path;
    file.stream_ = std::make_unique<std::ofstream>(open_output(path));
    file.out_ = std::make_unique<std::ostream>(file.stream_->rdbuf());
    if (is_gzip_name(path)) {
      file.gzip_ = std::make_unique<GzipBuffer>(*file.stream_);
      file.out_->rdbuf(file.gzip_.get());
    }
    file.trace_ = std::make_unique<Trace>(*file.out_, std::forward<Args>(args)...);
    events.add(*file.trace_);
    return file;
  }

  /// Writes the rest; call once, after the run. Throws UserError when not all could be written.
  void finish() {
    trace_->finish();
    if (gzip_) gzip_->finish();
    if (!*out_) stream_->setstate(std::ios::badbit);
    require_complete(path_, *stream_);
  }

 private:
  std::string path_;
  std::unique_ptr<std::ofstream> stream_;
  std::unique_ptr<GzipBuffer> gzip_;
  std::unique_ptr<std::ostream> out_;  ///< writes to `stream_`, through `gzip_` if there is one
  std::unique_ptr<observe::SortedSink> trace_;
};

}  // namespace tessera::run
