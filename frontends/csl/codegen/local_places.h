// Where the locals of a function are while its code runs (ir::SourceLocal), for debuggers.
//
// A local has a place at an instruction if on all ways there the same register, or the same memory, got its value last and
// still has it: either somebody reads it later, or no assignment of the source was optimized away. Else it has none there.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/csl/codegen/allocation.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

struct LocalPlace {
  enum class Kind : std::uint8_t {
    kRegister,  ///< `number`: of the (even, if wide) register
    kMemory,    ///< `number`: VariableId, as long as addresses are not known; then the address
    kConstant   ///< `number`: bits
  };
  Kind kind = Kind::kRegister;
  std::uint32_t number = 0;
  std::uint32_t begin = 0;  ///< the first instruction
  std::uint32_t end = 0;    ///< the one after the last
};

struct PlacedLocal {
  ir::SourceLocalRef local;
  ir::Type type = ir::Type::kI16;
  std::uint32_t count = 1;
  pe::PackedType packed = pe::PackedType::kNone;
  std::uint32_t packed_count = 0;
  std::vector<LocalPlace> places;
  std::uint32_t inlined = 0;         ///< the call whose code has it: 1 + index into Code::inlined
  std::uint32_t global_address = 0;  ///< of what is no local, when addresses are known
};

/// Of a function that has been emitted. `starts`: by block, where the code of each of its instructions begins, and the end of the
/// last one; blocks that were left out have none. `entry`: where the code of the function begins.
std::vector<PlacedLocal> places_of_locals(const ir::Module& module, ir::FunctionId id,
                                          const Allocation& allocation,
                                          const std::vector<std::vector<std::uint32_t>>& starts,
                                          std::uint32_t entry);

}  // namespace tessera::csl::codegen
