#pragma once
// What an instruction of the register level computes, lane by lane (ascend_2.md 4): values of its results from the registers that it
// reads. Loads and stores: register_values.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "models/cluster/values/register_values.h"

namespace tessera::cluster {

inline std::size_t width_of(Element element) {
  return std::max(1U, bits_of(element) / 8);
}

/// A mask register has a bit for each byte of a register: the lowest of a lane says whether it is on.
std::vector<bool> bits_of_mask(const TileValues& mask);
TileValues mask_of_bits(std::size_t lanes, const std::vector<bool>& bits);

std::int64_t as_unsigned(std::int64_t value, Element element);

inline bool is_on(const TileValues* mask, std::size_t lane) {
  return mask == nullptr || (lane < mask->columns && mask->integers[lane] != 0);
}

/// The lanes of one instruction that computes.
class RegisterLanes {
 public:
  RegisterLanes(const RegisterStep& step, const std::vector<TileValues>& registers)
      : step_(step), op_(*step.operation), registers_(registers),
        out_(TileValues::zeros(op_.element, 1, op_.lanes)) {}

  TileValues run();
  /// The second result of an instruction that has two.
  TileValues second();

 private:
  const TileValues& source(unsigned n) const {
    const std::uint16_t r = op_.sources[n];
    if (r >= registers_.size() || registers_[r].columns == 0)
      throw std::length_error("a register that nothing has written");
    return registers_[r];
  }
  const TileValues* mask() const {
    return op_.mask == kNoRegister ? nullptr : &registers_[op_.mask];
  }
  bool on(std::size_t lane) const { return is_on(mask(), lane); }
  void put(std::size_t lane, double value) {
    if (is_float(out_.element))
      out_.numbers[lane] = rounded(value, out_.element);
    else
      out_.integers[lane] = cluster::to_integer(value, out_.element, op_.rounding, false);
  }
  void put_integer(std::size_t lane, std::int64_t value) {
    if (is_float(out_.element))
      out_.numbers[lane] = static_cast<double>(value);
    else
      out_.integers[lane] = cluster::to_integer(value, out_.element, false);
  }
  /// The n-th source, or the scalar after the last one.
  double number(unsigned n, std::size_t lane) const {
    if (op_.sources[n] == kNoRegister) return step_.number;
    const TileValues& from = source(n);
    return from.number(lane % std::max<std::size_t>(from.columns, 1));
  }
  std::int64_t integer(unsigned n, std::size_t lane) const {
    if (op_.sources[n] == kNoRegister)  // a scalar has the type of the lanes
      return cluster::to_integer(step_.integer, source(0).element, false);
    const TileValues& from = source(n);
    return from.integers[lane % from.columns];
  }
  void map();
  void map_bits();
  void multiply_add();
  void splat();
  void compare();
  void select();
  void convert();
  void bits();
  void reduce();
  double sum_of_group(const TileValues& from, std::size_t first, std::size_t count);
  void decode_position(std::size_t position);
  void interleave(bool back, std::size_t half);
  void round();
  void wide_product(bool high);
  void carry(bool is_mask);
  void narrow();
  void widen();
  void pick();
  void histogram();
  void squeeze();
  void count_before();
  void pair_sum();
  void extreme_mask(bool is_mask);
  void mask_bits();
  void part();
  void join();
  void mask_lanes();
  void map_masks();

  const RegisterStep& step_;
  const RegisterOperation& op_;
  const std::vector<TileValues>& registers_;
  TileValues out_;
};

}  // namespace tessera::cluster
