#include "models/cluster/values/fix_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster {

namespace {

/// The fields of a scale.
struct Word {
  float factor = 0;
  unsigned shift = 0;  // of a conversion of i32; 0: none
  std::int64_t offset = 0;
  bool is_signed = false;
  unsigned bits = 0;  // bits 31:0
};

Word word_of(std::int64_t number) {
  const auto word = static_cast<std::uint64_t>(number);
  constexpr std::uint32_t kDropped = 0x1FFF;
  constexpr std::int64_t kOffsetSign = 0x100;
  Word w;
  w.bits = static_cast<std::uint32_t>(word);
  w.factor = bit_cast<float>(w.bits & ~kDropped);
  w.shift = static_cast<unsigned>(word >> 32 & 15) + 1;
  const auto offset = static_cast<std::int64_t>(word >> 37 & 0x1FF);
  w.offset = (offset ^ kOffsetSign) - kOffsetSign;
  w.is_signed = (word >> 46 & 1) != 0;
  return w;
}
bool shifts_first(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) >> 36 & 1) != 0;
}

void check_factor(const Word& w) {
  constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;
  const bool is_zero = (w.bits & kMagnitude) == 0;
  if (is_zero || std::isnormal(bit_cast<float>(w.bits))) return;
  std::ostringstream text;
  text << "the factor of the scale, 0x" << std::hex << w.bits
       << ", is no normal number of f32: bits 31 to 0 of a scale are those of its factor";
  throw std::length_error(text.str());
}

/// To 8 bits: rounded, shifted by the offset, saturated.
std::int64_t to_byte(float y, const Word& w) {
  const double clipped = std::isnan(y) ? 0 : std::clamp<double>(y, -256, 255);
  const std::int64_t whole = to_integer(clipped, Element::kI16, Rounding::kNearestEven, true);
  return w.is_signed ? std::clamp<std::int64_t>(whole + w.offset, -128, 127)
                     : std::clamp<std::int64_t>(whole + w.offset, 0, 255);
}

double to_float(float y, Element to) {
  if (std::isnan(y)) return 0;
  const double nearest = rounded(y, to);
  return std::isinf(nearest) ? std::copysign(largest_number(to), nearest) : nearest;
}

}  // namespace

TileValues scaled_by_fix(const TileValues& values, const std::vector<std::int64_t>& words,
                         Element to, FixScale how) {
  TileValues result = TileValues::zeros(to, values.rows, values.columns);
  const bool is_float_source = is_float(values.element);
  for (std::size_t c = 0; c < values.columns; ++c) {
    const std::int64_t number = words[words.size() > 1 ? c : 0];
    const Word w = word_of(number);
    const bool shifts = how.shifts && !is_float_source && shifts_first(number);
    if (to != Element::kI16) check_factor(w);
    for (std::size_t i = c; i < values.size(); i += values.columns) {
      if (to == Element::kI16) {
        const std::int64_t x =
            how.relu ? std::max<std::int64_t>(values.integers[i], 0) : values.integers[i];
        result.integers[i] = to_integer(x >> w.shift, to, true);
        continue;
      }
      float x = 0;
      if (is_float_source)
        x = static_cast<float>(values.numbers[i]);
      else if (shifts)
        x = static_cast<float>(to_integer(values.integers[i] >> w.shift, Element::kI16, true));
      else
        x = static_cast<float>(values.integers[i]);
      const float y = how.relu && x < 0 ? 0 : x * w.factor;
      if (is_float(to))
        result.numbers[i] = to_float(y, to);
      else
        result.integers[i] = to_byte(y, w);
    }
  }
  return result;
}

}  // namespace tessera::cluster
