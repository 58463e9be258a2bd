// Instructions on the vector registers of an AIV of A5: what the body of a vector function consists of, beside
// scalar instructions (reference ascend.md 1.3, 4.1, 4.3).
//
// A vector function is one instruction of pipe V, kVectorFunction. The instructions after it up to its target
// are its body, which the core executes when it issues the function: scalar instructions at once, and each
// kRegister with the values that scalars have there. The time that the body takes is that of registers,
// ports and units (core/vector_function.h).
//
// Registers have as many lanes as the text says: a register of the logical level (pto.vmi) stands for as
// many of 256 bytes as its lanes need, and an instruction on it for as many instructions.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

/// No register.
inline constexpr std::uint16_t kNoRegister = 0xFFFF;

enum class RegisterFunction : std::uint8_t {
  kNoValues,  ///< only its cost is known
  kMove,      ///< result = a; costs nothing: registers are renamed
  // Between UB and registers. Lanes of a store that the mask leaves out stay as they are.
  kLoad,  ///< `every`: lane i from element i / every (upsampling), or i * -every (downsampling); 0: all
          ///< from the first one
  kStore,    ///< every -n: the first of each n lanes is stored
  kGather,   ///< lane i from element b[i]
  kScatter,  ///< lane i of a to element b[i]
  // Lane by lane; lanes that the mask leaves out become 0.
  kSplat,        ///< the scalar in all lanes; with `merges`: lane g of a in all lanes of group g
  kSequence,     ///< scalar + i, or scalar - i
  kMap,          ///< arithmetic(a), (a, b) or (a, scalar)
  kMultiplyAdd,  ///< a + b * c
  kConvert,      ///< a rounded to the type of the result; `every`, `first`: which lanes (parts)
  kBits,         ///< the bits of a as lanes of another type
  kSelect,       ///< c ? a : b, c a mask
  kCompare,      ///< the mask of a PREDICATE b or scalar
  // Across lanes.
  kReduce,  ///< one result for each of `groups` groups, in the first lanes; the other lanes are 0
  kInterleave,    ///< results: lanes of a and b in turn
  kDeinterleave,  ///< results: the even lanes of a and b, the odd ones
  kPart,          ///< lanes `first`, first + every .. of a
  kJoin,          ///< lanes of a, then those of b
  // Masks: lanes are 0 or 1.
  kMask,       ///< the first `scalar` lanes of each of `groups`, or every `every`-th
  kMaskCount,  ///< the first lanes, as many as the scalar; it falls by as many: register `scalar_result`
  kMaskMap,  ///< and, or, xor, not of masks
  kBarrier,  ///< orders loads and stores
};

/// What executes it, and so how long it takes (ascend.md 4.1, 4.3).
enum class RegisterUnit : std::uint8_t {
  kNone,
  kLoad,
  kStore,
  kAdd,
  kMultiply,
  kMaximum,
  kSelect,
  kUnary,
  kExp,
  kDivide,
  kConvert,
  kReduceSum,
  kReduceExtreme,
  kReduceBlocks,
  kGather,
  kMask,
};
inline constexpr unsigned kRegisterUnitCount = 16;

struct RegisterOperation {
  RegisterFunction function = RegisterFunction::kNoValues;
  RegisterUnit unit = RegisterUnit::kAdd;
  Arithmetic arithmetic = Arithmetic::kAdd;
  Rounding rounding = Rounding::kDefault;
  std::uint8_t predicate = 0;  ///< cluster::Predicate
  bool saturates = true;
  bool descends = false;            ///< kSequence: scalar - i
  bool by_position = false;         ///< kReduce of one group: lane 1 is the position of the extreme
  bool merges = false;              ///< kSplat: spreads lanes of a over groups, not the scalar
  Element element = Element::kF32;  ///< type of the result, or of what is stored
  std::uint32_t lanes = 64;         ///< lanes of the result, or of what is stored
  std::int32_t every = 1;
  std::uint32_t first = 0;
  std::uint32_t groups = 1;
  std::array<std::uint16_t, 2> results{kNoRegister, kNoRegister};
  std::array<std::uint16_t, 3> sources{kNoRegister, kNoRegister, kNoRegister};
  std::uint16_t mask = kNoRegister;
  bool has_scalar = false;
  TileScalar scalar;
  std::uint16_t scalar_result = 0;
  Offset address;  ///< in UB, in bytes
  /// Distance of a block of 32 bytes from the one before, in blocks; 0: lanes lie one after the other.
  Operand block_stride;
  std::uint8_t operand = 0;  ///< operand of the vector function to which its accesses belong
};

/// Bytes of a vector register.
inline constexpr unsigned kRegisterBytes = 256;

}  // namespace tessera::cluster
