#include "frontends/text/stack.h"

#include <pthread.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::text {
namespace {

struct Stack {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;  // 0: not known
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0, guard = 0;
  Stack stack;
  if (::pthread_attr_getstack(&attributes, &low, &size) == 0) {
    ::pthread_attr_getguardsize(&attributes, &guard);
    stack.low = reinterpret_cast<std::uintptr_t>(low) + guard;
    stack.high = reinterpret_cast<std::uintptr_t>(low) + size;
  }
  ::pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

std::size_t stack_left() {
  thread_local const Stack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here < stack.low || here >= stack.high) return std::numeric_limits<std::size_t>::max();
  return here - stack.low;
}

void require_stack(const char* what) {
  if (is_stack_short())
    throw UserError("", "", std::string(what) + " is nested too deep for the stack of this thread");
}

}  // namespace tessera::text
