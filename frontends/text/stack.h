// The stack of the calling thread, for functions that call themselves as deep as their input is nested: they end
// with a message before the stack does, on whatever thread they run (Python's and those of a host may have
// 256 KB).
#pragma once

#include <cstddef>

namespace tessera::text {

/// Bytes of stack that are left below the caller; a large number where that is not known, as on a
/// coroutine of SystemC.
std::size_t stack_left();

/// What a function must leave to those that it calls without asking again, messages included.
inline constexpr std::size_t kStackReserve = std::size_t{48} << 10;
inline bool is_stack_short() {
  return stack_left() < kStackReserve;
}

/// Throws UserError if the stack is short; `what` is nested too deep: "the expression".
void require_stack(const char* what);

}  // namespace tessera::text
