// Files that are compressed while they are written.
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace tessera::run {

/// Whether a file of this name is compressed: it ends in ".gz".
bool is_gzip_name(const std::string& path);

/// Compresses what is written to it and hands it on to another stream (RFC 1952). Fast rather than
/// small: a trace is a tenth of its size.
class GzipBuffer final : public std::streambuf {
 public:
  /// `out` must outlive the buffer.
  explicit GzipBuffer(std::ostream& out);
  ~GzipBuffer() override;
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

  /// Writes the rest and the end of the file. Call once; nothing may be written afterwards.
  void finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;

 private:
  struct State;  // the state of zlib

  bool compress(const char* text, std::size_t count, bool is_end);

  std::ostream& out_;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::run
