#include "platforms/run/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <sstream>
#include <string_view>

#include "platforms/run/gzipped.h"

namespace tessera::run {

bool is_gzip_name(const std::string& path) {
  constexpr std::string_view kEnding = ".gz";
  return path.size() > kEnding.size() &&
         path.compare(path.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
}

struct GzipBuffer::State {
  z_stream stream{};
  std::array<char, std::size_t{1} << 16> packed;
};

GzipBuffer::GzipBuffer(std::ostream& out) : out_(out), state_(std::make_unique<State>()) {
  constexpr int kGzipFormat = 16;  // added to the size of the window (zlib.h)
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&state_->stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzipFormat, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipBuffer::~GzipBuffer() {
  deflateEnd(&state_->stream);
}

void GzipBuffer::finish() {
  compress("", 0, true);
}

GzipBuffer::int_type GzipBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char text = traits_type::to_char_type(c);
  return compress(&text, 1, false) ? c : traits_type::eof();
}

std::streamsize GzipBuffer::xsputn(const char* text, std::streamsize count) {
  return compress(text, static_cast<std::size_t>(count), false) ? count : 0;
}

bool GzipBuffer::compress(const char* text, std::size_t count, bool is_end) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  z_stream& stream = state_->stream;
  auto& packed = state_->packed;
  do {
    const std::size_t now = std::min(count, kMost);
    // zlib only reads from here; its interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text));
    stream.avail_in = static_cast<uInt>(now);
    text += now;
    count -= now;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, is_end ? Z_FINISH : Z_NO_FLUSH);
      out_.write(packed.data(), static_cast<std::streamsize>(packed.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  } while (count > 0);
  return out_.good();
}

std::string gzipped(const std::string& text) {
  std::ostringstream out;
  GzipBuffer buffer(out);
  buffer.sputn(text.data(), static_cast<std::streamsize>(text.size()));
  buffer.finish();
  return out.str();
}

}  // namespace tessera::run
