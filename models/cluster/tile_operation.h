// What a tile operation reads, computes and writes (reference ascend.md 1.3, 2.9).
//
// Costs need sizes only, and so does Instruction. Everything else about the operands of a tile
// operation stands in a table of the program, Program::operations: instructions are copied from
// queue to queue. A core resolves the operands when the scalar unit issues the instruction, because
// registers have other values later.
//
// Layout: a tile lies row by row from its address on, `row_stride` elements from row to row, whatever
// its blayout, slayout and fractal are. Only valid rows and columns are read and written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cluster/operand.h"
#include "tlm_ifaces/sync/signal.h"

namespace tessera::cluster {

/// Where a tile lies. kUb is of an AIV, the others are of an AIC.
enum class Location : std::uint8_t { kGm, kUb, kL1, kL0a, kL0b, kL0c, kBias, kFixBuffer };
inline constexpr unsigned kLocationCount = 8;
constexpr const char* to_string(Location location) {
  constexpr std::array<const char*, kLocationCount> kNames = {
      "GM", "UB", "L1", "L0A", "L0B", "L0C", "the bias table", "the fixpipe buffer"};
  return kNames[static_cast<unsigned>(location)];
}

/// Elements of tiles and arrays. Those from kI4 on have a size and no values.
enum class Element : std::uint8_t {
  kF32,
  kF16,
  kBf16,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kI4,
  kFp8
};
inline constexpr unsigned kElementCount = 12;
constexpr unsigned bits_of(Element element) {
  constexpr std::array<unsigned, kElementCount> kBits = {32, 16, 16, 8,  8, 16,
                                                         16, 32, 32, 64, 4, 8};
  return kBits[static_cast<unsigned>(element)];
}
constexpr const char* to_string(Element element) {
  constexpr std::array<const char*, kElementCount> kNames = {
      "f32", "f16", "bf16", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "i4", "f8"};
  return kNames[static_cast<unsigned>(element)];
}
constexpr bool is_float(Element element) {
  return element <= Element::kBf16;
}
constexpr bool has_values(Element element) {
  return element < Element::kI4;
}

/// Bytes of the buffers of a core; of GM 0 (ascend.md 1.3).
using Capacities = std::array<std::uint32_t, kLocationCount>;
/// Where tiles have to start, in bytes (ascend.md 1.3).
constexpr std::uint32_t alignment_of(Location location) {
  constexpr std::array<std::uint32_t, kLocationCount> kBytes = {1, 32, 32, 512, 512, 1024, 64, 128};
  return kBytes[static_cast<unsigned>(location)];
}

/// base + the sum of products of operands.
struct Offset {
  struct Product {
    Operand a, b;
  };
  std::int64_t base = 0;
  std::vector<Product> products;

  /// Adds a * b; of two known values at once.
  void add(Operand a, Operand b);
  bool is_known() const { return products.empty(); }
};

enum class Access : std::uint8_t { kRead, kWrite, kReadWrite };
constexpr bool reads(Access access) {
  return access != Access::kWrite;
}
constexpr bool writes(Access access) {
  return access != Access::kRead;
}

/// Whose buffer it is, of an operand on chip.
enum class Holder : std::uint8_t {
  kSelf,          ///< the core's own
  kAic,           ///< of its cluster
  kAiv0,          ///< of its cluster, and the next two
  kAiv1,          ///<
  kSplitRows,     ///< the upper half of the rows in AIV0, the lower one in AIV1, at one address
  kSplitColumns,  ///< the left and the right half
};

inline constexpr unsigned kMostDimensions = 5;
struct Dimension {
  Operand size, stride;  ///< in elements
};

struct TileOperand {
  std::string name;  ///< in the text, for diagnoses: "%a"
  Access access = Access::kRead;
  Location location = Location::kUb;
  Holder holder = Holder::kSelf;
  Element element = Element::kF32;
  Offset address;  ///< on chip in bytes; in GM in elements, from the begin of the array
  // On chip.
  Operand rows, columns;        ///< the valid ones
  std::int64_t row_stride = 0;  ///< in elements
  std::int64_t full_rows = 0;   ///< of the tile
  // In GM.
  std::uint16_t array = 0;            ///< of Program::arrays
  std::vector<Dimension> dimensions;  ///< of the part, the last one varies fastest
  Offset view_address;                ///< the tensor that it is a part of
  std::vector<Dimension> view;
};

/// Operands of an operation at most.
inline constexpr unsigned kMostOperands = 6;

struct TileOperation {
  std::vector<TileOperand> operands;  ///< inputs in the order of the text, then the result
};

/// An array in GM: a pointer argument of the kernel. Those of one name are one array.
struct GmArray {
  std::string name;  ///< without %
  Element element = Element::kF32;
};

/// An operand with the values of its registers. Strides are in elements.
struct ResolvedOperand {
  Access access = Access::kRead;
  Location location = Location::kUb;
  Holder holder = Holder::kSelf;
  Element element = Element::kF32;
  std::uint16_t array = 0;
  std::uint8_t dimensions = 0;
  std::array<std::int64_t, kMostDimensions> sizes{};    ///< on chip: valid rows, columns
  std::array<std::int64_t, kMostDimensions> strides{};  ///< on chip: row_stride, 1
  std::int64_t address = 0;                             ///< of the first element, in bytes
  std::int64_t first = 0;      ///< the bytes that it touches lie in [first, first + bytes)
  std::int64_t bytes = 0;      ///< 0: it has no elements
  std::int64_t view_size = 0;  ///< in GM: bytes up to the end of the tensor that it is a part of
};

struct ResolvedOperation {
  std::array<ResolvedOperand, kMostOperands> operands;
  std::uint8_t count = 0;
  std::uint32_t pc = 0;  ///< of the instruction: Program::where says its line
};

/// `operation` with the registers' values.
void resolve(const TileOperation& operation, const std::vector<std::int64_t>& registers,
             ResolvedOperation& result);

}  // namespace tessera::cluster
