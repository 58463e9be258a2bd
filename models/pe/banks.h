// Memory banks and what they cost a DSD operation (reference wse.md 6.2): 8 banks, consecutive
// 16-bit words in consecutive banks.
#pragma once

#include <cstdint>

namespace tessera::pe {

inline constexpr unsigned kBankCount = 8;
/// Of stride_limit: the stride limits nothing.
inline constexpr unsigned kFullWidth = ~0U;

/// Bank of the 16-bit word at a byte address: bits 3:1.
constexpr unsigned bank_of(std::uint32_t byte_address) {
  return byte_address / 2 % kBankCount;
}

/// Two words cannot be read in one cycle: same bank, or same bank modulo 4.
constexpr bool reads_conflict(std::uint32_t address_a, std::uint32_t address_b) {
  return bank_of(address_a) % 4 == bank_of(address_b) % 4;
}

/// Most elements per cycle that an operand with this stride in 16-bit words gives or takes. The
/// table is about 16-bit elements. For 32-bit elements pass twice their stride, the distance of
/// their first words: stride 1 is 2 words and has the full width, stride 2 is 4 words and gives 2
/// elements per cycle, stride 4 is 8 words and gives 1. Stride -1 counts as 7.
unsigned stride_limit(std::int32_t words);

}  // namespace tessera::pe
