#include "frontends/csl/sema/float_words.h"

#include <cmath>
#include <limits>

#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::csl {
namespace {

float16::Layout layout_of(const Type& type) {
  if (type.name == "bf16") return float16::kBfloat16;
  if (type.name == "cb16") return float16::Layout{9, 42};
  return float16::kBinary16;
}

constexpr int kSingleFractionBits = 23;

int fraction_bits_of(const Type& type) {
  return type.bits == 16 ? layout_of(type).fraction_bits : kSingleFractionBits;
}

}  // namespace

// That of a NaN is put together from its sign and fraction: the host's conversions would change it.
std::uint32_t word_of(const Type& type, double value) {
  if (!std::isnan(value))
    return type.bits == 16 ? float16::bits_of(value, layout_of(type))
                           : bit_cast<std::uint32_t>(static_cast<float>(value));
  const auto bits = bit_cast<std::uint64_t>(value);
  const int count = fraction_bits_of(type);
  const std::uint64_t fraction =
      (bits & (float16::kDoubleHiddenBit - 1)) >> (float16::kDoubleFractionBits - count);
  const std::uint64_t magnitude =
      (std::uint64_t{1} << (type.bits - 1)) - (std::uint64_t{1} << count);
  return static_cast<std::uint32_t>(bits >> 63 << (type.bits - 1) | magnitude | fraction);
}

double number_of(const Type& type, std::uint32_t word) {
  if (type.bits == 16) return float16::value_of(static_cast<std::uint16_t>(word), layout_of(type));
  const auto value = bit_cast<float>(word);
  if (!std::isnan(value)) return static_cast<double>(value);
  const std::uint64_t fraction = word & ((1U << kSingleFractionBits) - 1);
  return float16::from_parts(word >> 31, float16::kDoubleMaxExponent,
                             fraction << (float16::kDoubleFractionBits - kSingleFractionBits));
}

double rounded(const Type& type, double value) {
  if (type.is(TypeKind::kComptimeFloat)) return value;
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();  // as the machine's
  if (type.bits == 32) return static_cast<double>(static_cast<float>(value));
  return float16::value_of(float16::bits_of(value, layout_of(type)), layout_of(type));
}

}  // namespace tessera::csl
