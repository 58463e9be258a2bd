// Where native code is: enough to say which kernel, core and line it was when a process ends without a word. It lies in
// memory that another process may see (platforms/ascend/isolation.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "models/cluster/program/program.h"

namespace tessera::pto_cpp {

class KernelModule;

class NativeTrail {
 public:
  /// kLoading: constructors of global objects, while a module is loaded.
  static constexpr std::uint32_t kNobody = 0, kHost = 1, kLoading = 2, kFirstCore = 3;

  /// That of the process, once set_kernel() was called: for threads of native code, which have no core.
  static NativeTrail& of_process() { return *of_process_; }

  /// What is about to run. Texts that are too long are cut.
  void set_kernel(const std::string& name, const std::string& library);
  void set_module(cluster::CoreKind kind, const KernelModule& module);

  /// Native code of a core, or of the host program, begins or goes on; it ends or waits.
  void enter(std::uint32_t who, cluster::CoreKind kind) {
    entries_.store(entries() + 1, std::memory_order_relaxed);
    kind_.store(static_cast<std::uint32_t>(kind), std::memory_order_relaxed);
    who_.store(who, std::memory_order_relaxed);
  }
  void leave() { who_.store(kNobody, std::memory_order_relaxed); }
  /// Native code has come to this address in its module.
  void at(const void* place) {
    last_.store(reinterpret_cast<std::uint64_t>(place), std::memory_order_relaxed);
  }

  /// Ends this process at once, when the run cannot go on and nothing can be unwound: the other one says why.
  [[noreturn]] void end_run(const char* why);
  /// What end_run() was called with; "": it was not.
  std::string why_ended() const { return why_ended_; }

  std::uint64_t entries() const { return entries_.load(std::memory_order_relaxed); }
  std::uint32_t who() const { return who_.load(std::memory_order_relaxed); }
  /// "add.cpp:17: kernel add on AIV0 of cluster 2: " of the code that runs: the last place that is known, it may be
  /// some lines further; "" if none runs.
  std::string place() const;

 private:
  static constexpr std::size_t kMostText = 4096;
  struct Module {
    std::uint64_t base;
    char file[kMostText];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  static inline std::atomic<NativeTrail*> of_process_{nullptr};

  std::atomic<std::uint64_t> entries_{0}, last_{0};
  std::atomic<std::uint32_t> who_{kNobody}, kind_{0};
  char kernel_[kMostText] = "", library_[kMostText] = "", why_ended_[kMostText] = "";
  Module modules_[2] = {};  // by kind
};

}  // namespace tessera::pto_cpp
