#include "models/wafer/sharing/thread_pool.h"

#include <cassert>

namespace tessera::wafer {

namespace {

// About 200 us, which is longer than the work between two jobs of a busy machine, a thousand host streams among it,
// and far shorter than a time slice of the operating system. Threads that share a core had better sleep.
constexpr unsigned kSpins = 6000;
constexpr unsigned kSpinsOnSharedCores = 100;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads)
    : spins_(threads <= std::thread::hardware_concurrency() ? kSpins : kSpinsOnSharedCores) {
  try {
    for (unsigned n = 1; n < threads; ++n) workers_.emplace_back([this, n] { work(n); });
  } catch (...) {
    end();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  end();
}

void ThreadPool::end() {
  ends_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1);
  wake(new_round_);
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::begin(const std::function<void(unsigned)>& job) {
  assert(open_.load() == 0);  // the job before has finished
  job_ = &job;
  open_.store(static_cast<unsigned>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1);
  wake(new_round_);
}

void ThreadPool::finish() {
  wait_until(all_done_, [this] { return open_.load() == 0; });
}

void ThreadPool::work(unsigned number) {
  for (std::uint64_t done = 0;; ++done) {
    wait_until(new_round_, [this, done] { return round_.load() > done; });
    if (ends_.load(std::memory_order_relaxed)) return;
    (*job_)(number);
    if (open_.fetch_sub(1) == 1) wake(all_done_);
  }
}

// A sleeper first says that it sleeps and then looks once more; wake() comes after the change, so
// one of the two sees the other. All of these accesses are in one order (the default of atomics).
template <class Done>
void ThreadPool::wait_until(std::condition_variable& changed, Done done) {
  for (unsigned spin = 0; spin < spins_; ++spin) {
    if (done()) return;
    pause_briefly();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  sleepers_.fetch_add(1);
  changed.wait(lock, done);
  sleepers_.fetch_sub(1);
}

void ThreadPool::wake(std::condition_variable& changed) {
  if (sleepers_.load() == 0) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }
  changed.notify_all();
}

}  // namespace tessera::wafer
