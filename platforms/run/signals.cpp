#include "platforms/run/signals.h"

#include <atomic>
#include <csignal>

namespace tessera::run {

namespace {

constexpr int kHostHasGone = -1;  // no signal has these numbers
constexpr int kDebuggerEnds = -2;

// A signal handler may write nothing but static objects of a few types.
std::atomic<int> stop_request = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  stop_request = signal;
}

}  // namespace

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction noted {};
    noted.sa_handler = note;
    noted.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one has its usual effect
    ::sigemptyset(&noted.sa_mask);
    ::sigaction(signal, &noted, nullptr);
  }
}

void abandon_run() {
  int none = 0;
  stop_request.compare_exchange_strong(none, kHostHasGone);
}

void end_debugged_run() {
  int none = 0;
  stop_request.compare_exchange_strong(none, kDebuggerEnds);
}

bool must_stop() {
  return stop_request.load(std::memory_order_relaxed) != 0;
}

std::string stop_reason() {
  switch (stop_request) {
  case 0:
    return "";
  case SIGINT:
    return "stopped by SIGINT";
  case SIGTERM:
    return "stopped by SIGTERM";
  case kDebuggerEnds:
    return "ended by the debugger";
  default:
    return "the host program ended without stop()";
  }
}

}  // namespace tessera::run
