#include "frontends/csl/codegen/emit.h"

#include <algorithm>
#include <utility>

#include "frontends/csl/codegen/emitter.h"

namespace tessera::csl::codegen {

using namespace ir;

void Emitter::run() {
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
  code_.inlined_of.resize(here());
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    block_ = b;
    starts_[b] = here();
    if (is_left_out(b)) continue;
    for (const Instruction& in : f_.blocks[b].code) {
      begins_[b].push_back(here());
      place_ = in.place;
      const bool is_last = &in == &f_.blocks[b].code.back();
      next_ = is_last ? nullptr : &in + 1;
      previous_ = &in == &f_.blocks[b].code.front() ? nullptr : &in - 1;
      const auto position = static_cast<std::size_t>(&in - f_.blocks[b].code.data());
      is_tail_ = is_tail_call(module_, cycles_, id_, f_.blocks[b], position);
      emit(in);
      code_.inlined_of.resize(here(), inlined_number(in.place.inlined));
      if (is_tail_) break;
    }
    begins_[b].push_back(here());
  }
  patch_jumps();
  std::vector<PlacedLocal> locals =
      places_of_locals(module_, id_, allocation_, begins_, code_.entries[id_]);
  for (PlacedLocal& local : locals) local.inlined = inlined_number(local.local->place.inlined);
  code_.locals[id_] = std::move(locals);
  std::vector<InlinedCall> inlined = f_.inlined;
  for (InlinedCall& call : inlined) call.call.inlined = inlined_number(call.call.inlined);
  code_.inlined.insert(code_.inlined.end(), inlined.begin(), inlined.end());
}

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
  case Op::kHighWord:
    return emit_high_word(in);
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

void Emitter::emit_high_word(const Instruction& in) {
  const unsigned high = allocation_[in.operands[0].number] + 1U;
  if (high != allocation_[in.results[0]])
    put(O::kMov16, {result(in), register_operand(high, false)});
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

namespace {

/// Whether it blocks or unblocks an id that this PE has not, as a color may be that only the running program chooses:
/// no task and no input queue has the number.
bool blocks_nothing(const ir::Module& module, const Machine& m) {
  const bool is_state = m.op == pe::Opcode::kBlk || m.op == pe::Opcode::kUblk;
  if (!is_state || m.fields[0].slot != Machine::Slot::kFixed) return false;
  const pe::Operand& id = m.fields[0].fixed;
  if (id.kind != pe::kTask) return false;
  const auto number = static_cast<unsigned>(id.value);
  const std::vector<pe::QueueBinding>& queues = module.settings.queues;
  return std::none_of(module.tasks.begin(), module.tasks.end(),
                      [&](const ir::Task& task) { return task.binding.id.value() == number; }) &&
         std::none_of(queues.begin(), queues.end(), [&](const pe::QueueBinding& queue) {
           const bool has_color = queue.color && queue.color->value() == number;
           return queue.input && (has_color || queue.id.value() == number);
         });
}

}  // namespace

void Emitter::emit_machine(const Instruction& in) {
  const Machine& m = *in.machine;
  if (blocks_nothing(module_, m)) return;
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
  const auto& before = predecessors_[b];
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

void emit(const Module& module, FunctionId id, const Allocation& allocation, const Cycles& cycles,
          Code& code) {
  Emitter(module, id, allocation, cycles, code).run();
}

}  // namespace tessera::csl::codegen
