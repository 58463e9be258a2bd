// Native code that runs up to a point, waits there, and goes on later: a fiber with a stack of its own. What native code does
// wrong - a signal such as SIGSEGV, an abort, a stack that is too small - ends the fiber and is told to whoever runs it.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/pto_cpp/two_stacks.h"

namespace tessera::pto_cpp {

class NativeFiber {
 public:
  /// Where native code was, and what happened.
  struct Crash {
    int signal = 0;  ///< 0: none
    std::uint64_t address = 0;
    bool stack_overflow = false;
    bool is_stuck = false;  ///< the process that watches has sent SIGALRM
    /// After the instruction that failed, and after the calls that lead to it; the first ones are those of the handler.
    std::array<void*, 32> callers{};
    std::size_t caller_count = 0;
  };

  /// Throws std::bad_alloc.
  NativeFiber();
  /// Code that waits is abandoned: its destructors do not run.
  ~NativeFiber();
  NativeFiber(const NativeFiber&) = delete;
  NativeFiber& operator=(const NativeFiber&) = delete;

  /// The code of a fiber that has not begun, or has ended.
  void start(std::function<void()> code);
  /// Runs the code until it waits, ends or crashes.
  void run();
  /// The code calls this to wait. It returns when run() is called again.
  [[gnu::always_inline]] void wait() { stacks_.leave(); }
  bool ended() const { return ended_; }
  /// Whether it is this fiber that calls.
  bool is_running() const;
  const Crash& crash() const { return crash_; }
  /// "a segmentation fault at address 0x8".
  std::string describe_crash() const;

  /// The signals that crashes raise, as long as the object lives: they end the fiber that runs. Others may hold such an object
  /// too, and what was set before is set again. SIGALRM of the parent process says that the fiber is stuck.
  class Signals;

 private:
  struct Memory {
    char* begin = nullptr;
    std::size_t bytes = 0;
  };
  static void begin();
  static void escape();

  Memory stack_, rescue_;  // the first page of each cannot be accessed
  TwoStacks stacks_;
  std::function<void()> code_;
  bool ended_ = true;
  Crash crash_;
};

class NativeFiber::Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  friend class NativeFiber;
  static constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS,  SIGFPE,
                                                  SIGILL,  SIGABRT, SIGALRM};
  /// The fiber that runs in this thread: a handler has no argument of ours.
  static NativeFiber*& running() {
    thread_local NativeFiber* fiber = nullptr;
    return fiber;
  }
  static void handle(int signal, siginfo_t* info, void* context);

  std::vector<char> stack_;  // the stack of the signal handler
  std::array<struct sigaction, kSignals.size()> before_{};
  stack_t stack_before_{};
};

inline bool NativeFiber::is_running() const {
  return Signals::running() == this;
}

// A switch of stacks upsets the prediction of returns, so the fewer functions it leaves, the better.
inline void NativeFiber::run() {
  NativeFiber*& running = Signals::running();
  NativeFiber* const before = std::exchange(running, this);
  stacks_.enter();
  running = before;
}

}  // namespace tessera::pto_cpp
