// The files of a trace that is cut into several: t.json, t.2.json, t.3.json and so on.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "frontends/text/output_file.h"
#include "models/observe/perfetto_writer.h"
#include "platforms/run/gzip.h"

namespace tessera::run {

/// One file, compressed if its name says so.
class TraceOutput {
 public:
  /// Throws UserError.
  explicit TraceOutput(const std::string& path);
  std::ostream& stream() { return out_; }
  /// Writes the rest and gives the file its name. Throws UserError when not all could be written.
  void commit();

 private:
  text::OutputFile file_;
  std::ostream out_;  ///< writes to the file, through `gzip_` if there is one
  std::unique_ptr<GzipBuffer> gzip_;
};

/// The name of part `number` of a trace `path`, from 1: "dir/t.2.json.gz" of "dir/t.json.gz".
std::string part_name(const std::string& path, std::size_t number);

/// The parts that are complete have their names while the run goes on.
class TracePartFiles final : public observe::TraceParts {
 public:
  explicit TracePartFiles(std::string path);
  std::ostream& stream() { return present_->stream(); }
  std::ostream& next_part() override;
  /// The last part is complete.
  void commit() { present_->commit(); }

 private:
  const std::string path_;
  std::size_t parts_ = 1;
  std::unique_ptr<TraceOutput> present_;
};

}  // namespace tessera::run
