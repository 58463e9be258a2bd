// Which element types the vector operations of a machine take: what the static assertions of the vendor's library say for
// A2/A3 and for A5 (pto-isa 3186c381, include/pto/npu; docs/ascend-platform.md, section Types of operations).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::pto {

/// A set of element types. Integers of 64 bits are one type, with and without a sign.
struct ElementSet {
  constexpr ElementSet(std::initializer_list<cluster::Element> elements) {
    for (const cluster::Element e : elements) bits |= bit(e);
  }
  constexpr bool has(cluster::Element e) const { return (bits & bit(e)) != 0; }
  constexpr ElementSet operator|(ElementSet other) const {
    other.bits |= bits;
    return other;
  }

  std::uint32_t bits = 0;

 private:
  static constexpr std::uint32_t bit(cluster::Element e) {
    return std::uint32_t{1} << static_cast<unsigned>(e);
  }
};
/// "i16, i32, f16 or f32"
std::string to_string(ElementSet set);

/// The types that an operation takes, for each machine, and whether its result says which it is: its first tile does otherwise.
struct OperationTypes {
  ElementSet a2a3, a5;
  bool of_result = false;
};
/// Null: the library does not say, or other rules do. A form with high precision may have types of its own.
const OperationTypes* types_of_operation(std::string_view name, bool is_high_precision = false);

/// Elements of `of` in the first tile go with those of `with` in another one.
struct PairedTypes {
  ElementSet of, with;
};
/// What the types of one more tile of an operation are, for each machine.
struct OperandTypes {
  cluster::TileFunction function;  ///< for this form of the operation
  int operand;                     ///< its position; -1: the result
  const char* what;                ///< "an index"
  std::vector<PairedTypes> a2a3, a5;
};
/// Null: rules that hold on both machines say it (models/cluster/program/operand_rules.cpp).
const OperandTypes* types_of_operand(std::string_view name);

}  // namespace tessera::pto
