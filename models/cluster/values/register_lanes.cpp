#include "models/cluster/values/register_lanes.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "models/cluster/program/program.h"
#include "models/cluster/values/reductions.h"

namespace tessera::cluster {

using F = RegisterFunction;

std::vector<bool> bits_of_mask(const TileValues& mask) {
  std::vector<bool> bits(kRegisterBytes);
  const std::size_t width = std::max<std::size_t>(kRegisterBytes / mask.columns, 1);
  for (std::size_t i = 0; i < mask.columns && i * width < bits.size(); ++i)
    bits[i * width] = mask.integers[i] != 0;
  return bits;
}

TileValues mask_of_bits(std::size_t lanes, const std::vector<bool>& bits) {
  TileValues mask = TileValues::zeros(Element::kU8, 1, lanes);
  const std::size_t width = std::max<std::size_t>(bits.size() / lanes, 1);
  for (std::size_t i = 0; i < lanes && i * width < bits.size(); ++i)
    mask.integers[i] = bits[i * width] ? 1 : 0;
  return mask;
}

std::int64_t as_unsigned(std::int64_t value, Element element) {
  const unsigned bits = bits_of(element);
  return bits >= 64 ? value : value & ((std::int64_t{1} << bits) - 1);
}

// Wider lanes of the result come from every second lane of the sources, from `first` on.
void RegisterLanes::map() {
  const bool bitwise = (op_.arithmetic >= Arithmetic::kAnd && op_.arithmetic <= Arithmetic::kXor) ||
                       op_.arithmetic == Arithmetic::kNot;
  if (bitwise && is_float(out_.element)) return map_bits();
  const bool unary = op_.arithmetic >= Arithmetic::kNeg;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const std::size_t from =
        op_.every > 1 ? i * static_cast<std::size_t>(op_.every) + op_.first : i;
    if (!on(from)) continue;
    if (is_float(out_.element) || is_float(source(0).element)) {
      put(i, unary ? apply(op_.arithmetic, number(0, from))
                   : apply(op_.arithmetic, number(0, from), number(1, from)));
    } else {
      put_integer(i, unary ? apply(op_.arithmetic, integer(0, i))
                           : apply(op_.arithmetic, integer(0, i), integer(1, i), out_.element));
    }
  }
}

// The bits of floats.
void RegisterLanes::map_bits() {
  const std::size_t width = width_of(out_.element);
  std::vector<std::byte> a(out_.columns * width), b(a.size());
  encode(source(0), 0, out_.columns, a.data());
  if (op_.sources[1] != kNoRegister) encode(source(1), 0, out_.columns, b.data());
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = !on(k / width)                       ? std::byte{0}
           : op_.arithmetic == Arithmetic::kNot ? ~a[k]
           : op_.arithmetic == Arithmetic::kAnd ? a[k] & b[k]
           : op_.arithmetic == Arithmetic::kOr  ? a[k] | b[k]
                                                : a[k] ^ b[k];
  decode(a.data(), out_.columns, out_, 0);
}

void RegisterLanes::multiply_add() {
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    if (out_.element == Element::kF32)
      put(i, std::fma(static_cast<float>(number(1, i)), static_cast<float>(number(2, i)),
                      static_cast<float>(number(0, i))));
    else if (is_float(out_.element))
      put(i, number(0, i) + number(1, i) * number(2, i));
    else
      put_integer(i, integer(0, i) + integer(1, i) * integer(2, i));
  }
}

void RegisterLanes::splat() {
  const std::size_t run = op_.merges ? std::max<std::size_t>(out_.columns / op_.groups, 1) : 1;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    if (op_.merges)
      out_.set(i, source(0), std::min(i / run + op_.first, source(0).columns - 1));
    else if (is_float(out_.element))
      put(i, step_.number);
    else
      put_integer(i, step_.integer);
    if (op_.function != F::kSequence) continue;
    const auto position = static_cast<double>(i) * (op_.descends ? -1 : 1);
    put(i, (is_float(out_.element) ? step_.number : static_cast<double>(step_.integer)) + position);
  }
}

void RegisterLanes::compare() {
  const auto predicate = static_cast<Predicate>(op_.predicate);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    bool holds_here = false;
    if (is_float(source(0).element)) {
      const double a = number(0, i), b = number(1, i);
      const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
      holds_here = results[static_cast<unsigned>(predicate)];
    } else {
      holds_here = holds(predicate, integer(0, i), integer(1, i));
    }
    out_.integers[i] = holds_here ? 1 : 0;
  }
}

// The lanes of the condition may be those of the source of a conversion.
void RegisterLanes::select() {
  const TileValues& condition = source(2);
  const auto every = static_cast<std::size_t>(std::abs(op_.every));
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const bool is_part = op_.every >= 0 || (i >= op_.first && (i - op_.first) % every == 0);
    const std::size_t at = op_.every < 0   ? (i - op_.first) / every
                           : op_.every > 1 ? i * every + op_.first
                                           : i;
    const bool first = is_part && is_on(&condition, at);
    const TileValues& from = source(first ? 0 : 1);
    out_.set(i, from, i % from.columns);
  }
}

// A part takes every so many lanes of a wide source, or fills every so many of a narrow result.
void RegisterLanes::convert() {
  TileValues scaled;
  if (op_.has_scalar) {
    scaled = source(0);
    for (double& x : scaled.numbers) x *= step_.number;
  }
  TileValues to =
      converted(op_.has_scalar ? scaled : source(0), op_.element, op_.rounding, op_.saturates);
  if (op_.stays_finite && is_float(op_.element)) {
    const double most = largest_number(op_.element);
    const bool has_nans = is_small_float(op_.element);  // elsewhere a NaN becomes 0
    for (double& x : to.numbers) {
      if (std::abs(x) > most) x = std::copysign(most, x);
      if (std::isnan(x) && !has_nans) x = 0;
    }
  }
  const auto every = static_cast<std::size_t>(std::abs(op_.every));
  for (std::size_t i = 0; i < out_.columns; ++i) {
    std::size_t from = i, at = i;
    if (op_.every < 0) at = i * every + op_.first;
    if (op_.every > 1) from = i * every + op_.first;
    if (at >= out_.columns || from >= to.columns) break;
    if (on(from)) out_.set(at, to, from);
  }
}

void RegisterLanes::bits() {
  const TileValues& from = source(0);
  const std::size_t width = width_of(from.element), to_width = width_of(op_.element);
  std::vector<std::byte> bytes(std::max(from.columns * width, out_.columns * to_width));
  encode(from, 0, from.columns, bytes.data());
  decode(bytes.data(), out_.columns, out_, 0);
}

// Lanes that the mask leaves out count as nothing.
double RegisterLanes::sum_of_group(const TileValues& from, std::size_t first, std::size_t count) {
  std::vector<double> lanes(count);
  for (std::size_t i = first; i < first + count && i < from.columns; ++i)
    if (on(i)) lanes[i - first] = from.number(i);
  return sum_of_neighbours(std::move(lanes), from.element);
}

void RegisterLanes::reduce() {
  const TileValues& from = source(0);
  const std::size_t run = std::max<std::size_t>(from.columns / op_.groups, 1);
  const bool extreme_only = op_.arithmetic != Arithmetic::kAdd;
  const bool is_tree = !extreme_only && is_float(from.element);
  for (std::size_t g = 0; g < op_.groups && g < out_.columns; ++g) {
    if (is_tree) {
      put(g, sum_of_group(from, g * run, run));
      continue;
    }
    double sum = !extreme_only ? 0 : extreme(from.element, op_.arithmetic == Arithmetic::kMin);
    std::size_t position = 0;
    for (std::size_t i = g * run; i < (g + 1) * run && i < from.columns; ++i) {
      if (!on(i)) continue;
      const double next = apply(op_.arithmetic, sum, from.number(i));
      if (extreme_only && next != sum) position = i - g * run;
      sum = next;
    }
    put(g, sum);
    if (op_.by_position && op_.groups == 1 && out_.columns > 1) decode_position(position);
  }
}

// The position lies in lane 1 as the bits of a whole number.
void RegisterLanes::decode_position(std::size_t position) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(position >> (8 * k) & 0xFF);
  decode(bytes.data(), 1, out_, 1);
}

// Lane i of both results one after the other is lane i / 2 of a or b; back: the other way.
void RegisterLanes::interleave(bool back, std::size_t half) {
  const std::size_t lanes = out_.columns;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::size_t all = half * lanes + i;
    const std::size_t from = back ? 2 * i + half : all / 2 + (all % 2) * lanes;
    const TileValues& side = source(from < lanes ? 0 : 1);
    out_.set(i, side, from % lanes % side.columns);
  }
}

void RegisterLanes::round() {
  for (std::size_t i = 0; i < out_.columns; ++i)
    if (on(i)) put(i, to_integral(number(0, i), op_.rounding));
}

void RegisterLanes::wide_product(bool high) {
  const bool is_signed = op_.element == Element::kI32;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    const auto a = static_cast<std::uint64_t>(integer(0, i)),
               b = static_cast<std::uint64_t>(integer(1, i));
    const std::uint64_t product = a * b;  // of 32 bits each: exact
    const std::uint64_t half = high ? product >> 32 : product & 0xFFFFFFFFU;
    put_integer(i, is_signed ? static_cast<std::int32_t>(half & 0xFFFFFFFFU)
                             : static_cast<std::int64_t>(half & 0xFFFFFFFFU));
  }
}

void RegisterLanes::carry(bool is_mask) {
  const bool adds = op_.arithmetic == Arithmetic::kAdd;
  const TileValues* in = op_.sources[2] == kNoRegister ? nullptr : &source(2);
  const Element element = source(0).element;
  const unsigned bits = bits_of(element);
  if (is_mask) out_ = TileValues::zeros(Element::kU8, 1, op_.lanes);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    const std::int64_t a = as_unsigned(integer(0, i), element),
                       b = as_unsigned(integer(1, i), element);
    const std::int64_t more = in != nullptr && is_on(in, i) ? 1 : 0;
    const std::int64_t without = in != nullptr ? 1 - more : 0;
    const std::int64_t sum = adds ? a + b + more : a - b - without;
    if (!is_mask)
      put_integer(i, sum);
    else
      out_.integers[i] = (adds ? (sum >> bits) != 0 : sum >= 0) ? 1 : 0;
  }
}

void RegisterLanes::narrow() {
  for (std::size_t i = 0; i < source(0).columns && op_.first + i < out_.columns; ++i)
    put_integer(op_.first + i, integer(0, i));
}

void RegisterLanes::widen() {
  const Element from = source(0).element;
  const std::int64_t sign = std::int64_t{1} << (bits_of(from) - 1);
  for (std::size_t i = 0; i < out_.columns && op_.first + i < source(0).columns; ++i) {
    const std::int64_t bits = as_unsigned(integer(0, op_.first + i), from);
    put_integer(i, op_.keeps_sign ? (bits ^ sign) - sign : bits);
  }
}

void RegisterLanes::pick() {
  const TileValues& index = source(1);
  for (std::size_t i = 0; i < out_.columns && i < index.columns; ++i) {
    const std::int64_t at = as_unsigned(index.integers[i], index.element);
    if (at >= static_cast<std::int64_t>(source(0).columns))
      throw std::out_of_range("lane " + std::to_string(at) + " of a register with " +
                              std::to_string(source(0).columns));
    out_.set(i, source(0), static_cast<std::size_t>(at));
  }
}

void RegisterLanes::histogram() {
  const TileValues& samples = source(1);
  std::vector<std::int64_t> counts(out_.columns);
  std::int64_t below = 0;  // also those of the bins before the first one of this register
  for (std::size_t i = 0; i < samples.columns; ++i) {
    const auto value = static_cast<std::size_t>(as_unsigned(samples.integers[i], samples.element));
    if (!on(i)) continue;
    if (value < op_.first)
      ++below;
    else if (value - op_.first < counts.size())
      ++counts[value - op_.first];
  }
  for (std::size_t i = 0; i < out_.columns; ++i) {
    below += counts[i];
    put_integer(i, integer(0, i) + (op_.merges ? below : counts[i]));
  }
}

void RegisterLanes::squeeze() {
  std::size_t at = 0;
  for (std::size_t i = 0; i < source(0).columns && at < out_.columns; ++i)
    if (on(i)) out_.set(at++, source(0), i);
}

void RegisterLanes::count_before() {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    put_integer(i, count);
    if (on(i)) ++count;
  }
}

void RegisterLanes::pair_sum() {
  const auto value = [&](std::size_t i) { return on(i) ? number(0, i) : 0.0; };
  for (std::size_t i = 0; i < out_.columns / 2; ++i) put(i, value(2 * i) + value(2 * i + 1));
}

void RegisterLanes::extreme_mask(bool is_mask) {
  const TileValues& from = source(0);
  double best = extreme(from.element, op_.arithmetic == Arithmetic::kMin);
  for (std::size_t i = 0; i < from.columns; ++i)
    if (on(i)) best = apply(op_.arithmetic, best, from.number(i));
  if (!is_mask) return put(0, best);
  out_ = TileValues::zeros(Element::kU8, 1, op_.lanes);
  for (std::size_t i = 0; i < from.columns && i < out_.columns; ++i)
    out_.integers[i] = on(i) && from.number(i) == best ? 1 : 0;
}

// --- masks as the bits that the register has ---

void RegisterLanes::mask_bits() {
  const std::vector<bool> from = bits_of_mask(source(0));
  std::vector<bool> to(from.size());
  const std::size_t half = from.size() / 2, begin = op_.first * half;
  for (std::size_t i = 0; i < half; ++i) {
    if (op_.function == F::kMaskPack) to[begin + i] = from[2 * i];
    if (op_.function == F::kMaskUnpack) to[2 * i] = from[begin + i];
  }
  out_ = mask_of_bits(op_.lanes, op_.function == F::kMaskBits ? from : to);
}

void RegisterLanes::part() {
  const TileValues& from = source(0);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const std::size_t at = op_.first + i * static_cast<std::size_t>(op_.every);
    if (at < from.columns) out_.set(i, from, at);
  }
}

void RegisterLanes::join() {
  std::size_t i = 0;
  for (const std::uint16_t r : op_.sources) {
    if (r == kNoRegister) break;
    for (std::size_t k = 0; k < registers_[r].columns && i < out_.columns; ++k)
      out_.set(i++, registers_[r], k);
  }
}

void RegisterLanes::mask_lanes() {
  const std::size_t run = std::max<std::size_t>(out_.columns / op_.groups, 1);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const bool inside = static_cast<std::int64_t>(i % run) < step_.integer;
    out_.integers[i] = inside && i % static_cast<std::size_t>(op_.every) == op_.first ? 1 : 0;
  }
}

void RegisterLanes::map_masks() {
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const bool a = is_on(&source(0), i);
    const bool b = op_.sources[1] == kNoRegister || is_on(&source(1), i);
    const bool result = op_.arithmetic == Arithmetic::kNot   ? !a
                        : op_.arithmetic == Arithmetic::kOr  ? a || b
                        : op_.arithmetic == Arithmetic::kXor ? a != b
                                                             : a && b;
    out_.integers[i] = result && on(i) ? 1 : 0;
  }
}

TileValues RegisterLanes::run() {
  switch (op_.function) {
  case F::kMove: {
    out_ = source(0);
    break;
  }
  case F::kSplat:
  case F::kSequence:
    splat();
    break;
  case F::kMap:
    map();
    break;
  case F::kMultiplyAdd:
    multiply_add();
    break;
  case F::kConvert:
    convert();
    break;
  case F::kBits:
    bits();
    break;
  case F::kSelect:
  case F::kMaskSelect:
    select();
    break;
  case F::kRound:
    round();
    break;
  case F::kWideProduct:
    wide_product(false);
    break;
  case F::kCarry:
    carry(false);
    break;
  case F::kNarrow:
    narrow();
    break;
  case F::kWiden:
    widen();
    break;
  case F::kPick:
    pick();
    break;
  case F::kHistogram:
    histogram();
    break;
  case F::kSqueeze:
    squeeze();
    break;
  case F::kCountBefore:
    count_before();
    break;
  case F::kPairSum:
    pair_sum();
    break;
  case F::kExtremeMask:
    extreme_mask(false);
    break;
  case F::kMaskPack:
  case F::kMaskUnpack:
  case F::kMaskBits:
    mask_bits();
    break;
  case F::kCompare:
    compare();
    break;
  case F::kReduce:
    reduce();
    break;
  case F::kInterleave:
  case F::kDeinterleave:
    interleave(op_.function == F::kDeinterleave, 0);
    break;
  case F::kPart:
    part();
    break;
  case F::kJoin:
    join();
    break;
  case F::kMask:
  case F::kMaskCount:
    mask_lanes();
    break;
  case F::kMaskMap:
    map_masks();
    break;
  default:
    throw std::domain_error("what it computes has no values in this model; run it with --no-data");
  }
  return std::move(out_);
}

TileValues RegisterLanes::second() {
  if (op_.function == F::kWideProduct)
    wide_product(true);
  else if (op_.function == F::kCarry)
    carry(true);
  else if (op_.function == F::kExtremeMask)
    extreme_mask(true);
  else
    interleave(op_.function == F::kDeinterleave, 1);
  return std::move(out_);
}

}  // namespace tessera::cluster
