// The program under construction: its instructions, registers and operands. Scalars that are known
// are computed here and now; only what depends on a register becomes an instruction.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program.h"

namespace tessera::pto {

class Emitter {
 public:
  using Opcode = cluster::Opcode;
  using Operand = cluster::Operand;
  using Pipe = cluster::Pipe;

  explicit Emitter(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Throws UserError if the function has more values than an instruction can name.
  unsigned new_register(Place place);

  // The references are valid until the next instruction.
  cluster::Instruction& emit(Opcode opcode, Place place, Pipe pipe = Pipe::kS);
  /// The same for a tile operation: a program that has some and no synchronisation is ordered by
  /// the core (Program::automatic_sync).
  cluster::Instruction& emit_tile(Opcode opcode, Place place, Pipe pipe);
  cluster::Instruction& last() { return program_.code.back(); }
  /// Gives the last instruction its operands: inputs first, the result last.
  cluster::TileOperation& attach(std::vector<cluster::TileOperand> operands,
                                 cluster::TileFunction function = cluster::TileFunction::kNone);
  /// The operation of the last instruction.
  const cluster::TileOperation& last_operation() const { return program_.operations.back(); }
  /// The program synchronises its pipes itself.
  void note_sync() { has_sync_ = true; }

  Operand compute(Opcode opcode, Operand a, Operand b, Place place);
  Operand compare(cluster::Predicate predicate, Operand a, Operand b, Place place);
  Operand get(cluster::SpecialValue special, Place place);
  /// A product of sizes, which does not wrap around.
  Operand size_product(Operand a, Operand b, Place place) {
    return compute(Opcode::kMulSize, a, b, place);
  }
  /// Bytes of so many elements of `bits` bits.
  Operand bytes_of(Operand elements, std::int64_t bits, Place place) {
    return compute(Opcode::kDiv, size_product(elements, bits, place), 8, place);
  }
  /// target = condition ? a : b
  void select(unsigned target, Operand condition, Operand a, Operand b, Place place);
  void set(unsigned target, Operand value, Place place);
  /// target = target OPCODE b
  void update(unsigned target, Opcode opcode, Operand b, Place place);

  /// The number of the next instruction, for a jump.
  std::uint32_t next() const { return static_cast<std::uint32_t>(program_.code.size()); }
  /// Returns the number of the jump. Until land() says otherwise it goes to `target`.
  std::uint32_t jump(Place place, std::uint32_t target = 0);
  std::uint32_t branch(Operand condition, Place place, std::uint32_t target = 0);
  /// The jump with this number goes to the next instruction.
  void land(std::uint32_t jump) { program_.code[jump].target = next(); }
  /// The instructions that `emit_body` adds run if `condition` is 0.
  template <class Body>
  void unless(Operand condition, Place place, Body emit_body) {
    const std::uint32_t over = branch(condition, place);
    emit_body();
    land(over);
  }

  /// What programs of SYNCALL are appended to (models/cluster/program.h).
  cluster::Program& program() { return program_; }
  /// Ends the program at `place`.
  cluster::Program take(Place place);

 private:
  cluster::Instruction& emit_scalar(Opcode opcode, unsigned target, Operand a, Operand b,
                                    Place place);

  const Diagnostics& diagnostics_;
  cluster::Program program_;
  std::set<Pipe> tile_pipes_;
  bool has_sync_ = false;
};

}  // namespace tessera::pto
