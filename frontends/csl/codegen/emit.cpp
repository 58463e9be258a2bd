#include "frontends/csl/codegen/emit.h"

#include <algorithm>
#include <optional>
#include <set>

#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/codegen/moves.h"
#include "frontends/csl/codegen/opcodes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;
using O = pe::Opcode;

pe::Operand register_operand(unsigned unit, bool is_wide) {
  return {is_wide ? pe::kReg32 : pe::kReg16, static_cast<std::uint8_t>(unit), 0};
}
pe::Operand immediate(std::int32_t value) {
  return {pe::kImm, 0, value};
}

class Emitter {
 public:
  Emitter(const Module& module, FunctionId id, const Allocation& allocation, const Cycles& cycles,
          Code& code)
      : module_(module), cycles_(cycles), f_(module.functions[id]), id_(id),
        allocation_(allocation), code_(code), predecessors_(predecessors_of(f_)),
        starts_(f_.blocks.size()) {}

  void run() {
    code_.entries[id_] = here();
    place_ = f_.place;
    keeps_link_ = !f_.is_task && has_plain_call(module_, cycles_, id_, f_);
    if (keeps_link_) link_access(O::kSt16, 0);
    std::vector<Move> moves;
    for (std::size_t i = 0; i < f_.parameters.size(); ++i) {
      const RegisterId p = f_.parameters[i];
      moves.push_back({allocation_[p], static_cast<std::uint8_t>(arrival_of(f_, i)), wide(p)});
    }
    emit_moves(moves);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      block_ = b;
      starts_[b] = here();
      if (is_left_out(b)) continue;
      for (const Instruction& in : f_.blocks[b].code) {
        place_ = in.place;
        const bool is_last = &in == &f_.blocks[b].code.back();
        next_ = is_last ? nullptr : &in + 1;
        previous_ = &in == &f_.blocks[b].code.front() ? nullptr : &in - 1;
        const auto position = static_cast<std::size_t>(&in - f_.blocks[b].code.data());
        is_tail_ = is_tail_call(module_, cycles_, id_, f_.blocks[b], position);
        emit(in);
        if (is_tail_) break;
      }
    }
    patch_jumps();
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  bool wide(RegisterId r) const { return is_wide(f_.registers[r]); }
  pe::Operand result(const Instruction& in, std::size_t i = 0) const {
    return register_operand(allocation_[in.results[i]], wide(in.results[i]));
  }

  // Instructions and operands

  std::uint32_t put(O op, std::initializer_list<pe::Operand> operands) {
    pe::Instruction out;
    out.op = op;
    std::size_t slot = 0;
    for (const pe::Operand& o : operands) out.operands.at(slot++) = o;
    set_place(out, place_);
    code_.instructions.push_back(out);
    return here() - 1;
  }
  /// Register, or immediate of the type that the slot of `op` has. The address of a variable is
  /// filled in later: `pc` is the instruction that comes next.
  pe::Operand operand(const Value& v, unsigned slot) {
    if (v.is_register()) return register_operand(allocation_[v.number], is_wide(v.type));
    if (v.is_constant()) return immediate(constant_of(v));
    code_.fixups.push_back({Fixup::Kind::kVariable, here(), slot, v.number, v.offset});
    return immediate(0);
  }
  static std::int32_t constant_of(const Value& v) {
    if (v.type == Type::kI16) return static_cast<std::int16_t>(v.number);
    return static_cast<std::int32_t>(v.number);
  }
  pe::Operand memory(const Value& v, std::int32_t offset, unsigned slot) {
    if (v.is_register()) return {pe::kMem, allocation_[v.number], offset};
    if (v.is_constant())
      return {pe::kMem, pe::kNoBase,
              static_cast<std::int32_t>((v.number + static_cast<std::uint32_t>(offset)) & 0xFFFFU)};
    code_.fixups.push_back({Fixup::Kind::kVariable, here(), slot, v.number, v.offset + offset});
    return {pe::kMem, pe::kNoBase, 0};
  }
  void link_access(O op, unsigned memory_slot) {
    const pe::Operand link = register_operand(pe::kReturnRegister, false);
    const pe::Operand where = {pe::kMem, pe::kNoBase, 0};
    code_.fixups.push_back({Fixup::Kind::kLink, here(), memory_slot, id_, 0});
    if (memory_slot == 0) put(op, {where, link});
    if (memory_slot == 1) put(op, {link, where});
  }
  void move(Type type, unsigned to, const Value& v) {
    const pe::Operand target = register_operand(to, is_wide(type));
    if (v.is_register()) {
      if (allocation_[v.number] != to) put(move_of(type), {target, operand(v, 1)});
    } else {
      const pe::Operand source = operand(v, 1);
      put(O::kMovri, {target, source});
    }
  }
  void emit_moves(const std::vector<Move>& moves) {
    for (const Move& m : in_sequence(moves)) {
      put(m.is_wide ? O::kMov32 : O::kMov16,
          {register_operand(m.to, m.is_wide), register_operand(m.from, m.is_wide)});
    }
  }

  // Jumps

  void label_here() { code_.label_targets.push_back(here()); }
  std::uint32_t jump_ahead(O op) { return put(op, {{pe::kCode, 0, 0}}); }
  void land(std::uint32_t jump) {
    code_.instructions[jump].operands[0].value = static_cast<std::int32_t>(here());
    label_here();
  }
  void jump_to_block(O op, BlockId target) { jumps_.push_back({jump_ahead(op), target}); }
  void patch_jumps() {
    std::set<BlockId> labelled;
    for (const auto& [pc, target] : jumps_) {
      code_.instructions[pc].operands[0].value = static_cast<std::int32_t>(starts_[target]);
      if (labelled.insert(target).second) code_.label_targets.push_back(starts_[target]);
    }
  }
  static O jump_if(bool flag) { return flag ? O::kJmpt : O::kJmpf; }
  /// Sets the flag and says with which value of it the condition holds.
  bool compare(Condition condition, Type type, const Value& a, const Value& b) {
    const FlagCompare c = compare_of(condition, type, a, b);
    const pe::Operand first = operand(c.first, 0);
    const pe::Operand second = operand(c.second, 1);
    put(c.op, {first, second});
    return c.sense;
  }
  /// A bool: 1 if the flag is `sense`.
  void flag_to_register(bool sense, const pe::Operand& target) {
    put(O::kSel16, {target, immediate(sense ? 1 : 0), immediate(sense ? 0 : 1)});
  }
  /// Whether the branch after an instruction reads the flag that it sets, and nothing else does.
  bool is_read_by_branch(const Instruction& in, const Instruction* next) const;

  // Operations

  void emit(const Instruction& in);
  void emit_arithmetic(const Instruction& in);
  void emit_convert(const Instruction& in);
  void convert_integer(const Instruction& in);
  void emit_select(const Instruction& in);
  void emit_choose(const Instruction& in);
  void emit_join(const Instruction& in);
  void emit_low_shift(const Instruction& in);
  bool emit_word_shift(const Instruction& in);
  bool flag_is_kept(const Instruction& in) const;
  void emit_call(const Instruction& in);
  void emit_machine(const Instruction& in);
  void emit_branch(const Instruction& in);
  void emit_return(const Instruction& in);
  bool ends_task(BlockId b, unsigned i) const;
  bool is_left_out(BlockId b) const;

  /// The frame goes to the stack around a call of its cycle. Values of the frame, in registers that no
  /// argument or result has.
  void keep_frame();
  void restore_frame();
  /// Calls `copy` with a variable (nothing: the link), the offset in it, that on the stack and the width.
  template <class Copy>
  void copy_frame(const OwnFrame& frame, const Copy& copy);

  const Module& module_;
  const Cycles& cycles_;
  const Function& f_;
  const FunctionId id_;
  const Allocation& allocation_;
  Code& code_;
  const std::vector<std::vector<BlockId>> predecessors_;
  std::vector<std::uint32_t> starts_;                     // by block
  std::vector<std::pair<std::uint32_t, BlockId>> jumps_;  // instruction, target
  BlockId block_ = 0;
  Place place_;
  const Instruction* next_ = nullptr;
  const Instruction* previous_ = nullptr;
  bool flag_is_set_ = false;  ///< the instruction in front of a branch has set the flag for it
  bool keeps_link_ = false;
  bool is_tail_ = false;  ///< the call is a jump
};

void Emitter::emit(const Instruction& in) {
  switch (in.op) {
  case Op::kCopy:
    return move(in.type, allocation_[in.results[0]], in.operands[0]);
  case Op::kConvert:
    return emit_convert(in);
  case Op::kChoose:
    return emit_choose(in);
  case Op::kJoin:
    return emit_join(in);
  case Op::kHighWord: {
    const unsigned high = allocation_[in.operands[0].number] + 1U;
    if (high != allocation_[in.results[0]])
      put(O::kMov16, {result(in), register_operand(high, false)});
    return;
  }
  case Op::kLowShift:
    return emit_low_shift(in);
  case Op::kCompare:
    if (in.type == Type::kBool && in.condition == Condition::kEq && in.operands[0].is_register() &&
        in.operands[1].is_constant() && in.operands[1].number == 0) {
      put(O::kXor16, {result(in), operand(in.operands[0], 1), immediate(1)});
      return;
    }
    return flag_to_register(compare(in.condition, in.type, in.operands[0], in.operands[1]),
                            result(in));
  case Op::kSelect:
    return emit_select(in);
  case Op::kLoad: {
    const pe::Operand where = memory(in.operands[0], in.offset, 1);
    put(is_wide(in.type) ? O::kLd32 : O::kLd16, {result(in), where});
    return;
  }
  case Op::kStore: {
    const pe::Operand where = memory(in.operands[0], in.offset, 0);
    put(is_wide(in.type) ? O::kSt32 : O::kSt16, {where, operand(in.operands[1], 1)});
    return;
  }
  case Op::kCall:
    return emit_call(in);
  case Op::kMachine:
    return emit_machine(in);
  case Op::kAssert: {
    const bool sense = compare(in.condition, in.type, in.operands[0], in.operands[1]);
    const std::uint32_t jump = jump_ahead(jump_if(sense));
    put(O::kBrk, {});
    return land(jump);
  }
  case Op::kJump:
    if (in.targets[0] != block_ + 1) jump_to_block(O::kJmp, in.targets[0]);
    return;
  case Op::kBranch:
    return emit_branch(in);
  case Op::kReturn:
    return emit_return(in);
  case Op::kTrap:
    put(O::kBrk, {});
    return;
  default:
    return emit_arithmetic(in);
  }
}

void Emitter::emit_arithmetic(const Instruction& in) {
  if ((in.op == Op::kShl || in.op == Op::kShr) && emit_word_shift(in)) return;
  pe::Instruction out;
  out.op = opcode_of(in.op, in.type);
  set_place(out, place_);
  out.operands[0] = result(in);
  for (unsigned i = 0; i < in.operands.size(); ++i)
    out.operands.at(i + 1) = operand(in.operands[i], i + 1);
  code_.instructions.push_back(out);
}

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

/// Two halves to one register pair.
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

void Emitter::emit_call(const Instruction& in) {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    const Value& v = in.operands[i];
    if (v.is_register())
      moves.push_back({static_cast<std::uint8_t>(2 * i), allocation_[v.number], is_wide(v.type)});
  }
  emit_moves(moves);
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    const Value& v = in.operands[i];
    if (!v.is_register()) move(v.type, static_cast<unsigned>(2 * i), v);
  }
  if (is_tail_) {
    if (keeps_link_) link_access(O::kLd16, 1);
    code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, in.number, 0});
    put(O::kJmp, {{pe::kCode, 0, 0}});
    return;
  }
  const bool keeps = cycles_.is_inside(id_, in.number);
  if (keeps) keep_frame();
  code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, in.number, 0});
  put(O::kCall, {{pe::kCode, 0, 0}});
  if (keeps) restore_frame();
  if (in.results.empty()) return;
  const pe::Operand target = result(in);
  const bool pair = wide(in.results[0]);
  if (target.reg != 0) put(pair ? O::kMov32 : O::kMov16, {target, register_operand(0, pair)});
}

namespace {
constexpr unsigned kTop = 14;   // the address on the stack
constexpr unsigned kWord = 12;  // a word on its way
}  // namespace

template <class Copy>
void Emitter::copy_frame(const OwnFrame& frame, const Copy& copy) {
  std::int32_t at = 0;
  for (const VariableId v : frame.variables) {
    at = (at + 3) / 4 * 4;
    const auto bytes = static_cast<std::int32_t>(module_.variables[v].bytes());
    const bool is_aligned = is_wide(module_.variables[v].type);
    for (std::int32_t offset = 0; offset < bytes;) {
      const bool wide = is_aligned && bytes - offset >= 4;
      copy(std::optional(v), offset, at + offset, wide);
      offset += wide ? 4 : 2;
    }
    at += bytes;
  }
  if (frame.has_link) copy(std::optional<VariableId>(), 0, at, false);
}

void Emitter::keep_frame() {
  const OwnFrame frame = own_frame(module_, id_, cycles_);
  const pe::Operand top = register_operand(kTop, false);
  const auto bytes = static_cast<std::int32_t>(frame.bytes);
  const pe::Operand from = memory(address_of(*cycles_.top), 0, 1);
  put(O::kLd16, {top, from});
  const pe::Operand last =
      operand(address_of(*cycles_.stack, static_cast<std::int32_t>(kStackBytes) - bytes), 1);
  put(O::kLteu16, {top, last});
  code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, cycles_.overflow[cycles_.of[id_]], 0});
  put(O::kJmpf, {{pe::kCode, 0, 0}});
  copy_frame(frame,
             [&](std::optional<VariableId> v, std::int32_t offset, std::int32_t at, bool wide) {
               const pe::Operand word = register_operand(kWord, wide);
               if (v) {
                 const pe::Operand source = memory(address_of(*v), offset, 1);
                 put(wide ? O::kLd32 : O::kLd16, {word, source});
               } else {
                 code_.fixups.push_back({Fixup::Kind::kLink, here(), 1, id_, 0});
                 put(O::kLd16, {word, {pe::kMem, pe::kNoBase, 0}});
               }
               put(wide ? O::kSt32 : O::kSt16, {{pe::kMem, kTop, at}, word});
             });
  put(O::kAdd16, {top, top, immediate(bytes)});
  const pe::Operand to = memory(address_of(*cycles_.top), 0, 0);
  put(O::kSt16, {to, top});
}

void Emitter::restore_frame() {
  const OwnFrame frame = own_frame(module_, id_, cycles_);
  const pe::Operand top = register_operand(kTop, false);
  const pe::Operand from = memory(address_of(*cycles_.top), 0, 1);
  put(O::kLd16, {top, from});
  put(O::kSub16, {top, top, immediate(static_cast<std::int32_t>(frame.bytes))});
  const pe::Operand to = memory(address_of(*cycles_.top), 0, 0);
  put(O::kSt16, {to, top});
  copy_frame(frame,
             [&](std::optional<VariableId> v, std::int32_t offset, std::int32_t at, bool wide) {
               const pe::Operand word = register_operand(kWord, wide);
               put(wide ? O::kLd32 : O::kLd16, {word, {pe::kMem, kTop, at}});
               if (v) {
                 const pe::Operand target = memory(address_of(*v), offset, 0);
                 put(wide ? O::kSt32 : O::kSt16, {target, word});
               } else {
                 code_.fixups.push_back({Fixup::Kind::kLink, here(), 0, id_, 0});
                 put(O::kSt16, {{pe::kMem, pe::kNoBase, 0}, word});
               }
             });
}

void Emitter::emit_machine(const Instruction& in) {
  const Machine& m = *in.machine;
  if (m.initial_operand)
    move(f_.registers[in.results[0]], allocation_[in.results[0]], in.operands[*m.initial_operand]);
  pe::Instruction out;
  out.op = m.op;
  out.config = m.config;
  set_place(out, place_);
  for (unsigned slot = 0; slot < m.fields.size(); ++slot) {
    const Machine::Field& field = m.fields[slot];
    pe::Operand& o = out.operands.at(slot);
    if (field.slot == Machine::Slot::kFixed) o = field.fixed;
    if (field.slot == Machine::Slot::kValue) o = operand(in.operands[field.index], slot);
    if (field.slot == Machine::Slot::kMemory) o = memory(in.operands[field.index], 0, slot);
    if (field.slot == Machine::Slot::kResult) o = result(in, field.index);
  }
  if (m.index_operand) {
    const Value& v = in.operands[*m.index_operand];
    out.config.index = v.is_register() ? register_operand(allocation_[v.number], false)
                                       : immediate(static_cast<std::int32_t>(v.number));
  }
  code_.instructions.push_back(out);
  if (!m.flag_result) return;
  flag_is_set_ = is_read_by_branch(in, next_);
  if (!flag_is_set_) flag_to_register(true, result(in, in.results.size() - 1));
}

bool Emitter::is_read_by_branch(const Instruction& in, const Instruction* next) const {
  if (next == nullptr || next->op != Op::kBranch) return false;
  const RegisterId flag = in.results.back();
  const bool tests = next->operands[0].is_register() && next->operands[0].number == flag &&
                     next->operands[1].is_constant() && next->operands[1].number == 0 &&
                     (next->condition == Condition::kNe || next->condition == Condition::kEq);
  unsigned reads = 0;
  for (const Block& block : f_.blocks) {
    for (const Instruction& other : block.code) {
      for (const Value& v : other.operands) reads += v.is_register() && v.number == flag ? 1U : 0U;
    }
  }
  return tests && reads == 1;
}

void Emitter::emit_branch(const Instruction& in) {
  const bool sense = flag_is_set_ ? in.condition == Condition::kNe
                                  : compare(in.condition, in.type, in.operands[0], in.operands[1]);
  flag_is_set_ = false;
  for (unsigned i = 0; i < 2; ++i) {
    if (ends_task(block_, i)) {
      put((i == 0) == sense ? O::kEndt : O::kEndf, {});
      return;
    }
  }
  if (in.targets[0] == block_ + 1) return jump_to_block(jump_if(!sense), in.targets[1]);
  jump_to_block(jump_if(sense), in.targets[0]);
  if (in.targets[1] != block_ + 1) jump_to_block(O::kJmp, in.targets[1]);
}

/// Whether the branch behind `b` ends the task under its condition instead of going to target `i`, which
/// does nothing else.
bool Emitter::ends_task(BlockId b, unsigned i) const {
  const Instruction& branch = f_.blocks[b].last();
  if (!f_.is_task || branch.op != Op::kBranch) return false;
  const BlockId end = branch.targets[i], other = branch.targets[1 - i];
  return other == b + 1 && end != other && f_.blocks[end].code.front().op == Op::kReturn;
}

/// Whether nobody goes to the block, because those in front of it end the task themselves.
bool Emitter::is_left_out(BlockId b) const {
  const std::vector<BlockId>& before = predecessors_[b];
  return !before.empty() && std::all_of(before.begin(), before.end(), [&](BlockId p) {
    const unsigned i = f_.blocks[p].last().targets[0] == b ? 0 : 1;
    return ends_task(p, i);
  });
}

void Emitter::emit_return(const Instruction& in) {
  if (!in.operands.empty()) move(*f_.result, 0, in.operands[0]);
  if (f_.is_task) {
    put(O::kEnd, {});
    return;
  }
  if (keeps_link_) link_access(O::kLd16, 1);
  put(O::kRet, {});
}

}  // namespace

void emit(const Module& module, FunctionId id, const Allocation& allocation, const Cycles& cycles,
          Code& code) {
  Emitter(module, id, allocation, cycles, code).run();
}

}  // namespace tessera::csl::codegen
