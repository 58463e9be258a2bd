#include "models/pe/half.h"

#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pe {
namespace {

float16::Layout layout_of(HalfFormat format) {
  switch (format) {
  case HalfFormat::kBf16:
    return float16::kBfloat16;
  case HalfFormat::kCb16:
    return {9, 42};
  case HalfFormat::kF16:
    break;
  }
  return float16::kBinary16;
}

}  // namespace

double half_value(std::uint16_t bits, HalfFormat format) {
  return float16::value_of(bits, layout_of(format));
}

std::uint16_t half_bits(double value, HalfFormat format) {
  return float16::bits_of(value, layout_of(format));
}

}  // namespace tessera::pe
