#include "platforms/wse/argument_words.h"

#include <cmath>
#include <optional>

#include "models/pe/half.h"
#include "platforms/cli/option.h"
#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {
namespace {

struct Range {
  std::int64_t lowest, highest;
};

/// Of a type of integers; nothing: it is none.
std::optional<Range> range_of(const std::string& type) {
  if (type == "bool") return Range{0, 1};
  if (type != "i8" && type != "u8" && type != "i16" && type != "u16" && type != "i32" &&
      type != "u32")
    return std::nullopt;
  const int bits = std::stoi(type.substr(1));
  if (type[0] == 'u') return Range{0, (std::int64_t{1} << bits) - 1};
  return Range{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

std::optional<pe::HalfFormat> half_of(const std::string& type) {
  for (const auto format : {pe::HalfFormat::kF16, pe::HalfFormat::kBf16, pe::HalfFormat::kCb16}) {
    if (pe::to_string(format) == type) return format;
  }
  return std::nullopt;
}

/// Bits of a word that a value of the type has.
std::uint32_t mask_of(const std::string& type) {
  if (type == "bool") return 0x1;
  if (type == "i8" || type == "u8") return 0xFF;
  return type == "i16" || type == "u16" || half_of(type) ? 0xFFFF : 0xFFFFFFFF;
}

}  // namespace

std::uint32_t argument_word(const std::string& text, const std::string& type,
                            const std::string& option) {
  const auto refuse = [&](const std::string& why) {
    throw UserError("", option, "'" + text + "' " + why);
  };
  if (const auto format = half_of(type); format || type == "f32") {
    const auto number = cli::finite_number_in(text);
    if (!number) refuse("is no number for a parameter of type " + type);
    const auto single = static_cast<float>(*number);
    const std::uint16_t half = format ? pe::half_bits(*number, *format) : std::uint16_t{0};
    if (!std::isfinite(format ? pe::half_value(half, *format) : static_cast<double>(single)))
      refuse("is too large for a parameter of type " + type);
    return format ? half : bit_cast<std::uint32_t>(single);
  }
  const std::optional<Range> range = range_of(type);
  if (!range) refuse("is for a parameter of type " + type + ", which a launch cannot pass");
  const auto number = cli::whole_number_in(text);
  if (!number) refuse("is no number for a parameter of type " + type);
  if (*number < range->lowest || *number > range->highest)
    refuse("is outside of " + std::to_string(range->lowest) + " to " +
           std::to_string(range->highest) + ", the values of a parameter of type " + type);
  return static_cast<std::uint32_t>(*number) & mask_of(type);
}

std::uint32_t register_word(std::uint32_t word, const std::string& type, const std::string& what) {
  const std::uint32_t mask = mask_of(type);
  const std::uint32_t sign = mask ^ mask >> 1;
  const bool has_sign = type[0] == 'i' && (word & sign) != 0;
  if ((word & ~mask) == 0 || (has_sign && (word | mask) == 0xFFFFFFFF))
    return has_sign && mask == 0xFF ? word | 0xFF00 : word;
  throw UserError("", "",
                  what + " is the word " + std::to_string(word) + ", and a parameter of type " +
                      type + " has " +
                      std::to_string(mask == 1      ? 1
                                     : mask == 0xFF ? 8
                                                    : 16) +
                      " bits");
}

}  // namespace tessera::wse
