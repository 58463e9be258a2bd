// DSD operations in IR: the loads of the data structure registers, then the operation
// (wse.md 5.11).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/csl/ir/builder.h"

namespace tessera::csl::ir {

struct DsdOperand {
  enum class Kind : std::uint8_t {
    kDescriptor,  ///< Module::descriptors[descriptor], loaded before the operation
    kDsr,         ///< a DSR that holds what it should: explicit ones, FIFOs
    kScalar,      ///< a value
    kPointer,     ///< memory at a value, which takes the last result
    kAccumulator  ///< destination: a register that begins as `value`; the source in the next slot,
                  ///< of the same kind, is that register: `fadds d0, d0, S`
  };
  Kind kind = Kind::kDescriptor;
  std::uint32_t descriptor = 0;
  pe::Operand dsr;
  Value value;
};

/// `operands` are those of the instruction, the destination first. Synchronous operations use the
/// DSRs 1 of the three files, asynchronous ones 8 + microthread (8 + queue on WSE-2), so that those
/// in flight keep theirs. Throws UserError if the descriptors need more stride registers than there
/// are. The result is the flag as a bool if `wants_flag`, else the accumulator if there is one, else
/// kNone.
Value dsd_operation(Builder& builder, const Module& module, pe::Opcode op,
                    const std::vector<DsdOperand>& operands, const pe::OpConfig& config = {},
                    bool wants_flag = false);

}  // namespace tessera::csl::ir
