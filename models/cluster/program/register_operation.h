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
  kGather,   ///< lane i from element b[i]; lanes that the mask leaves out are 0 and read nothing
  kScatter,  ///< lane i of a to element b[i]; with half as many indices, every second lane of a
  kGatherBlocks,  ///< block i of 32 bytes from byte b[i], if lane i of the mask is on
  kLoadPair,      ///< two registers: groups of `packing` bytes in turn
  kStorePair,     ///< a and b: groups of `packing` bytes in turn
  kLoadMask,  ///< a bit in UB for each byte of a register; `every` 2: each bit twice, -2: every second one
  kStoreMask,  ///< the reverse; `every` -2: every second bit
  kStoreSqueezed,  ///< as many lanes as the last kSqueeze kept, from the address counter on; `merges`: it moves on
  kStoreCounter,  ///< the address counter, as 32 bits
  kClearCounter,  ///< the address counter is 0
  // Lane by lane; lanes that the mask leaves out become 0.
  kSplat,        ///< the scalar in all lanes; with `merges`: lane g of a in all lanes of group g
  kSequence,     ///< scalar + i, or scalar - i
  kMap,          ///< arithmetic(a), (a, b) or (a, scalar)
  kMultiplyAdd,  ///< a + b * c, rounded once
  kRound,        ///< a float rounded to a whole number
  kWideProduct,  ///< results: the low and the high half of a * b
  kCarry,        ///< results: a + b + c or a - b - !c, and the mask of carries; c a mask
  kConvert,  ///< a, or a * scalar, rounded to the type of the result; `every`, `first`: which lanes (parts)
  kBits,     ///< the bits of a as lanes of another type
  kSelect,   ///< c ? a : b, c a mask
  kCompare,  ///< the mask of a PREDICATE b or scalar
  // Across lanes.
  kReduce,  ///< one result for each of `groups` groups, in the first lanes; the other lanes are 0
  kInterleave,    ///< results: lanes of a and b in turn
  kDeinterleave,  ///< results: the even lanes of a and b, the odd ones
  kPart,          ///< lanes `first`, first + every .. of a
  kJoin,          ///< lanes of a, then those of b
  kNarrow,        ///< the low bits of a in the lanes from `first` on, the others are 0
  kWiden,         ///< lanes of a from `first` on; `keeps_sign`: as signed numbers
  kPick,          ///< lane b[i] of a
  kHistogram,     ///< a + how often its position is a value in b; `merges`: that or a smaller one
  kSqueeze,       ///< the lanes of a that are on, one after the other, then zeros
  kCountBefore,   ///< how many lanes before this one are on
  kPairSum,       ///< sums of neighbours in the first half of the lanes, then zeros
  kExtremeMask,   ///< results: the extreme in lane 0, and the mask of lanes that are equal to it
  // Masks: lanes are 0 or 1.
  kMask,       ///< the first `scalar` lanes of each of `groups`, or every `every`-th
  kMaskCount,  ///< the first lanes, as many as the scalar; it falls by as many: register `scalar_result`
  kMaskMap,     ///< and, or, xor, not of masks
  kMaskSelect,  ///< c ? a : b of masks
  kMaskPack,    ///< every second bit of a, in the half `first` (0 or 1)
  kMaskUnpack,  ///< the bits of half `first` of a, each followed by a 0
  kMaskBits,    ///< the bits of a as lanes of another width
  kBarrier,     ///< orders loads and stores
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

/// How bytes of UB and of a register belong together: a group of `lane` bytes of the register for each group of `memory`
/// bytes. What is wider in the register is filled with zeros, or with the group again and again.
struct Packing {
  std::uint8_t memory = 0;  ///< 0: they are the same
  std::uint8_t lane = 0;
  bool repeats = false;
  bool stays = false;  ///< all groups come from the first one
};

struct RegisterOperation {
  RegisterFunction function = RegisterFunction::kNoValues;
  RegisterUnit unit = RegisterUnit::kAdd;
  Arithmetic arithmetic = Arithmetic::kAdd;
  Rounding rounding = Rounding::kDefault;
  std::uint8_t predicate = 0;  ///< cluster::Predicate
  bool saturates = true;
  bool stays_finite = false;  ///< kConvert to floats: what is too large becomes the largest number
  bool descends = false;      ///< kSequence: scalar - i
  bool by_position = false;   ///< kReduce of one group: lane 1 is the position of the extreme
  bool merges = false;        ///< kSplat: spreads lanes of a over groups, not the scalar
  bool keeps_sign = false;    ///< kWiden
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
  /// Distance of a block of 32 bytes from the one before, in blocks; 0: lanes lie one after the other. With `run`, of so many
  /// lanes from those before, in elements.
  Operand block_stride;
  std::uint32_t run = 0;
  Packing packing;
  std::uint8_t operand = 0;  ///< operand of the vector function to which its accesses belong
};

/// Bytes of a vector register.
inline constexpr unsigned kRegisterBytes = 256;

}  // namespace tessera::cluster
