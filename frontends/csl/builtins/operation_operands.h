// The operands of operations on descriptors: numbers, pointers, and the forms that an instruction has (csl.md 7.4).
#pragma once

#include <cstddef>
#include <vector>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/builtins/emit.h"

namespace tessera::csl {

/// A number as a value of the type that a slot of an instruction has.
ir::Value scalar_operand(const BuiltinCall& call, const Result& value, pe::ValueType type,
                         std::size_t i);
/// A destination or a source that the kind of the descriptor does not allow.
void check_direction(const BuiltinCall& call, const Result& value, std::size_t i,
                     bool is_destination);
/// The operands make one of the forms of the operation (csl.md 7.4).
void check_form(const BuiltinCall& call, const pe::OpcodeInfo& info,
                const std::vector<ir::DsdOperand>& operands);
/// The pointer of a destination that is a scalar.
void check_pointee(const BuiltinCall& call, const Result& value, pe::ValueType type);

}  // namespace tessera::csl
