#include "platforms/data/npy.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "frontends/text/cursor.h"
#include "frontends/text/output_file.h"
#include "platforms/data/fortran_order.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // bytes; for the first element, as numpy writes it

struct Header {
  DType dtype = DType::kF32;
  bool fortran_order = false;
  Shape shape;
};

const std::vector<std::pair<std::string, DType>>& descrs() {
  static const std::vector<std::pair<std::string, DType>> kDescrs = {
      {"<f2", DType::kF16}, {"<f4", DType::kF32}, {"<f8", DType::kF64}, {"<i2", DType::kI16},
      {"<u2", DType::kU16}, {"<i4", DType::kI32}, {"<u4", DType::kU32}, {"<i8", DType::kI64},
      {"|i1", DType::kI8},  {"|u1", DType::kU8},  {"<u8", DType::kU64}};
  return kDescrs;
}

std::string descr_of(DType dtype) {
  for (const auto& [text, known] : descrs()) {
    if (known == dtype) return text;
  }
  return "";
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw UserError(file, "", problem);
}

/// Text of a file for a message: short, and printable.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 24;
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  std::string result;
  for (char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > kMost ? "..." : "");
}

/// Reads the dictionary of the header.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file)
      : cursor_(text), size_(text.size()), file_(file) {}

  Header parse() {
    expect("{");
    while (!take("}")) {
      read_entry();
      if (take(",")) continue;
      expect("}");
      break;
    }
    skip_space();
    if (!cursor_.at_end()) fail("text follows the closing brace");
    require(has_descr_, "descr");
    require(has_order_, "fortran_order");
    require(has_shape_, "shape");
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    refuse(file_, "the header of the .npy file is malformed at its character " +
                      std::to_string(size_ - cursor_.rest().size() + 1) + ": " + problem);
  }
  void require(bool present, const std::string& key) const {
    if (!present) refuse(file_, "the header of the .npy file has no \"" + key + "\"");
  }
  void skip_space() { cursor_.take_while(text::is_space); }
  bool take(std::string_view text) {
    skip_space();
    return cursor_.accept(text);
  }
  [[noreturn]] void fail_found(const std::string& expected) const {
    fail(expected + ", found \"" + shown(cursor_.rest()) + "\"");
  }
  void expect(const std::string& mark) {
    if (!take(mark)) fail_found("\"" + mark + "\" is expected");
  }
  std::string quoted() {
    skip_space();
    const char quote = cursor_.peek();
    if (quote != '\'' && quote != '"') fail_found("a quoted string is expected");
    const std::size_t size = cursor_.rest().substr(1).find(quote);
    if (size == std::string_view::npos) fail("the string has no end");
    return std::string(cursor_.take(size + 2).substr(1, size));
  }
  void read_entry() {
    skip_space();
    const text::Cursor start = cursor_;
    const std::string key = quoted();
    expect(":");
    if (key == "descr") return read_descr();
    if (key == "fortran_order") return read_order();
    if (key == "shape") return read_shape();
    cursor_ = start;
    fail("unknown key \"" + shown(key) + "\"; descr, fortran_order and shape are allowed");
  }
  void read_descr() {
    skip_space();
    if (cursor_.peek() == '[') {
      refuse(file_, "the dtype is a record with fields; " + allowed_dtypes());
    }
    const std::string descr = quoted();
    has_descr_ = true;
    for (const auto& [text, dtype] : descrs()) {
      if (text != descr) continue;
      header_.dtype = dtype;
      return;
    }
    if (!descr.empty() && descr[0] == '>') {
      refuse(file_, "the dtype \"" + shown(descr) + "\" is big endian; " + allowed_dtypes());
    }
    refuse(file_, "unknown dtype \"" + shown(descr) + "\"; " + allowed_dtypes());
  }
  static std::string allowed_dtypes() {
    std::string text = "little endian dtypes are allowed:";
    for (const auto& [descr, dtype] : descrs()) text += " " + descr + " (" + to_string(dtype) + ")";
    return text;
  }
  void read_order() {
    has_order_ = true;
    header_.fortran_order = take("True");
    if (!header_.fortran_order && !take("False")) fail_found("fortran_order is True or False");
  }
  void read_shape() {
    has_shape_ = true;
    header_.shape.clear();
    expect("(");
    while (!take(")")) {
      header_.shape.push_back(dimension());
      if (take(",")) continue;
      expect(")");
      break;
    }
  }
  std::size_t dimension() {
    skip_space();
    std::uint64_t value = 0;
    const std::string_view rest = cursor_.rest();
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc::invalid_argument) fail_found("a dimension is expected");
    const auto size = static_cast<std::size_t>(end - rest.data());
    cursor_.take(error == std::errc() ? size : size - 1);
    if (error != std::errc()) fail("a dimension does not fit in 64 bits");
    return static_cast<std::size_t>(value);
  }

  text::Cursor cursor_;
  const std::size_t size_;
  const std::string& file_;
  Header header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// Bytes that an array takes, if they fit in 64 bits.
std::optional<std::uint64_t> byte_count(const Header& header) {
  // Order matters when a dimension is 0: the product of the others need not fit.
  if (std::find(header.shape.begin(), header.shape.end(), std::size_t{0}) != header.shape.end())
    return 0;
  std::uint64_t bytes = bytes_of(header.dtype);
  for (std::size_t dimension : header.shape) {
    if (__builtin_mul_overflow(bytes, std::uint64_t{dimension}, &bytes)) return std::nullopt;
  }
  return bytes;
}

void check_length(const Header& header, std::size_t present, const std::string& file) {
  const std::optional<std::uint64_t> expected = byte_count(header);
  const std::string what =
      std::string(to_string(header.dtype)) + " elements of shape " + to_string(header.shape);
  if (!expected) refuse(file, what + " do not fit in memory");
  if (*expected == present) return;
  const std::string counts = std::to_string(*expected) + " bytes of " + what +
                             " are expected, but " + std::to_string(present) + " are present";
  refuse(file,
         (present < *expected ? "the file is too short: " : "data follows the last element: ") +
             counts);
}

/// The bytes of a .npy file, wherever they are.
class Source {
 public:
  Source(std::istream& in, const std::string& file) : in_(in), file_(file) {
    in_.seekg(0, std::ios::end);
    const std::streamoff size = in_.tellg();
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
  }
  std::size_t size() const { return size_; }
  /// `count` bytes from `at` on; requires that they are there.
  void read(std::size_t at, std::size_t count, void* to) {
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    if (!in_) refuse(file_, "the .npy file cannot be read");
  }
  std::string text(std::size_t at, std::size_t count) {
    std::string result(std::min(count, size_ - std::min(at, size_)), '\0');
    read(at, result.size(), result.data());
    return result;
  }

 private:
  std::istream& in_;
  const std::string& file_;
  std::size_t size_ = 0;
};

/// The text of the header, and where the elements begin.
struct HeaderText {
  std::string text;
  std::size_t end = 0;
};

HeaderText read_header_text(Source& source, const std::string& file) {
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  constexpr std::size_t kLongestStart = kLengthAt + 4;
  const std::string begin = source.text(0, kLongestStart);
  const auto byte_at = [&](std::size_t at) { return static_cast<unsigned char>(begin[at]); };
  if (begin.substr(0, kMagic.size()) != kMagic) {
    refuse(file, "is not a .npy file; it starts with \"" + shown(begin.substr(0, kMagic.size())) +
                     "\" instead of the magic \"\\x93NUMPY\"");
  }
  const std::size_t length_bytes = begin.size() > kVersionAt && byte_at(kVersionAt) == 2 ? 4 : 2;
  const std::size_t start = kLengthAt + length_bytes;
  if (begin.size() < start) {
    refuse(file, "the file is too short: a .npy file has at least " + std::to_string(start) +
                     " bytes, but " + std::to_string(source.size()) + " are present");
  }
  const unsigned major = byte_at(kVersionAt);
  const unsigned minor = byte_at(kVersionAt + 1);
  if ((major != 1 && major != 2) || minor != 0) {
    refuse(file, "the .npy format version is " + std::to_string(major) + "." +
                     std::to_string(minor) + "; versions 1.0 and 2.0 are read");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::size_t{byte_at(kLengthAt + i)} << (8 * i);
  if (source.size() - start < length) {
    refuse(file, "the file is too short: " + std::to_string(length) +
                     " bytes of header are expected, but " + std::to_string(source.size() - start) +
                     " are present");
  }
  return {source.text(start, length), start + length};
}

/// The checked header, and where the elements begin.
std::pair<Header, std::size_t> read_header(Source& source, const std::string& file) {
  const HeaderText header_text = read_header_text(source, file);
  Header header = HeaderParser(header_text.text, file).parse();
  check_length(header, source.size() - header_text.end, file);
  return {std::move(header), header_text.end};
}

HostArray read_array(Source& source, const std::string& file) {
  const auto [header, begin] = read_header(source, file);
  HostArray array = HostArray::zeros(header.dtype, header.shape);
  if (!header.fortran_order) {
    source.read(begin, array.bytes.size(), array.bytes.data());
    return array;
  }
  std::vector<std::byte> bytes(array.bytes.size());
  source.read(begin, bytes.size(), bytes.data());
  to_c_order(array.shape, bytes_of(array.dtype), bytes.data(), array.bytes.data());
  return array;
}

/// All that stands before the elements.
std::string header_of(const HostArray& array) {
  constexpr std::size_t kPrefix = 10;  // magic, version, length of the header
  std::string header = "{'descr': '" + descr_of(array.dtype) +
                       "', 'fortran_order': False, 'shape': " + to_string(array.shape) + ", }";
  const std::size_t unpadded = kPrefix + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string text(kMagic);
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  return text + header;
}

}  // namespace

HostArray parse_npy(const std::vector<std::byte>& bytes, const std::string& file) {
  std::istringstream in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  Source source(in, file);
  return read_array(source, file);
}

HostArray read_npy(const std::string& path) {
  std::ifstream in = text::open_file(path, ".npy file");
  Source source(in, path);
  return read_array(source, path);
}

void check_npy(const std::string& path) {
  std::ifstream in = text::open_file(path, ".npy file");
  Source source(in, path);
  read_header(source, path);
}

std::vector<std::byte> format_npy(const HostArray& array) {
  const std::string header = header_of(array);
  std::vector<std::byte> bytes(header.size());
  std::memcpy(bytes.data(), header.data(), header.size());
  bytes.insert(bytes.end(), array.bytes.begin(), array.bytes.end());
  return bytes;
}

void write_npy(const std::string& path, const HostArray& array) {
  text::OutputFile out(path);
  out.stream() << header_of(array);
  out.stream().write(reinterpret_cast<const char*>(array.bytes.data()),
                     static_cast<std::streamsize>(array.bytes.size()));
  out.commit();
}

}  // namespace tessera::data
