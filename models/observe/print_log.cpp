#include "models/observe/print_log.h"

#include <array>
#include <bitset>
#include <charconv>
#include <cstdio>

#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::observe {
namespace {

std::string hexadecimal(std::uint32_t value, int digits) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "%0*x", digits, value);
  return text.data();
}

/// The shortest number that reads back as this f32.
std::string real(std::uint32_t bits) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), bit_cast<float>(bits)).ptr;
  return {text.data(), end};
}

std::string text_of(const Print& print) {
  const std::uint32_t v = print.value;
  switch (print.format) {
  case PrintFormat::kDecimal16:
    return std::to_string(v & 0xFFFFU);
  case PrintFormat::kSigned16:
    return std::to_string(static_cast<std::int16_t>(v));
  case PrintFormat::kHex16:
    return hexadecimal(v & 0xFFFFU, 4);
  case PrintFormat::kBinary16:
    return std::bitset<16>(v).to_string();
  case PrintFormat::kDecimal32:
    return std::to_string(v);
  case PrintFormat::kSigned32:
    return std::to_string(static_cast<std::int32_t>(v));
  case PrintFormat::kHex32:
    return hexadecimal(v, 8);
  case PrintFormat::kBinary32:
    return std::bitset<32>(v).to_string();
  case PrintFormat::kHalf:
  case PrintFormat::kSingle:
    return real(v);
  case PrintFormat::kText:
    break;
  }
  return std::string(print.text);
}

}  // namespace

void PrintLog::add(const Print& print) {
  if (print.cycle != cycle_) finish();
  cycle_ = print.cycle;
  for (const char c : text_of(print)) append(print.place, c);
}

void PrintLog::append(std::uint32_t place, char c) {
  std::string& line = open_[place];
  if (c == '\n') return end_line(place, line);
  line += c;
  if (line.size() == kLongestLine) end_line(place, line);
}

void PrintLog::end_line(std::uint32_t place, std::string& line) {
  ended_[place] += "@" + std::to_string(cycle_) + " " + line + "\n";
  line.clear();
}

void PrintLog::finish() {
  for (const auto& entry : ended_) out_ << entry.second;
  ended_.clear();
}

}  // namespace tessera::observe
