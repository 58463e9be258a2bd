// Random communication programs for tests of meshes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "frontends/operators/compiler.h"
#include "frontends/operators/program_reader.h"
#include "tests/support/random_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::numesh::mesh_programs {

/// All machines of a test are elaborated before it runs.
constexpr unsigned kMostAtOnce = 1000;

/// TESSERA_NUMESH_PROGRAMS of the environment, at most kMostAtOnce, else `otherwise`.
inline unsigned count_or(unsigned otherwise) {
  const char* given = std::getenv("TESSERA_NUMESH_PROGRAMS");
  if (given == nullptr) return otherwise;
  return std::min(kMostAtOnce, static_cast<unsigned>(std::strtoul(given, nullptr, 10)));
}

/// nullptr if the program is refused.
inline std::unique_ptr<scheduled::Program> compiled(std::uint64_t seed,
                                                    scheduled::SkewPolicy skew) {
  ::tessera::test::RandomProgram random = ::tessera::test::random_mixed_program(seed);
  random.target.rules.skew = skew;
  try {
    const operators::Program program = operators::read_program_text(random.text, "test.json");
    const operators::Compiled made = operators::compile(program, random.target);
    return std::make_unique<scheduled::Program>(
        operators::lower(program, made, random.target, operators::map_memory(program)));
  } catch (const UserError&) {
    return nullptr;
  }
}

}  // namespace tessera::numesh::mesh_programs
