// A fixed number of threads that do one job together, again and again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera::wafer {

/// A job of a few microseconds is worth it: between two jobs the threads first spin, then sleep.
class ThreadPool {
 public:
  /// The caller of run() is one of the `threads`. Throws std::system_error when the computer gives
  /// no more threads.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `job` with 0 in this thread and with 1, 2, ... in the others; returns when all are done.
  /// What the caller wrote before is seen by the job, and the other way round. `job` may not throw.
  void run(const std::function<void(unsigned)>& job) {
    begin(job);
    job(0);
    finish();
  }
  /// The same in two halves: the others have begun, and the caller does something else before it calls `job`
  /// with 0 and then finish(). `job` must live until then.
  void begin(const std::function<void(unsigned)>& job);
  void finish();

 private:
  void work(unsigned number);
  void end();
  template <class Done>
  void wait_until(std::condition_variable& changed, Done done);
  void wake(std::condition_variable& changed);

  const unsigned spins_;  // before a thread sleeps
  const std::function<void(unsigned)>* job_ = nullptr;
  std::atomic<bool> ends_{false};
  // Each on a cache line of its own: one is written by the caller, the other by the workers.
  alignas(64) std::atomic<std::uint64_t> round_{0};  ///< jobs so far
  alignas(64) std::atomic<unsigned> open_{0};        ///< workers that are not done with the job
  alignas(64) std::atomic<unsigned> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable new_round_;
  std::condition_variable all_done_;
  std::vector<std::thread> workers_;
};

}  // namespace tessera::wafer
