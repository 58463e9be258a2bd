// The files that a program writes. Whoever reads one sees a whole file: the older one, or the new one.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace tessera::text {

/// A file that is written to a temporary beside it, "NAME.tmp-PROCESS", and gets its name when it is
/// complete. A program that fails or is killed before leaves an older file as it was.
///
/// What cannot be replaced is written as it is: devices, pipes, and standard output and error by their
/// names in /dev. A symbolic link stays; the file behind it is replaced, with the same permissions.
class OutputFile {
 public:
  /// Throws UserError when the file cannot be written, or is one that the program has read (FilesRead).
  explicit OutputFile(const std::string& path);
  /// Without commit() the temporary is removed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Writes the rest and closes the file, for a program that commits several files together. Throws
  /// UserError when not all of it could be written.
  void complete();
  /// Completes the file if that has not been done, and gives it its name; call it once.
  void commit();

 private:
  void open_temporary();
  void discard();

  const std::string path_;  // as the user names it
  std::string target_;      // behind symbolic links
  std::string temporary_;   // empty: written in place, or complete
  std::ofstream file_;
  std::ostream stream_;
};

/// Throws UserError when `path` cannot be written. Leaves the file as it is, also if there is none.
void require_writable(const std::string& path);

/// From now on a write to a full file, or to a pipe that nobody reads, is an error of the stream and
/// not the end of the process (SIGXFSZ, SIGPIPE). A standard stream that is closed stays one that cannot be written.
void make_failed_writes_errors();

/// Flushes standard output. Throws UserError when not everything that was printed could be written.
void require_printed();

}  // namespace tessera::text
