#include "frontends/pto/emitter.h"

#include <limits>

namespace tessera::pto {

Operand Emitter::new_register(Place place) {
  constexpr unsigned kMostRegisters = std::numeric_limits<std::uint16_t>::max();
  if (program_.registers >= kMostRegisters)
    diagnostics_.fail(place, "the function has more than ", kMostRegisters, " values");
  return reg(program_.registers++);
}

Instruction& Emitter::emit(Opcode opcode, Place place, Pipe pipe) {
  Instruction i;
  i.op = opcode;
  i.pipe = pipe;
  i.line = place.line;
  program_.code.push_back(i);
  return program_.code.back();
}

Instruction& Emitter::emit_tile(Opcode opcode, Place place, Pipe pipe) {
  tile_pipes_.insert(pipe);
  return emit(opcode, place, pipe);
}

Instruction& Emitter::emit_scalar(Opcode opcode, Operand target, Operand a, Operand b,
                                  Place place) {
  Instruction& i = emit(opcode, place);
  i.rd = static_cast<std::uint16_t>(target.value);
  i.a = a;
  i.b = b;
  return i;
}

TileOperation& Emitter::attach(std::vector<TileOperand> operands, TileFunction function) {
  TileOperation& operation = program_.operations.emplace_back();
  operation.operands = std::move(operands);
  operation.function = function;
  last().operation = static_cast<std::uint32_t>(program_.operations.size());
  return operation;
}

Operand Emitter::compute(Opcode opcode, Operand a, Operand b, Place place, IntegerType operands,
                         IntegerType result) {
  if (!a.is_register && !b.is_register) {
    if (cluster::is_division(opcode) && operands.of(b.value) == 0)
      diagnostics_.fail(place, "a division by zero");
    return cluster::calculate(opcode, a.value, b.value, operands, result);
  }
  const Operand target = new_register(place);
  Instruction& i = emit_scalar(opcode, target, a, b, place);
  i.operands = operands;
  i.result = result;
  return target;
}

Operand Emitter::compare(Predicate predicate, Operand a, Operand b, Place place,
                         IntegerType operands) {
  if (!a.is_register && !b.is_register)
    return cluster::holds(predicate, a.value, b.value, operands) ? 1 : 0;
  const Operand result = compute(Opcode::kCompare, a, b, place, operands);
  last().predicate = predicate;
  return result;
}

Operand Emitter::get(SpecialValue special, Place place) {
  const Operand target = new_register(place);
  emit_scalar(Opcode::kGet, target, 0, 0, place).special = special;
  return target;
}

const Instruction* Emitter::vector_before_last() const {
  for (std::size_t n = program_.code.size() - 1; n > block_; --n) {
    const Instruction& i = program_.code[n - 1];
    if (i.op == Opcode::kVector) return &i;
    if (i.op < Opcode::kSet || i.op > Opcode::kGet) return nullptr;
  }
  return nullptr;
}

std::uint32_t Emitter::jump(Place place, std::uint32_t target) {
  emit(Opcode::kJump, place).target = target;
  return next() - 1;
}

std::uint32_t Emitter::branch(Operand condition, Place place, std::uint32_t target) {
  Instruction& i = emit(Opcode::kBranch, place);
  i.a = condition;
  i.target = target;
  return next() - 1;
}

Program Emitter::take(Place place) {
  program_.automatic_sync = !has_sync_ && !tile_pipes_.empty();
  emit(Opcode::kEnd, place);
  return std::move(program_);
}

}  // namespace tessera::pto
