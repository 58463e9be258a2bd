// How the processor rounds: native code may change it for itself, and the model must not compute with it.
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tessera::pto_cpp {

class FloatControl {
 public:
  /// Native code begins or goes on; it leaves.
  void enter() {
    outside_ = word();
    if (inside_ != 0 && inside_ != outside_) set(inside_);
  }
  void leave() {
    inside_ = word();
    if (inside_ != outside_) set(outside_);
  }

 private:
#if defined(__SSE2__)
  // Without the bits that say what has happened.
  static unsigned word() {
    return _mm_getcsr() & ~0x3FU;
  }
  static void set(unsigned word) {
    _mm_setcsr(word);
  }
#else
  static unsigned word() {
    return static_cast<unsigned>(std::fegetround()) + 1U;
  }
  static void set(unsigned word) {
    std::fesetround(static_cast<int>(word - 1U));
  }
#endif

  unsigned inside_ = 0, outside_ = 0;  // inside_: 0 before the first time
};

}  // namespace tessera::pto_cpp
