// Builtins of the running program (csl.md 7).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/lower/tile_code.h"
#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/builtins/options.h"

namespace tessera::csl {

/// The code of a builtin; nothing: it is carried out at compile time.
std::optional<Result> run_time_builtin(Evaluator& evaluator, const Builtin& node);

/// Whether the name is that of an operation on descriptors.
bool is_dsd_operation(std::string_view name);
Result dsd_operation_builtin(const BuiltinCall& call);
Result map_builtin(const BuiltinCall& call);
Result load_to_dsr_builtin(const BuiltinCall& call);
Result set_fifo_length_builtin(const BuiltinCall& call);

/// Options of an operation or of the load of a DSR; `index` takes `.index` if the table has it.
pe::OpConfig operation_options(TileCode& tile, const OptionsTable& table, const Fields& options,
                               const Node& at, Result* index = nullptr);
pe::Operand dsr_operand(TileCode& tile, const Result& value, bool is_destination);
/// The extended DSR and the stride registers that a load names, in place of those of `add_extension`.
void name_extension(const DsrLoad& load, pe::OpConfig& config);
/// Extended DSR and stride registers for the load of a descriptor into an explicit DSR.
void add_extension(const TileCode& tile, const pe::Dsd& dsd, pe::OpConfig& config, unsigned slot);

}  // namespace tessera::csl
