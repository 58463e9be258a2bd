#include "frontends/pto_cpp/native_fiber.h"

#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <new>
#include <sstream>
#include <utility>

namespace tessera::pto_cpp {

namespace {

/// Stacks at equal places of their pages would compete for the same lines of the caches: they begin at so many different ones.
constexpr std::size_t kPlaces = 61, kPlaceBytes = 17 * 64;
constexpr std::size_t kUsableBytes = 512 << 10;
constexpr std::size_t kStackBytes = kUsableBytes + (kPlaces * kPlaceBytes / 4096 + 1) * 4096,
                      kRescueBytes = 64 << 10, kHandlerBytes = 64 << 10;

std::size_t page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Moves an interrupted context to `function` on another stack. Returns false on hosts where it cannot.
bool divert(void* context, void (*function)(), char* stack_end, std::uint64_t& instruction) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  instruction = static_cast<std::uint64_t>(registers.gregs[REG_RIP]);
  registers.gregs[REG_RIP] = reinterpret_cast<greg_t>(function);
  registers.gregs[REG_RSP] = reinterpret_cast<greg_t>(stack_end) - 8;  // as after a call
  return true;
#elif defined(__aarch64__)
  instruction = registers.pc;
  registers.pc = reinterpret_cast<std::uint64_t>(function);
  registers.sp = reinterpret_cast<std::uint64_t>(stack_end);
  return true;
#else
  (void)registers, (void)function, (void)stack_end, (void)instruction;
  return false;
#endif
}

}  // namespace

NativeFiber::Signals::Signals() : stack_(kHandlerBytes) {
  stack_t own{};
  own.ss_sp = stack_.data();
  own.ss_size = stack_.size();
  sigaltstack(&own, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  std::array<void*, 1> here{};
  backtrace(here.data(), 1);  // the first call loads a library, which a handler cannot
}

NativeFiber::Signals::~Signals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
}

// A signal of other code than that of a fiber has its usual effect. An alarm comes too late then.
void NativeFiber::Signals::handle(int signal, siginfo_t* info, void* context) {
  NativeFiber* const fiber = running();
  if (fiber == nullptr) {
    if (signal != SIGALRM) std::signal(signal, SIG_DFL);
    return;
  }
  fiber->crash_.signal = signal;
  fiber->crash_.is_stuck =
      signal == SIGALRM && info->si_code == SI_USER && info->si_pid == getppid();
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  fiber->crash_.address = signal == SIGABRT ? 0 : address;
  const auto guard = reinterpret_cast<std::uint64_t>(fiber->stack_.begin);
  fiber->crash_.stack_overflow = address >= guard && address < guard + page();
  auto& callers = fiber->crash_.callers;
  fiber->crash_.caller_count =
      static_cast<std::size_t>(backtrace(callers.data(), static_cast<int>(callers.size())));
  std::uint64_t instruction = 0;
  if (!divert(context, escape, fiber->rescue_.begin + fiber->rescue_.bytes, instruction))
    std::signal(signal, SIG_DFL);
  for (void*& caller : callers)
    if (caller == reinterpret_cast<void*>(instruction)) caller = static_cast<char*>(caller) + 1;
}

// The code is left where it is, for ever.
void NativeFiber::escape() {
  NativeFiber& fiber = *Signals::running();
  fiber.wait();
  std::abort();
}

NativeFiber::NativeFiber() {
  for (const auto& [memory, bytes] :
       {std::pair(&stack_, kStackBytes), std::pair(&rescue_, kRescueBytes)}) {
    void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    mprotect(begin, page(), PROT_NONE);
    *memory = {static_cast<char*>(begin), bytes};
  }
}

NativeFiber::~NativeFiber() {
  munmap(stack_.begin, stack_.bytes);
  munmap(rescue_.begin, rescue_.bytes);
}

void NativeFiber::start(std::function<void()> code) {
  code_ = std::move(code);
  ended_ = false;
  const std::size_t place = (reinterpret_cast<std::uint64_t>(stack_.begin) >> 12) % kPlaces;
  stacks_.prepare(stack_.begin + stack_.bytes - place * kPlaceBytes,
                  stack_.bytes - page() - place * kPlaceBytes, begin);
}

void NativeFiber::begin() {
  NativeFiber& fiber = *Signals::running();
  fiber.code_();
  fiber.ended_ = true;
  fiber.wait();
}

std::string NativeFiber::describe_crash() const {
  std::ostringstream text;
  if (crash_.stack_overflow)
    text << "a stack overflow: native code of a core has " << (kUsableBytes >> 10) << " KB";
  else if (crash_.signal == SIGABRT)
    text << "an abort, as of a failed assertion";
  else if (crash_.signal == SIGALRM && !crash_.is_stuck)
    text << "an alarm (SIGALRM), which native code or another process has asked for";
  else if (crash_.signal == SIGALRM)
    text << "no operation for too long, as in an endless loop or a lock that nobody opens";
  else if (crash_.signal == SIGFPE)
    text << "an arithmetic exception, as of a division by zero";
  else if (crash_.signal == SIGILL)
    text << "an illegal instruction, as of a path that the compiler takes for unreachable";
  else
    text << "a segmentation fault at address 0x" << std::hex << crash_.address;
  return text.str();
}

}  // namespace tessera::pto_cpp
