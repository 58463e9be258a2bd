// Lowers the register level of A5: vector functions and the instructions in their bodies, and copies between
// buffers that name bytes instead of tiles (docs/ascend-platform.md, section Register level).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/pto/lowering_part.h"
#include "frontends/pto/register_table.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// The body of a vector function under construction.
class RegisterCode : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  bool is_open() const { return context_.body.is_open; }
  /// Emits the beginning of a function; instructions that follow belong to its body until close().
  void open(Place place);
  void close();
  /// The number of a new vector register.
  std::uint16_t new_register(Place place);
  /// Emits an instruction. Outside of a body it gets a function of its own.
  void emit(cluster::RegisterOperation operation, Place place);
  /// The operand of the function that accesses through this pointer belong to.
  std::uint8_t operand_of(const std::string& pointer, Access access);
  /// A register that is an argument: nobody knows its lanes, they are 0.
  Value argument_register(const Type& type, Place place);
  /// A mask whose first lanes are on, as many as a number says.
  std::uint16_t first_lanes(const Value& count, std::uint32_t lanes, Place place);
  /// A copy of the register in another one.
  void move(const Value& to, const Value& from, Place place);

  /// Whether the operation may stand in the body of a function, with all that it contains.
  bool fits_body(const Operation& op) const { return fits(op, 0); }
  /// Whether it is, or contains, an instruction on registers.
  bool has_registers(const Operation& op) const { return uses(op, 0); }

  static cluster::RegisterOperation blank(const Type& type, const Diagnostics& diagnostics);

 private:
  static constexpr unsigned kMostCalls = 16;
  bool fits(const Operation& op, unsigned depth) const;
  bool uses(const Operation& op, unsigned depth) const;
};

/// A block of UB.
inline constexpr std::int64_t kBlockBytes = 32;

/// Whether registers have values of the type.
bool has_lane_values(Element element);
/// The number of the register that holds a value.
inline std::uint16_t register_number(const Value& v) {
  return static_cast<std::uint16_t>(v.scalar.value);
}

class RegisterLowering : LoweringPart {
 public:
  explicit RegisterLowering(LoweringContext& context) : LoweringPart(context), code_(context) {}

  void instruction(const Operation& op);

 private:
  /// The operands of an operation by their kinds, in order.
  struct Operands {
    std::vector<const Value*> registers, masks;
    std::vector<Value> scalars;
    const Value* pointer = nullptr;
    Operand index = 0;
    std::vector<std::string> words;
  };

  Operands operands_of(const Operation& op) const;
  /// The instruction with all that does not depend on its shape.
  cluster::RegisterOperation basis(const Operation& op, const RegisterRow& row,
                                   const Operands& operands);
  /// Refuses types of logical registers that do not belong together (register_types.cpp).
  void check_conversion(const Operation& op, const Type& result) const;
  void check_kind(const Operation& op, const RegisterRow& row) const;
  void check_logical(const Operation& op, const RegisterRow& row, const Operands& operands) const;
  void plain(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void splat(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void convert(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void compare(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void reduce(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  bool special(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  cluster::Rounding rounding_of(const Operation& op, const Operands& o) const;
  /// 0 or 1: which half of the lanes, or which of two neighbours.
  std::uint32_t half_of(const Operation& op, const Operands& o) const;
  void mask(const Operation& op, const Operands& o, cluster::RegisterOperation& r);
  void parts(const Operation& op, const Operands& o, cluster::RegisterOperation r);
  void set_scalar(const Value& v, cluster::RegisterOperation& r) const;
  /// Defines results that are no registers: pointers after an access, counts.
  void define_others(const Operation& op, const Operands& o);
  std::vector<Type> types_of(const Operation& op) const;
  std::string option(const Operation& op, const char* key) const;
  std::uint32_t groups_of(const Operation& op) const;

  // Accesses to UB (register_memory.cpp).
  void memory(const Operation& op, const Operands& o, cluster::RegisterOperation& r);
  void mask_memory(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void indices(const Operation& op, const Operands& o, cluster::RegisterOperation& r) const;
  void distribution(const Operation& op, const std::string& dist,
                    cluster::RegisterOperation& r) const;
  std::int64_t step_of(const Operation& op, const Operands& o, std::int64_t width) const;

  RegisterCode code_;
};

/// Copies between buffers, products of the cube, and states, as the register level writes them.
class RawLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void move(const Operation& op);

 private:
  struct Shape {
    Operand rows = 1, bytes = 0;
    Operand from_stride = 0, to_stride = 0;  ///< in bytes; 0: dense
  };
  /// `width`: bytes of an element that it reads.
  Shape shape_of(const Operation& op, const RawRow& row, std::int64_t width) const;
  TileOperand part(const Value& pointer, const Shape& shape, Operand stride, Access access,
                   Place place);
  void state(const Operation& op);
  /// What copies from UB to GM do to GM: nothing but replace, add in the type, or what has no values.
  enum class Atomic : std::uint8_t { kNone, kAdd, kOther };
  Atomic atomic_ = Atomic::kNone;
  std::string atomic_type_;  ///< such as s32; empty: that of the copy
  bool loops_in_ = false,
       loops_out_ = false;  ///< copies repeat themselves in a way that is not modelled
};

}  // namespace tessera::pto
