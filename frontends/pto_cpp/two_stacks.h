// A piece of code with a stack of its own, and the code that runs it: they take turns.
//
// On x86-64 a switch is a few instructions in place instead of a call. A call that returns on another stack leaves the
// processor's prediction of returns one entry out, so that all functions that return afterwards are predicted wrongly: with
// Boost.Context that costs more than the switch. Other processors take Boost.Context.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tessera::pto_cpp {

#if defined(__x86_64__)

class TwoStacks {
 public:
  /// Code that has not begun, on a stack that ends at `end`. It must not return.
  void prepare(char* end, std::size_t, void (*code)()) {
    auto* top =
        reinterpret_cast<void (**)()>(reinterpret_cast<std::uintptr_t>(end) & ~std::uintptr_t{15});
    *--top = nullptr;  // where backtraces end
    *--top = code;
    inside_ = top;
  }
  /// Returns when the code leaves.
  [[gnu::always_inline]] void enter() { change(outside_, inside_); }
  /// The code calls this to leave. It returns when the code is entered again.
  [[gnu::always_inline]] void leave() { change(inside_, outside_); }

 private:
  // A stack that waits has the address at which it goes on at its top. Functions without calls of their own may have 128 bytes
  // beyond the end of the stack. All registers but two are clobbered: the compiler keeps what it needs of them.
  [[gnu::always_inline]] static void change(void*& from, void* to) {
    void** place = &from;
    asm volatile("leaq -128(%%rsp), %%rsp\n\t"
                 "pushq %%rbp\n\t"
                 "leaq 1f(%%rip), %%rax\n\t"
                 "pushq %%rax\n\t"
                 "movq %%rsp, (%%rdi)\n\t"
                 "movq %%rsi, %%rsp\n\t"
                 "popq %%rax\n\t"
                 "jmpq *%%rax\n"
                 "1:\n\t"
                 "popq %%rbp\n\t"
                 "leaq 128(%%rsp), %%rsp"
                 : "+D"(place), "+S"(to)
                 :
                 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
#if defined(__AVX512F__)
                   "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
                   "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3",
                   "k4", "k5", "k6", "k7",
#endif
                   "cc", "memory");
  }

  void *inside_ = nullptr, *outside_ = nullptr;
};

#else

class TwoStacks {
 public:
  void prepare(char* end, std::size_t bytes, void (*code)()) {
    boost::context::stack_context own;
    own.sp = end;
    own.size = bytes;
    const boost::context::preallocated given(own.sp, own.size, own);
    // Code that waits for ever is abandoned, not unwound.
    new (inside_) boost::context::fiber(std::allocator_arg, given, NoAllocator(),
                                        [this, code](boost::context::fiber&& caller) {
                                          outside_ = std::move(caller);
                                          code();
                                          return std::move(outside_);
                                        });
  }
  void enter() {
    auto& inside = *reinterpret_cast<boost::context::fiber*>(inside_);
    inside = std::move(inside).resume();
  }
  void leave() { outside_ = std::move(outside_).resume(); }

 private:
  /// The memory of the stack is somebody else's.
  struct NoAllocator {
    void deallocate(boost::context::stack_context&) {}
  };

  alignas(boost::context::fiber) std::byte inside_[sizeof(boost::context::fiber)];
  boost::context::fiber outside_;
};

#endif

}  // namespace tessera::pto_cpp
