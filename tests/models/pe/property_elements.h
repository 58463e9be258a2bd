// The vector opcodes once more, written from reference wse.md 6.7 and not from the models: which
// operands they take and what they do with an element.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tests/models/pe/property_floats.h"

namespace tessera::pe::test {

struct VectorOp {
  Opcode op;
  VectorForm form;
  const char*
      types;  ///< a letter a slot, destination first: w 16 bits, d 32 bits, h half, s single
  unsigned sources() const {
    unsigned n = 0;
    while (types[n + 1] != 0) ++n;
    return n;
  }
  unsigned bytes(unsigned slot) const { return types[slot] == 'w' || types[slot] == 'h' ? 2 : 4; }
};

// clang-format off
inline constexpr VectorOp kVectorOps[] = {
    {Opcode::kMov16, VectorForm::kMove, "ww"},           {Opcode::kMov32, VectorForm::kMove, "dd"},
    {Opcode::kFmovh, VectorForm::kMove, "hh"},           {Opcode::kFmovs, VectorForm::kMove, "ss"},
    {Opcode::kAdd16, VectorForm::kBinary, "www"},        {Opcode::kAddc16, VectorForm::kBinary, "www"},
    {Opcode::kSub16, VectorForm::kSubtract16, "www"},    {Opcode::kAnd16, VectorForm::kBinary, "www"},
    {Opcode::kOr16, VectorForm::kBinary, "www"},         {Opcode::kXor16, VectorForm::kBinary, "www"},
    {Opcode::kSll16, VectorForm::kBinary, "www"},        {Opcode::kSlr16, VectorForm::kBinary, "www"},
    {Opcode::kSar16, VectorForm::kBinary, "www"},        {Opcode::kClz16, VectorForm::kUnary, "ww"},
    {Opcode::kCtz16, VectorForm::kUnary, "ww"},          {Opcode::kPopcnt16, VectorForm::kUnary, "ww"},
    {Opcode::kFaddh, VectorForm::kFloatBinary, "hhh"},   {Opcode::kFsubh, VectorForm::kFloatBinary, "hhh"},
    {Opcode::kFmulh, VectorForm::kFloatBinary, "hhh"},   {Opcode::kFmaxh, VectorForm::kFloatBinary, "hhh"},
    {Opcode::kFmach, VectorForm::kMultiplyAdd, "hhhh"},  {Opcode::kFabsh, VectorForm::kUnary, "hh"},
    {Opcode::kFnegh, VectorForm::kUnary, "hh"},          {Opcode::kFadds, VectorForm::kFloatBinary, "sss"},
    {Opcode::kFsubs, VectorForm::kFloatBinary, "sss"},   {Opcode::kFmuls, VectorForm::kFloatBinary, "sss"},
    {Opcode::kFmaxs, VectorForm::kFloatBinary, "sss"},   {Opcode::kFmacs, VectorForm::kMultiplyAdd, "ssss"},
    {Opcode::kFabss, VectorForm::kUnary, "ss"},          {Opcode::kFnegs, VectorForm::kUnary, "ss"},
    {Opcode::kFaddhs, VectorForm::kFloatBinary, "shs"},  {Opcode::kFmachs, VectorForm::kMultiplyAdd, "sshh"},
    {Opcode::kFh2s, VectorForm::kUnary, "sh"},           {Opcode::kFs2h, VectorForm::kUnary, "hs"},
    {Opcode::kXp162fh, VectorForm::kUnary, "hw"},        {Opcode::kXp162fs, VectorForm::kUnary, "sw"},
    {Opcode::kFh2xp16, VectorForm::kUnary, "wh"},        {Opcode::kFs2xp16, VectorForm::kUnary, "ws"},
    {Opcode::kDfilt, VectorForm::kFilter, "d"},
};
// clang-format on

inline const VectorOp* find_vector_op(Opcode op) {
  for (const VectorOp& row : kVectorOps) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

inline std::uint32_t integer_element(Opcode op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
  case Opcode::kAdd16:
    return a + b;
  case Opcode::kSub16:
    return a - b;
  case Opcode::kAnd16:
    return a & b;
  case Opcode::kOr16:
    return a | b;
  case Opcode::kXor16:
    return a ^ b;
  case Opcode::kSll16:
    return b > 15 ? 0 : a << b;
  case Opcode::kSlr16:
    return b > 15 ? 0 : a >> b;
  case Opcode::kSar16:
    return (a | (a >> 15 != 0 ? 0xFFFF0000U : 0)) >> std::min(b, 16U);
  case Opcode::kPopcnt16: {
    std::uint32_t ones = 0;
    for (unsigned i = 0; i < 16; ++i) ones += a >> i & 1;
    return ones;
  }
  case Opcode::kClz16: {
    std::uint32_t zeros = 16;
    for (unsigned i = 0; i < 16; ++i) zeros = (a >> i & 1) != 0 ? 15 - i : zeros;
    return zeros;
  }
  case Opcode::kCtz16: {
    std::uint32_t zeros = 16;
    for (unsigned i = 16; i-- > 0;) zeros = (a >> i & 1) != 0 ? i : zeros;
    return zeros;
  }
  default:
    throw std::logic_error("no reference for this opcode");
  }
}

/// One element of fmax, fabs, fneg, sums, products and conversions. `t`: formats of the slots.
inline std::uint32_t float_element(Opcode op, const FloatFormat (&t)[4], std::uint32_t a,
                                   std::uint32_t b, std::uint32_t c) {
  const Number x = decode(a, t[1]);
  const Number y = decode(b, t[2]);
  const Number z = decode(c, t[3]);
  switch (op) {
  case Opcode::kFabsh:
  case Opcode::kFabss:
    return a & ~t[1].sign();
  case Opcode::kFnegh:
  case Opcode::kFnegs:
    return a ^ t[1].sign();
  case Opcode::kFaddh:
  case Opcode::kFadds:
  case Opcode::kFaddhs:
    return encode(sum(x, y), t[0]);
  case Opcode::kFsubh:
  case Opcode::kFsubs:
    return encode(sum(x, negated(y)), t[0]);
  case Opcode::kFmulh:
  case Opcode::kFmuls:
    return encode(product(x, y), t[0]);
  case Opcode::kFmaxh:
  case Opcode::kFmaxs:
    return larger(a, b, t[0]);
  case Opcode::kFmach:
    return encode(sum(x, product(y, z)), t[0]);
  case Opcode::kFmacs:
  case Opcode::kFmachs:  // the product is rounded to the format of its factors
    return encode(sum(x, decode(encode(product(y, z), t[2]), t[2])), t[0]);
  case Opcode::kFh2s:
  case Opcode::kFs2h:
    return encode(x, t[0]);
  case Opcode::kXp162fh:
  case Opcode::kXp162fs:
    return encode(from_i16(a), t[0]);
  case Opcode::kFh2xp16:
  case Opcode::kFs2xp16:
    return to_i16(x);
  default:
    throw std::logic_error("no reference for this opcode");
  }
}

/// One element. `carry` is read and written by addc16.
inline std::uint32_t element(const VectorOp& row, HalfFormat half, std::uint32_t a, std::uint32_t b,
                             std::uint32_t c, bool& carry) {
  if (row.form == VectorForm::kMove) return a;
  if (row.op == Opcode::kAddc16) {
    const std::uint32_t total = a + b + (carry ? 1 : 0);
    carry = total >> 16 != 0;
    return total & 0xFFFFU;
  }
  const bool integers =
      std::all_of(row.types, row.types + row.sources() + 1, [](char type) { return type == 'w'; });
  if (integers) return integer_element(row.op, a, b) & 0xFFFFU;
  FloatFormat formats[4];
  for (unsigned i = 0; i <= row.sources(); ++i) {
    formats[i] = row.types[i] == 'h' ? format_of(half) : kSingleFormat;
  }
  return float_element(row.op, formats, a, b, c);
}

}  // namespace tessera::pe::test
