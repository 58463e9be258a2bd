// A folder for the files of a test, and files as strings.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::test {

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
