#include "platforms/wse/symbol_values.h"

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {
namespace {

using debug::Value;

void check_fits(bool fits, const Value& value, std::string_view type) {
  if (!fits)
    throw UserError("", "", to_string(value) + " is no value of type " + std::string(type));
}

std::uint32_t float_bits(const Value& value, pe::ElementType type, pe::HalfFormat half) {
  const double given = value.as_float();
  if (type == pe::ElementType::kF16) {
    const std::uint16_t bits = pe::half_bits(given, half);
    check_fits(std::isfinite(pe::half_value(bits, half)) || !std::isfinite(given), value,
               to_string(type));
    return bits;
  }
  const auto real = static_cast<float>(given);
  check_fits(std::isfinite(real) || !std::isfinite(given), value, to_string(type));
  std::uint32_t bits = 0;
  std::memcpy(&bits, &real, sizeof bits);
  return bits;
}

/// Both halves of memory words, whose addresses are even.
std::uint8_t byte_at(const pe::Sram& sram, std::uint32_t address) {
  return static_cast<std::uint8_t>(sram.read(address & ~1U, 2) >> (address % 2 * 8));
}

Value packed_value(std::uint64_t bits, pe::PackedType type) {
  if (type == pe::PackedType::kU8) return Value::of(static_cast<std::uint8_t>(bits));
  if (type == pe::PackedType::kI8) return Value::of(static_cast<std::int8_t>(bits));
  const auto whole = static_cast<std::int64_t>(bits);
  if (type == pe::PackedType::kU64 && whole < 0) return Value::of_float(static_cast<double>(bits));
  return Value::of(whole);
}

void set_packed_value(pe::Sram& sram, pe::PackedType type, std::uint32_t address,
                      const Value& value) {
  const std::int64_t whole = whole_number(value);
  const bool fits = type == pe::PackedType::kI8   ? whole >= -128 && whole <= 127
                    : type == pe::PackedType::kU8 ? whole >= 0 && whole <= 255
                                                  : type == pe::PackedType::kI64 || whole >= 0;
  check_fits(fits, value, to_string(type));
  if (bytes_of(type) == 8) {
    sram.write(address, 4, static_cast<std::uint32_t>(whole));
    sram.write(address + 4, 4, static_cast<std::uint32_t>(whole >> 32));
    return;
  }
  const unsigned shift = address % 2 * 8;
  const std::uint32_t others = sram.read(address & ~1U, 2) & ~(0xFFU << shift);
  sram.write(address & ~1U, 2, others | (static_cast<std::uint32_t>(whole) & 0xFFU) << shift);
}

}  // namespace

Value typed_value(std::uint32_t bits, pe::ElementType type, pe::HalfFormat half) {
  using T = pe::ElementType;
  float real = 0;
  switch (type) {
  case T::kI16:
    return Value::of(static_cast<std::int16_t>(bits));
  case T::kU16:
    return Value::of(static_cast<std::uint16_t>(bits));
  case T::kI32:
    return Value::of(static_cast<std::int32_t>(bits));
  case T::kU32:
    return Value::of(bits);
  case T::kF16:
    return Value::of_float(pe::half_value(static_cast<std::uint16_t>(bits), half));
  case T::kF32:
    std::memcpy(&real, &bits, sizeof real);
    return Value::of_float(real);
  }
  return Value::of(bits);
}

std::uint32_t typed_bits(const Value& value, pe::ElementType type, pe::HalfFormat half) {
  using T = pe::ElementType;
  if (type == T::kF16 || type == T::kF32) return float_bits(value, type, half);
  const std::int64_t whole = whole_number(value);
  const bool is_signed = type == T::kI16 || type == T::kI32;
  const unsigned bits = type == T::kI16 || type == T::kU16 ? 16 : 32;
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  check_fits(whole >= least && whole <= most, value, to_string(type));
  return static_cast<std::uint32_t>(whole);
}

Value symbol_value(const pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                   std::uint32_t index, const std::vector<Elsewhere>& elsewhere) {
  const std::uint32_t address = symbol.address + index * symbol.element_bytes();
  std::uint64_t bits = 0;
  for (std::uint32_t byte = 0; byte < symbol.element_bytes(); ++byte) {
    std::uint64_t there = byte_at(sram, address + byte);
    for (const Elsewhere& other : elsewhere) {
      if (other.has(address + byte))
        there = other.bits >> (address + byte - other.address) * 8 & 0xFFU;
    }
    bits |= there << byte * 8;
  }
  if (symbol.packed != pe::PackedType::kNone) return packed_value(bits, symbol.packed);
  return typed_value(static_cast<std::uint32_t>(bits), symbol.type, image.half);
}

void set_symbol_value(pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                      std::uint32_t index, const Value& value) {
  const std::uint32_t address = symbol.address + index * symbol.element_bytes();
  if (symbol.packed != pe::PackedType::kNone)
    return set_packed_value(sram, symbol.packed, address, value);
  sram.write(address, symbol.element_bytes(), typed_bits(value, symbol.type, image.half));
}

}  // namespace tessera::wse
