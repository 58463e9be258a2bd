#include "models/cluster/values/small_floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kNan = std::uint64_t{0x7FF} << 52;

/// A NaN that keeps its code, which is never 0.
double nan_of(std::uint8_t code) {
  return bit_cast<double>(kNan | std::uint64_t{code} << 40 | 1);
}

double with_sign(bool negative, double magnitude) {
  return negative ? -magnitude : magnitude;
}

/// A format whose exponent has a fixed width: `magnitude` without the sign.
double fixed(unsigned magnitude, int fraction_bits, int bias) {
  const int field = static_cast<int>(magnitude) >> fraction_bits;
  const double fraction =
      static_cast<double>(magnitude & ((1U << fraction_bits) - 1)) / (1 << fraction_bits);
  return field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
}

double hif8(unsigned m, bool negative) {
  const auto bits = [m](unsigned low, unsigned count) { return m >> low & ((1U << count) - 1); };
  if (m == 0) return negative ? nan_of(0x80) : 0;
  if (m == 0x6F) return kInfinity;
  if (m < 8) return std::ldexp(1.0, static_cast<int>(m) - 23);
  if (m < 16) return 1 + bits(0, 3) / 8.0;
  // The prefix says how many bits of the exponent follow its sign; a one stands before them.
  const unsigned width = m < 32 ? 0 : bits(5, 2);
  const unsigned fraction_bits = width == 0 ? 3 : 4 - width;
  const unsigned sign_at = width == 0 ? 3 : 4;
  const unsigned stored = sign_at - fraction_bits;
  const auto size = static_cast<int>(1U << stored | bits(fraction_bits, stored));
  const double fraction = bits(0, fraction_bits) / static_cast<double>(1U << fraction_bits);
  return std::ldexp(1 + fraction, bits(sign_at, 1) != 0 ? -size : size);
}

double decode(Element element, std::uint8_t code) {
  const unsigned m = code & 0x7FU;
  const bool negative = code > 0x7F;
  switch (element) {
  case Element::kE4m3:
    return m == 0x7F ? nan_of(code) : with_sign(negative, fixed(m, 3, 7));
  case Element::kE5m2:
    if (m > 0x7C) return nan_of(code);
    return with_sign(negative, m == 0x7C ? kInfinity : fixed(m, 2, 15));
  case Element::kHif8: {
    const double value = hif8(m, negative);
    return std::isnan(value) ? value : with_sign(negative, value);
  }
  case Element::kE8m0:
    return code == 0xFF ? nan_of(code) : std::ldexp(1.0, code - 127);
  case Element::kE2m1:
    return with_sign((code & 8) != 0, fixed(code & 7U, 1, 1));
  default:  // kE1m2
    return with_sign((code & 8) != 0, fixed(code & 7U, 2, 1));
  }
}

/// The numbers of a format.
struct Format {
  explicit Format(Element element) {
    const unsigned count = bits_of(element) == 4 ? 16 : 256;
    for (unsigned code = 0; code < count; ++code) {
      const auto byte = static_cast<std::uint8_t>(code);
      values[code] = decode(element, byte);
      if (std::isfinite(values[code]) && !std::signbit(values[code])) codes.push_back(byte);
      if (std::isinf(values[code]) && values[code] > 0) infinity = static_cast<int>(code);
    }
    std::sort(codes.begin(), codes.end(),
              [this](std::uint8_t a, std::uint8_t b) { return values[a] < values[b]; });
    sign = count == 16 ? 8 : 0x80;
    for (unsigned code = 0; code < count && nan < 0; ++code)
      if (std::isnan(values[code])) nan = static_cast<int>(code);
    // IEEE formats have several NaNs; the quiet one has the first bit of the fraction.
    if (element == Element::kE5m2) nan = 0x7E;
    // Beyond the largest number its distance to the one before goes on; of hif8 the next code is infinity.
    next = element == Element::kHif8 ? 49152 : 2 * largest() - values[codes[codes.size() - 2]];
  }
  double largest() const { return values[codes.back()]; }

  std::array<double, 256> values{};
  std::vector<std::uint8_t> codes;  // of finite numbers from 0 on, by value
  double next = 0;                  // the number after the largest one, if there were one
  int infinity = -1, nan = -1;
  std::uint8_t sign = 0;
};

const Format& format_of(Element element) {
  static const std::array<Format, 6> kFormats = {Format(Element::kE4m3), Format(Element::kE5m2),
                                                 Format(Element::kHif8), Format(Element::kE8m0),
                                                 Format(Element::kE2m1), Format(Element::kE1m2)};
  return kFormats[static_cast<unsigned>(element) - static_cast<unsigned>(Element::kE4m3)];
}

/// Whether the magnitude becomes the larger one of two neighbours `low` and `high` around it.
bool goes_up(double magnitude, double low, double high, bool low_is_odd, bool negative,
             Rounding rounding) {
  switch (rounding) {
  case Rounding::kFloor:
    return negative;
  case Rounding::kCeil:
    return !negative;
  case Rounding::kTruncate:
    return false;
  case Rounding::kOdd:
    return !low_is_odd;
  default:
    break;
  }
  const double below = magnitude - low, above = high - magnitude;
  if (below != above) return below > above;
  return rounding == Rounding::kNearestAway || low_is_odd;
}

}  // namespace

double small_float_value(Element element, std::uint8_t code) {
  return format_of(element).values[bits_of(element) == 4 ? code & 0xFU : code];
}

std::uint8_t small_float_code(Element element, double value) {
  const Format& f = format_of(element);
  if (std::isnan(value)) {
    const auto code = static_cast<std::uint8_t>(bit_cast<std::uint64_t>(value) >> 40);
    if (f.nan < 0) return 0;
    return std::isnan(f.values[code]) ? code : static_cast<std::uint8_t>(f.nan);
  }
  const double magnitude = std::fabs(value);
  const bool is_infinite = magnitude > f.largest();
  std::uint8_t code = f.codes.back();
  if (is_infinite && f.infinity >= 0) {
    code = static_cast<std::uint8_t>(f.infinity);
  } else if (!is_infinite) {
    const double nearest = small_float_rounded(magnitude, element, Rounding::kDefault, true);
    code = *std::lower_bound(f.codes.begin(), f.codes.end(), nearest,
                             [&f](std::uint8_t c, double v) { return f.values[c] < v; });
  }
  const bool has_sign =
      std::signbit(value) && element != Element::kE8m0 && (code != 0 || element != Element::kHif8);
  return has_sign ? static_cast<std::uint8_t>(code | f.sign) : code;
}

double small_float_rounded(double value, Element element, Rounding rounding, bool saturates) {
  const Format& f = format_of(element);
  const bool finite_only = f.nan < 0;
  if (std::isnan(value)) return saturates || finite_only ? 0 : value;
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value), largest = f.largest();
  const auto beyond = [&] {
    if (saturates || finite_only) return with_sign(negative, largest);
    return f.infinity >= 0
               ? with_sign(negative, kInfinity)
               : small_float_value(element,
                                   static_cast<std::uint8_t>(f.nan | (negative ? f.sign : 0)));
  };
  if (std::isinf(value)) return beyond();
  if (element == Element::kHif8 && rounding == Rounding::kDefault)
    rounding = Rounding::kNearestAway;
  const auto at_least =
      std::lower_bound(f.codes.begin(), f.codes.end(), magnitude,
                       [&f](std::uint8_t c, double v) { return f.values[c] < v; });
  if (at_least != f.codes.end() && f.values[*at_least] == magnitude) return value;
  if (at_least == f.codes.begin()) return with_sign(negative, f.values[f.codes.front()]);
  const std::uint8_t low = *(at_least - 1);
  const bool is_last = at_least == f.codes.end();
  const double high = is_last ? f.next : f.values[*at_least];
  if (is_last && magnitude >= high) return beyond();
  const bool up = goes_up(magnitude, f.values[low], high, (low & 1) != 0, negative, rounding);
  if (!up) return with_sign(negative, f.values[low]);
  return is_last ? beyond() : with_sign(negative, high);
}

double small_float_largest(Element element) {
  return format_of(element).largest();
}

}  // namespace tessera::cluster
