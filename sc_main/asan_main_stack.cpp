// Tells AddressSanitizer where the stack of the main program is; empty without that sanitizer.
//
// SystemC announces each switch between thread processes to the sanitizer, but gives no bounds when
// it goes back to the main program. From then on the sanitizer takes an exception on the main stack
// for a broken stack. The definition here stands in front of that of the sanitizer's library.
#if defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

struct Stack {
  void* bottom = nullptr;
  std::size_t size = 0;
};

Stack stack_of_this_thread() {
  Stack stack;
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack.bottom, &stack.size);
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                               std::size_t size) {
  using Function = void (*)(void**, const void*, std::size_t);
  static const auto announce =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
  static const Stack main_stack = stack_of_this_thread();
  if (size == 0) {
    announce(fake_stack, main_stack.bottom, main_stack.size);
  } else {
    announce(fake_stack, bottom, size);
  }
}

#endif
