#include "frontends/text/output_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/text/files_read.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::text {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "/dev/stdout";
constexpr std::size_t kLongestName =
    200;  // characters of a file's name; the name of its temporary is longer and must be allowed
constexpr int kMostLinks = 40;

/// Names of open files: what is behind them is written, not replaced.
bool is_open_file(const fs::path& path) {
  const std::string text = fs::absolute(path).lexically_normal().string();
  constexpr std::array<const char*, 4> kNames = {kStandardOutput, "/dev/stderr", "/dev/fd/",
                                                 "/proc/"};
  for (const char* name : kNames) {
    if (text.rfind(name, 0) == 0) return true;
  }
  return false;
}

/// The file behind symbolic links, which may not exist yet. No value: it is written in place.
std::optional<fs::path> file_behind(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks; ++links) {
    if (is_open_file(path)) return std::nullopt;
    const fs::file_status status = fs::symlink_status(path, error);
    if (status.type() != fs::file_type::symlink)
      return fs::exists(status) && !fs::is_regular_file(status) ? std::nullopt
                                                                : std::optional(path);
    const fs::path link = fs::read_symlink(path, error);
    path = link.is_absolute() ? link : path.parent_path() / link;
  }
  return path;
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw UserError(path, "", std::string("cannot be written: ") + std::strerror(errno));
}

/// Creates a file of its own beside `target` and gives it the owner and the permissions of `target`, if
/// that exists.
std::string create_beside(const fs::path& target) {
  const std::string name = target.filename().string().substr(0, kLongestName);
  const std::string begin =
      (target.parent_path() / (name + ".tmp-" + std::to_string(::getpid()))).string();
  std::string temporary = begin;
  int file = -1;
  for (int i = 1; file < 0; ++i) {
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) return {};
    if (file < 0) temporary = begin + "-" + std::to_string(i);
  }
  struct stat older {};
  if (::stat(target.c_str(), &older) == 0) {
    static_cast<void>(
        !::fchown(file, older.st_uid, older.st_gid));  // only root can give files away
    ::fchmod(file, older.st_mode & 07777U);
  }
  ::close(file);
  return temporary;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), stream_(nullptr) {
  if (const FilesRead* const read = FilesRead::current()) read->require_other(path);
  if (fs::path(path).lexically_normal() == kStandardOutput) {
    stream_.rdbuf(std::cout.rdbuf());  // keeps the order with what else is printed
    return;
  }
  if (const std::optional<fs::path> target = file_behind(path)) {
    target_ = target->string();
    open_temporary();
  } else {
    file_.open(path, std::ios::binary | std::ios::app);
    if (!file_) fail_to_write(path);
  }
  stream_.rdbuf(file_.rdbuf());
}

// A file without write permission is not replaced either, though its folder would allow that.
void OutputFile::open_temporary() {
  if (::access(target_.c_str(), W_OK) != 0 && errno != ENOENT) fail_to_write(path_);
  temporary_ = create_beside(target_);
  if (temporary_.empty()) fail_to_write(path_);
  file_.open(temporary_, std::ios::binary);
  if (file_) return;
  discard();
  fail_to_write(path_);
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::discard() {
  if (temporary_.empty()) return;
  file_.close();
  ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::complete() {
  stream_.flush();
  if (file_.is_open() && stream_) file_.close();
  if (stream_ && file_) return;
  discard();
  throw UserError(path_, "", "could not be written to its end; is the disk full?");
}

void OutputFile::commit() {
  if (temporary_.empty() || file_.is_open()) complete();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(path_);
  temporary_.clear();
}

void require_writable(const std::string& path) {
  if (file_behind(path)) {
    const OutputFile file(path);
  } else if (fs::is_directory(path)) {
    errno = EISDIR;
    fail_to_write(path);
  } else if (::access(path.c_str(), W_OK) != 0) {  // opening a pipe would wait for its reader
    fail_to_write(path);
  }
}

void make_failed_writes_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // Otherwise the next file that is opened would get the number of the stream.
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) return;
}

void require_printed() {
  std::cout.flush();
  if (!std::cout)
    throw UserError("standard output", "",
                    "could not be written to its end; is the disk full, or has its reader ended?");
}

}  // namespace tessera::text
