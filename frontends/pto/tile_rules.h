// Rules of the public assembler about operations on tiles that no other part of this front-end needs: the size, type
// and layout of scratch tiles, types and layouts of single operations, and what a level of the assembler
// demands (docs/ascend-platform.md, section Rules of the assembler).
#pragma once

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

class TileRules : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Throws UserError if an operation breaks one of the rules.
  void check(const Operation& op) const;

 private:
  /// A tile among the operands: its valid and its full size, as far as they are known.
  struct Tile {
    const Value* value = nullptr;
    explicit operator bool() const { return value != nullptr; }
    std::int64_t rows() const { return valid(0); }
    std::int64_t columns() const { return valid(1); }
    std::int64_t full(unsigned d) const { return value->type.shape[d]; }
    std::int64_t bytes() const { return bytes_of(value->place); }
    const std::string& element() const { return value->type.element; }
    const std::string& location() const { return value->type.location; }
    bool has(const char* key, const char* word) const;

   private:
    std::int64_t valid(unsigned d) const {
      const Operand& size = value->sizes[d];
      return size.is_register ? kDynamic : size.value;
    }
  };
  struct Operands {
    std::vector<Tile> in;  ///< tiles only
    Tile out;
    bool has_scalar = false;
  };

  Operands operands_of(const Operation& op) const;
  void check_scratch(const Operation& op, const Operands& o) const;
  void check_scratch_of_a2a3(const Operation& op, const Operands& o, const Tile& scratch) const;
  void check_types(const Operation& op, const Operands& o) const;
  void check_attributes(const Operation& op, const Operands& o) const;
  void check_scales(const Operation& op, const Operands& o) const;
  void check_sizes(const Operation& op, const Operands& o) const;
  void check_moves(const Operation& op, const Operands& o) const;
  void check_communication(const Operation& op) const;
  void check_level(const Operation& op, const Operands& o) const;
  bool is_high_precision(const Operation& op) const;
};

}  // namespace tessera::pto
