// Values in the memory of the PE: variables, elements, what pointers point to (csl.md 2, 3).
#pragma once

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

Storage storage_of(Evaluator& evaluator, const Location& location, const Node& at);
/// The number of bytes from the start of a variable to a part of it.
std::int32_t offset_of(const Type& type, const std::vector<std::int64_t>& path);
/// Where a field of a struct or union lies that lies at `object`.
Storage field_storage(const Storage& object, const Type& type, std::size_t i);
Result load_operand(Evaluator& evaluator, const Type* type, const Storage& storage, const Node& at);
/// Memory of the function for a value of the type.
Storage memory_for(Evaluator& evaluator, const Type& type);
/// Stores a value of the type: numbers, structs, arrays, descriptors.
void store_operand(Evaluator& evaluator, const Type& type, const Storage& storage,
                   const Result& value, const Node& at);
/// Notes indices of an array variable that are known and lie outside of it (TileCode::note_overrun).
void check_indices(Evaluator& evaluator, const Location& array, const std::vector<Result>& indices,
                   const Node& at);
/// The place of an element of an array, or behind a pointer, for indices of which the running
/// program may be the only one to know some.
Location element_location(Evaluator& evaluator, const Location& array,
                          const std::vector<Result>& indices, const Node& at);
ir::Value address_value(Evaluator& evaluator, const Storage& storage);
/// The object that a pointer of the running program points to.
Location pointee(Evaluator& evaluator, const Result& pointer, const Node& at);

/// An element or field of a value of an aggregate type. Code is made if it lies in memory.
Result part_of(Evaluator& evaluator, const Result& value, std::size_t i, const Node& at);
/// A variable of the function that code is made for, with its first value.
ir::VariableId declare_variable(Evaluator& evaluator, std::string_view name, const Result& value,
                                const Node& at);
/// A value in memory: of the function, or a table of the program if it is known.
Storage in_memory(Evaluator& evaluator, const Result& value, std::string_view name, const Node& at);
/// A value that stays what it is when the variable changes that it was read from.
Result kept_operand(Evaluator& evaluator, const Result& value, std::string_view name,
                    const Node& at);

}  // namespace tessera::csl
