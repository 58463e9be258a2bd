// Memory banks and what they cost a DSD operation (reference wse.md 6.2): 8 banks, consecutive
// 16-bit words in consecutive banks.
#pragma once

#include <cstdint>

namespace tessera::pe {

inline constexpr unsigned kBankCount = 8;
/// Result of stride_limit() if the stride limits nothing.
inline constexpr unsigned kFullWidth = ~0U;

/// Distance in bytes of elements that lie in one single-ported bank: eight banks of 32 bits (wse.md
/// 6.2, HC34; wse_timing_2.md B3, B4).
inline constexpr std::int32_t kBankRow = 32;

/// Bank of the 16-bit word at a byte address: bits 3:1.
constexpr unsigned bank_of(std::uint32_t byte_address) {
  return byte_address / 2 % kBankCount;
}

/// Which two words cannot be read in one cycle.
enum class BankRule : std::uint8_t {
  kModulo4,   ///< same bank, or same bank modulo 4 (wse.md 6.2, documented)
  kSameBank,  ///< same bank: one of four alignments of f32 vectors (wse_timing.md A3, silicon)
};
constexpr bool reads_conflict(std::uint32_t address_a, std::uint32_t address_b, BankRule rule) {
  const unsigned apart = rule == BankRule::kModulo4 ? kBankCount / 2 : kBankCount;
  return bank_of(address_a) % apart == bank_of(address_b) % apart;
}

/// What limits an operand in memory whose elements do not lie side by side.
enum class StrideRule : std::uint8_t {
  kTable,  ///< elements per cycle by the stride modulo 8 (wse.md 6.2, documented): stride_limit
  kSpan,   ///< the words from its first to its last element (wse_timing.md A3): stride_cycles
};

/// Most elements per cycle that an operand with this stride in 16-bit words gives or takes. The
/// table is about 16-bit elements. For 32-bit elements pass twice their stride, the distance of
/// their first words: stride 1 is 2 words and has the full width, stride 2 is 4 words and gives 2
/// elements per cycle, stride 4 is 8 words and gives 1. Stride -1 counts as 7.
constexpr unsigned stride_limit(std::int32_t words) {
  if (words == 0 || words == 1) return kFullWidth;
  constexpr auto kBanks = static_cast<std::int32_t>(kBankCount);
  const std::int32_t apart = (words % kBanks + kBanks) % kBanks;
  if (apart == 0) return 1;
  // 4: wse.md 10 no. 23, the page says two and four in the same sentence.
  return apart == 1 || apart == 4 || apart == 7 ? 2 : kFullWidth;
}

/// Cycles that a group of `elements` needs, `words` 16-bit words apart, when an operand walks over 8
/// words a cycle: 8 / stride elements per cycle, but at least one.
constexpr unsigned stride_cycles(std::int32_t words, unsigned elements) {
  const auto apart = static_cast<unsigned>(words < 0 ? -words : words);
  if (apart >= kBankCount) return elements;
  return (elements * apart + kBankCount - 1) / kBankCount;
}

}  // namespace tessera::pe
