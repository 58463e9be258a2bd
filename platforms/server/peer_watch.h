// Ends the run when its host program has gone while the machine works: nobody would read the results,
// and a run may take hours.
#pragma once

#include <array>
#include <thread>

namespace tessera::server {

class PeerWatch {
 public:
  /// Watches the reading end of a pipe for the end of all its writers.
  explicit PeerWatch(int input);
  /// The peer may go now: the run is complete.
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

 private:
  static void watch(int input, int stop);

  std::array<int, 2> stop_ = {-1, -1};  // a pipe: closing it ends the thread
  std::thread thread_;
};

}  // namespace tessera::server
