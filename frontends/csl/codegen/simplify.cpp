#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/division.h"
#include "frontends/csl/codegen/makers.h"
#include "frontends/csl/codegen/masks.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool is_arithmetic(Op op) {
  return op >= Op::kAdd && op <= Op::kPopcnt;
}
bool commutes(const Instruction& in) {
  const bool is_bitwise = in.op == Op::kAnd || in.op == Op::kOr || in.op == Op::kXor;
  return is_bitwise || in.op == Op::kAdd || in.op == Op::kMul;
}
bool is_number(const Value& v, std::uint32_t bits) {
  return v.is_constant() && v.number == bits;
}

class Simplifier {
 public:
  Simplifier(Function& function, pe::HalfFormat half)
      : f_(function), half_(half), makers_(function) {}

  void run() {
    rewrite_blocks(f_, makers_, [this](Instruction& in, std::vector<Instruction>& out) {
      out_ = &out;
      if (is_expanded(in)) return;
      simplify(in);
      put(std::move(in));
    });
  }

 private:
  /// What made a value; null if that is not known.
  const Instruction* maker(const Value& v) const { return makers_.of(v); }

  bool is_expanded(const Instruction& in) {
    const bool divides = in.op == Op::kDiv || in.op == Op::kRem;
    return divides && !is_float(in.type) && in.operands[1].is_constant() &&
           !in.operands[0].is_constant() && divide_by_constant(in, f_, *out_);
  }

  void simplify(Instruction& in) {
    if (is_arithmetic(in.op)) {
      if (fold(in)) return;
      if (commutes(in) && !in.operands[1].is_constant() && in.operands[0].is_constant())
        std::swap(in.operands[0], in.operands[1]);
      if (is_float(in.type)) return simplify_float(in);
      return simplify_integer(in);
    }
    if (in.op == Op::kConvert) return simplify_convert(in);
    if (in.op == Op::kCompare) return simplify_compare(in);
    if (in.op == Op::kSelect) return simplify_select(in);
    if (in.op == Op::kElement) return simplify_element(in);
    if (in.op == Op::kLoad || in.op == Op::kStore) return simplify_access(in);
  }

  /// Operands of what made a value are read as the new instruction takes them.
  void put(Instruction in) {
    read_as_taken(in);
    out_->push_back(std::move(in));
  }

  void become(Instruction& in, Op op, ShortList<Value, 3> operands) const {
    in.op = op;
    in.operands = std::move(operands);
    in.number = 0;
    in.offset = 0;
  }
  void become_copy(Instruction& in, const Value& v) const { become(in, Op::kCopy, {v}); }
  Value number(const Instruction& in, std::uint32_t bits) const { return constant(in.type, bits); }

  bool fold(Instruction& in) {
    for (const Value& v : in.operands) {
      if (!v.is_constant()) return false;
    }
    const bool divides = in.op == Op::kDiv || in.op == Op::kRem;
    if (divides && !is_float(in.type) && in.operands[1].number == 0) return false;
    std::array<std::uint32_t, 3> x{};
    for (std::size_t i = 0; i < in.operands.size(); ++i) x[i] = in.operands[i].number;
    become_copy(in, number(in, evaluated(in.op, in.type, x[0], x[1], x[2], half_)));
    return true;
  }

  /// A quotient by a power of two is the product with its reciprocal.
  void simplify_float(Instruction& in) {
    if (in.op != Op::kDiv || !in.operands[1].is_constant()) return;
    const std::uint32_t by = in.operands[1].number;
    const unsigned fraction = in.type == Type::kSingle        ? 23
                              : half_ == pe::HalfFormat::kF16 ? 10
                                                              : 0;
    if (fraction == 0 || (by & ((1U << fraction) - 1)) != 0) return;
    const std::uint32_t one = in.type == Type::kSingle ? 0x3F800000U : 0x3C00U;
    const std::uint32_t reciprocal = evaluated(Op::kDiv, in.type, one, by, 0, half_);
    const bool is_power = (reciprocal & ((1U << fraction) - 1)) == 0 &&
                          reciprocal >> fraction != 0 &&
                          evaluated(Op::kDiv, in.type, one, reciprocal, 0, half_) == by;
    if (is_power) become(in, Op::kMul, {in.operands[0], number(in, reciprocal)});
  }

  void simplify_integer(Instruction& in) {
    if (in.operands.size() != 2) return;
    if (in.type == Type::kBool && (in.op == Op::kAnd || in.op == Op::kOr) && join_range(in)) return;
    if (in.operands[0] == in.operands[1] && in.operands[0].is_register()) {
      if (in.op == Op::kAnd || in.op == Op::kOr) return become_copy(in, in.operands[0]);
      if (in.op == Op::kXor || in.op == Op::kSub) return become_copy(in, number(in, 0));
    }
    if (in.op == Op::kAdd && in.operands[0].is_address() && in.operands[1].is_constant()) {
      const Value& base = in.operands[0];
      const auto by = static_cast<std::int16_t>(in.operands[1].number);
      return become_copy(in, address_of(base.number, base.offset + by));
    }
    if (in.op == Op::kAdd && !in.operands[1].is_constant()) return move_constant_out(in);
    if (!in.operands[1].is_constant() || !in.operands[0].is_register()) return;
    const std::uint32_t b = in.operands[1].number;
    const Value x = in.operands[0];
    switch (in.op) {
    case Op::kSub:
      become(in, Op::kAdd, {x, number(in, 0U - b)});
      return simplify_integer(in);
    case Op::kAdd:
      if (b == 0) return become_copy(in, x);
      return join_constants(in);
    case Op::kOr:
    case Op::kXor:
      if (b == 0) return become_copy(in, x);
      return join_constants(in);
    case Op::kAnd:
      if (narrow_mask(in)) return;
      if (const Instruction* inner = maker(x); inner != nullptr && mask_is_idle(*inner, in))
        return become_copy(in, x);
      if (b == 0) return become_copy(in, number(in, 0));
      if (b == all_ones(in.type)) return become_copy(in, x);
      return join_constants(in);
    case Op::kShl:
    case Op::kShr:
      if (b == 0) return become_copy(in, x);
      if (const Instruction* inner = maker(x); inner != nullptr && mask_is_idle(in, *inner))
        in.operands[0] = inner->operands[0];
      if (in.op == Op::kShl) distribute(in);
      return;
    case Op::kMul:
      if (b == 0) return become_copy(in, number(in, 0));
      if (b == 1) return become_copy(in, x);
      if (const auto k = power_of_two(b)) become(in, Op::kShl, {x, number(in, *k)});
      return distribute(in);
    default:
      return;
    }
  }

  /// (x + 1) + 2, (x & 7) & 3.
  void join_constants(Instruction& in) {
    const Instruction* inner = maker(in.operands[0]);
    if (inner == nullptr || inner->op != in.op || is_wide(inner->type) != is_wide(in.type) ||
        !inner->operands[1].is_constant() || !inner->operands[0].is_register())
      return;
    const std::uint32_t both =
        evaluated(in.op, in.type, inner->operands[1].number, in.operands[1].number, 0, half_);
    in.operands = {inner->operands[0], number(in, both)};
    simplify_integer(in);
  }

  /// The low half of x >> k, of 32 bits and k from 1 to 15: what the shift of the upper half gives,
  /// which the published code has no instruction for, goes (row 4d of wse_timing_3.md C1).
  Value low_of_shift(const Instruction& shift, Place place) {
    Instruction in;
    in.op = Op::kLowShift;
    in.type = Type::kU16;
    in.number = shift.operands[1].number;
    in.results = {f_.new_register(Type::kU16), f_.new_register(Type::kU16)};
    in.operands = {shift.operands[0]};
    in.place = place;
    const Value low = reg(Type::kU16, in.results[0]);
    put(std::move(in));
    return low;
  }

  /// What (x >> k) & mask takes from the low half of 32 bits is made by 16-bit operations.
  bool narrow_mask(Instruction& in) {
    const Instruction* shift = maker(in.operands[0]);
    const std::uint32_t mask = in.operands[1].number;
    if (!is_wide(in.type) || shift == nullptr || shift->op != Op::kShr || !is_wide(shift->type) ||
        !shift->operands[1].is_constant() || !shift->operands[0].is_register())
      return false;
    const std::uint32_t by = shift->operands[1].number;
    if (by > 15 || mask >> 16 != 0) return false;
    const auto make = [&](Op op, std::vector<Value> operands) {
      Instruction made;
      made.op = op;
      made.type = Type::kU16;
      made.results = {f_.new_register(Type::kU16)};
      made.operands = std::move(operands);
      made.place = in.place;
      put(std::move(made));
      return reg(Type::kU16, out_->back().results[0]);
    };
    const Value shifted =
        by == 0 ? make(Op::kConvert, {shift->operands[0]}) : low_of_shift(*shift, in.place);
    become(in, Op::kConvert, {make(Op::kAnd, {shifted, constant(Type::kU16, mask)})});
    return true;
  }

  /// x + constant as the operand of a sum or product of the same width.
  const Instruction* sum_with_constant(const Instruction& in, const Value& v) const {
    const Instruction* sum = maker(v);
    const bool fits = sum != nullptr && sum->op == Op::kAdd && !is_float(sum->type) &&
                      is_wide(sum->type) == is_wide(in.type) && sum->operands[1].is_constant() &&
                      sum->operands[0].is_register();
    return fits ? sum : nullptr;
  }
  /// Puts `in` without the constant in front, and makes it that plus `by`.
  void split_sum(Instruction& in, ShortList<Value, 3> operands, std::uint32_t by) {
    Instruction first = in;
    first.operands = std::move(operands);
    first.results = {f_.new_register(in.type)};
    const Value part = reg(in.type, first.results[0]);
    put(std::move(first));
    become(in, Op::kAdd, {part, number(in, by)});
  }
  /// (x + 1) * 8 is x * 8 + 8, so that constants meet in the end.
  void distribute(Instruction& in) {
    if (in.keeps_index) return;
    const Instruction* sum = sum_with_constant(in, in.operands[0]);
    if (sum == nullptr) return;
    const Value factor = in.operands[1];
    split_sum(in, {sum->operands[0], factor},
              evaluated(in.op, in.type, sum->operands[1].number, factor.number, 0, half_));
  }
  /// (x + 1) + y is (x + y) + 1.
  void move_constant_out(Instruction& in) {
    for (unsigned i = 0; i < 2; ++i) {
      const Instruction* sum = sum_with_constant(in, in.operands[i]);
      if (sum == nullptr) continue;
      return split_sum(in, {sum->operands[0], in.operands[1 - i]}, sum->operands[1].number);
    }
  }

  /// The numbers that satisfy a compare of an integer with a constant.
  struct Range {
    Value of;
    Type type = Type::kI16;
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  /// `inverted`: those that do not.
  std::optional<Range> range_of(const Value& v, bool inverted) const {
    const Instruction* made = maker(v);
    if (made == nullptr || made->op != Op::kCompare || is_float(made->type) ||
        made->type == Type::kBool || made->type == Type::kAddress ||
        !made->operands[1].is_constant() || !made->operands[0].is_register())
      return std::nullopt;
    const auto [least, most] = limits_of(made->type);
    const std::int64_t c = integer_of(made->type, made->operands[1].number);
    Range range{made->operands[0], made->type, least, most};
    const Condition condition = inverted ? opposite(made->condition) : made->condition;
    if (condition == Condition::kLt) range.high = c - 1;
    if (condition == Condition::kLe) range.high = c;
    if (condition == Condition::kGt) range.low = c + 1;
    if (condition == Condition::kGe) range.low = c;
    if (condition == Condition::kNe || condition == Condition::kEq) return std::nullopt;
    return range;
  }

  /// `x > a and x < b` is one compare without sign, and so is `x < a or x > b`.
  bool join_range(Instruction& in) {
    const bool is_or = in.op == Op::kOr;
    const auto a = range_of(in.operands[0], is_or), b = range_of(in.operands[1], is_or);
    if (!a || !b || !(a->of == b->of) || a->type != b->type) return false;
    const auto [least, most] = limits_of(a->type);
    const std::int64_t low = std::max(a->low, b->low), high = std::min(a->high, b->high);
    if (low > high || low == least || high == most) return false;
    const Type type = is_wide(a->type) ? Type::kU32 : Type::kU16;
    Instruction distance;
    distance.op = Op::kAdd;
    distance.type = type;
    distance.results = {f_.new_register(type)};
    distance.operands = {a->of, constant(type, static_cast<std::uint32_t>(-low))};
    distance.place = in.place;
    const Value from_low = reg(type, distance.results[0]);
    put(std::move(distance));
    const auto length = static_cast<std::uint32_t>(high - low);
    become(in, Op::kCompare, {from_low, constant(type, is_or ? length : length + 1)});
    in.type = type;
    in.condition = is_or ? Condition::kGt : Condition::kLt;
    return true;
  }

  void simplify_compare(Instruction& in) {
    const Value &a = in.operands[0], &b = in.operands[1];
    if (a.is_constant() && b.is_constant()) {
      const bool yes = holds(in.condition, in.type, a.number, b.number, half_);
      in.type = Type::kBool;
      return become_copy(in, constant(Type::kBool, yes ? 1 : 0));
    }
    if (in.type != Type::kBool || !is_number(b, 0)) return;
    if (in.condition == Condition::kNe) return become_copy(in, a);
    const Instruction* made = maker(a);
    if (in.condition != Condition::kEq || made == nullptr || made->op != Op::kCompare) return;
    const bool is_exact = !is_float(made->type) || made->condition == Condition::kEq ||
                          made->condition == Condition::kNe;
    if (!is_exact) return;
    in.condition = opposite(made->condition);
    in.type = made->type;
    in.operands = made->operands;
  }

  /// What a bool is where `condition` is `truth`; as it is if that does not tell.
  Value implied(const Value& v, const Value& condition, bool truth) const {
    if (v == condition) return constant(Type::kBool, truth ? 1 : 0);
    const Instruction *a = maker(v), *b = maker(condition);
    const bool same = a != nullptr && b != nullptr && a->op == Op::kCompare &&
                      b->op == Op::kCompare && a->type == b->type && a->operands == b->operands;
    if (!same) return v;
    if (a->condition == b->condition) return constant(Type::kBool, truth ? 1 : 0);
    if (is_float(a->type) || a->condition != opposite(b->condition)) return v;
    return constant(Type::kBool, truth ? 0 : 1);
  }
  /// The bool that is not `v`, if that costs nothing.
  std::optional<Value> inverse(const Value& v, Place place) {
    const Instruction* made = maker(v);
    if (made == nullptr || made->op != Op::kCompare || is_float(made->type)) return std::nullopt;
    Instruction compare = *made;
    compare.condition = opposite(made->condition);
    compare.results = {f_.new_register(Type::kBool)};
    compare.place = place;
    put(compare);
    return reg(Type::kBool, compare.results[0]);
  }

  void simplify_select(Instruction& in) {
    const Instruction* test = maker(in.operands[0]);
    if (test != nullptr && test->op == Op::kCompare && test->type == Type::kBool &&
        test->condition == Condition::kEq && is_number(test->operands[1], 0) &&
        test->operands[0].is_register()) {
      in.operands = {test->operands[0], in.operands[2], in.operands[1]};
    }
    if (in.type == Type::kBool) {
      in.operands[1] = implied(in.operands[1], in.operands[0], true);
      in.operands[2] = implied(in.operands[2], in.operands[0], false);
    }
    const Value c = in.operands[0], yes = in.operands[1], no = in.operands[2];
    if (c.is_constant()) return become_copy(in, c.number != 0 ? yes : no);
    if (yes == no) return become_copy(in, yes);
    if (!is_wide(in.type) && !is_float(in.type) && is_number(yes, 1) && is_number(no, 0))
      return become_copy(in, c);
    if (in.type != Type::kBool) return;
    if (is_number(no, 0)) return become(in, Op::kAnd, {c, yes});
    if (is_number(yes, 1)) return become(in, Op::kOr, {c, no});
    if (is_number(yes, 0) && !no.is_constant()) {
      if (const auto other = inverse(c, in.place)) return become(in, Op::kAnd, {*other, no});
    }
    if (is_number(no, 1) && !yes.is_constant()) {
      if (const auto other = inverse(c, in.place)) return become(in, Op::kOr, {*other, yes});
    }
    if (is_number(yes, 0) && is_number(no, 1)) {
      become(in, Op::kCompare, {c, constant(Type::kBool, 0)});
      in.condition = Condition::kEq;
      return simplify_compare(in);
    }
  }

  void simplify_convert(Instruction& in) {
    const Value& v = in.operands[0];
    const Type from = v.type;
    if (v.is_constant() && !is_float(from) && !is_float(in.type)) {
      const std::int64_t n = integer_of(from, v.number);
      const std::uint32_t bits =
          in.type == Type::kBool ? (n != 0 ? 1U : 0U) : static_cast<std::uint32_t>(n);
      return become_copy(in, number(in, bits));
    }
    const Instruction* made = maker(v);
    const bool cuts = !is_float(in.type) && in.type != Type::kBool && !is_wide(in.type) &&
                      !is_float(from) && is_wide(from);
    if (!cuts || made == nullptr) return;
    if (made->op == Op::kAnd && made->operands[1].is_constant() &&
        (made->operands[1].number & 0xFFFFU) == 0xFFFFU && made->operands[0].is_register()) {
      in.operands = {made->operands[0]};
      return simplify_convert(in);
    }
    if (made->op == Op::kCopy && made->operands[0].is_register() &&
        !is_float(made->operands[0].type)) {
      in.operands = {made->operands[0]};
      return simplify_convert(in);
    }
    if (made->op == Op::kShr && made->operands[1].is_constant() && made->operands[1].number >= 16 &&
        made->operands[1].number < 32 && made->operands[0].is_register())
      return take_high_word(in, *made);
    const bool shifts = made->op == Op::kShr && made->operands[1].is_constant() &&
                        made->operands[1].number > 0 && made->operands[1].number < 16 &&
                        made->operands[0].is_register() && makers_.is_read_once(v);
    if (shifts) return become_copy(in, low_of_shift(*made, in.place));
    const bool widened = made->op == Op::kConvert && made->operands[0].is_register() &&
                         !is_float(made->operands[0].type) && !is_wide(made->operands[0].type);
    if (widened) return become_copy(in, made->operands[0]);
    if (makers_.is_read_once(v)) narrow(in, *made);
  }

  /// The low half of a sum or product of 32 bits that nothing else reads has 16 bits, as in LLVM (wse_timing_3.md C14).
  void narrow(Instruction& in, const Instruction& wide) {
    if (!is_wide(wide.type) || is_float(wide.type) || !works_on_low_words(wide)) return;
    Instruction made = wide;  // `wide` may move when instructions are added
    for (Value& v : made.operands) v = low_half(v, in);
    become(in, made.op, std::move(made.operands));
    simplify(in);
  }
  Value low_half(const Value& v, const Instruction& of) {
    if (v.is_constant()) return constant(of.type, v.number & 0xFFFFU);
    Instruction half = of;
    half.operands = {v};
    half.results = {f_.new_register(of.type)};
    simplify_convert(half);
    put(std::move(half));
    return reg(of.type, out_->back().results[0]);
  }

  /// The low half of `in`, shifted by 16 or more, is its upper half, shifted by the rest.
  void take_high_word(Instruction& in, const Instruction& shift) {
    Instruction high;
    high.op = Op::kHighWord;
    high.type = is_signed(shift.type) ? Type::kI16 : Type::kU16;
    high.results = {f_.new_register(high.type)};
    high.operands = {shift.operands[0]};
    high.place = in.place;
    const Value word = reg(high.type, high.results[0]);
    put(high);
    const Value by = constant(high.type, shift.operands[1].number - 16);
    if (by.number == 0) return become_copy(in, word);
    Instruction rest = high;
    rest.op = Op::kShr;
    rest.results = {f_.new_register(high.type)};
    rest.operands = {word, by};
    put(rest);
    become_copy(in, reg(high.type, rest.results[0]));
  }

  void simplify_element(Instruction& in) {
    Value& base = in.operands[0];
    Value& index = in.operands[1];
    const Instruction* sum = maker(index);
    // All of this is modulo 2^16, as the sum of the index is.
    if (!in.keeps_index && sum != nullptr && sum->op == Op::kAdd && !is_wide(sum->type) &&
        sum->operands[1].is_constant() && sum->operands[0].is_register() &&
        !is_float(sum->operands[0].type)) {
      const auto by = static_cast<std::int16_t>(sum->operands[1].number);
      in.offset = static_cast<std::int16_t>(in.offset + by * static_cast<std::int32_t>(in.number));
      index = sum->operands[0];
    }
    if (!index.is_constant()) return;
    const std::int64_t distance =
        in.offset + integer_of(index.type, index.number) * std::int64_t{in.number};
    const auto by = static_cast<std::int16_t>(distance);
    if (base.is_address()) return become_copy(in, address_of(base.number, base.offset + by));
    if (by == 0) return become_copy(in, base);
    become(in, Op::kAdd, {base, constant(Type::kAddress, static_cast<std::uint32_t>(by))});
  }

  /// Loads and stores take constant distances into their offset.
  void simplify_access(Instruction& in) {
    const Instruction* made = maker(in.operands[0]);
    if (made == nullptr || is_wide(made->type)) return;
    if (made->op == Op::kCopy && made->operands[0].is_address()) {
      in.operands[0] = made->operands[0];
      return;
    }
    if (made->op != Op::kAdd || !made->operands[1].is_constant() ||
        !made->operands[0].is_register())
      return;
    // The machine adds the offset without wrapping around; stay where it has 16 bits and a sign.
    const std::int32_t offset = in.offset + static_cast<std::int16_t>(made->operands[1].number);
    if (offset < -0x8000 || offset > 0x7FFF || made->operands[0].type != Type::kAddress) return;
    in.operands[0] = made->operands[0];
    in.offset = offset;
  }

  Function& f_;
  const pe::HalfFormat half_;
  Makers makers_;
  std::vector<Instruction>* out_ = nullptr;
};

}  // namespace

void simplify(Function& function, pe::HalfFormat half) {
  Simplifier(function, half).run();
}

}  // namespace tessera::csl::codegen
