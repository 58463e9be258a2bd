// Payload of a control wavelet (reference wse.md 1.5): up to eight router commands, each with the
// flag "ignore at CE" (NOCE), and the entry point, the id of a control task.
//
//   bits 16..21  entry point; 31 names no task
//   bits 22..24, 25..27, 28 29 0, 1..3, 4..6, 7..9, 10..12, 13..15   entries 0 to 7: command in the
//                two lower bits, NOCE above
//   bits 30, 31  not used by commands
//
// A payload with one command has bits 0..15 free for the argument of the task.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::fabric {

inline constexpr unsigned kMaxCommands = 8;

enum class Command : std::uint8_t { kNop = 0, kAdvance = 1, kReset = 2, kTeardown = 3 };
const char* to_string(Command command);

struct CommandEntry {
  Command command = Command::kNop;
  bool ignore_at_ce = false;  ///< NOCE
  friend bool operator==(const CommandEntry& a, const CommandEntry& b) {
    return a.command == b.command && a.ignore_at_ce == b.ignore_at_ce;
  }
};

/// Entry `i` of the list.
CommandEntry command_at(std::uint32_t payload, unsigned i);
/// `payload` with entry `i` replaced.
std::uint32_t with_command(std::uint32_t payload, unsigned i, const CommandEntry& entry);
/// Without its first entry: the others move up, the last becomes NOP with NOCE. Entry point and
/// bits 30, 31 stay.
std::uint32_t pop_command(std::uint32_t payload);
/// wse.md 8.7 encode_single_payload: one command, an entry point, the 16-bit argument of its task.
std::uint32_t single_command(const CommandEntry& entry, unsigned entry_point,
                             std::uint16_t argument);
/// wse.md 1.5: bits 16..21.
constexpr unsigned entry_point(std::uint32_t payload) {
  return payload >> 16 & 0x3FU;
}

}  // namespace tessera::fabric
