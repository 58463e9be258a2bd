// Descriptors as values of the running program (csl.md 8.3): what is known of them is a descriptor of
// the program, what changes stands in registers or in a record in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// The descriptor that an operand or a known value is; fails if it is none. One of several is put into a record.
LiveDsd live_dsd(Evaluator& evaluator, const Result& value, const Node& at);
/// The same, but one of several stays that.
LiveDsd live_or_several(Evaluator& evaluator, const Result& value, const Node& at);
ir::DsdOperand operand_of_dsd(const LiveDsd& dsd);
struct DsdAtAddress {
  LiveDsd dsd;
  std::shared_ptr<const PointerValue> base;  ///< nullptr: only the running program knows it
  const Type* element;
};
/// The same descriptor at the array or pointer that the operand `place` is.
DsdAtAddress at_address(const BuiltinCall& call, LiveDsd dsd, std::size_t place);
Result live_result(const Type* kind, LiveDsd dsd);
/// The address that the first element has.
ir::Value base_address(Evaluator& evaluator, const LiveDsd& dsd);
/// The variable that holds, or has, a descriptor whose elements only DsrUses can judge; nothing: they are known, or it lies elsewhere.
std::optional<ir::VariableId> variable_with(const LiveDsd& dsd);
/// What the record of a known descriptor has beside base and extent.
struct DsdRecord {
  std::uint32_t descriptor = 0;
  std::int16_t stride = 1;
};
/// A record has 16 bits for the stride, so there a mem1d_dsd is one loop that became two because its stride takes more than 8.
DsdRecord record_of(TileCode& tile, const Type& kind, std::uint32_t descriptor);
/// Writes the record that a variable of a descriptor type is.
void store_dsd(Evaluator& evaluator, const Storage& storage, const Result& value, const Node& at);
/// A mem1d_dsd whose length changes is one loop: one that became two is put into a record.
LiveDsd with_one_loop(Evaluator& evaluator, const Result& value, const Node& at);
/// A descriptor that does not change when the variable does that it came from.
Result kept_dsd(Evaluator& evaluator, const Result& value, const std::string& name);
/// Copies or fills an array with one operation. false: it needs single stores.
bool copy_array(Evaluator& evaluator, const Type& type, const Storage& storage, const Result& value,
                const Node& at);
/// What the checked choices of `.simd_mode` and `.priority` mean.
pe::SimdMode simd_mode_of(std::string_view choice);
pe::Priority priority_of(std::string_view choice);
/// An option whose id only the running program knows: the ids that it may be, and what one of them says.
struct LiveOption {
  using Setter = std::function<void(pe::OpConfig&, unsigned)>;
  Result value;
  std::vector<std::uint32_t> ids;
  Setter set;
};
/// Options of an operation or of the load of a DSR; `index` takes `.index` if the table has it, `live` those that only the
/// running program knows (nullptr: all have to be known).
pe::OpConfig operation_options(TileCode& tile, const OptionsTable& table, const Fields& options,
                               const Node& at, std::vector<LiveOption>* live = nullptr,
                               Result* index = nullptr);
/// Code blocks or unblocks a channel, which has to be there: `handle` is the type of `id`. Those of tasks are.
void use_channel(TileCode& tile, const Type& handle, unsigned id, const Node& at);
/// A descriptor of the fabric with a queue or color that only the running program knows: one of several of the program.
LiveDsd live_fabric(const BuiltinCall& call, const Type& kind, const Dsd& dsd);
/// An operation moves one element a wavelet on all its fabric operands if it does on one: programs
/// of SDK 2.10 join a packing input with the output of a stream to the host, which does not pack.
void unify_simd(TileCode& tile, std::vector<ir::DsdOperand>& operands);
/// Fails for an operand that is a circular buffer and no DSR with one (wse.md 5.4).
void refuse_circular(const BuiltinCall& call, std::size_t i, const Result& value);
pe::Operand dsr_operand(TileCode& tile, const Result& value, bool is_destination);
/// Extended DSR and stride registers for the load of a descriptor whose register lasts longer than an operation, beside those
/// that `strides` holds. Operations meanwhile do not take the extended register if one can be kept for the loops of the descriptor.
void add_extension(const TileCode& tile, const pe::Dsd& dsd, pe::OpConfig& config, unsigned slot,
                   ir::StrideRegisters& strides);
/// Those that a load of `dsd` names, in place of these. Fails unless the load has as many stride registers as it needs.
void name_extension(const Engine& engine, const DsrLoad& load, const Result& dsd,
                    pe::OpConfig& config);
/// The row of `@map`.
BuiltinRow map_builtin();
/// The descriptor of a FIFO or of the fabric as the tile program has it.
ir::Descriptor lowered(TileCode& tile, const Type& kind, const Dsd& dsd, const Node& at);

}  // namespace tessera::csl
