// DSD operations in IR: the loads of the data structure registers, then the operation
// (wse.md 5.11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/csl/ir/builder.h"

namespace tessera::csl::ir {

/// A descriptor finds no register of a kind. The caller knows the place in the program.
struct NoRegister : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DsdOperand {
  enum class Kind : std::uint8_t {
    kDescriptor,  ///< Module::descriptors[descriptor], loaded before the operation
    kRecord,      ///< the record in memory at `value`, loaded before the operation
    kDsr,         ///< a DSR that holds what it should: explicit ones, FIFOs
    kScalar,      ///< a value
    kPointer,     ///< memory at a value, which takes the last result
    kAccumulator  ///< as a destination, a register that begins as `value`; as the source in
                  ///< the next slot, the same register: `fadds d0, d0, S`
  };
  Kind kind = Kind::kDescriptor;
  std::uint32_t descriptor = 0;
  std::vector<std::uint32_t> several;  ///< kDescriptor: the caller takes the one that `chosen` is
  Value chosen;
  pe::Operand dsr;
  Value value;
  std::int32_t offset = 0;   ///< kRecord: bytes
  bool is_extended = false;  ///< kRecord: of a mem4d or circbuf
  bool is_stored = false;  ///< kRecord: loads take it from memory, although what it holds is known
  bool is_by_value = false;  ///< an operation stores the four words anew and loads them from there
  // Fields that replace those of the descriptor or record; kNone: they stay.
  Value base;
  Value extent;
  Value stride;
};

/// Numbers of the DSRs that operations load, for destination, source 0 and source 1.
struct DsrChoice {
  std::array<std::uint8_t, 3> synchronous{1, 1, 1};
  /// By microthread. Operations in flight keep their DSRs.
  std::array<std::array<std::uint8_t, 8>, 3> asynchronous{};
  /// If the program names the DSR: the queue of its descriptor, which is the microthread.
  std::optional<unsigned> microthread;
  /// Extended DSRs of operands that need one; nothing: FIFOs keep them all, as `owners` says.
  std::array<std::optional<std::uint8_t>, 3> extended{0, 1, 2};
  std::string owners;
  DsrChoice() {
    for (auto& file : asynchronous) file = {8, 9, 10, 11, 12, 13, 14, 15};
  }
};

/// Extended DSRs and stride registers of descriptors that are in use together: those of one operation, or of a `@map`. Slot 0 is
/// the destination, 1 and 2 are sources. An operand begins with the stride registers of its slot; where they end, it shares one
/// that holds the same stride, or takes one that no operand needs.
class StrideRegisters {
 public:
  /// Throws NoRegister.
  pe::OpConfig extension_of(const pe::Dsd& dsd, unsigned slot, const DsrChoice& choice);
  /// For a record, of which nothing else is known: the registers of the slot, as far as they are free. Throws NoRegister.
  pe::OpConfig extension_of_record(unsigned slot, const DsrChoice& choice);

 private:
  /// `stride` is nothing where only the running program knows it.
  std::optional<std::uint8_t> take(unsigned slot, unsigned i, std::optional<std::int16_t> stride);
  std::uint8_t hold(unsigned number, std::optional<std::int16_t> stride);

  struct Held {
    bool is_taken = false;
    std::optional<std::int16_t> stride;
  };
  std::array<Held, pe::kStrideRegisterCount> held_;
};

/// `lddsr` of a descriptor or record, then the fields that replace its own.
void load_dsr(Builder& builder, const pe::Operand& dsr, const DsdOperand& from,
              pe::OpConfig config);

/// `setdsa`: the DSR keeps what it was loaded with, at another address.
void set_base(Builder& builder, const pe::Operand& dsr, const Value& base);

/// `operands` are those of the instruction, the destination first. Synchronous operations use the
/// DSRs of `choice`, asynchronous ones those of their microthread (queue on WSE-2). A descriptor
/// that is the destination and the first source is loaded once. Throws UserError if the descriptors
/// need more stride registers than there are. The result is the flag as a bool if `wants_flag`, else
/// the accumulator if there is one, else kNone. `index` is `index=` if it is given.
Value dsd_operation(Builder& builder, const Module& module, pe::Opcode op,
                    const std::vector<DsdOperand>& operands, const pe::OpConfig& config = {},
                    bool wants_flag = false, const DsrChoice& choice = {}, const Value& index = {});

}  // namespace tessera::csl::ir
