#include "platforms/debug/value.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

std::string to_string(const Value& value) {
  if (!value.is_float) return std::to_string(value.whole);
  std::array<char, 40> text{};
  for (const int digits : {6, 9, 17}) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, value.real);
    const double back = std::strtod(text.data(), nullptr);
    if (static_cast<float>(back) == static_cast<float>(value.real)) break;
  }
  const std::string shown = text.data();
  const bool is_whole = shown.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? shown + ".0" : shown;
}

std::int64_t whole_number(const Value& value) {
  constexpr double kTooMuch = 0x1p63;
  if (!value.is_float) return value.whole;
  if (value.real != std::floor(value.real) || std::abs(value.real) >= kTooMuch)
    throw UserError("", "", "a whole number is expected, found " + to_string(value));
  return static_cast<std::int64_t>(value.real);
}

std::uint32_t word_of(const Value& value, unsigned bits) {
  const std::int64_t whole = whole_number(value);
  if (whole < -(std::int64_t{1} << (bits - 1)) || whole >= std::int64_t{1} << bits)
    throw UserError("", "",
                    to_string(value) + " does not fit into a word of " + std::to_string(bits) +
                        " bits");
  return static_cast<std::uint32_t>(whole);
}

}  // namespace tessera::debug
