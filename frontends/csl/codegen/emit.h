// Instructions of the tile for the functions of a module, after register allocation.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "frontends/csl/codegen/allocation.h"
#include "frontends/csl/codegen/cycles.h"
#include "frontends/csl/codegen/local_places.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// An operand whose value is known when code and data have their addresses.
struct Fixup {
  enum class Kind : std::uint8_t { kVariable, kLink, kFunction };
  Kind kind = Kind::kVariable;
  std::uint32_t pc = 0;
  unsigned slot = 0;
  std::uint32_t number = 0;  ///< VariableId or FunctionId
  std::int32_t offset = 0;
};

struct Code {
  std::vector<pe::Instruction> instructions;
  std::vector<Fixup> fixups;
  std::vector<std::uint32_t> label_targets;
  std::vector<std::uint32_t> entries;  ///< by FunctionId
  std::map<ir::FunctionId, std::vector<PlacedLocal>> locals;
  std::vector<ir::InlinedCall> inlined;   ///< of all functions, as those have them
  std::vector<std::uint32_t> inlined_of;  ///< by instruction: 1 + index; 0: none
};

/// Appends one function.
void emit(const ir::Module& module, ir::FunctionId id, const Allocation& allocation,
          const Cycles& cycles, Code& code);

}  // namespace tessera::csl::codegen
