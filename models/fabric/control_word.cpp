#include "models/fabric/control_word.h"

namespace tessera::fabric {
namespace {

constexpr std::uint32_t kNoce = 4;

// Lowest bit of the entry's command and the bit of its flag.
struct Bits {
  unsigned command, flag;
};
constexpr std::array<Bits, kMaxCommands> kBits = {
    {{22, 24}, {25, 27}, {28, 0}, {1, 3}, {4, 6}, {7, 9}, {10, 12}, {13, 15}}};

std::uint32_t read(std::uint32_t payload, unsigned i) {
  return (payload >> kBits[i].command & 3U) | (payload >> kBits[i].flag & 1U) << 2;
}

std::uint32_t write(std::uint32_t payload, unsigned i, std::uint32_t entry) {
  payload &= ~(3U << kBits[i].command | 1U << kBits[i].flag);
  return payload | (entry & 3U) << kBits[i].command | (entry >> 2 & 1U) << kBits[i].flag;
}

}  // namespace

const char* to_string(Command command) {
  constexpr std::array<const char*, 4> kNames = {"NOP", "SWITCH_ADV", "SWITCH_RST", "TEARDOWN"};
  return kNames[static_cast<unsigned>(command)];
}

CommandEntry command_at(std::uint32_t payload, unsigned i) {
  const std::uint32_t entry = read(payload, i);
  return {static_cast<Command>(entry & 3U), (entry & kNoce) != 0};
}

std::uint32_t with_command(std::uint32_t payload, unsigned i, const CommandEntry& entry) {
  return write(payload, i,
               static_cast<std::uint32_t>(entry.command) | (entry.ignore_at_ce ? kNoce : 0U));
}

std::uint32_t pop_command(std::uint32_t payload) {
  std::uint32_t result = payload;
  for (unsigned i = 0; i + 1 < kMaxCommands; ++i) result = write(result, i, read(payload, i + 1));
  return write(result, kMaxCommands - 1, kNoce);
}

std::uint32_t single_command(const CommandEntry& entry, unsigned entry_point,
                             std::uint16_t argument) {
  return with_command((entry_point & 0x3FU) << 16 | argument, 0, entry);
}

}  // namespace tessera::fabric
