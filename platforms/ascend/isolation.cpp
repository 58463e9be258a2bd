#include "platforms/ascend/isolation.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

namespace tessera::ascend {

namespace {

constexpr long kLookNs = 100'000'000;  // how often the trail is looked at
constexpr std::uint64_t kLooksPerSecond = 1'000'000'000 / kLookNs;

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

/// What an end without a report was.
std::string describe(int status, const std::string& place) {
  const std::string who =
      place.empty() ? "the process of the kernel" : place + "native code behind this line";
  const std::string why =
      place.empty() ? "; native code that writes beside its arrays may have damaged it" : "";
  if (WIFSIGNALED(status))
    return who + " ended with signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")" + why;
  return who + " ended the run with exit status " + std::to_string(WEXITSTATUS(status)) + why;
}

}  // namespace

Isolation::Isolation() {
  void* const page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (page) Shared;
}

Isolation::~Isolation() {
  munmap(shared_, sizeof(Shared));
}

std::optional<bool> Isolation::split(report::Report& report, std::uint64_t patience_s) {
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
    return std::nullopt;
  }
  if (process < 0)
    throw std::runtime_error(
        "no process for the kernel can be started; --no-isolate runs it in this one");
  const int status = wait_for(process, patience_s);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
    std::raise(WTERMSIG(status));  // a second one, which ends the run at once
  if (WIFEXITED(status) && shared_->is_published.load()) {
    report.status = static_cast<report::Status>(WEXITSTATUS(status));
    return false;
  }
  report.status = report::Status::kCouldNotFinish;
  report.message = describe(status, trail().place());
  return true;
}

// An alarm ends the native code, so that the run can report it. Code that does not notice it has no run left.
int Isolation::wait_for(pid_t process, std::uint64_t patience_s) const {
  const sigset_t taken = awaited();
  const std::uint64_t patience = patience_s * kLooksPerSecond;
  std::uint64_t looks = 0, seen = 0;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    siginfo_t signal{};
    const timespec look{0, kLookNs};
    if (sigtimedwait(&taken, &signal, &look) > 0) {
      pass_on(signal, process);
      continue;
    }
    const pto_cpp::NativeTrail& trail = shared_->trail;
    const bool is_stuck =
        trail.who() >= pto_cpp::NativeTrail::kFirstCore && trail.entries() == seen;
    seen = trail.entries();
    looks = is_stuck ? looks + 1 : 0;
    if (looks == 0) continue;
    if (looks == patience) kill(process, SIGALRM);
    if (looks == 2 * patience) kill(process, SIGKILL);
  }
  return status;
}

}  // namespace tessera::ascend
