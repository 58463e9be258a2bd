#include "frontends/pto_cpp/line_table.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sstream>

#include "frontends/pto_cpp/cache.h"

extern char** environ;  // NOLINT: POSIX

namespace tessera::pto_cpp {

namespace {

constexpr int kPatienceMs = 10'000;  // for one answer of addr2line
/// The first line of the file that keeps lines: whose lines they are.
std::string mark_of(const std::string& module) {
  return "tessera lines 2 " + module.substr(module.rfind('/') + 1) + "\n";
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

LineTable::LineTable(std::string module, std::string library)
    : module_(std::move(module)), folder_(module_.substr(0, module_.rfind('/') + 1)),
      library_(std::move(library)), cache_(module_ + ".lines") {
  read_kept();
}

void LineTable::read_kept() {
  auto text = own_contents(cache_);
  if (text) text = unsealed(std::move(*text));
  const std::string mark = mark_of(module_);
  if (!text || text->rfind(mark, 0) != 0) return;
  std::istringstream kept(text->substr(mark.size()));
  std::string row;
  while (std::getline(kept, row)) {
    std::istringstream fields(row);
    std::uint64_t offset = 0;
    SourceLine line;
    if (fields >> offset >> line.line && std::getline(fields.ignore(), line.file))
      known_[offset] = line;
  }
}

LineTable::~LineTable() {
  stop();
  if (!is_new_) return;
  std::ostringstream kept;
  kept << mark_of(module_);
  for (const auto& [offset, line] : known_)
    if (!line.file.empty()) kept << offset << ' ' << line.line << ' ' << line.file << '\n';
  try {
    write_whole(cache_, sealed(kept.str()));
  } catch (const std::exception&) {  // the next run asks again
  }
}

const SourceLine& LineTable::at(std::uint64_t offset) {
  const auto found = known_.find(offset);
  if (found != known_.end()) return found->second;
  const SourceLine line = ask(offset);
  is_new_ = is_new_ || !line.file.empty();
  return known_[offset] = line;
}

void LineTable::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return give_up("has no socket");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  std::array<std::string, 4> words = {"addr2line", "-i", "-e", module_};
  std::array<char*, 5> arguments{};
  for (std::size_t n = 0; n < words.size(); ++n) arguments[n] = words[n].data();
  const int error =
      posix_spawnp(&process_, "addr2line", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  socket_ = ends[0];
  if (error == 0) return;
  process_ = 0;
  give_up("cannot be started");
}

void LineTable::give_up(const std::string& why) {
  trouble_ = " (addr2line " + why + ", so lines are not known)";
  stop();
}

void LineTable::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
}

bool LineTable::answer(std::string& line) {
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos && now_ms() < deadline_ms_) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    const std::int64_t left = deadline_ms_ - now_ms();
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    std::array<char, 4096> bytes{};
    const ssize_t got = ready <= 0 ? -1 : recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR && ready > 0) continue;
    if (got <= 0) {
      give_up(ready == 0 ? "gives no answer" : "has ended");
      return false;
    }
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

// The number of answers is not known: an address that is nowhere follows, whose answer begins with "??".
SourceLine LineTable::ask(std::uint64_t offset) {
  if (!trouble_.empty()) return {};
  if (process_ == 0) start();
  if (process_ == 0) return {};
  std::ostringstream question;
  question << "0x" << std::hex << offset - 1 << "\n0xFFFFFFFFFFFF\n";
  const std::string text = question.str();
  if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
    give_up("has ended");
    return {};
  }
  deadline_ms_ = now_ms() + kPatienceMs;
  SourceLine found;
  std::string line;
  if (!answer(line)) return {};
  const bool is_nowhere = line.rfind("??", 0) == 0;
  if (is_nowhere && !answer(line)) return {};
  while (line.rfind("??", 0) != 0) {
    const std::size_t colon = line.rfind(':');
    const std::string file = line.substr(0, colon);
    const bool is_ours = file.rfind(library_, 0) == 0 || file.rfind(folder_, 0) == 0;
    if (found.file.empty() && colon != std::string::npos && !is_ours)
      found = {file, static_cast<unsigned>(std::strtoul(line.c_str() + colon + 1, nullptr, 10))};
    if (!answer(line)) return {};
  }
  return found;
}

}  // namespace tessera::pto_cpp
