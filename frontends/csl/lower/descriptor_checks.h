// What the compiler knows of the memory that an operation touches: whether its descriptors leave their arrays, and
// whether their elements are as wide as those of the operation (csl.md 8). An operation takes as many elements as its
// first source with a length has, else as its destination has (wse.md 5.8).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// Whether elements of a type are numbers of another width than `bytes`. `element`: nullptr if unknown.
bool is_other_width(const Type* element, unsigned bytes);
/// What the machine is told of the elements, for what the compiler does not know: floats, or bits that are as wide.
pe::ElementType stated_type(const Type& element);
/// Fails if the elements of a descriptor have not the `bytes` of the operation. `element`: nullptr if
/// only the running program knows it.
void check_element_width(Engine& engine, const Type* element, unsigned bytes, const Node& at);

/// Notes a descriptor that leaves the array to which its base, a pointer of the running program, leads by its type
/// (TileCode::note_overrun). Requires that offset, extents and strides are known.
void check_reach(TileCode& tile, const Dsd& dsd, const Type& array, const Node& at);

/// The descriptors of one operation, or of one load of a DSR.
class DescriptorChecks {
 public:
  explicit DescriptorChecks(FunctionCode& code) : code_(&code), tile_(code.tile) {}
  /// Of a load before the program runs.
  explicit DescriptorChecks(TileCode& tile) : tile_(tile) {}

  /// An operand that is a descriptor; `slot` 0 is a destination. Of one that the program changes while it
  /// runs the extent may be known. `bytes`: of an element of the operation; 0: as many as the array's elements have.
  void add(unsigned slot, const Result& value, const LiveDsd& live, const Node& at,
           unsigned bytes = 0);
  /// An operand with a length that only the running program knows: a DSR, a FIFO.
  void add_unknown(unsigned slot) { operands_.push_back({slot, nullptr, {}, nullptr, nullptr, 0}); }
  /// A DSR of the program: what it has is known as long as code runs straight on from its load (KnownDsrs).
  void add_dsr(unsigned slot, const pe::Operand& dsr, const Node& at, unsigned bytes);
  /// How many elements are taken: as many as the first source has, or the shortest operand (`@map`).
  enum class Length : std::uint8_t { kFirstSource, kShortest };
  /// Notes the descriptors that leave their arrays (TileCode::note_overrun). Answers whether one does.
  bool finish(Length rule = Length::kFirstSource);
  /// The length of the operation, if it is known.
  std::optional<std::int64_t> length(Length rule) const;

 private:
  struct Operand {
    unsigned slot;
    const Type* kind;
    std::optional<std::int64_t> length;
    std::shared_ptr<const Dsd> dsd;  ///< memory, all of it known
    const Node* at;
    unsigned bytes;  ///< of an element; 0: that of the array
  };
  bool check(const Operand& operand, std::int64_t length);

  FunctionCode* const code_ = nullptr;
  TileCode& tile_;
  std::vector<Operand> operands_;
};

}  // namespace tessera::csl
