// Numbers of expressions: whole ones of 64 bits, or floats.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::debug {

struct Value {
  static Value of(std::int64_t number) { return {false, number, 0}; }
  static Value of_float(double number) { return {true, 0, number}; }

  bool is_float = false;
  std::int64_t whole = 0;
  double real = 0;

  double as_float() const { return is_float ? real : static_cast<double>(whole); }
  bool is_true() const { return is_float ? real != 0 : whole != 0; }
  bool operator==(const Value& other) const {
    return is_float == other.is_float && whole == other.whole &&
           (real == other.real || (real != real && other.real != other.real));
  }
};

/// "12", "0.5": floats with as few digits as tell them from others of 32 bits.
std::string to_string(const Value& value);
/// The whole number that it is, of 64 bits. Throws UserError for another one.
std::int64_t whole_number(const Value& value);
/// The word of 16 or 32 bits that holds it as a signed or as an unsigned number. Throws UserError for a number that does not fit.
std::uint32_t word_of(const Value& value, unsigned bits);

}  // namespace tessera::debug
