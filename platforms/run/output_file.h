// Files that a run writes.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "models/observe/event_stream.h"
#include "models/observe/sorted_sink.h"

namespace tessera::run {

/// Opens `path` for writing and empties it. Throws UserError when it cannot be written.
std::ofstream open_output(const std::string& path);
/// Throws UserError when `path` cannot be written. Leaves the file as it is, also if there is none.
void require_writable(const std::string& path);
/// Flushes; throws UserError when not everything could be written. `path` is for the message.
void require_complete(const std::string& path, std::ofstream& stream);

/// A trace that is written to a file while a run goes on.
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
