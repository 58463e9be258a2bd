#include "platforms/qemu/qemu_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

extern char** environ;

namespace tessera::qemu {

namespace {

constexpr int kTerminationMs = 2000;

// The proxy device asks the interrupt routing of its bus for a line and gives it to KVM. Without KVM, QEMU 10 crashes
// in that; the bus of a microvm has no such routing.
std::string machine_of(const Options& options) {
  const bool is_pc = options.machine.empty() ? options.accel == "kvm" : options.machine == "pc";
  return is_pc ? "pc" : "microvm,pcie=on";
}

}  // namespace

std::vector<std::string> command_line(const Options& options, int fd) {
  // The proxy device needs memory that another process can map, also if we do not.
  std::vector<std::string> words = {options.qemu,
                                    "-nodefaults",
                                    "-no-user-config",
                                    "-display",
                                    "none",
                                    "-machine",
                                    machine_of(options) + ",memory-backend=ram,accel=" + options.accel,
                                    "-object",
                                    "memory-backend-memfd,id=ram,share=on,size=" +
                                        std::to_string(options.memory_mb.value_or(64)) + "M",
                                    "-m",
                                    std::to_string(options.memory_mb.value_or(64)),
                                    "-debugcon",
                                    "stdio",
                                    "-device",
                                    "isa-debug-exit,iobase=0xf4,iosize=0x04",
                                    "-device",
                                    "x-pci-proxy-dev,id=tessera,fd=" + std::to_string(fd)};
  if (!options.guest.empty()) words.insert(words.end(), {"-kernel", options.guest});
  words.insert(words.end(), options.qemu_arguments.begin(), options.qemu_arguments.end());
  return words;
}

Process::Process(const Options& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw UserError("", "--qemu", std::string("no socket to QEMU: ") + std::strerror(errno));
  socket_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ::fcntl(theirs.get(), F_SETFD, 0);  // QEMU inherits it
  std::vector<std::string> words = command_line(options, theirs.get());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error =
      ::posix_spawnp(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error == 0) return;
  pid_ = -1;
  throw UserError("", "--qemu",
                  "'" + options.qemu + "' cannot be started: " + std::strerror(error) +
                      "; Debian's package is qemu-system-x86");
}

std::optional<int> Process::status(int milliseconds) {
  for (int waited = 0; !status_; waited += 10) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (waited >= milliseconds) {
      return std::nullopt;
    } else {
      ::usleep(10'000);
    }
  }
  return status_;
}

Process::~Process() {
  if (pid_ < 0 || status(0)) return;
  ::kill(pid_, SIGTERM);
  if (status(kTerminationMs)) return;
  ::kill(pid_, SIGKILL);
  status(kTerminationMs);
}

}  // namespace tessera::qemu
