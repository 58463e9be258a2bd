// Instructions that make values: conversions, choices, words and shifts.
#include "frontends/csl/codegen/emitter.h"

namespace tessera::csl::codegen {

using namespace ir;

void Emitter::emit_convert(const Instruction& in) {
  const Value& v = in.operands[0];
  if (!is_float(in.type) && !is_float(v.type)) return convert_integer(in);
  const bool from_wide = is_wide(v.type);
  O op = O::kXp162fh;
  if (is_float(v.type) && is_float(in.type)) {
    op = from_wide ? O::kFs2h : O::kFh2s;
  } else if (is_float(v.type)) {
    op = is_wide(in.type) ? O::kFs2xp32 : from_wide ? O::kFs2xp16 : O::kFh2xp16;
  } else if (is_wide(in.type)) {
    op = from_wide ? O::kXp322fs : O::kXp162fs;
  }
  const pe::Operand source = operand(v, 1);
  put(op, {result(in), source});
}

/// Between 16 and 32 bits; the low half of a pair is its even register.
void Emitter::convert_integer(const Instruction& in) {
  const Value& v = in.operands[0];
  const unsigned low = allocation_[in.results[0]];
  const unsigned source = allocation_[v.number];
  const pe::Operand from = register_operand(source, false);
  const pe::Operand to = register_operand(low, false);
  if (source != low) put(O::kMov16, {to, from});
  if (!is_wide(in.type)) return;
  const pe::Operand high = register_operand(low + 1, false);
  if (is_signed(v.type)) {
    put(O::kSar16, {high, to, immediate(15)});
  } else {
    put(O::kMovri, {high, immediate(0)});
  }
}

void Emitter::emit_select(const Instruction& in) {
  const unsigned target = allocation_[in.results[0]];
  const Value& yes = in.operands[1];
  const Value& no = in.operands[2];
  const Value zero = constant(Type::kBool, 0);
  const bool sense = compare(Condition::kNe, Type::kBool, in.operands[0], zero);
  // One of the values may already be in the register of the result.
  const bool has_no = no.is_register() && allocation_[no.number] == target;
  if (!has_no) move(in.type, target, yes);
  const std::uint32_t jump = jump_ahead(jump_if(has_no != sense));
  move(in.type, target, has_no ? yes : no);
  land(jump);
}

/// Whether the choice in front of `in` has left the flag as `in` wants it.
bool Emitter::flag_is_kept(const Instruction& in) const {
  if (previous_ == nullptr || previous_->op != Op::kChoose) return false;
  const Instruction& before = *previous_;
  if (before.condition != in.condition || before.compared != in.compared ||
      !(before.operands[0] == in.operands[0]) || !(before.operands[1] == in.operands[1]))
    return false;
  const unsigned first = allocation_[before.results[0]];
  const unsigned last = first + (wide(before.results[0]) ? 1 : 0);
  for (unsigned i = 0; i < 2; ++i) {
    const Value& v = in.operands[i];
    if (!v.is_register()) continue;
    const unsigned unit = allocation_[v.number];
    if (unit <= last && unit + (is_wide(v.type) ? 1 : 0) >= first) return false;
  }
  return true;
}

/// A compare and a move with the flag as its predicate.
void Emitter::emit_choose(const Instruction& in) {
  const Value &a = in.operands[0], &b = in.operands[1];
  const bool sense = flag_is_kept(in) ? compare_of(in.condition, in.compared, a, b).sense
                                      : compare(in.condition, in.compared, a, b);
  const pe::Operand yes = operand(in.operands[sense ? 2 : 3], 1);
  const pe::Operand no = operand(in.operands[sense ? 3 : 2], 2);
  put(is_wide(in.type) ? O::kSel32 : O::kSel16, {result(in), yes, no});
}

/// Of the shift of 32 bits by three instructions of 16 bits. The results may take the operand's place.
void Emitter::emit_low_shift(const Instruction& in) {
  const unsigned word = allocation_[in.operands[0].number];
  const auto by = static_cast<std::int32_t>(in.number);
  pe::Operand low = result(in, 0), high = result(in, 1);
  if (allocation_[in.results[0]] == word + 1U) std::swap(low, high);
  put(O::kSlr16, {low, register_operand(word, false), immediate(by)});
  put(O::kSll16, {high, register_operand(word + 1U, false), immediate(16 - by)});
  put(O::kOr16, {result(in), result(in, 0), result(in, 1)});
}

/// Two halves to one register pair.
void Emitter::emit_join(const Instruction& in) {
  const std::uint8_t low = allocation_[in.results[0]];
  const auto unit = [&](unsigned i) {
    return in.operands[i].is_register() ? allocation_[in.operands[i].number] : kUnused;
  };
  if (unit(0) == low + 1 && unit(1) == low) {  // they change places without a register between
    const pe::Operand a = register_operand(low, false), b = register_operand(low + 1U, false);
    put(O::kXor16, {a, a, b});
    put(O::kXor16, {b, a, b});
    put(O::kXor16, {a, a, b});
    return;
  }
  std::vector<Move> moves;
  for (unsigned i = 0; i < 2; ++i) {
    const Value& v = in.operands[i];
    if (v.is_register())
      moves.push_back({static_cast<std::uint8_t>(low + i), allocation_[v.number], false});
  }
  emit_moves(moves);
  for (unsigned i = 0; i < 2; ++i) {
    if (!in.operands[i].is_register()) move(Type::kU16, low + i, in.operands[i]);
  }
}

/// Shifts of 32 bits by 16 or more move a word, and shift that. False: `in` is none.
bool Emitter::emit_word_shift(const Instruction& in) {
  const Value& by = in.operands[1];
  if (!is_wide(in.type) || !by.is_constant() || by.number < 16 || by.number > 31 ||
      !in.operands[0].is_register())
    return false;
  const unsigned source = allocation_[in.operands[0].number], to = allocation_[in.results[0]];
  const auto word = [](unsigned unit) { return register_operand(unit, false); };
  const pe::Operand rest = immediate(static_cast<std::int32_t>(by.number - 16));
  const bool moves_only = by.number == 16;
  if (in.op == Op::kShl) {
    if (moves_only)
      put(O::kMov16, {word(to + 1), word(source)});
    else
      put(O::kSll16, {word(to + 1), word(source), rest});
    put(O::kMovri, {word(to), immediate(0)});
    return true;
  }
  const bool keeps_sign = is_signed(in.type);
  if (moves_only)
    put(O::kMov16, {word(to), word(source + 1)});
  else
    put(keeps_sign ? O::kSar16 : O::kSlr16, {word(to), word(source + 1), rest});
  if (keeps_sign)
    put(O::kSar16, {word(to + 1), word(source + 1), immediate(15)});
  else
    put(O::kMovri, {word(to + 1), immediate(0)});
  return true;
}

}  // namespace tessera::csl::codegen
