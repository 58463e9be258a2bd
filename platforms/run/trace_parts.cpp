#include "platforms/run/trace_parts.h"

#include <filesystem>
#include <utility>

namespace tessera::run {

TraceOutput::TraceOutput(const std::string& path) : file_(path), out_(file_.stream().rdbuf()) {
  if (!is_gzip_name(path)) return;
  gzip_ = std::make_unique<GzipBuffer>(file_.stream());
  out_.rdbuf(gzip_.get());
}

void TraceOutput::commit() {
  if (gzip_) gzip_->finish();
  if (!out_) file_.stream().setstate(std::ios::badbit);
  file_.commit();
}

std::string part_name(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  const std::filesystem::path whole(path);
  const std::string zip = is_gzip_name(path) ? ".gz" : "";
  const std::filesystem::path plain = zip.empty() ? whole : whole.parent_path() / whole.stem();
  const std::string name =
      plain.stem().string() + "." + std::to_string(number) + plain.extension().string() + zip;
  return (plain.parent_path() / name).string();
}

TracePartFiles::TracePartFiles(std::string path)
    : path_(std::move(path)), present_(std::make_unique<TraceOutput>(path_)) {}

std::ostream& TracePartFiles::next_part() {
  present_->commit();
  present_ = std::make_unique<TraceOutput>(part_name(path_, ++parts_));
  return present_->stream();
}

}  // namespace tessera::run
