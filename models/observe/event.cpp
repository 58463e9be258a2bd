#include "models/observe/event.h"

#include <array>
#include <ostream>

namespace tessera::observe {

const char* to_string(EventKind kind) {
  static constexpr std::array<const char*, kEventKindCount> kNames = {
      "hop",        "queue_in",  "queue_out", "task_start", "task_end", "issue",
      "op_start",   "op_end",    "edge_in",   "edge_out",   "compute",  "switch",
      "teardown",   "vfsm_move", "vfsm_take", "schedule",   "word_out", "word_in",
      "pipe_start", "pipe_end",  "flag",      "signal",     "grant",    "pipe_wait"};
  const auto number = static_cast<unsigned>(kind);
  return number < kEventKindCount ? kNames[number] : "unknown";
}

std::ostream& operator<<(std::ostream& os, const Event& e) {
  return os << '@' << e.cycle << " place " << e.place << ' ' << to_string(e.kind) << " a=" << e.a
            << " b=" << e.b;
}

}  // namespace tessera::observe
