// The program under construction: its instructions, registers and operands. The emitter computes
// scalars that are known at once; only a value that depends on a register becomes an instruction.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/pto/operations.h"

namespace tessera::pto {

class Emitter {
 public:
  explicit Emitter(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Throws UserError if the function has more values than an instruction can name.
  Operand new_register(Place place);

  // A reference to an instruction is valid until the next one is emitted.
  Instruction& emit(Opcode opcode, Place place, Pipe pipe = Pipe::kS);
  /// Emits a tile operation. The core orders the tile operations of a program that has no
  /// synchronisation of its own (Program::automatic_sync).
  Instruction& emit_tile(Opcode opcode, Place place, Pipe pipe);
  Instruction& last() { return program_.code.back(); }
  /// Gives the last instruction its operands: inputs first, the result last.
  TileOperation& attach(std::vector<TileOperand> operands,
                        TileFunction function = TileFunction::kNone);
  /// The operation of the last instruction.
  TileOperation& last_operation() { return program_.operations.back(); }
  /// The vector operation in front of the last instruction, with its operands: nothing but scalar arithmetic lies
  /// between them, and no jump leads there. Null if there is none.
  const Instruction* vector_before_last() const;
  /// Notes that the program synchronises its pipes itself.
  void note_sync() { has_sync_ = true; }

  Operand compute(Opcode opcode, Operand a, Operand b, Place place, IntegerType operands = {},
                  IntegerType result = {});
  Operand compare(Predicate predicate, Operand a, Operand b, Place place,
                  IntegerType operands = {});
  Operand get(SpecialValue special, Place place);
  /// The product of two sizes, which saturates instead of wrapping around.
  Operand size_product(Operand a, Operand b, Place place) {
    return compute(Opcode::kMulSize, a, b, place);
  }
  /// The number of bytes that `elements` elements of `bits` bits take.
  Operand bytes_of(Operand elements, std::int64_t bits, Place place) {
    return compute(Opcode::kDiv, size_product(elements, bits, place), 8, place);
  }
  /// target = condition ? a : b
  void select(Operand target, Operand condition, Operand a, Operand b, Place place) {
    emit_scalar(Opcode::kSelect, target, a, b, place).c = condition;
  }
  void set(Operand target, Operand value, Place place) {
    emit_scalar(Opcode::kSet, target, value, 0, place);
  }
  /// target = target OPCODE b
  void update(Operand target, Opcode opcode, Operand b, Place place) {
    emit_scalar(opcode, target, target, b, place);
  }

  /// The number of the next instruction, as the target of a jump.
  std::uint32_t next() { return block_ = static_cast<std::uint32_t>(program_.code.size()); }
  // Both return the number of the jump, which land() takes if its target is not known yet.
  std::uint32_t jump(Place place, std::uint32_t target = 0);
  std::uint32_t branch(Operand condition, Place place, std::uint32_t target = 0);
  /// Sets the target of this jump to the next instruction.
  void land(std::uint32_t jump) { program_.code[jump].target = next(); }
  /// Emits a branch around the instructions that `emit_body` emits: they run if `condition` is 0.
  template <class Body>
  void unless(Operand condition, Place place, Body emit_body) {
    const std::uint32_t over = branch(condition, place);
    emit_body();
    land(over);
  }

  /// The program itself, for append_sync_all() of models/cluster/program/program.h.
  Program& program() { return program_; }
  /// Emits the end of the program and gives the program away.
  Program take(Place place);

 private:
  Instruction& emit_scalar(Opcode opcode, Operand target, Operand a, Operand b, Place place);

  const Diagnostics& diagnostics_;
  Program program_;
  std::set<Pipe> tile_pipes_;
  bool has_sync_ = false;
  std::uint32_t block_ =
      0;  ///< the instruction that a jump leads to, the last one that was asked for
};

}  // namespace tessera::pto
