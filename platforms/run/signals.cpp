#include "platforms/run/signals.h"

#include <csignal>

namespace tessera::run {

namespace {

// A signal handler may write nothing but an object of this type with static storage.
volatile std::sig_atomic_t caught = 0;

void note(int signal) {
  caught = signal;
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

std::string caught_signal() {
  if (caught == SIGINT) return "SIGINT";
  return caught == SIGTERM ? "SIGTERM" : "";
}

bool has_caught_signal() {
  return caught != 0;
}

}  // namespace tessera::run
