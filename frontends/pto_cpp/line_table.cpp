#include "frontends/pto_cpp/line_table.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace tessera::pto_cpp {

LineTable::LineTable(std::string module, std::string library)
    : module_(std::move(module)), folder_(module_.substr(0, module_.rfind('/') + 1)),
      library_(std::move(library)), cache_(module_ + ".lines") {
  std::ifstream kept(cache_);
  std::string row;
  while (std::getline(kept, row)) {
    std::istringstream fields(row);
    std::uint64_t offset = 0;
    SourceLine line;
    if (fields >> offset >> line.line && std::getline(fields >> std::ws, line.file))
      known_[offset] = line;
  }
}

LineTable::~LineTable() {
  stop();
  if (!is_new_) return;
  const std::string fresh = cache_ + "." + std::to_string(getpid());
  std::ofstream kept(fresh);
  for (const auto& [offset, line] : known_)
    if (!line.file.empty()) kept << offset << ' ' << line.line << ' ' << line.file << '\n';
  kept.close();
  if (!kept || rename(fresh.c_str(), cache_.c_str()) != 0) unlink(fresh.c_str());
}

const SourceLine& LineTable::at(std::uint64_t offset) {
  const auto found = known_.find(offset);
  if (found != known_.end()) return found->second;
  is_new_ = true;
  return known_[offset] = ask(offset);
}

void LineTable::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  process_ = vfork();
  if (process_ == 0) {
    dup2(ends[1], 0);
    dup2(ends[1], 1);
    execlp("addr2line", "addr2line", "-i", "-e", module_.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
}

void LineTable::stop() {
  if (process_ <= 0) return;
  close(socket_);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

std::string LineTable::answer() {
  std::string line;
  char c = 0;
  while (recv(socket_, &c, 1, 0) == 1 && c != '\n') line += c;
  return line;
}

// The number of answers is not known: an address that is nowhere follows, whose answer begins with "??".
SourceLine LineTable::ask(std::uint64_t offset) {
  if (process_ == 0) start();
  if (process_ <= 0) return {};
  std::ostringstream question;
  question << "0x" << std::hex << offset - 1 << "\n0xFFFFFFFFFFFF\n";
  const std::string text = question.str();
  if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    return {};
  SourceLine found;
  std::string line = answer();
  if (line.rfind("??", 0) == 0) answer();
  for (; !line.empty() && line.rfind("??", 0) != 0; line = answer()) {
    const std::size_t colon = line.rfind(':');
    const std::string file = line.substr(0, colon);
    const bool is_ours = file.rfind(library_, 0) == 0 || file.rfind(folder_, 0) == 0;
    if (!found.file.empty() || colon == std::string::npos || is_ours) continue;
    found = {file, static_cast<unsigned>(std::strtoul(line.c_str() + colon + 1, nullptr, 10))};
  }
  return found;
}

}  // namespace tessera::pto_cpp
