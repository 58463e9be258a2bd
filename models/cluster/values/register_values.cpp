#include "models/cluster/values/register_values.h"

#include <algorithm>
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
  if (step.block_stride == 0) return element * width;
  const std::int64_t in_block = kBlock / width;
  return element / in_block * step.block_stride * kBlock + element % in_block * width;
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
    if (op_.sources[n] == kNoRegister) return step_.integer;
    const TileValues& from = source(n);
    return from.integers[lane % from.columns];
  }
  void map();
  void multiply_add();
  void splat();
  void compare();
  void select();
  void convert();
  void bits();
  void reduce();
  void interleave(bool back, std::size_t half);
  void part();
  void join();
  void mask_lanes();
  void map_masks();

  const RegisterStep& step_;
  const RegisterOperation& op_;
  const std::vector<TileValues>& registers_;
  TileValues out_;
};

void Lanes::map() {
  const bool unary = op_.arithmetic >= Arithmetic::kNeg;
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    if (is_float(out_.element) || is_float(source(0).element)) {
      put(i, unary ? apply(op_.arithmetic, number(0, i))
                   : apply(op_.arithmetic, number(0, i), number(1, i)));
    } else {
      put_integer(i, unary ? apply(op_.arithmetic, integer(0, i))
                           : apply(op_.arithmetic, integer(0, i), integer(1, i), out_.element));
    }
  }
}

void Lanes::multiply_add() {
  for (std::size_t i = 0; i < out_.columns; ++i) {
    if (!on(i)) continue;
    if (is_float(out_.element))
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
      out_.set(i, source(0), std::min(i / run, source(0).columns - 1));
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
  const TileValues to = converted(source(0), op_.element, op_.rounding, op_.saturates);
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
    if (op_.by_position && op_.groups == 1 && out_.columns > 1)
      put(1, static_cast<double>(position));
  }
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
    select();
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
  interleave(op_.function == F::kDeinterleave, 1);
  return std::move(out_);
}

}  // namespace

std::int64_t reach_of(const RegisterStep& step, std::int64_t capacity) {
  const RegisterOperation& op = *step.operation;
  if (op.function == F::kGather || op.function == F::kScatter) return capacity - step.address;
  std::int64_t last = 0;
  for (std::size_t i = op.lanes; i-- > 0;) {
    const std::int64_t element = element_of_lane(op, i);
    if (element < 0) continue;
    last = std::max(last, offset_of(step, element));
    if (step.block_stride >= 0) break;
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

TileValues RegisterValues::load(const RegisterStep& step) const {
  const RegisterOperation& op = *step.operation;
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  for (std::size_t i = 0; i < op.lanes; ++i)
    decode(bytes_.data() + place_of(step, element_of_lane(op, i)), 1, to, i);
  return to;
}

TileValues RegisterValues::gather(const RegisterStep& step, const TileValues& index) const {
  const RegisterOperation& op = *step.operation;
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  for (std::size_t i = 0; i < op.lanes && i < index.columns; ++i)
    decode(bytes_.data() + place_of(step, index.integers[i]), 1, to, i);
  return to;
}

void RegisterValues::put(const TileValues& from, std::size_t lane, std::size_t at) {
  encode(from, lane, 1, bytes_.data() + at);
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(at), width_of(from.element), true);
}

void RegisterValues::store(const RegisterStep& step, const TileValues& from,
                           const TileValues* mask) {
  const RegisterOperation& op = *step.operation;
  const TileValues values =
      from.element == op.element || bits_of(from.element) == bits_of(op.element)
          ? from
          : converted(from, op.element, Rounding::kDefault, false);
  for (std::size_t i = 0; i < op.lanes && i < values.columns; ++i) {
    const std::int64_t element = element_of_lane(op, i);
    if (element >= 0 && is_on(mask, i)) put(values, i, place_of(step, element));
  }
}

void RegisterValues::scatter(const RegisterStep& step, const TileValues& from,
                             const TileValues& index, const TileValues* mask) {
  for (std::size_t i = 0; i < from.columns && i < index.columns; ++i)
    if (is_on(mask, i)) put(from, i, place_of(step, index.integers[i]));
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
  if (op.function == F::kStore) return store(step, source(0), mask);
  if (op.function == F::kScatter) return scatter(step, source(0), source(1), mask);
  TileValues result = op.function == F::kLoad     ? load(step)
                      : op.function == F::kGather ? gather(step, source(1))
                                                  : Lanes(step, registers).run();
  TileValues second;
  if (op.results[1] != kNoRegister) second = Lanes(step, registers).second();
  if (op.results[0] != kNoRegister) registers[op.results[0]] = std::move(result);
  if (op.results[1] != kNoRegister) registers[op.results[1]] = std::move(second);
}

}  // namespace tessera::cluster
