// The instructions that the library of PTO issues for operations on tiles that are more than one instruction of the
// vector unit (reference ascend_2.md 3): reductions, argmax, expansions. The time of an operation and the order of its
// additions both follow from its form. Rows and columns are the valid ones.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

/// What the vector unit, or the scalar unit on its behalf, does in a step of a sequence. CostConfig::steps and the keys
/// `vector.step.*` have this order.
enum class VectorUnit : std::uint8_t {
  kMap,            ///< one operation on two sources, lane by lane
  kChain,          ///< the same on one block of 32 bytes, which is its result too
  kMask,           ///< what kMap takes longer with a mask
  kBlockMap,       ///< kMap of the even and the odd blocks of 32 bytes
  kGroupSum,       ///< the elements of each block of 32 bytes to one
  kGroupExtreme,   ///< the same, maximum and minimum
  kWholeSum,       ///< the elements of each repeat to one
  kWholeExtreme,   ///< the same, maximum and minimum, with or without its index
  kSpread,         ///< each of 8 elements to a block of 32 bytes
  kCompress,       ///< elements that a pattern selects, packed
  kFill,           ///< a number to a block
  kScalarTurn,     ///< V waits for the scalar unit, which waits for V
  kScalarElement,  ///< the scalar unit reads, combines or writes an element in UB
  // At the rates of VectorClass.
  kFunction,  ///< a logarithm, or an exponential of a power
  kExponential,
  kDivision,
  kConversion,
  kGatherElements
};
/// Those that have a rate of their own.
inline constexpr unsigned kVectorUnitCount = static_cast<unsigned>(VectorUnit::kScalarElement) + 1;

/// `waits` instructions that wait for the result of the one before, with `repeats` repeats in all.
struct VectorStep {
  VectorUnit unit = VectorUnit::kMap;
  std::uint64_t waits = 0, repeats = 0;
};

/// The steps of an operation; none: its rate class (VectorClass) says its time.
struct VectorSequence {
  static constexpr unsigned kMost = 6;
  std::array<VectorStep, kMost> steps{};
  unsigned count = 0;

  void add(VectorUnit unit, std::uint64_t waits, std::uint64_t repeats) {
    steps[count++] = {unit, waits, repeats};
  }
};

/// Operands of an operation as far as its sequence depends on them.
struct VectorShape {
  std::uint64_t rows = 0, columns = 0;  ///< of the operand that has all elements
  unsigned bits = 32;                   ///< of an element
  bool is_extreme = false;              ///< maximum or minimum
  bool divides = false;                 ///< what combines two elements is a division
  bool then_exp = false;                ///< an exponential follows what combines two elements
};
VectorSequence sequence_of(VectorForm form, const VectorShape& shape);

/// Shapes that A2/A3 reduces by blocks if all of the tile is valid, its size is known to the compiler and the result is a
/// column (3.2).
constexpr bool is_reduced_by_blocks(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kElements = 8192;
  return columns >= 128 && columns <= 1024 && rows >= 8 && (columns & (columns - 1)) == 0 &&
         rows * columns == kElements;
}

}  // namespace tessera::cluster
