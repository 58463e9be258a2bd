#include "platforms/run/checkpoint_file.h"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/run/saved_state.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr char kMagic[] = "tessera state\n\x1a\n";
constexpr std::size_t kMagicBytes = sizeof kMagic - 1;
// Of header and state. Who changes the header changes FIRST_FORMAT of scripts/commands/checkpoint.py.
constexpr std::uint64_t kFormat = 7;
constexpr std::size_t kChunk = state::Archive::kChunk;  // compressed on its own, by any thread
constexpr int kFast = 1;                                // level of zlib

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Of damage, not of malice.
std::uint64_t digest_of(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t digest = mix(count + 1);
  std::uint64_t word = 0;
  for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    digest = mix(digest ^ word) + 0x9E3779B97F4A7C15;
  }
  word = 0;
  std::memcpy(&word, bytes, count);
  return mix(digest ^ word);
}

void put(Bytes& bytes, std::uint64_t number) {
  for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}
void put(Bytes& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}
void put(Bytes& bytes, const std::map<std::string, std::string>& texts) {
  put(bytes, texts.size());
  for (const auto& [name, text] : texts) {
    put(bytes, name);
    put(bytes, text);
  }
}

/// Reads what put() has written; what is not there is damage.
class Reader {
 public:
  Reader(const std::uint8_t* bytes, std::size_t count) : at_(bytes), left_(count) {}
  std::uint64_t number() {
    const std::uint8_t* const from = take(8);
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) number |= std::uint64_t{from[i]} << 8 * i;
    return number;
  }
  std::string text() {
    const std::size_t size = number();
    const std::uint8_t* const from = take(size);
    return {reinterpret_cast<const char*>(from), size};
  }
  std::map<std::string, std::string> texts() {
    std::map<std::string, std::string> all;
    for (std::uint64_t count = number(); count > 0; --count) {
      std::string name = text();
      all[std::move(name)] = text();
    }
    return all;
  }
  const std::uint8_t* take(std::size_t count) {
    if (count > left_) throw std::out_of_range("");
    left_ -= count;
    return std::exchange(at_, at_ + count);
  }
  std::size_t left() const { return left_; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

std::size_t most_threads() {
  constexpr unsigned kMost = 8;
  return std::min(kMost, std::max(std::thread::hardware_concurrency(), 1U));
}

/// Calls work(0) to work(count - 1), in a few threads.
void in_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  const std::size_t threads = std::min(count, most_threads());
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UserError(path, "", why);
}

/// A device or a folder has no state, and a new file must not take its place.
void require_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    refuse(path, S_ISDIR(status.st_mode) ? "is a folder; a checkpoint is a file"
                                         : "is a device or a pipe; a checkpoint is a file");
}

/// A file that is written beside its place.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)), beside_(path_ + ".part") {
    require_file(path_);
    file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail("cannot be written");
  }
  ~NewFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(beside_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const Bytes& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t written = ::write(file_, bytes.data() + at, bytes.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("cannot be written");
      at += static_cast<std::size_t>(written);
    }
  }
  // The name leads to the older file until the new one is on the disk.
  void commit() {
    if (::fsync(file_) != 0 || ::close(std::exchange(file_, -1)) != 0) fail("cannot be written");
    const std::string before = path_ + ".1";
    ::unlink(before.c_str());
    if (::link(path_.c_str(), before.c_str()) != 0 && errno != ENOENT)
      ::rename(path_.c_str(), before.c_str());  // a file system without links
    if (::rename(beside_.c_str(), path_.c_str()) != 0) fail("cannot be written");
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);
    ::close(directory);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(path_, what + ": " + std::strerror(errno));
  }

  const std::string path_;
  const std::string beside_;
  int file_ = -1;
};

/// A file whose digests hold.
struct WholeFile {
  Bytes bytes;
  CheckpointHeader header;
  std::size_t state_bytes = 0;
  struct Chunk {
    const std::uint8_t* bytes;
    std::size_t size;
  };
  std::vector<Chunk> chunks;
};

constexpr const char* kDamaged =
    "the checkpoint is damaged: it is not what was written; take the one before it";

// The file is a header (format, texts, cycle), its digest, the number of bytes of the state, the sizes of the chunks,
// the chunks, and a digest of all.
void read_header(Reader& reader, CheckpointHeader& header) {
  header.same = reader.texts();
  header.told = reader.texts();
  header.cycle = reader.number();
}

WholeFile read_whole(const std::string& path) {
  WholeFile file;
  require_file(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  file.bytes.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  const Bytes& bytes = file.bytes;
  if (bytes.size() < kMagicBytes || std::memcmp(bytes.data(), kMagic, kMagicBytes) != 0)
    refuse(path, "this is no checkpoint");
  try {
    Reader reader(bytes.data() + kMagicBytes, bytes.size() - kMagicBytes);
    const std::uint64_t format = reader.number();
    const std::size_t before_end = bytes.size() - 8;
    Reader end(bytes.data() + before_end, 8);
    const bool is_whole = end.number() == digest_of(bytes.data(), before_end);
    if (format != kFormat && is_whole) {
      refuse(path, "the checkpoint has format " + std::to_string(format) +
                       "; this version of Tessera reads format " + std::to_string(kFormat));
    }
    if (format != kFormat || !is_whole) refuse(path, kDamaged);
    read_header(reader, file.header);
    file.state_bytes = reader.number();
    const std::size_t count = reader.number();
    if (count > reader.left() / 8 || count != (file.state_bytes + kChunk - 1) / kChunk)
      refuse(path, kDamaged);
    for (std::size_t i = 0; i < count; ++i) file.chunks.push_back({nullptr, reader.number()});
    for (WholeFile::Chunk& chunk : file.chunks) chunk.bytes = reader.take(chunk.size);
    if (reader.left() != 8) refuse(path, kDamaged);
  } catch (const std::out_of_range&) {
    refuse(path, kDamaged);
  }
  return file;
}

std::string what_it_is(const std::string& name) {
  const std::size_t space = name.find(' ');
  const std::string kind = name.substr(0, space);
  const std::string which = space == std::string::npos ? "" : name.substr(space + 1);
  if (kind == "config") return "the configuration value " + which;
  if (kind == "parameter") return "the parameter " + which;
  if (kind == "program") return "the program file " + which;
  if (kind == "input") return "the input " + which;
  return "the " + name;
}

}  // namespace

std::string difference(const CheckpointHeader& saved, const CheckpointHeader& here) {
  const auto differs = [](const std::string& name) {
    const bool is_file = name.rfind("program ", 0) == 0 || name.rfind("input ", 0) == 0;
    return is_file ? "is not the one of the checkpoint" : "";
  };
  for (const auto& [name, value] : saved.same) {
    const auto other = here.same.find(name);
    if (other == here.same.end())
      return what_it_is(name) + " belongs to the checkpoint and not to this run";
    if (other->second == value) continue;
    const std::string file = differs(name);
    if (!file.empty()) return what_it_is(name) + " " + file;
    return what_it_is(name) + " is " + value + " in the checkpoint and " + other->second +
           " in this run";
  }
  for (const auto& [name, value] : here.same) {
    if (saved.same.count(name) == 0)
      return what_it_is(name) + " belongs to this run and not to the checkpoint";
  }
  return {};
}

SavedState::SavedState()
    : archive_([this](Bytes plain) { return compress_beside(std::move(plain)); }) {}

SavedState::~SavedState() = default;

SavedState::Piece SavedState::wait_for_one() {
  Piece piece = under_way_.front().get();
  under_way_.pop_front();
  packed_.push_back(std::move(piece.packed));
  return piece;
}

// Memory goes round: new memory would cost as much as the work on it.
SavedState::Bytes SavedState::compress_beside(Bytes plain) {
  bytes_ += plain.size();
  Piece free;
  if (under_way_.size() >= most_threads()) free = wait_for_one();
  Piece next{std::move(plain), std::move(free.scratch), {}};
  under_way_.push_back(std::async(std::launch::async, [piece = std::move(next)]() mutable {
    const auto bytes = static_cast<uLong>(piece.plain.size());
    piece.scratch.resize(compressBound(kChunk));
    uLongf size = piece.scratch.size();
    ::compress2(piece.scratch.data(), &size, piece.plain.data(), bytes, kFast);
    piece.packed.assign(piece.scratch.begin(), piece.scratch.begin() + static_cast<long>(size));
    return std::move(piece);
  }));
  return std::move(free.plain);
}

void SavedState::write(const std::string& path, const CheckpointHeader& header) {
  archive_.hand_on_rest();
  while (!under_way_.empty()) wait_for_one();
  Bytes bytes(kMagic, kMagic + kMagicBytes);
  put(bytes, kFormat);
  put(bytes, header.same);
  put(bytes, header.told);
  put(bytes, header.cycle);
  put(bytes, bytes_);
  put(bytes, packed_.size());
  for (const Bytes& chunk : packed_) put(bytes, chunk.size());
  for (const Bytes& chunk : packed_) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  put(bytes, digest_of(bytes.data(), bytes.size()));
  NewFile file(path);
  file.write(bytes);
  file.commit();
}

Checkpoint read_checkpoint(const std::string& path) {
  WholeFile file = read_whole(path);
  Checkpoint checkpoint;
  checkpoint.header = std::move(file.header);
  // zlib makes no chunk a thousandth of its size.
  constexpr std::size_t kMostRatio = 1040;
  if (file.state_bytes / kMostRatio > file.bytes.size()) refuse(path, kDamaged);
  checkpoint.state.resize(file.state_bytes);
  std::atomic<bool> is_damaged{false};
  in_threads(file.chunks.size(), [&](std::size_t i) {
    const std::size_t expected = std::min(kChunk, file.state_bytes - i * kChunk);
    uLongf size = static_cast<uLongf>(expected);
    const int result = ::uncompress(checkpoint.state.data() + i * kChunk, &size,
                                    file.chunks[i].bytes, static_cast<uLong>(file.chunks[i].size));
    if (result != Z_OK || size != expected) is_damaged = true;
  });
  if (is_damaged) refuse(path, kDamaged);
  return checkpoint;
}

}  // namespace tessera::run
