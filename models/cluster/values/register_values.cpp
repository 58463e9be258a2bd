#include "models/cluster/values/register_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

namespace {

using F = RegisterFunction;
constexpr std::int64_t kBlock = 32;

std::size_t width_of(Element element) {
  return std::max(1U, bits_of(element) / 8);
}

/// The element that lane i of a load comes from, or that a store puts it to; -1: it is not stored.
std::int64_t element_of_lane(const RegisterOperation& op, std::size_t lane) {
  const auto i = static_cast<std::int64_t>(lane);
  const bool stores = op.function == F::kStore;
  if (op.every == 0) return stores && i > 0 ? -1 : 0;
  if (op.every > 0) return i / op.every;
  if (!stores) return i * -op.every;
  return i % -op.every == 0 ? i / -op.every : -1;
}

/// Where an element lies, in bytes from the address on: blocks may lie apart.
std::int64_t offset_of(const RegisterStep& step, std::int64_t element) {
  const auto width = static_cast<std::int64_t>(width_of(step.operation->element));
  if (const std::int64_t run = step.operation->run; run != 0)
    return (element / run * step.block_stride + element % run) * width;
  if (step.block_stride == 0) return element * width;
  const std::int64_t in_block = kBlock / width;
  return element / in_block * step.block_stride * kBlock + element % in_block * width;
}

/// The bytes of a register, and a register from its bytes.
std::vector<std::byte> bytes_of(const TileValues& from) {
  std::vector<std::byte> bytes(
      std::max<std::size_t>(from.columns * width_of(from.element), kRegisterBytes));
  encode(from, 0, from.columns, bytes.data());
  return bytes;
}
TileValues of_bytes(const RegisterOperation& op, const std::vector<std::byte>& bytes) {
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  decode(bytes.data(), std::min<std::size_t>(op.lanes, bytes.size() / width_of(op.element)), to, 0);
  return to;
}

/// A mask register has a bit for each byte of a register: the lowest of a lane says whether it is on.
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

bool is_on(const TileValues* mask, std::size_t lane) {
  return mask == nullptr || (lane < mask->columns && mask->integers[lane] != 0);
}

/// The lanes of one instruction that computes.
class Lanes {
 public:
  Lanes(const RegisterStep& step, const std::vector<TileValues>& registers)
      : step_(step), op_(*step.operation), registers_(registers),
        out_(TileValues::zeros(op_.element, 1, op_.lanes)) {}

  TileValues run();
  /// The second result of an interleave.
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

// Wider lanes of the result come from every second lane of the sources, from `first` on.
void Lanes::map() {
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
void Lanes::map_bits() {
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

void Lanes::multiply_add() {
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

void Lanes::splat() {
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

void Lanes::compare() {
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

void Lanes::select() {
  const TileValues& condition = source(2);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const bool first = is_on(&condition, i);
    const TileValues& from = source(first ? 0 : 1);
    out_.set(i, from, i % from.columns);
  }
}

// A part takes every so many lanes of a wide source, or fills every so many of a narrow result.
void Lanes::convert() {
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

void Lanes::bits() {
  const TileValues& from = source(0);
  const std::size_t width = width_of(from.element), to_width = width_of(op_.element);
  std::vector<std::byte> bytes(std::max(from.columns * width, out_.columns * to_width));
  encode(from, 0, from.columns, bytes.data());
  decode(bytes.data(), out_.columns, out_, 0);
}

void Lanes::reduce() {
  const TileValues& from = source(0);
  const std::size_t run = std::max<std::size_t>(from.columns / op_.groups, 1);
  const bool extreme_only = op_.arithmetic != Arithmetic::kAdd;
  for (std::size_t g = 0; g < op_.groups && g < out_.columns; ++g) {
    double sum = !extreme_only ? 0 : extreme(from.element, op_.arithmetic == Arithmetic::kMin);
    std::size_t position = 0;
    for (std::size_t i = g * run; i < (g + 1) * run && i < from.columns; ++i) {
      if (!on(i)) continue;
      const double next = apply(op_.arithmetic, sum, from.number(i));
      if (extreme_only && next != sum) position = i - g * run;
      sum = is_float(from.element) ? rounded(next, Element::kF32) : next;
    }
    put(g, sum);
    if (op_.by_position && op_.groups == 1 && out_.columns > 1) decode_position(position);
  }
}

// The position lies in lane 1 as the bits of a whole number.
void Lanes::decode_position(std::size_t position) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(position >> (8 * k) & 0xFF);
  decode(bytes.data(), 1, out_, 1);
}

// Lane i of both results one after the other is lane i / 2 of a or b; back: the other way.
void Lanes::interleave(bool back, std::size_t half) {
  const std::size_t lanes = out_.columns;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::size_t all = half * lanes + i;
    const std::size_t from = back ? 2 * i + half : all / 2 + (all % 2) * lanes;
    const TileValues& side = source(from < lanes ? 0 : 1);
    out_.set(i, side, from % lanes % side.columns);
  }
}

void Lanes::round() {
  for (std::size_t i = 0; i < out_.columns; ++i)
    if (on(i)) put(i, to_integral(number(0, i), op_.rounding));
}

void Lanes::wide_product(bool high) {
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

void Lanes::carry(bool is_mask) {
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

void Lanes::narrow() {
  for (std::size_t i = 0; i < source(0).columns && op_.first + i < out_.columns; ++i)
    put_integer(op_.first + i, integer(0, i));
}

void Lanes::widen() {
  const Element from = source(0).element;
  const std::int64_t sign = std::int64_t{1} << (bits_of(from) - 1);
  for (std::size_t i = 0; i < out_.columns && op_.first + i < source(0).columns; ++i) {
    const std::int64_t bits = as_unsigned(integer(0, op_.first + i), from);
    put_integer(i, op_.keeps_sign ? (bits ^ sign) - sign : bits);
  }
}

void Lanes::pick() {
  const TileValues& index = source(1);
  for (std::size_t i = 0; i < out_.columns && i < index.columns; ++i) {
    const std::int64_t at = as_unsigned(index.integers[i], index.element);
    if (at >= static_cast<std::int64_t>(source(0).columns))
      throw std::out_of_range("lane " + std::to_string(at) + " of a register with " +
                              std::to_string(source(0).columns));
    out_.set(i, source(0), static_cast<std::size_t>(at));
  }
}

void Lanes::histogram() {
  const TileValues& samples = source(1);
  std::vector<std::int64_t> counts(out_.columns);
  for (std::size_t i = 0; i < samples.columns; ++i) {
    const auto value = static_cast<std::size_t>(as_unsigned(samples.integers[i], samples.element));
    if (on(i) && value < counts.size()) ++counts[value];
  }
  std::int64_t below = 0;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    below += counts[i];
    put_integer(i, integer(0, i) + (op_.merges ? below : counts[i]));
  }
}

void Lanes::squeeze() {
  std::size_t at = 0;
  for (std::size_t i = 0; i < source(0).columns && at < out_.columns; ++i)
    if (on(i)) out_.set(at++, source(0), i);
}

void Lanes::count_before() {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    put_integer(i, count);
    if (on(i)) ++count;
  }
}

void Lanes::pair_sum() {
  const auto value = [&](std::size_t i) { return on(i) ? number(0, i) : 0.0; };
  for (std::size_t i = 0; i < out_.columns / 2; ++i) put(i, value(2 * i) + value(2 * i + 1));
}

void Lanes::extreme_mask(bool is_mask) {
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

void Lanes::mask_bits() {
  const std::vector<bool> from = bits_of_mask(source(0));
  std::vector<bool> to(from.size());
  const std::size_t half = from.size() / 2, begin = op_.first * half;
  for (std::size_t i = 0; i < half; ++i) {
    if (op_.function == F::kMaskPack) to[begin + i] = from[2 * i];
    if (op_.function == F::kMaskUnpack) to[2 * i] = from[begin + i];
  }
  out_ = mask_of_bits(op_.lanes, op_.function == F::kMaskBits ? from : to);
}

void Lanes::part() {
  const TileValues& from = source(0);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const std::size_t at = op_.first + i * static_cast<std::size_t>(op_.every);
    if (at < from.columns) out_.set(i, from, at);
  }
}

void Lanes::join() {
  std::size_t i = 0;
  for (const std::uint16_t r : op_.sources) {
    if (r == kNoRegister) break;
    for (std::size_t k = 0; k < registers_[r].columns && i < out_.columns; ++k)
      out_.set(i++, registers_[r], k);
  }
}

void Lanes::mask_lanes() {
  const std::size_t run = std::max<std::size_t>(out_.columns / op_.groups, 1);
  for (std::size_t i = 0; i < out_.columns; ++i) {
    const bool inside = static_cast<std::int64_t>(i % run) < step_.integer;
    out_.integers[i] = inside && i % static_cast<std::size_t>(op_.every) == op_.first ? 1 : 0;
  }
}

void Lanes::map_masks() {
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

TileValues Lanes::run() {
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
    throw std::length_error("what it computes has no values in this model; run it with --no-data");
  }
  return std::move(out_);
}

TileValues Lanes::second() {
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

}  // namespace

std::int64_t reach_of(const RegisterStep& step, std::int64_t capacity) {
  const RegisterOperation& op = *step.operation;
  if (op.function == F::kGather || op.function == F::kScatter || op.function == F::kGatherBlocks ||
      op.function == F::kStoreSqueezed)
    return capacity - step.address;
  constexpr std::int64_t kRegister = kRegisterBytes, kMask = kRegisterBytes / 8;
  if (op.function == F::kLoadPair || op.function == F::kStorePair) return 2 * kRegister;
  if (op.function == F::kLoadMask)
    return op.every == 2 ? kMask / 2 : op.every == -2 ? 2 * kMask : kMask;
  if (op.function == F::kStoreCounter) return 4;
  if (op.function == F::kStoreMask) return op.every == -2 ? kMask / 2 : kMask;
  if (op.packing.memory != 0)
    return op.packing.stays ? op.packing.memory
                            : kRegister / op.packing.lane * std::int64_t{op.packing.memory};
  std::int64_t last = 0;
  for (std::size_t i = op.lanes; i-- > 0;) {
    const std::int64_t element = element_of_lane(op, i);
    if (element < 0) continue;
    last = std::max(last, offset_of(step, element));
    if (step.block_stride >= 0 && op.run == 0) break;
  }
  return last + static_cast<std::int64_t>(width_of(op.element));
}

std::size_t RegisterValues::place_of(const RegisterStep& step, std::int64_t element) const {
  const std::int64_t at = step.address + offset_of(step, element) - first_;
  const auto width = static_cast<std::int64_t>(width_of(step.operation->element));
  if (at < 0 || at + width > static_cast<std::int64_t>(bytes_.size()))
    throw std::out_of_range("element " + std::to_string(element) + " is not in UB");
  return static_cast<std::size_t>(at);
}

std::size_t RegisterValues::bytes_at(const RegisterStep& step, std::int64_t offset,
                                     std::size_t count) const {
  const std::int64_t at = step.address + offset - first_;
  if (at < 0 || at + static_cast<std::int64_t>(count) > static_cast<std::int64_t>(bytes_.size()))
    throw std::out_of_range("byte " + std::to_string(step.address + offset) + " is not in UB");
  return static_cast<std::size_t>(at);
}

void RegisterValues::write(const RegisterStep& step, std::int64_t offset, const std::byte* from,
                           std::size_t count) {
  const std::size_t at = bytes_at(step, offset, count);
  std::copy_n(from, count, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(at), count, true);
}

// A mask of a load is that of blocks: what it leaves out is 0, and nothing is read there.
TileValues RegisterValues::load(const RegisterStep& step, const TileValues* mask) const {
  const RegisterOperation& op = *step.operation;
  if (op.packing.memory != 0) return load_packed(step);
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  const std::size_t in_block = static_cast<std::size_t>(kBlock) / width_of(op.element);
  for (std::size_t i = 0; i < op.lanes; ++i)
    if (is_on(mask, i / in_block))
      decode(bytes_.data() + place_of(step, element_of_lane(op, i)), 1, to, i);
  return to;
}

TileValues RegisterValues::load_packed(const RegisterStep& step) const {
  const RegisterOperation& op = *step.operation;
  const Packing& p = op.packing;
  std::vector<std::byte> bytes(kRegisterBytes);
  for (std::size_t g = 0; g * p.lane < bytes.size(); ++g) {
    const std::size_t at =
        bytes_at(step, p.stays ? 0 : static_cast<std::int64_t>(g) * p.memory, p.memory);
    for (std::size_t k = 0; k < p.lane && (p.repeats || k < p.memory); ++k)
      bytes[g * p.lane + k] = bytes_[at + k % p.memory];
  }
  return of_bytes(op, bytes);
}

void RegisterValues::load_pair(const RegisterStep& step, TileValues& low, TileValues& high) const {
  const RegisterOperation& op = *step.operation;
  const std::size_t width = op.packing.memory;
  std::vector<std::byte> halves[2];
  for (std::vector<std::byte>& half : halves) half.resize(kRegisterBytes);
  const std::size_t at = bytes_at(step, 0, 2 * kRegisterBytes);
  for (std::size_t k = 0; k < 2 * std::size_t{kRegisterBytes}; ++k)
    halves[k / width % 2][k / width / 2 * width + k % width] = bytes_[at + k];
  low = of_bytes(op, halves[0]);
  high = of_bytes(op, halves[1]);
}

TileValues RegisterValues::load_mask(const RegisterStep& step) const {
  const RegisterOperation& op = *step.operation;
  std::vector<bool> bits(kRegisterBytes);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::size_t from = op.every == 2 ? i / 2 : op.every == -2 ? 2 * i : i;
    const auto byte = bytes_[bytes_at(step, static_cast<std::int64_t>(from / 8), 1)];
    bits[i] = (std::to_integer<unsigned>(byte) >> (from % 8) & 1U) != 0;
  }
  return mask_of_bits(op.lanes, bits);
}

TileValues RegisterValues::gather(const RegisterStep& step, const TileValues& index,
                                  const TileValues* mask) const {
  const RegisterOperation& op = *step.operation;
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  const std::size_t width = op.packing.memory != 0 ? op.packing.memory : width_of(op.element);
  for (std::size_t i = 0; i < op.lanes && i < index.columns; ++i) {
    if (!is_on(mask, i)) continue;
    const std::int64_t element = as_unsigned(index.integers[i], index.element);
    if (width == width_of(op.element)) {
      decode(bytes_.data() + place_of(step, element), 1, to, i);
    } else {  // a byte becomes a lane of 16 bits
      const std::size_t at = bytes_at(step, element * static_cast<std::int64_t>(width), width);
      to.integers[i] = std::to_integer<std::int64_t>(bytes_[at]);
    }
  }
  return to;
}

TileValues RegisterValues::gather_blocks(const RegisterStep& step, const TileValues& index,
                                         const TileValues* mask) const {
  std::vector<std::byte> bytes(kRegisterBytes);
  for (std::size_t block = 0; block * kBlock < bytes.size() && block < index.columns; ++block) {
    if (!is_on(mask, block)) continue;
    const std::size_t at =
        bytes_at(step, as_unsigned(index.integers[block], index.element), kBlock);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), kBlock,
                bytes.begin() + static_cast<std::ptrdiff_t>(block * kBlock));
  }
  return of_bytes(*step.operation, bytes);
}

void RegisterValues::put(const TileValues& from, std::size_t lane, std::size_t at) {
  encode(from, lane, 1, bytes_.data() + at);
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(at), width_of(from.element), true);
}

void RegisterValues::store(const RegisterStep& step, const TileValues& from,
                           const TileValues* mask) {
  const RegisterOperation& op = *step.operation;
  if (op.packing.memory != 0) return store_packed(step, from, mask);
  const TileValues values =
      from.element == op.element || bits_of(from.element) == bits_of(op.element)
          ? from
          : converted(from, op.element, Rounding::kDefault, false);
  for (std::size_t i = 0; i < op.lanes && i < values.columns; ++i) {
    const std::int64_t element = element_of_lane(op, i);
    if (element >= 0 && is_on(mask, i)) put(values, i, place_of(step, element));
  }
}

// Only the low bytes of each group are stored, one after the other.
void RegisterValues::store_packed(const RegisterStep& step, const TileValues& from,
                                  const TileValues* mask) {
  const Packing& p = step.operation->packing;
  const std::vector<std::byte> bytes = bytes_of(from);
  const std::vector<bool> on =
      mask != nullptr ? bits_of_mask(*mask) : std::vector<bool>(kRegisterBytes, true);
  for (std::size_t g = 0; g * p.lane < kRegisterBytes; ++g)
    if (on[g * p.lane])
      write(step, static_cast<std::int64_t>(g) * p.memory, bytes.data() + g * p.lane, p.memory);
}

void RegisterValues::store_pair(const RegisterStep& step, const TileValues& low,
                                const TileValues& high) {
  const std::size_t width = step.operation->packing.memory;
  const std::vector<std::byte> halves[2] = {bytes_of(low), bytes_of(high)};
  for (std::size_t k = 0; k < 2 * std::size_t{kRegisterBytes}; k += width)
    write(step, static_cast<std::int64_t>(k), halves[k / width % 2].data() + k / width / 2 * width,
          width);
}

void RegisterValues::store_mask(const RegisterStep& step, const TileValues& from) {
  const std::vector<bool> bits = bits_of_mask(from);
  const std::size_t every = step.operation->every == -2 ? 2 : 1;
  for (std::size_t byte = 0; byte * 8 * every < bits.size(); ++byte) {
    unsigned value = 0;
    for (unsigned k = 0; k < 8; ++k) value |= (bits[(byte * 8 + k) * every] ? 1U : 0U) << k;
    const auto out = static_cast<std::byte>(value);
    write(step, static_cast<std::int64_t>(byte), &out, 1);
  }
}

void RegisterValues::store_squeezed(const RegisterStep& step, const TileValues& from) {
  if (squeezed_ < 0 || counter_ < 0)
    throw std::length_error(
        "a squeezed store needs pto.sprclr and pto.vsqz before it in its function");
  const std::vector<std::byte> bytes = bytes_of(from);
  const std::size_t count = static_cast<std::size_t>(squeezed_) * width_of(from.element);
  write(step, counter_, bytes.data(), count);
  if (step.operation->merges) counter_ += static_cast<std::int64_t>(count);
}

void RegisterValues::store_counter(const RegisterStep& step) {
  if (counter_ < 0) throw std::length_error("AR needs pto.sprclr before it in its function");
  std::array<std::byte, 4> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(counter_ >> (8 * k) & 0xFF);
  write(step, 0, bytes.data(), bytes.size());
}

void RegisterValues::scatter(const RegisterStep& step, const TileValues& from,
                             const TileValues& index, const TileValues* mask) {
  const std::size_t every = std::max<std::size_t>(from.columns / index.columns, 1);
  for (std::size_t i = 0; i * every < from.columns && i < index.columns; ++i)
    if (is_on(mask, i))
      put(from, i * every, place_of(step, as_unsigned(index.integers[i], index.element)));
}

void RegisterValues::execute(const RegisterStep& step, std::vector<TileValues>& registers) {
  const RegisterOperation& op = *step.operation;
  const auto source = [&](unsigned n) -> const TileValues& {
    if (op.sources[n] == kNoRegister || registers[op.sources[n]].columns == 0)
      throw std::length_error("a register that nothing has written");
    return registers[op.sources[n]];
  };
  const TileValues* mask = op.mask == kNoRegister ? nullptr : &registers[op.mask];
  if (op.function == F::kBarrier) return;
  if (op.function == F::kClearCounter) {
    counter_ = 0;
    return;
  }
  if (op.function == F::kStoreCounter) return store_counter(step);
  if (op.function == F::kStoreSqueezed) return store_squeezed(step, source(0));
  if (op.function == F::kSqueeze || op.function == F::kCountBefore) {
    squeezed_ = 0;
    for (std::size_t i = 0; i < op.lanes; ++i) squeezed_ += is_on(mask, i) ? 1 : 0;
  }
  if (op.function == F::kStore) return store(step, source(0), mask);
  if (op.function == F::kScatter) return scatter(step, source(0), source(1), mask);
  if (op.function == F::kStorePair) return store_pair(step, source(0), source(1));
  if (op.function == F::kStoreMask) return store_mask(step, source(0));
  TileValues result, second;
  if (op.function == F::kLoadPair)
    load_pair(step, result, second);
  else
    result = op.function == F::kLoad           ? load(step, mask)
             : op.function == F::kGather       ? gather(step, source(1), mask)
             : op.function == F::kGatherBlocks ? gather_blocks(step, source(1), mask)
             : op.function == F::kLoadMask     ? load_mask(step)
                                               : Lanes(step, registers).run();
  if (op.results[1] != kNoRegister && op.function != F::kLoadPair)
    second = Lanes(step, registers).second();
  if (op.results[0] != kNoRegister) registers[op.results[0]] = std::move(result);
  if (op.results[1] != kNoRegister) registers[op.results[1]] = std::move(second);
}

}  // namespace tessera::cluster
