// A function of threads (SIMT) of a kernel in C++: its threads are fibers, which run one after the other until they wait for the others of
// their warp or block. Before the function memory of the host gets what the model has, page by page as threads come to it; after
// it the model gets what has changed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/pto_cpp/memory_map.h"
#include "frontends/pto_cpp/native_fiber.h"
#include "models/cluster/program/thread_function.h"

namespace tessera::pto_cpp {

class NativeThreads {
 public:
  explicit NativeThreads(const MemoryMap& memory) : memory_(memory) {}

  /// Runs all threads of a launch; `block` of `blocks` is the block of their core. What a thread does wrong ends all of them.
  cluster::ThreadWork run(const TsrThreads& launch, unsigned block, unsigned blocks,
                          cluster::ThreadMemory& data);
  /// Why the threads ended, or "", and the place in native code.
  const std::string& failure() const { return failure_; }
  const void* failed_at() const { return failed_at_; }
  /// After a crash, the callers; otherwise empty.
  const NativeFiber::Crash& crash() const { return crash_; }

  // --- what native code of a thread calls ---

  /// Whether a thread calls.
  bool is_running() const { return running_ != nullptr && running_->fiber->is_running(); }
  void access(const void* address, std::size_t bytes, bool stores, const void* from);
  void meet();
  std::uint32_t exchange(std::uint64_t value, std::uint64_t* lanes, const void* from);
  void block();
  [[noreturn]] void fail(const std::string& text, const void* from);

 private:
  enum class Stands : std::uint8_t { kNew, kReady, kMeets, kExchanges, kEnded };
  struct Thread {
    Stands stands = Stands::kNew;
    std::unique_ptr<NativeFiber> fiber;
    std::uint32_t index[3] = {0, 0, 0};
    std::uint64_t value = 0;  // what it gives to its warp
    std::uint64_t* lanes = nullptr;
    std::uint32_t active = 0;
    const void* place = nullptr;
    std::uint64_t blocks = 0;
    std::unordered_map<const void*, unsigned> visits;  // accesses so far, by place
  };
  /// What the lanes of a warp access by one instruction.
  struct Access {
    bool stores = false, in_ub = false;
    std::vector<std::uint64_t> units;  // lines of GM, or pieces of 8 bytes of UB
  };
  struct Warp {
    std::unordered_map<std::uint64_t, Access> accesses;  // by place and visit
    std::vector<std::uint64_t> order;
    Cycle time = 0;
  };
  struct Page {
    std::uint64_t begin = 0;
    DeviceAddress at;
    std::vector<std::byte> before;
  };

  void start(const TsrThreads& launch);
  void run_warp(const TsrThreads& launch, std::size_t first, std::size_t end);
  void resume(const TsrThreads& launch, Thread& thread);
  void give_values(std::size_t first, std::size_t end);
  /// What the warp has done since the last meeting takes its time.
  void account(std::size_t warp, std::size_t first, std::size_t end);
  Cycle time_of(const Access& access);
  void touch(std::uint64_t address, std::size_t bytes);
  void bring(std::uint64_t page);
  void write_back();
  bool has_failed() const { return !failure_.empty(); }

  const MemoryMap& memory_;
  std::vector<std::unique_ptr<NativeFiber>> free_;
  std::unordered_set<std::uint64_t> in_l2_;  // lines that some function has come to

  // Of the function that runs.
  cluster::ThreadMemory* data_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Thread* running_ = nullptr;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::vector<std::uint64_t> cached_;  // lines, by their numbers
  cluster::ThreadWork work_;
  std::string failure_;
  const void* failed_at_ = nullptr;
  NativeFiber::Crash crash_;
};

}  // namespace tessera::pto_cpp
