// Runs a built executable as a user would and keeps what it printed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::test {

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// Runs build/bin/`name` in the root of the sources.
Finished run_executable(const std::string& name, const std::vector<std::string>& arguments);

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Copies the files of a folder of the sources ("examples/hello_wavelet") here.
  void copy_from(const std::string& source_folder) const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);
/// Replaces the one occurrence of `from` in a file; fails the test when there is none or more than
/// one.
void replace_in_file(const std::string& path, const std::string& from, const std::string& to);

}  // namespace tessera::test
