#include "platforms/ascend/isolation.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

constexpr long kLookNs = 100'000'000;  // how often the trail is looked at
constexpr std::uint64_t kLooksPerSecond = 1'000'000'000 / kLookNs;

std::uint64_t seconds_for(const pto_cpp::NativeTrail& trail, Isolation::Patience patience) {
  return trail.who() == pto_cpp::NativeTrail::kHost ? patience.host_s : patience.core_s;
}

/// The signals that this process takes with sigtimedwait() while the other one runs.
sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

/// Who asks this process to end asks the other one. The terminal has asked both.
void pass_on(const siginfo_t& signal, pid_t process) {
  if (signal.si_signo != SIGCHLD && signal.si_code != SI_KERNEL) kill(process, signal.si_signo);
}

constexpr const char* kAstrayId = "/tessera/cluster/native";
constexpr const char* kAstray =
    "native code of the kernel has closed or replaced a standard stream, or changed the working "
    "directory, so that results would go astray";

}  // namespace

Isolation::Isolation() {
  void* const page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (page) Shared;
  process_ = getpid();
}

void Isolation::note_surroundings() {
  before_ = surroundings();
}

Isolation::~Isolation() {
  munmap(shared_, sizeof(Shared));
}

std::optional<bool> Isolation::split(report::Report& report, Patience patience) {
  const sigset_t taken = awaited();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &taken, &before);
  std::cout.flush();
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    process_ = getpid();
    is_child_ = true;
    return std::nullopt;
  }
  if (process < 0)
    throw std::system_error(errno, std::generic_category(),
                            "no process for the kernel can be started");
  const End end = wait_for(process, patience);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (end.asked != 0 && WIFSIGNALED(end.status) && WTERMSIG(end.status) == end.asked)
    std::raise(end.asked);  // a second one, which ends the run at once
  if (WIFEXITED(end.status) && shared_->is_published.load()) {
    report.status = static_cast<report::Status>(WEXITSTATUS(end.status));
    return false;
  }
  report.status = report::Status::kCouldNotFinish;
  report.message = describe(end, patience);
  return true;
}

// What an end without a report was.
std::string Isolation::describe(const End& end, Patience patience) const {
  if (shared_->is_astray.load()) return kAstray;
  const std::string place = shared_->trail.place();
  const bool is_loading = shared_->trail.who() == pto_cpp::NativeTrail::kLoading;
  if (const std::string why = shared_->trail.why_ended(); !why.empty())
    return (place.empty() ? "the kernel: native code " : place + "native code ") + why;
  const std::string who = place.empty() ? "the process of the kernel"
                          : is_loading  ? place + "their native code"
                                        : place + "native code after this line";
  if (end.is_ours)
    return who + " came to no operation for " +
           std::to_string(2 * seconds_for(shared_->trail, patience)) +
           " s, and did not react to SIGALRM";
  const std::string why =
      place.empty() ? "; native code that writes beside its arrays may have damaged it, or another "
                      "process has ended it"
                    : "";
  if (WIFSIGNALED(end.status))
    return who + " ended with signal " + std::to_string(WTERMSIG(end.status)) + " (" +
           strsignal(WTERMSIG(end.status)) + ")" + why;
  return who + " ended the run with exit status " + std::to_string(WEXITSTATUS(end.status)) + why;
}

Isolation::Surroundings Isolation::surroundings() {
  Surroundings found{};
  struct stat status {};
  for (std::size_t n = 0; n < found.streams.size(); ++n)
    if (fstat(static_cast<int>(n), &status) == 0) found.streams[n] = {status.st_dev, status.st_ino};
  std::error_code error;
  found.folder = std::filesystem::current_path(error).string();
  return found;
}

bool Isolation::restore_surroundings() const {
  if (getpid() != process_) _exit(4);  // a copy that native code has made
  const Surroundings found = surroundings();
  if (found.streams != before_.streams) {
    shared_->is_astray.store(true);
    if (is_child_) _exit(4);  // nothing can be said here
    return false;
  }
  if (found.folder == before_.folder) return true;
  // What is written goes where it should.
  if (chdir(before_.folder.c_str()) != 0) _exit(4);
  return false;
}

void Isolation::set_published(int exit_code) {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  shared_->is_published.store(true);
  if (is_child_) _exit(exit_code);
}

void Isolation::require_surroundings() const {
  if (restore_surroundings()) return;
  throw IllegalBehaviour(kAstray, kAstrayId);
}

// An alarm ends the native code, so that the run can report it. Code that does not notice it has no run left. The run ends
// between operations when it is asked to: native code that comes to none does not hear of it, and is asked a second time, which
// ends the process.
Isolation::End Isolation::wait_for(pid_t process, Patience patience) const {
  const sigset_t taken = awaited();
  std::uint64_t looks = 0, seen = 0;
  End end;
  while (waitpid(process, &end.status, WNOHANG) == 0) {
    siginfo_t signal{};
    const timespec look{0, kLookNs};
    if (sigtimedwait(&taken, &signal, &look) > 0) {
      if (signal.si_signo != SIGCHLD) {
        end.asked = signal.si_signo;
        looks = 0;
      }
      pass_on(signal, process);
      continue;
    }
    const pto_cpp::NativeTrail& trail = shared_->trail;
    const bool is_stuck = trail.who() != pto_cpp::NativeTrail::kNobody && trail.entries() == seen;
    seen = trail.entries();
    looks = is_stuck ? looks + 1 : 0;
    if (end.asked != 0 && looks == kLooksPerSecond) kill(process, end.asked);
    const std::uint64_t limit = seconds_for(trail, patience) * kLooksPerSecond;
    if (looks == 0 || limit == 0) continue;
    if (looks == limit) kill(process, SIGALRM);
    if (looks == 2 * limit) {
      end.is_ours = true;
      kill(process, SIGKILL);
    }
  }
  return end;
}

}  // namespace tessera::ascend
