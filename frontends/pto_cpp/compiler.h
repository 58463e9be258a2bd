// The compiler of the host, as a process.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace tessera::pto_cpp {

/// The words that start the compiler: those of CXX, or g++.
std::vector<std::string> compiler_words();
/// Lines that stand for the compiler and for the variables of the environment that it obeys.
std::string compiler_identity();

/// A process that writes what it says to a file. It has the environment of this one, but for variables that would change where
/// the compiler writes its rules, and in which language it speaks.
class ChildProcess {
 public:
  /// Throws UserError if there is no such program.
  ChildProcess(const std::vector<std::string>& command, const std::string& log);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The status as of waitpid().
  int wait();

 private:
  pid_t process_ = 0;
  int status_ = 0;
};

/// Where the compiler looks for headers with these flags, also in folders that do not exist.
class SearchFolders {
 public:
  /// Asks the compiler. `log`: a file for what it says.
  SearchFolders(const std::vector<std::string>& flags, std::string log);
  std::vector<std::string> wait();

 private:
  const std::string log_;
  std::unique_ptr<ChildProcess> process_;
};

/// The clock with which file systems stamp files.
std::timespec now_of_files();

}  // namespace tessera::pto_cpp
