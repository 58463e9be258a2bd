#include "frontends/pto_cpp/compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "frontends/pto_cpp/cache.h"
#include "tlm_ifaces/vocabulary/errors.h"

extern char** environ;  // NOLINT: POSIX

namespace tessera::pto_cpp {

namespace fs = std::filesystem;

namespace {

/// Variables that change what g++ and clang++ find or make (GCC manual 3.21, and those of the linker).
constexpr const char* kObeyed[] = {"CPATH",
                                   "C_INCLUDE_PATH",
                                   "CPLUS_INCLUDE_PATH",
                                   "OBJC_INCLUDE_PATH",
                                   "OBJCPLUS_INCLUDE_PATH",
                                   "COMPILER_PATH",
                                   "LIBRARY_PATH",
                                   "GCC_EXEC_PREFIX",
                                   "GCC_COMPARE_DEBUG",
                                   "SOURCE_DATE_EPOCH",
                                   "LD_RUN_PATH",
                                   "LDEMULATION",
                                   "COLLECT_NO_DEMANGLE",
                                   "SYSROOT",
                                   "SDKROOT",
                                   "CCC_OVERRIDE_OPTIONS"};
/// Those whose lists may name folders relative to the working directory; an empty part is that directory.
constexpr const char* kLists[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH",
                                  "LIBRARY_PATH"};

/// Response files in response files.
constexpr unsigned kMostNested = 8;

bool is_hidden(const std::string& variable) {
  for (const char* name : {"DEPENDENCIES_OUTPUT=", "SUNPRO_DEPENDENCIES=", "LC_",
                           "LANG=", "LANGUAGE=", "GCC_COLORS=", "GCC_EXTRA_DIAGNOSTIC_OUTPUT="})
    if (variable.rfind(name, 0) == 0) return true;
  return false;
}

/// The file that a name of a program stands for; "": there is none.
std::string program_file(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

std::vector<std::string> compiler_words() {
  const char* const given = std::getenv("CXX");
  std::istringstream text(given == nullptr ? "" : given);
  std::vector<std::string> words;
  std::string word;
  while (text >> word) words.push_back(word);
  if (given != nullptr && !program_file(given).empty() && access(given, X_OK) == 0)
    return {given};  // a path with blanks
  if (words.empty()) words.emplace_back("g++");
  return words;
}

namespace {

// A program by its time, a file of options by its text: `@FILE`, which may name more of them, `-specs=FILE`.
void add_identity(const std::string& word, unsigned depth, std::ostringstream& text) {
  std::error_code error;
  const fs::path file = fs::canonical(program_file(word), error);
  struct stat status {};
  text << word;
  if (!error && stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    text << " " << file.string() << " " << status.st_size << " " << status.st_mtim.tv_sec << "."
         << status.st_mtim.tv_nsec;
  text << "\n";
  const std::size_t begin = word[0] == '@' ? 1 : word.find('=') + 1;  // npos + 1: it names no file
  if (begin == 0 || depth == kMostNested || !fs::is_regular_file(word.substr(begin), error)) return;
  std::ifstream options(word.substr(begin));
  if (word[0] != '@') {
    text << options.rdbuf() << "\n";
    return;
  }
  for (std::string inner; options >> inner;) add_identity(inner, depth + 1, text);
}

}  // namespace

std::string compiler_identity() {
  std::ostringstream text;
  for (const std::string& word : compiler_words()) add_identity(word, 0, text);
  for (const char* name : kObeyed)
    if (const char* value = std::getenv(name)) text << name << "=" << value << "\n";
  for (const char* name : kLists) {
    const char* const value = std::getenv(name);
    std::string folder, list = value == nullptr ? "" : std::string(value) + ":";
    std::istringstream folders(list);
    while (std::getline(folders, folder, ':'))
      if (folder.empty() || folder[0] != '/') {
        text << "in " << fs::current_path().string() << "\n";
        break;
      }
  }
  return text.str();
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words, variables;
  for (const std::string& w : command) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  std::string language = "LC_ALL=C.UTF-8";
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_hidden(*variable)) variables.push_back(*variable);
  variables.push_back(language.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  const int error =
      posix_spawnp(&process_, words[0], &files, nullptr, words.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) return;
  process_ = 0;
  if (error == EAGAIN || error == ENOMEM) throw std::system_error(error, std::generic_category());
  throw UserError("", command.front(),
                  std::string("cannot be started (") + std::strerror(error) +
                      "); kernels in C++ need a compiler: install g++, or name one in CXX");
}

ChildProcess::~ChildProcess() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  wait();
}

int ChildProcess::wait() {
  if (process_ == 0) return status_;
  while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  return status_;
}

SearchFolders::SearchFolders(const std::vector<std::string>& flags, std::string log)
    : log_(std::move(log)) {
  std::vector<std::string> command = compiler_words();
  for (std::size_t n = 0; n < flags.size(); ++n) {
    if (flags[n] == "-include") {
      ++n;
      continue;
    }
    command.push_back(flags[n]);
  }
  command.insert(command.end(), {"-E", "-v", "-x", "c++", "/dev/null", "-o", "/dev/null"});
  process_ = std::make_unique<ChildProcess>(command, log_);
}

std::vector<std::string> SearchFolders::wait() {
  process_->wait();
  std::istringstream said(contents_of(log_));
  std::error_code error;
  fs::remove(log_, error);
  std::vector<std::string> folders;
  std::string line;
  bool in_list = false;
  while (std::getline(said, line)) {
    const std::string missing = "ignoring nonexistent directory \"";
    if (line.rfind(missing, 0) == 0)
      folders.push_back(line.substr(missing.size(), line.rfind('"') - missing.size()));
    if (line.rfind("End of search list", 0) == 0) in_list = false;
    if (in_list && line.size() > 1 && line[0] == ' ') folders.push_back(line.substr(1));
    if (line.rfind("#include ", 0) == 0) in_list = true;
  }
  return folders;
}

std::timespec now_of_files() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

}  // namespace tessera::pto_cpp
