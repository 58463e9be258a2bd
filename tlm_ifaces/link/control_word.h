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

namespace tessera::link {

inline constexpr unsigned kMaxCommands = 8;

enum class Command : std::uint8_t { kNop = 0, kAdvance = 1, kReset = 2, kTeardown = 3 };

struct CommandEntry {
  Command command = Command::kNop;
  bool ignore_at_ce = false;  ///< NOCE
  friend constexpr bool operator==(const CommandEntry& a, const CommandEntry& b) {
    return a.command == b.command && a.ignore_at_ce == b.ignore_at_ce;
  }
};

/// Where an entry stands in the payload.
struct CommandBits {
  unsigned command, flag;  ///< lowest bit of the command, bit of the flag
};
inline constexpr std::array<CommandBits, kMaxCommands> kCommandBits = {
    {{22, 24}, {25, 27}, {28, 0}, {1, 3}, {4, 6}, {7, 9}, {10, 12}, {13, 15}}};

/// Entry `i` of the list.
constexpr CommandEntry command_at(std::uint32_t payload, unsigned i) {
  const CommandBits at = kCommandBits[i];
  return {static_cast<Command>(payload >> at.command & 3U), (payload >> at.flag & 1U) != 0};
}
/// `payload` with entry `i` replaced.
constexpr std::uint32_t with_command(std::uint32_t payload, unsigned i, CommandEntry entry) {
  const CommandBits at = kCommandBits[i];
  payload &= ~(3U << at.command | 1U << at.flag);
  return payload | static_cast<std::uint32_t>(entry.command) << at.command |
         (entry.ignore_at_ce ? 1U : 0U) << at.flag;
}
/// Without its first entry: the others move up, the last becomes NOP with NOCE. Entry point and
/// bits 30, 31 stay.
constexpr std::uint32_t pop_command(std::uint32_t payload) {
  std::uint32_t result = payload;
  for (unsigned i = 0; i + 1 < kMaxCommands; ++i)
    result = with_command(result, i, command_at(payload, i + 1));
  return with_command(result, kMaxCommands - 1, {Command::kNop, true});
}
/// wse.md 1.5: bits 16..21.
constexpr unsigned entry_point(std::uint32_t payload) {
  return payload >> 16 & 0x3FU;
}
/// wse.md 8.7 encode_single_payload: one command, an entry point, the 16-bit argument of its task.
constexpr std::uint32_t single_command(CommandEntry entry, unsigned entry_point,
                                       std::uint16_t argument) {
  return with_command((entry_point & 0x3FU) << 16 | argument, 0, entry);
}

}  // namespace tessera::link
