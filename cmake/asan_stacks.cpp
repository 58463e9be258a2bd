// Tells AddressSanitizer which stack the program is on; empty without that sanitizer.
//
// SystemC announces switches between thread processes to the sanitizer, with two gaps: a switch to
// the main program carries no bounds, and the switch away from a thread process that has ended is
// not announced. The sanitizer then takes an exception on the main stack for a broken stack, and
// its leak check reads the stack of the ended process, which is no longer mapped. The two
// definitions here stand in front of those of the libraries and close the gaps. They also tell the
// leak check that a process that still waits when the run ends holds what its stack points to.
#if defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>

#include <cstddef>
#include <set>

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

// How sc_core::sc_cor_qt begins; its header is not installed. The main program has size 0.
struct Coroutine {
  void* virtual_functions;
  std::size_t stack_size;
  void* stack;
};

}  // namespace

extern "C" {

void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size) {
  static const auto announce = reinterpret_cast<decltype(&__sanitizer_start_switch_fiber)>(
      dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
  static const Stack main_stack = stack_of_this_thread();
  static std::set<const void*> known_stacks;
  if (size == 0) {
    announce(fake_stack, main_stack.bottom, main_stack.size);
  } else {
    if (known_stacks.insert(bottom).second) __lsan_register_root_region(bottom, size);
    announce(fake_stack, bottom, size);
  }
}

#define TESSERA_ABORT_COROUTINE "_ZN7sc_core13sc_cor_pkg_qt5abortEPNS_6sc_corE"

/// sc_core::sc_cor_pkg_qt::abort: leaves a thread process that has ended.
void tessera_abort_coroutine(void* package, Coroutine* next) asm(TESSERA_ABORT_COROUTINE);

void tessera_abort_coroutine(void* package, Coroutine* next) {
  static const auto abort_coroutine = reinterpret_cast<decltype(&tessera_abort_coroutine)>(
      dlsym(RTLD_NEXT, TESSERA_ABORT_COROUTINE));
  __sanitizer_start_switch_fiber(nullptr, next->stack, next->stack_size);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  abort_coroutine(package, next);
}

}  // extern "C"

#endif
