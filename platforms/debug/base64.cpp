#include "platforms/debug/base64.h"

#include <cstdint>

namespace tessera::debug {

namespace {
const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kDigitBits = 6;
constexpr unsigned kByteBits = 8;
}  // namespace

std::string base64_of(const std::vector<std::byte>& bytes) {
  std::string text;
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const std::byte byte : bytes) {
    held = held << kByteBits | std::to_integer<std::uint32_t>(byte);
    for (bits += kByteBits; bits >= kDigitBits; bits -= kDigitBits)
      text += kDigits[held >> (bits - kDigitBits) & 0x3FU];
  }
  if (bits > 0) text += kDigits[held << (kDigitBits - bits) & 0x3FU];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::vector<std::byte>> bytes_of_base64(const std::string& text) {
  std::vector<std::byte> bytes;
  std::uint32_t held = 0;
  unsigned bits = 0;
  if (text.size() % 4 != 0) return {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' && i + 2 >= text.size()) continue;
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string::npos) return {};
    held = held << kDigitBits | static_cast<std::uint32_t>(digit);
    bits += kDigitBits;
    if (bits < kByteBits) continue;
    bits -= kByteBits;
    bytes.push_back(static_cast<std::byte>(held >> bits & 0xFFU));
  }
  return bytes;
}

}  // namespace tessera::debug
