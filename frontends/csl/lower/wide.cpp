#include "frontends/csl/lower/wide.h"

#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {
namespace {

using ir::Condition, ir::Op;

constexpr std::int32_t kHigh = 4;  // bytes from the low word to the high one
constexpr unsigned kWordBits = 32;

ir::Builder& word_builder(Evaluator& evaluator) {
  return code_of(evaluator).builder;
}

ir::Value word(std::uint32_t bits) {
  return ir::constant(ir::Type::kU32, bits);
}

ir::Value as_word(ir::Builder& builder, const ir::Value& value) {
  if (value.type == ir::Type::kU32) return value;
  return ir::is_wide(value.type) ? builder.copy(ir::Type::kU32, value)
                                 : builder.convert(ir::Type::kU32, value);
}

/// 0 or 1.
ir::Value flag_word(ir::Builder& builder, const ir::Value& flag) {
  return builder.select(flag, word(1), word(0));
}

/// All bits of the sign.
ir::Value sign_word(ir::Builder& builder, const ir::Value& value) {
  const ir::Value is_signed = builder.copy(ir::Type::kI32, value);
  const ir::Value all =
      builder.binary(Op::kShr, is_signed, ir::constant(ir::Type::kI32, kWordBits - 1));
  return builder.copy(ir::Type::kU32, all);
}

/// The value in the bits of a type of less than 64.
ir::Value wrapped_high(ir::Builder& builder, const Type& type, const ir::Value& high) {
  if (type.bits == kWidestInteger) return high;
  const ir::Value unused = word(kWidestInteger - type.bits);
  const ir::Value shifted = builder.binary(Op::kShl, high, unused);
  if (!type.is_signed) return builder.binary(Op::kShr, shifted, unused);
  const ir::Value back = builder.binary(Op::kShr, builder.copy(ir::Type::kI32, shifted),
                                        ir::constant(ir::Type::kI32, kWidestInteger - type.bits));
  return builder.copy(ir::Type::kU32, back);
}

Result made(Evaluator& evaluator, const Type* type, const ir::Value& low, const ir::Value& high) {
  const Type* u32 = evaluator.engine().types.word("u32");
  auto parts = std::make_shared<std::vector<Result>>();
  parts->push_back(operand_of(u32, low));
  parts->push_back(operand_of(u32, wrapped_high(word_builder(evaluator), *type, high)));
  return {type, RunTimeOperand{"a value", Parts(std::move(parts))}};
}

/// Whether a < b, of 64 bits.
ir::Value is_less(ir::Builder& builder, bool is_signed, std::pair<ir::Value, ir::Value> a,
                  std::pair<ir::Value, ir::Value> b) {
  const auto top = [&](const ir::Value& high) {
    return is_signed ? builder.copy(ir::Type::kI32, high) : high;
  };
  const ir::Value above = builder.compare(Condition::kLt, top(a.second), top(b.second));
  const ir::Value below = builder.compare(Condition::kLt, a.first, b.first);
  const ir::Value same = builder.compare(Condition::kEq, a.second, b.second);
  return builder.select(same, below, above);
}

ir::Value is_equal(ir::Builder& builder, const std::pair<ir::Value, ir::Value>& a,
                   const std::pair<ir::Value, ir::Value>& b) {
  const ir::Value differ = builder.binary(Op::kOr, builder.binary(Op::kXor, a.first, b.first),
                                          builder.binary(Op::kXor, a.second, b.second));
  return builder.compare(Condition::kEq, differ, word(0));
}

std::pair<ir::Value, ir::Value> difference(ir::Builder& builder,
                                           const std::pair<ir::Value, ir::Value>& a,
                                           const std::pair<ir::Value, ir::Value>& b) {
  const ir::Value borrow = flag_word(builder, builder.compare(Condition::kLt, a.first, b.first));
  return {builder.binary(Op::kSub, a.first, b.first),
          builder.binary(Op::kSub, builder.binary(Op::kSub, a.second, b.second), borrow)};
}

/// The low 64 bits of a product, from the products of halves of words.
std::pair<ir::Value, ir::Value> product(ir::Builder& builder,
                                        const std::pair<ir::Value, ir::Value>& a,
                                        const std::pair<ir::Value, ir::Value>& b) {
  const auto low_half = [&](const ir::Value& v) {
    return builder.binary(Op::kAnd, v, word(0xffff));
  };
  const auto high_half = [&](const ir::Value& v) { return builder.binary(Op::kShr, v, word(16)); };
  const auto times = [&](const ir::Value& x, const ir::Value& y) {
    return builder.binary(Op::kMul, x, y);
  };
  const auto plus = [&](const ir::Value& x, const ir::Value& y) {
    return builder.binary(Op::kAdd, x, y);
  };
  const ir::Value a0 = low_half(a.first), a1 = high_half(a.first);
  const ir::Value b0 = low_half(b.first), b1 = high_half(b.first);
  const ir::Value inner = plus(times(a1, b0), high_half(times(a0, b0)));
  const ir::Value cross = plus(times(a0, b1), low_half(inner));
  const ir::Value above = plus(plus(times(a1, b1), high_half(inner)), high_half(cross));
  return {times(a.first, b.first),
          plus(plus(above, times(a.first, b.second)), times(a.second, b.first))};
}

using Words = std::pair<ir::Value, ir::Value>;

/// A register that begins as a value and changes in a loop.
ir::Value changing(ir::Builder& builder, const ir::Value& value) {
  const ir::Value made = ir::reg(ir::Type::kU32, builder.new_register(ir::Type::kU32));
  builder.assign(made, value);
  return made;
}

ir::Value bit_above(ir::Builder& builder, const ir::Value& high, const ir::Value& low) {
  return builder.binary(Op::kOr, builder.binary(Op::kShl, high, word(1)),
                        builder.binary(Op::kShr, low, word(kWordBits - 1)));
}

/// Ends the run as a division by zero of one word does, by dividing `word` where `divisor` is zero.
void stop_at_zero(ir::Builder& builder, const ir::Value& divisor, const ir::Value& word_of_number) {
  const ir::BlockId stop = builder.new_block(), go_on = builder.new_block();
  builder.branch(Condition::kEq, divisor, word(0), stop, go_on);
  builder.enter(stop);
  builder.assign(word_of_number, builder.binary(Op::kDiv, word_of_number, divisor));
  builder.jump(go_on);
  builder.enter(go_on);
}

/// Quotient and rest of numbers without a sign, bit by bit.
std::pair<Words, Words> divided(ir::Builder& builder, const Words& number, const Words& by) {
  const ir::Value low = changing(builder, number.first), high = changing(builder, number.second);
  stop_at_zero(builder, builder.binary(Op::kOr, by.first, by.second), low);
  const ir::Value rest_low = changing(builder, word(0)), rest_high = changing(builder, word(0));
  const ir::Value count = changing(builder, word(kWidestInteger));
  const ir::BlockId step = builder.new_block(), end = builder.new_block();
  builder.jump(step);
  builder.enter(step);
  const ir::Value lost = builder.binary(Op::kShr, rest_high, word(kWordBits - 1));
  const Words rest = {bit_above(builder, rest_low, high), bit_above(builder, rest_high, rest_low)};
  const ir::Value is_below = flag_word(builder, is_less(builder, false, rest, by));
  const ir::Value bit = builder.binary(Op::kOr, lost, builder.binary(Op::kXor, is_below, word(1)));
  const ir::Value fits = builder.compare(Condition::kNe, bit, word(0));
  const Words less = difference(builder, rest, by);
  builder.assign(high, bit_above(builder, high, low));
  builder.assign(low, builder.binary(Op::kOr, builder.binary(Op::kShl, low, word(1)), bit));
  builder.assign(rest_low, builder.select(fits, less.first, rest.first));
  builder.assign(rest_high, builder.select(fits, less.second, rest.second));
  builder.assign(count, builder.binary(Op::kSub, count, word(1)));
  builder.branch(Condition::kNe, count, word(0), step, end);
  builder.enter(end);
  return {{low, high}, {rest_low, rest_high}};
}

/// The number, negated if all bits of `sign` are set.
Words with_sign(ir::Builder& builder, const Words& words, const ir::Value& sign) {
  return difference(
      builder,
      {builder.binary(Op::kXor, words.first, sign), builder.binary(Op::kXor, words.second, sign)},
      {sign, sign});
}

/// `/` and `%`, rounded toward zero.
Words division(ir::Builder& builder, bool is_signed, bool wants_rest, Words a, Words b) {
  if (!is_signed) {
    const auto [quotient, rest] = divided(builder, a, b);
    return wants_rest ? rest : quotient;
  }
  const ir::Value a_sign = sign_word(builder, a.second), b_sign = sign_word(builder, b.second);
  const auto [quotient, rest] =
      divided(builder, with_sign(builder, a, a_sign), with_sign(builder, b, b_sign));
  return wants_rest ? with_sign(builder, rest, a_sign)
                    : with_sign(builder, quotient, builder.binary(Op::kXor, a_sign, b_sign));
}

/// Zeros above the highest bit that is set.
ir::Value leading_zeros(ir::Builder& builder, const ir::Value& value) {
  const ir::Value high = builder.convert(ir::Type::kU16, builder.binary(Op::kShr, value, word(16)));
  const ir::Value low = builder.convert(ir::Type::kU16, value);
  const ir::Value half = ir::constant(ir::Type::kU16, 16);
  const ir::Value below = builder.binary(Op::kAdd, builder.unary(Op::kClz, low), half);
  const ir::Value is_below = builder.compare(Condition::kEq, high, ir::constant(ir::Type::kU16, 0));
  return builder.convert(ir::Type::kU32,
                         builder.select(is_below, below, builder.unary(Op::kClz, high)));
}

ir::Value either(ir::Builder& builder, const ir::Value& a, const ir::Value& b) {
  return builder.binary(Op::kOr, a, b);
}

/// Shifted by an amount of the running program, up to any number: shifts by 32 and more leave nothing of a word.
Words shifted_left(ir::Builder& builder, const Words& words, const ir::Value& by) {
  const ir::Value rest = builder.binary(Op::kSub, word(kWordBits), by);
  const ir::Value beyond = builder.binary(Op::kSub, by, word(kWordBits));
  const ir::Value moved = either(builder, builder.binary(Op::kShr, words.first, rest),
                                 builder.binary(Op::kShl, words.first, beyond));
  return {builder.binary(Op::kShl, words.first, by),
          either(builder, builder.binary(Op::kShl, words.second, by), moved)};
}

Words shifted_right(ir::Builder& builder, const Words& words, const ir::Value& by, bool is_signed) {
  const ir::Value rest = builder.binary(Op::kSub, word(kWordBits), by);
  const ir::Value beyond = builder.binary(Op::kSub, by, word(kWordBits));
  const ir::Value near = either(builder, builder.binary(Op::kShr, words.first, by),
                                builder.binary(Op::kShl, words.second, rest));
  if (!is_signed)
    return {either(builder, near, builder.binary(Op::kShr, words.second, beyond)),
            builder.binary(Op::kShr, words.second, by)};
  const ir::Value high = builder.copy(ir::Type::kI32, words.second);
  const ir::Value far = builder.copy(ir::Type::kU32, builder.binary(Op::kShr, high, beyond));
  const ir::Value is_near = builder.compare(Condition::kLt, by, word(kWordBits));
  return {builder.select(is_near, near, far),
          builder.copy(ir::Type::kU32, builder.binary(Op::kShr, high, by))};
}

/// The number as a float of `type`, rounded once. Its highest bits are moved to the top; what lies below the bits that a
/// conversion takes is one bit that says whether anything does.
ir::Value float_of(ir::Builder& builder, Words words, bool is_signed, const Type& type) {
  const ir::Value sign = sign_word(builder, words.second);
  if (is_signed) words = with_sign(builder, words, sign);
  const ir::Value has_high = builder.compare(Condition::kNe, words.second, word(0));
  const ir::Value zeros = builder.binary(
      Op::kAdd, leading_zeros(builder, builder.select(has_high, words.second, words.first)),
      builder.select(has_high, word(0), word(kWordBits)));
  const Words top = shifted_left(builder, words, zeros);
  const auto rest_bit = [&](const ir::Value& rest) {
    return flag_word(builder, builder.compare(Condition::kNe, rest, word(0)));
  };
  // Formats of 16 bits take all of 17 bits from f32 to theirs at once.
  const bool is_half = type.bits == 16;
  const unsigned dropped = is_half ? 16 : 0;
  const ir::Value kept =
      is_half ? either(builder, builder.binary(Op::kShr, top.second, word(dropped)),
                       rest_bit(either(builder, builder.binary(Op::kShl, top.second, word(dropped)),
                                       top.first)))
              : either(builder, top.second, rest_bit(top.first));
  const ir::Value exponent = builder.binary(Op::kSub, word(kWordBits + dropped), zeros);
  const ir::Value magnitude =
      builder.binary(Op::kScale, builder.convert(ir::Type::kSingle, kept),
                     builder.copy(ir::Type::kI16, builder.convert(ir::Type::kU16, exponent)));
  if (!is_signed) return magnitude;
  const ir::Value one =
      builder.binary(Op::kOr, builder.copy(ir::Type::kI32, sign), ir::constant(ir::Type::kI32, 1));
  return builder.binary(Op::kMul, magnitude, builder.convert(ir::Type::kSingle, one));
}

/// The float, toward zero and saturated; no number is 0. The significand begins at the top of the words.
Words integer_of(ir::Builder& builder, const ir::Value& single, bool is_signed) {
  constexpr std::uint32_t kOfTop = 127 + 63, kOfNoNumber = 255U << 23;  // exponents
  const ir::Value bits = builder.copy(ir::Type::kU32, single);
  const ir::Value sign = sign_word(builder, bits);
  const ir::Value without_sign = builder.binary(Op::kAnd, bits, word(0x7fffffff));
  const ir::Value exponent = builder.binary(Op::kShr, without_sign, word(23));
  const ir::Value significand =
      either(builder, builder.binary(Op::kShl, bits, word(8)), word(1U << 31));
  const Words magnitude = shifted_right(builder, {word(0), significand},
                                        builder.binary(Op::kSub, word(kOfTop), exponent), false);
  const ir::Value is_large =
      builder.compare(Condition::kGe, exponent, word(kOfTop + (is_signed ? 0 : 1)));
  const Words limit = {word(0xffffffff), word(is_signed ? 0x7fffffff : 0xffffffff)};
  // Without a sign what is negative is 0, else the least number has all bits of the greatest one inverted.
  const auto ended = [&](const ir::Value& near, const ir::Value& far) {
    const ir::Value chosen =
        builder.select(is_large, is_signed ? builder.binary(Op::kXor, far, sign) : far, near);
    if (is_signed) return chosen;
    return builder.binary(Op::kAnd, chosen, builder.binary(Op::kXor, sign, word(0xffffffff)));
  };
  const Words near = is_signed ? with_sign(builder, magnitude, sign) : magnitude;
  const Words made = {ended(near.first, limit.first), ended(near.second, limit.second)};
  const ir::Value is_number = builder.compare(Condition::kLe, without_sign, word(kOfNoNumber));
  return {builder.select(is_number, made.first, word(0)),
          builder.select(is_number, made.second, word(0))};
}

std::optional<Condition> order_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::kLess:
    return Condition::kLt;
  case BinaryOp::kGreater:
    return Condition::kGt;
  case BinaryOp::kLessOrEqual:
    return Condition::kLe;
  case BinaryOp::kGreaterOrEqual:
    return Condition::kGe;
  default:
    return std::nullopt;
  }
}

Op bitwise(BinaryOp op) {
  return op == BinaryOp::kBitAnd ? Op::kAnd : op == BinaryOp::kBitOr ? Op::kOr : Op::kXor;
}

}  // namespace

std::pair<ir::Value, ir::Value> words_of(Evaluator& evaluator, const Result& value,
                                         const Node& at) {
  ir::Builder& builder = word_builder(evaluator);
  if (!is_wide_integer(*value.type) && !value.type->is(TypeKind::kComptimeInt)) {
    const ir::Value low = scalar(evaluator, value, at);
    const ir::Value wide = as_word(builder, low);
    return {wide, ir::is_signed(low.type) ? sign_word(builder, wide) : word(0)};
  }
  if (value.is_known()) {
    BigInt bits = value.value().is_undefined() ? BigInt(0) : value.value().integer();
    if (bits < 0) bits += BigInt(1) << kWidestInteger;
    return {word(static_cast<std::uint32_t>(bits & 0xffffffffU)),
            word(static_cast<std::uint32_t>(bits >> kWordBits & 0xffffffffU))};
  }
  const auto& operand = std::get<RunTimeOperand>(value.operand);
  if (const auto* storage = std::get_if<Storage>(&operand.place))
    return {builder.load(ir::Type::kU32, storage->address, storage->offset),
            builder.load(ir::Type::kU32, storage->address, storage->offset + kHigh)};
  const auto* parts = std::get_if<Parts>(&operand.place);
  if (parts == nullptr) evaluator.engine().known(value, at);
  return {scalar(evaluator, (**parts)[0], at), scalar(evaluator, (**parts)[1], at)};
}

void store_wide(Evaluator& evaluator, const Storage& storage, const Result& value, const Node& at) {
  const auto [low, high] = words_of(evaluator, value, at);
  ir::Builder& builder = word_builder(evaluator);
  builder.store(storage.address, low, storage.offset);
  builder.store(storage.address, high, storage.offset + kHigh);
}

Result wide_cast(Evaluator& evaluator, const Result& from, const Type* to, const Node& at) {
  ir::Builder& builder = word_builder(evaluator);
  if (from.type->is(TypeKind::kFloat)) {  // to what is wide: other conversions are instructions
    const Type* f32 = evaluator.engine().types.word("f32");
    const ir::Value single = scalar(evaluator, cast_operand(evaluator, from, f32, at), at);
    const Words words = integer_of(builder, single, to->is_signed);
    return made(evaluator, to, words.first, words.second);
  }
  const bool from_plain = from.type->is(TypeKind::kInteger) || from.type->is(TypeKind::kBool) ||
                          from.type->is(TypeKind::kEnum);
  if (!from_plain)
    evaluator.engine().fail(Id::kConversion, at, "a value of type ", in_quotes(from.type->name),
                            " is converted to ", in_quotes(to->name),
                            " while the program runs; only numbers are");
  const auto words = words_of(evaluator, from, at);
  if (is_wide_integer(*to)) return made(evaluator, to, words.first, words.second);
  if (to->is(TypeKind::kFloat)) {
    const ir::Value number = float_of(builder, words, from.type->is_signed, *to);
    const Result single = operand_of(evaluator.engine().types.word("f32"), number);
    return to->bits == 32 ? Result{to, single.operand} : cast_operand(evaluator, single, to, at);
  }
  if (to->is(TypeKind::kBool))
    return operand_of(to,
                      builder.compare(Condition::kNe,
                                      builder.binary(Op::kOr, words.first, words.second), word(0)));
  const Result low = operand_of(evaluator.engine().types.word("u32"), words.first);
  return cast_operand(evaluator, low, to, at);
}

Result wide_binary(Evaluator& evaluator, BinaryOp op, const Type* type, const Result& left,
                   const Result& right, const Node& at) {
  ir::Builder& builder = word_builder(evaluator);
  const auto a = words_of(evaluator, left, at), b = words_of(evaluator, right, at);
  const auto boolean = [&](const ir::Value& value) {
    return operand_of(evaluator.engine().types.bool_type, value);
  };
  const auto opposite = [&](const ir::Value& value) {
    return builder.compare(Condition::kEq, value, ir::constant(ir::Type::kBool, 0));
  };
  if (op == BinaryOp::kEqual) return boolean(is_equal(builder, a, b));
  if (op == BinaryOp::kNotEqual) return boolean(opposite(is_equal(builder, a, b)));
  if (const std::optional<Condition> order = order_of(op)) {
    const bool is_swapped = *order == Condition::kGt || *order == Condition::kLe;
    const ir::Value less = is_swapped ? is_less(builder, type->is_signed, b, a)
                                      : is_less(builder, type->is_signed, a, b);
    const bool is_strict = *order == Condition::kLt || *order == Condition::kGt;
    return boolean(is_strict ? less : opposite(less));
  }
  switch (op) {
  case BinaryOp::kAdd: {
    const ir::Value low = builder.binary(Op::kAdd, a.first, b.first);
    const ir::Value carry = flag_word(builder, builder.compare(Condition::kLt, low, a.first));
    return made(evaluator, type, low,
                builder.binary(Op::kAdd, builder.binary(Op::kAdd, a.second, b.second), carry));
  }
  case BinaryOp::kSubtract: {
    const auto result = difference(builder, a, b);
    return made(evaluator, type, result.first, result.second);
  }
  case BinaryOp::kMultiply: {
    const auto result = product(builder, a, b);
    return made(evaluator, type, result.first, result.second);
  }
  case BinaryOp::kBitAnd:
  case BinaryOp::kBitOr:
  case BinaryOp::kBitXor:
    return made(evaluator, type, builder.binary(bitwise(op), a.first, b.first),
                builder.binary(bitwise(op), a.second, b.second));
  case BinaryOp::kDivide:
  case BinaryOp::kRemainder: {
    const auto result = division(builder, type->is_signed, op == BinaryOp::kRemainder, a, b);
    return made(evaluator, type, result.first, result.second);
  }
  default:
    evaluator.engine().fail(Id::kOperands, at, in_quotes(spelling(op).text),
                            " does not take operands of type ", in_quotes(type->name));
  }
}

namespace {

Result live_shift(Evaluator& evaluator, bool is_left, const Result& value, const Result& amount,
                  const Node& at) {
  ir::Builder& builder = word_builder(evaluator);
  const Words words = words_of(evaluator, value, at);
  const ir::Value by = words_of(evaluator, amount, at).first;
  const Words moved = is_left ? shifted_left(builder, words, by)
                              : shifted_right(builder, words, by, value.type->is_signed);
  return made(evaluator, value.type, moved.first, moved.second);
}

}  // namespace

Result wide_shift(Evaluator& evaluator, BinaryOp op, const Result& value, const Result& amount,
                  const Node& at) {
  if (!amount.is_known())
    return live_shift(evaluator, op == BinaryOp::kShiftLeft, value, amount, at);
  ir::Builder& builder = word_builder(evaluator);
  const auto words = words_of(evaluator, value, at);
  const auto n = static_cast<unsigned>(
      std::min<std::int64_t>(static_cast<std::int64_t>(amount.value().integer()), kWidestInteger));
  const bool is_left = op == BinaryOp::kShiftLeft;
  const bool is_signed = value.type->is_signed && !is_left;
  // `near` is the word that the bits leave last.
  const ir::Value near = is_left ? words.second : words.first;
  const ir::Value far = is_left ? words.first : words.second;
  const auto shift = [&](const ir::Value& v, unsigned by, bool arithmetic) {
    if (by == 0) return v;
    if (!arithmetic) return builder.binary(is_left ? Op::kShl : Op::kShr, v, word(by));
    const ir::Value shifted =
        builder.binary(Op::kShr, builder.copy(ir::Type::kI32, v), ir::constant(ir::Type::kI32, by));
    return builder.copy(ir::Type::kU32, shifted);
  };
  const ir::Value fill = is_signed ? sign_word(builder, words.second) : word(0);
  ir::Value new_near = near, new_far = far;
  if (n >= kWidestInteger) {
    new_near = new_far = fill;
  } else if (n >= kWordBits) {
    new_near = shift(far, n - kWordBits, is_signed);
    new_far = fill;
  } else if (n > 0) {
    const ir::Value moved = builder.binary(is_left ? Op::kShr : Op::kShl, far, word(kWordBits - n));
    new_near = builder.binary(Op::kOr, shift(near, n, false), moved);
    new_far = shift(far, n, is_signed);
  }
  return is_left ? made(evaluator, value.type, new_far, new_near)
                 : made(evaluator, value.type, new_near, new_far);
}

Result wide_unary(Evaluator& evaluator, UnaryOp op, const Result& value, const Node& at) {
  ir::Builder& builder = word_builder(evaluator);
  const auto words = words_of(evaluator, value, at);
  if (op == UnaryOp::kNegate) {
    const auto result = difference(builder, {word(0), word(0)}, words);
    return made(evaluator, value.type, result.first, result.second);
  }
  if (op == UnaryOp::kBitNot)
    return made(evaluator, value.type, builder.binary(Op::kXor, words.first, word(~0U)),
                builder.binary(Op::kXor, words.second, word(~0U)));
  evaluator.engine().fail(Id::kOperands, at, in_quotes(spelling(op)),
                          " does not take an operand of type ", in_quotes(value.type->name));
}

}  // namespace tessera::csl
