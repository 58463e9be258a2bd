// What programs print. The program names strings and formats; the observer makes text of them, so that
// printing costs the program the same whatever the value.
#pragma once

#include <cstdint>
#include <string_view>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// How a value is printed. The numbers are those that programs write (docs/configuration-space.md).
enum class PrintFormat : std::uint8_t {
  kDecimal16,  ///< unsigned
  kSigned16,
  kHex16,     ///< 4 digits
  kBinary16,  ///< 16 digits
  kHalf,      ///< 16-bit float in the format of the program
  kDecimal32,
  kSigned32,
  kHex32,     ///< 8 digits
  kBinary32,  ///< 32 digits
  kSingle,    ///< f32
  kText,      ///< a string or a character: Print::text
};
inline constexpr unsigned kPrintFormatCount = static_cast<unsigned>(PrintFormat::kText);

/// A part of a line.
struct Print {
  Cycle cycle = 0;
  std::uint32_t place = 0;  ///< linear index of the tile
  PrintFormat format = PrintFormat::kText;
  std::uint32_t value = 0;  ///< for kHalf the same number as f32
  std::string_view text;    ///< for kText
};

}  // namespace tessera::observe
