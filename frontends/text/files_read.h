// Which files a process has read: its outputs must not replace them, and its report names them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace tessera::text {

/// 16 hex digits that stand for a text, or for all that a stream holds (FNV-1a of 64 bits).
std::string digest_of(std::string_view text);
std::string digest_of(std::istream& stream);

/// All that a stream holds. Throws UserError if it holds more than 512 MiB, as a device without an end (/dev/zero) does, or cannot be read.
std::string contents_of(std::istream& stream, const std::string& path, const std::string& what);

/// A record of the files that text::open_file and text::read_file open while the object lives. One can
/// live at a time: a process has one command line. It is found through FilesRead::current(), because
/// front-ends open files deep inside the programs that they read: included files, modules, arrays.
class FilesRead {
 public:
  enum class Kind : std::uint8_t {
    kProgram,  ///< text: a program, and what it includes
    kData      ///< an array
  };
  struct File {
    Kind kind = Kind::kProgram;
    std::string
        digest;  ///< digest of the contents; empty for data from a pipe, which cannot be read twice
    dev_t device = 0;
    ino_t inode = 0;
  };

  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  /// nullptr: nobody keeps a record.
  static FilesRead* current();

  /// The files by their paths, as they were opened.
  const std::map<std::string, File>& files() const { return files_; }
  bool has(const std::string& path) const { return files_.count(path) != 0; }
  void add(const std::string& path, Kind kind, std::string digest);
  /// Throws UserError if `path` is one of the files, also under another name (a link).
  void require_other(const std::string& path) const;

 private:
  std::map<std::string, File> files_;
};

}  // namespace tessera::text
