#include "frontends/pto/emitter.h"
#include "frontends/pto/words.h"

#include <limits>

namespace tessera::pto {

using cluster::Instruction;
using cluster::Operand;

namespace {

constexpr unsigned kMostRegisters = std::numeric_limits<std::uint16_t>::max();

}  // namespace

unsigned Emitter::new_register(Place place) {
  if (program_.registers >= kMostRegisters)
    diagnostics_.fail(place, joined("the function has more than ", kMostRegisters, " values"));
  return program_.registers++;
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

Instruction& Emitter::emit_scalar(Opcode opcode, unsigned target, Operand a, Operand b,
                                  Place place) {
  Instruction& i = emit(opcode, place);
  i.rd = static_cast<std::uint16_t>(target);
  i.a = a;
  i.b = b;
  return i;
}

cluster::TileOperation& Emitter::attach(std::vector<cluster::TileOperand> operands,
                                        cluster::TileFunction function) {
  cluster::TileOperation& operation = program_.operations.emplace_back();
  operation.operands = std::move(operands);
  operation.function = function;
  last().operation = static_cast<std::uint32_t>(program_.operations.size());
  return operation;
}

Operand Emitter::compute(Opcode opcode, Operand a, Operand b, Place place) {
  if (!a.is_register && !b.is_register) {
    if (cluster::is_division(opcode) && b.value == 0)
      diagnostics_.fail(place, "a division by zero");
    return cluster::calculate(opcode, a.value, b.value);
  }
  const unsigned target = new_register(place);
  emit_scalar(opcode, target, a, b, place);
  return cluster::reg(target);
}

Operand Emitter::compare(cluster::Predicate predicate, Operand a, Operand b, Place place) {
  if (!a.is_register && !b.is_register) return cluster::holds(predicate, a.value, b.value) ? 1 : 0;
  const Operand result = compute(Opcode::kCompare, a, b, place);
  last().predicate = predicate;
  return result;
}

Operand Emitter::get(cluster::SpecialValue special, Place place) {
  const unsigned target = new_register(place);
  emit_scalar(Opcode::kGet, target, 0, 0, place).special = special;
  return cluster::reg(target);
}

void Emitter::select(unsigned target, Operand condition, Operand a, Operand b, Place place) {
  emit_scalar(Opcode::kSelect, target, a, b, place).c = condition;
}

void Emitter::set(unsigned target, Operand value, Place place) {
  emit_scalar(Opcode::kSet, target, value, 0, place);
}

void Emitter::update(unsigned target, Opcode opcode, Operand b, Place place) {
  emit_scalar(opcode, target, cluster::reg(target), b, place);
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

cluster::Program Emitter::take(Place place) {
  program_.automatic_sync = !has_sync_ && !tile_pipes_.empty();
  emit(Opcode::kEnd, place);
  return std::move(program_);
}

}  // namespace tessera::pto
