#include "platforms/server/peer_watch.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <poll.h>
#include <unistd.h>

#include "platforms/run/signals.h"

namespace tessera::server {

// Signals go to the thread that runs the machine: they end its waiting for a command.
PeerWatch::PeerWatch(int input) {
  if (::pipe(stop_.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "there is no pipe");
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([input, stop = stop_[0]] { watch(input, stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

PeerWatch::~PeerWatch() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
}

// Without events asked for, poll() returns when a pipe has no writer any more.
void PeerWatch::watch(int input, int stop) {
  std::array<pollfd, 2> watched = {{{input, 0, 0}, {stop, 0, 0}}};
  while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
  }
  if (watched[1].revents == 0 && watched[0].revents != 0) run::abandon_run();
}

}  // namespace tessera::server
